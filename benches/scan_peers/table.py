"""The page of the measurements, and its figure, from the records of runs."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import median

from scan_peers.peers import PEERS

_WHOLE = 30_000
_TEXT = """# Benchmarks

Time over R0: a plain blocked float32 product of the whole V × V matrix (torch), nothing else, the same threads, in the
same round. Lower is better. CPU time is that of all threads, which other work on the machine disturbs less. Ratios are
medians over rounds; peers marked * were asked for some rows and scaled.
`others` and `steal` say what share of all cores other processes and the host took meanwhile: where that is much, trust the
ratio and not the seconds. Written by `python benches/scan.py` (`make bench` runs all of it).

{machine}

{tables}
## Cost against the number of rows

![CPU seconds against the number of rows, measured and for a plain product](benchmarks.svg)

{cost}
## What is missing

{missing}
"""


def write(records: Path, docs: Path) -> Path:
    """docs/benchmarks.md and docs/benchmarks.svg."""
    rows = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    peers = [row for row in rows if row["part"] == "peers"]
    sliced = {row["table"].partition("@")[0] for row in rows if row["part"] == "cost"}
    cost = [row for row in rows if row["part"] == "cost" or row["table"] in sliced]  # and the whole table, run once
    page = docs / "benchmarks.md"
    page.write_text(
        _TEXT.format(
            machine="\n".join(f"- {line}" for line in _machine(rows)),
            tables="\n".join(_table(name, peers) for name in dict.fromkeys(row["table"] for row in peers)),
            cost=_cost(cost),
            missing=_missing(rows),
        ),
        "utf-8",
    )
    if cost:
        _figure(cost, docs / "benchmarks.svg")
    return page


def _machine(rows: list[dict]) -> list[str]:
    machines = sorted({f"{row['machine']}; {row['threads']} threads" for row in rows})
    versions = sorted({f"{PEERS[row['peer']].package} {row['version']}" for row in rows})
    return [*machines, ", ".join(versions)]


def _rounds(rows: list[dict]) -> dict[str, list[tuple[float, float, dict]]]:
    """(time and CPU time over those of R0 in the same round, record) of each peer."""
    plain, found = None, defaultdict(list)
    for row in rows:
        plain = row if row["peer"] == "R0" else plain
        if plain:
            found[row["peer"]].append((row["seconds"] / plain["seconds"], row["cpu"] / plain["cpu"], row))
    return found


def _table(name: str, peers: list[dict]) -> str:
    rows = [row for row in peers if row["table"] == name]
    shape = " × ".join(f"{n:,}" for n in rows[0]["shape"])
    lines = [
        f"## {_titled(name)}, {shape}\n",
        "| | time / R0 | CPU time / R0 | seconds | runs | others | steal | kernel, BLAS |",
        "|---|---|---|---|---|---|---|---|",
    ]
    found = _rounds(rows)
    for peer in PEERS:
        if peer not in found:
            continue
        times, cpu, own = zip(*found[peer], strict=True)
        mark = " *" if own[0]["scaled"] else ""
        kernel = own[0]["kernel"] or ", ".join(own[0]["blas"])
        busy, stolen = (f"{median(row[key] for row in own):.0%}" for key in ("foreign", "steal"))
        cells = [PEERS[peer].title + mark, f"{median(times):.2f}", f"{median(cpu):.2f}"]
        cells.append(f"{median(row['seconds'] for row in own):.1f}")
        lines.append(f"| {' | '.join([*cells, str(len(own)), busy, stolen, kernel])} |")
    return "\n".join(lines) + "\n"


def _titled(name: str) -> str:
    table, _, count = name.partition("@")
    return f"The first {int(count):,} rows of {table}" if count else table


def _points(cost: list[dict]) -> list[tuple[int, float, float]]:
    """(rows, CPU seconds of R0, CPU seconds of the scan)."""
    by_size: dict[int, dict[str, float]] = defaultdict(dict)
    for row in cost:
        by_size[row["shape"][0]][row["peer"]] = row["cpu"]
    return [(n, found["R0"], found["armillary"]) for n, found in sorted(by_size.items()) if len(found) == 2]


def _cost(cost: list[dict]) -> str:
    if not cost:
        return "Not measured here.\n"
    lines = [f"First rows of {cost[0]['table'].split('@')[0]}, once each; R0 scaled from 4,096 rows beyond 40,000.\n"]
    lines += ["| rows | scan, CPU seconds | R0, CPU seconds | ratio |", "|---|---|---|---|"]
    lines += [f"| {n:,} | {own:.2f} | {plain:.2f} | {own / plain:.2f} |" for n, plain, own in _points(cost)]
    return "\n".join(lines) + "\n"


def _missing(rows: list[dict]) -> str:
    kernels = {row["kernel"] for row in rows if row["kernel"]}
    lines = []
    if max(row["shape"][0] for row in rows) < _WHOLE:
        lines.append(
            "Whole tables: only slices were timed here, on a machine busy with other work. On few rows the preparation,"
        )
        lines.append("which grows with V and not with V², weighs more, and the ratios are those of a small table.\n")
    if not any(kernel.startswith("avx512") for kernel in kernels):
        lines.append("The AVX-512 kernels: this machine has no AVX-512, and they were not timed. Their machine code is")
        lines.append(
            "checked by the tests, and run there on an emulated processor; how fast they are is not known from here."
        )
    absent = sorted({PEERS[name].title for name in PEERS} - {PEERS[row["peer"]].title for row in rows})
    if absent:
        lines.append(f"\nNot run here: {'; '.join(absent)}.")
    return "\n".join(lines) or "Nothing."


def _figure(cost: list[dict], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "armillary"
    from matplotlib import pyplot

    sizes, plain, own = zip(*_points(cost), strict=True)
    figure, axes = pyplot.subplots(figsize=(6.4, 3.6))
    axes.loglog(sizes, plain, "--", color="#666666", label="plain float32 product")
    axes.loglog(sizes, own, "o-", color="#0072b2", label="exact scan")
    axes.set(xlabel="rows", ylabel="CPU seconds")
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
