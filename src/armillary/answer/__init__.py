"""How a result reads: numbers, aligned tables, and the base of every result a call hands out.

One place, so that the command line, a notebook and the report write the same number the same way.
"""

from armillary.answer.answer import Answer, Listing
from armillary.answer.columns import aligned, cell_width, inert, isolated, one_line, quoted, space_note
from armillary.answer.numerals import cosine, count, interval, number, number_of_log10, percent, ratio, seconds, size

__all__ = [
    "Answer",
    "Listing",
    "aligned",
    "cell_width",
    "cosine",
    "count",
    "inert",
    "interval",
    "isolated",
    "number",
    "number_of_log10",
    "one_line",
    "percent",
    "quoted",
    "ratio",
    "seconds",
    "size",
    "space_note",
]
