"""What the neighbour lists know of the histogram: its upper end, exactly, whatever was sampled.

Let T be the largest k-th cosine of a row. A pair with c > T is above the k-th cosine of both its rows, so that it is in
both their lists: the entries above T, halved, are all pairs there are.
"""

from __future__ import annotations

import numpy as np

from armillary.scan.histogram import BINS, bins_of
from armillary.scan.result import Scan
from armillary.shapes import Int64


def upper_tail(scan: Scan) -> tuple[int, Int64[np.ndarray, "b"]]:
    """(the first bin all of whose pairs are known, counts of the pairs from that bin on), of the 2,048 bins.

    All bins where the lists hold all pairs (k = n − 1); the empty end, where T is in the last bin.
    """
    n = len(scan.ids)
    values = scan.similarities.ravel()
    first = 0
    if scan.k < n - 1:
        first = int(bins_of(scan.similarities[:, -1].max(keepdims=True))[0]) + 1
    at = bins_of(values)
    return first, np.bincount(at[at >= first] - first, minlength=BINS - first) // 2
