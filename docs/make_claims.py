"""Write docs/claims.md: every claim tested by the tools themselves, with the verdict as measured.

    python docs/make_claims.py [--fresh | --kept | words of a claim …]

Needs the extras `train` and `words` and the data of `make data`; takes half an hour of one core, most of it four word
models of the dictionary. Each verdict is kept in the user's cache as soon as it is there, so an interrupted run goes on where
it stopped; `--fresh` tests all anew, `--kept` writes the page from what is kept and names what is not tested yet. With words
it tests the claims that contain them anew, and prints instead of writing.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from claims import dimension, sphere, tables, training
from claims.claim import Claim

from armillary import __version__
from armillary.storage import atomic_path, cache_directory

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


def place(claim: Claim) -> Path:
    """Where the row of a claim is kept; another version, sentence or command has another place."""
    key = "\n".join((__version__, claim.text, *claim.commands))
    return cache_directory("claims") / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.md"


def tested(claim: Claim, number: int, count: int) -> str:
    """The row of a claim, tested now and kept."""
    print(f"{number} of {count}: {claim.text}", file=sys.stderr, flush=True)
    found = row(claim)
    with atomic_path(place(claim)) as temporary:
        temporary.write_text(found, "utf-8")
    return found


def main(arguments: list[str]) -> None:
    words = [word.lower() for word in arguments if not word.startswith("--")]
    chosen = [c for c in CLAIMS if all(word in c.text.lower() for word in words)]
    kept = {c.text: place(c).read_text("utf-8") for c in chosen if place(c).is_file()}
    known = {} if words or "--fresh" in arguments else kept
    if "--kept" not in arguments:
        missing = [c for c in chosen if c.text not in known]
        known |= {c.text: tested(c, i, len(missing)) for i, c in enumerate(missing, start=1)}
    rows = [known[c.text] for c in chosen if c.text in known]
    if words:
        print("\n".join(rows))
        return
    untested = "; ".join(c.text for c in chosen if c.text not in known)
    last = [f"Not tested yet: {untested}."] if untested else []
    with atomic_path(PAGE) as temporary:
        page = "\n\n".join(("\n".join(rows), *last, f"Made with armillary {__version__}."))
        temporary.write_text(f"{HEAD}{page}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
