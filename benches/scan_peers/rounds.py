"""Peers measured in turns: every round runs each once, so that a slow minute of the machine falls on all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from scan_peers.machine import Load, processor
from scan_peers.peers import PEERS

_HERE = Path(__file__).parents[1]
_LARGE = 40_000
_MODULES = {"faiss-cpu": "faiss", "scikit-learn": "sklearn"}


def rows_of(table: str) -> np.ndarray:
    """The raw rows of `NAME` or `NAME[:COUNT]`, zero rows left out; `NAME` as `armillary` opens it."""
    from armillary import open as open_study

    name, _, count = table.partition("@")
    code = open_study(name).code
    n = min(len(code), int(count)) if count else len(code)
    return np.ascontiguousarray(code.block(0, n), np.float32)


def measure(
    table: str, peers: Sequence[str], runs: int, asked: int, threads: int, core: str
) -> Iterator[dict[str, object]]:
    """One record a run of a peer; a peer that is not installed is left out with a note on standard error."""
    raw = rows_of(table)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder) / "rows.npy"
        np.save(path, raw)
        workers = {}
        for name in peers:
            if find_spec(_MODULES.get(PEERS[name].package, PEERS[name].package)) is None:
                print(f"{name}: {PEERS[name].package} is not installed, left out", file=sys.stderr)
                continue
            part = min(_asked(name, len(raw), asked), len(raw))
            try:
                workers[name] = stack.enter_context(_worker(name, path, part, threads, core)), part
            except EOFError:
                print(f"{name}: cannot be prepared here, left out", file=sys.stderr)
        for run in range(runs):
            for name, ((process, facts), part) in workers.items():
                record = {"table": table, "shape": list(raw.shape), "peer": name, "run": run, "scaled": part < len(raw)}
                yield record | facts | _one(process, len(raw) / part) | {"machine": processor(), "threads": threads}


def _asked(name: str, n: int, asked: int) -> int:
    """Rows a peer is asked for: few of slow ones, and of those that go row by row where the whole would take minutes."""
    if PEERS[name].by_row and n > _LARGE:
        return 4096
    return asked if PEERS[name].slow else n


@contextmanager
def _worker(name: str, path: Path, asked: int, threads: int, core: str) -> Iterator[tuple[subprocess.Popen[str], dict]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_HERE), *sys.path])}
    if PEERS[name].fixed_core:
        environment["OPENBLAS_CORETYPE"] = core
    command = [sys.executable, "-m", "scan_peers.worker", name, str(path), str(asked), str(threads)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        try:
            yield process, _answer(process)
        finally:
            process.kill()


def _one(process: subprocess.Popen[str], scale: float) -> dict[str, object]:
    before = Load.now()
    process.stdin.write("go\n")
    process.stdin.flush()
    answer = _answer(process)
    steal, foreign = Load.now().since(before, answer["seconds"], answer["cpu"])
    answer["seconds"] *= scale
    answer["cpu"] *= scale
    return answer | {"steal": steal, "foreign": foreign}


def _answer(process: subprocess.Popen[str]) -> dict:
    line = process.stdout.readline()
    if not line:
        raise EOFError("a peer ended without an answer")
    return json.loads(line)
