"""Findings: pure functions from measures to sentences. One file a section; each has `sentences`, `findings`, `statement`.

A sentence carries its number, its unit and its null, and says whether it is good news.
"""
