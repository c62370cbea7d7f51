"""Write docs/claims.md: every claim tested by the tools themselves, with the verdict as measured.

    python docs/make_claims.py [words of a claim …] [--without "train dictionary"]

Needs the extras `train` and `words` and the data of `make data`; takes half an hour of one core, most of it four word models of the
dictionary. With words it tests the claims that contain them and prints instead of writing. `--without` leaves out the
claims whose commands contain these words; the page names what was left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

from claims import dimension, sphere, tables, training
from claims.claim import Claim

from armillary import __version__
from armillary.storage import atomic_path

PAGE = Path(__file__).with_name("claims.md")
CLAIMS = (*dimension.CLAIMS, *sphere.CLAIMS, *tables.CLAIMS, *training.CLAIMS)
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


def main(arguments: list[str]) -> None:
    wanted, _, without = " ".join(arguments).partition("--without ")
    left_out = [c for c in CLAIMS if without and any(without in command for command in c.commands)]
    chosen = [c for c in CLAIMS if c not in left_out and all(w.lower() in c.text.lower() for w in wanted.split())]
    rows = []
    for number, claim in enumerate(chosen, start=1):
        print(f"{number} of {len(chosen)}: {claim.text}", file=sys.stderr)
        rows.append(row(claim))
    if wanted.strip():
        print("\n".join(rows))
        return
    missing = f"Not tested in this run: {'; '.join(c.text for c in left_out)}.\n\n" if left_out else ""
    with atomic_path(PAGE) as temporary:
        temporary.write_text(f"{HEAD}{chr(10).join(rows)}\n\n{missing}Made with armillary {__version__}.\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
