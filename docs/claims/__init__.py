"""Common claims about embeddings, each with what tests it. `python docs/make_claims.py` writes the page."""
