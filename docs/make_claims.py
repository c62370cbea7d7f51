"""Write docs/claims.md: every claim tested by the tools themselves, with the verdict as measured.

    python docs/make_claims.py [--fresh | words of a claim …]

Needs the extras `train` and `words` and the data of `make data`; takes half an hour of one core, most of it four word
models of the dictionary. Each verdict stands in the page as soon as it is there, so an interrupted run goes on where it
stopped, and the page names what is not tested yet. What another version of Armillary or another command said is tested
anew; `--fresh` tests all anew, words the claims that contain them.
"""

from __future__ import annotations

import re
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
LAST = f"Made with armillary {__version__}."


def row(claim: Claim) -> str:
    """One claim as a line of the page's table."""
    verdict, sentence = claim.check()
    sentence = re.sub(r"(?<![\w-])-(?=\d)", "−", sentence)
    return _line(claim.text, f"**{verdict}**", sentence, claim.tables, _by(claim))


def kept() -> dict[str, str]:
    """The rows of the page as it is, by the sentence of their claim: those of this version and of the same commands."""
    page = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    if LAST not in page:
        return {}
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    return {c.text: r for c in CLAIMS for r in rows if r.startswith(f"| {c.text} |") and r.endswith(f"| {_by(c)} |")}


def write(rows: dict[str, str]) -> None:
    """The page, its claims in their order."""
    untested = "; ".join(c.text for c in CLAIMS if c.text not in rows)
    parts = ["\n".join(rows[c.text] for c in CLAIMS if c.text in rows)]
    parts += [f"Not tested yet: {untested}."] if untested else []
    with atomic_path(PAGE) as temporary:
        temporary.write_text(HEAD + "\n\n".join((*parts, LAST)) + "\n", "utf-8")


def main(arguments: list[str]) -> None:
    words = [word.lower() for word in arguments if not word.startswith("--")]
    known = {} if words or "--fresh" in arguments else kept()
    chosen = [c for c in CLAIMS if all(w in c.text.lower() for w in words) and c.text not in known]
    for number, claim in enumerate(chosen, start=1):
        print(f"{number} of {len(chosen)}: {claim.text}", file=sys.stderr, flush=True)
        found = row(claim)
        print(found, flush=True)
        write(kept() | {claim.text: found})


def _by(claim: Claim) -> str:
    return "<br>".join(f"`{command}`" for command in claim.commands)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


if __name__ == "__main__":
    main(sys.argv[1:])
