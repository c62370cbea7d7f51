"""Where the geometry comes from: four small laboratories that make the claims about embeddings checkable.

`packing`: how far apart directions can lie, and whether descent finds it. `superposition`: more features than
dimensions. `word2vec`: skip-gram, CBOW and the counts they factorise. `tying`: one table for input and output, or
two. `dimension`: the width that published models chose. What makes vectors returns a `Table` that every other tool
opens. Extra `train` (torch, gensim), imported inside the functions that need it.
"""
