"""A process of its own for one peer: prepares once, then works when it is told to, and says how long it took.

Started as `worker.py PEER TABLE.npy ASKED THREADS`; a line on standard input is an order, an answer is a line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from scan_peers.peers import PEERS


def main(name: str, path: str, asked: int, threads: int) -> None:
    peer, raw = PEERS[name], np.load(path, mmap_mode=None)
    unit = raw / np.linalg.norm(raw.astype(np.float64), axis=1, keepdims=True).astype(np.float32)
    with threadpool_limits(threads):
        work = peer.make(raw, unit, asked, threads)
        blas = sorted({f"{p['internal_api']} {p.get('architecture', '')}".strip() for p in threadpool_info()})
        print(json.dumps({"version": version(peer.package), "blas": blas}), flush=True)
        for _ in sys.stdin:
            start, cpu = time.perf_counter(), time.process_time()
            result = work()
            answer = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu}
            print(json.dumps({**answer, "kernel": result if isinstance(result, str) else None}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
