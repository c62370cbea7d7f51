"""The exact scan beside its peers, in one run: time over R0, the plain float32 product of the whole matrix.

    python benches/scan.py                       everything, and docs/benchmarks.md written from it
    python benches/scan.py run TABLE PEER …      some of it, added to the records
    python benches/scan.py cost TABLE            the cost against the number of rows
    python benches/scan.py write                 docs/benchmarks.md from the records

Ratios are medians over rounds of a run's time by R0's time in the same round. Slow peers are asked for 2,048 rows and
scaled. Beside every figure stand what others used of the machine and what the host took.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from scan_peers.rounds import measure
from scan_peers.table import write

ROOT = Path(__file__).parents[1]
TABLES = ("demo", "demo:minilm", "demo:gemma3@65536")
WHOLE = ("demo:gemma3", "demo:glove")
FAST = ("R0", "armillary", "sampled", "torch", "faiss-fixed")
ONCE = ("exact", "float32", "portable", "faiss", "scikit-learn", "chunkdot", "usearch-f32", "usearch-i8", "gensim")
SIZES = (1000, 2000, 4000, 8000, 16_000, 32_000, 65_536, 131_072)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=("all", "run", "cost", "write"), default="all")
    parser.add_argument("names", nargs="*", help="a table, then peers")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--asked", type=int, default=2048, help="rows that slow peers are asked for")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--core", default="HASWELL", help="OPENBLAS_CORETYPE of the fixed faiss: SKYLAKEX with AVX-512")
    parser.add_argument("--records", type=Path, default=ROOT / "build" / "scan-benchmark.jsonl")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    given = parser.parse_args()
    if given.what in ("all", "run"):
        jobs = (
            [(given.names[0], given.names[1:] or FAST, given.runs)] if given.what == "run" else _everything(given.runs)
        )
        for table, peers, runs in jobs:
            _record(given, table, peers, runs)
    if given.what in ("all", "cost"):
        for size in given.sizes:
            _record(given, f"{(given.names or ['demo:gemma3'])[0]}@{size}", ("R0", "armillary"), 1, "cost")
    if given.what in ("all", "write"):
        print(write(given.records, ROOT / "docs"))


def _everything(runs: int) -> list[tuple[str, tuple[str, ...], int]]:
    jobs = [job for table in TABLES for job in ((table, FAST, runs), (table, ("R0", *ONCE), 1))]
    return jobs + [(table, ("R0", "armillary"), 1) for table in WHOLE]


def _record(given: argparse.Namespace, table: str, peers: tuple[str, ...], runs: int, part: str = "peers") -> None:
    given.records.parent.mkdir(parents=True, exist_ok=True)
    for record in measure(table, peers, runs, given.asked, given.threads, given.core):
        with given.records.open("a") as file:
            file.write(json.dumps({"part": part, **record}) + "\n")
        print(
            f"{table:20} {record['peer']:14} {record['seconds']:9.2f} s  steal {record['steal']:.0%}  others "
            f"{record['foreign']:.0%}  {record['kernel'] or ''} {', '.join(record['blas'])}",
            flush=True,
        )


if __name__ == "__main__":
    main()
