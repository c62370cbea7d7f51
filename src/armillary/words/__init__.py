"""Words: what a text is in a table, and what its neighbours, directions and relations are.

Each question is a file of its own and is imported from there, so that a question about one word loads nothing of the
others: `word`, `similarity`, `analogy` with its `null`, `directions`, `ladder`, `relation`, `categories`, `evaluation`.
"""
