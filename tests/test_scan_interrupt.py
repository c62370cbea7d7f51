"""A scan stops when told to: by the keyboard, by an exception of the caller; and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from armillary.scan import ArrayRows, scan
from test_scan_exact import KERNELS

SOURCE = os.pathsep.join(sys.path)  # pytest's own, for a fresh interpreter

# CPU seconds, not seconds: other work on the machine must not decide. Two threads may use two in one second.
PROGRAM = """
import signal, sys, time, threading
import numpy as np
from armillary.scan import ArrayRows, scan
from test_scan_exact import KERNELS

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background has it ignored
last = 0.0
def progress(done, total):
    global last
    last = time.process_time()
    if done:
        print(done, total, flush=True)

rows = np.random.default_rng(0).standard_normal((60_000, 128), dtype=np.float32)
try:
    scan(ArrayRows(rows), histogram="none", threads=2, progress=progress)
except KeyboardInterrupt:
    print("interrupted", time.process_time() - last, threading.active_count(), flush=True)
    sys.exit(130)
"""


@pytest.mark.long
def test_an_interruption_mid_scan_ends_it_within_a_second():
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": SOURCE}
    ) as process:
        done, total = map(int, process.stdout.readline().split())
        assert 0 < done < total / 2
        process.send_signal(signal.SIGINT)
        last = process.stdout.read().splitlines()[-1].split()
        assert process.wait(60) == 130
    assert last[0] == "interrupted"
    assert float(last[1]) < 2 * 1.0
    assert int(last[2]) == 1


def test_progress_may_cancel_and_blas_gets_its_threads_back():
    class Enough(Exception):
        pass

    def progress(done, total):
        assert 0 <= done <= total == 3000 * 2999 // 2
        raise Enough

    before = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}
    threads = threading.active_count()
    with pytest.raises(Enough):
        scan(ArrayRows(np.random.default_rng(0).standard_normal((3000, 8))), progress=progress)
    assert threading.active_count() == threads
    after = {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()}  # scipy's may have come meanwhile
    assert before.items() <= after.items()


@pytest.mark.parametrize("kernel", KERNELS)
def test_progress_ends_at_the_total(kernel):
    seen = []
    scan(
        ArrayRows(np.random.default_rng(0).standard_normal((1500, 8))),
        kernel=kernel,
        progress=lambda done, total: seen.append((done, total)),
    )
    total = 1500 * 1499 // 2 * (1 if kernel == "auto" else 2)  # tiles visit all pairs once more for the histogram
    assert seen[-1] == (total, total)
    assert sorted(seen) == seen
