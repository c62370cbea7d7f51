"""Write docs/claims.md: every claim tested by the tools themselves, with the verdict as measured.

    python docs/make_claims.py [words of a claim …]

Needs the extras `train` and `words` and the data of `make data`; takes some minutes. With words it tests the claims
that contain them and prints instead of writing.
"""

from __future__ import annotations

import sys
from pathlib import Path

from claims import dimension, sphere, tables, training
from claims.claim import Claim

from armillary import __version__
from armillary.storage import atomic_path

PAGE = Path(__file__).with_name("claims.md")
CLAIMS = (*sphere.CLAIMS, *training.CLAIMS, *dimension.CLAIMS, *tables.CLAIMS)
HEAD = """# Claims, checked

Sentences people say about embeddings, each with the command that tests it, the tables it was tested on, and the
verdict as measured. A verdict is about those tables and settings, no others. `python docs/make_claims.py` writes
this page; nothing in it is typed by hand.

| claim | verdict | measured | tested on | by |
|---|---|---|---|---|
"""


def row(claim: Claim) -> str:
    """One claim as a line of the page's table."""
    verdict, sentence = claim.check()
    by = "<br>".join(f"`{command}`" for command in claim.commands)
    return f"| {claim.text} | **{verdict}** | {sentence} | {claim.tables} | {by} |".replace(
        "|cosine|", "&#124;cosine&#124;"
    )


def main(wanted: list[str]) -> None:
    chosen = [c for c in CLAIMS if all(w.lower() in c.text.lower() for w in wanted)]
    rows = []
    for _number, claim in enumerate(chosen, start=1):
        rows.append(row(claim))
    if wanted:
        return
    with atomic_path(PAGE) as temporary:
        temporary.write_text(f"{HEAD}{chr(10).join(rows)}\n\nMade with armillary {__version__}.\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
