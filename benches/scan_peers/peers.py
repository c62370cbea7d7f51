"""One function a peer: rows in, a call that does the work out. What is not done before a search is part of the call.

Each takes the raw rows, normalised ones, how many rows to ask for, and threads. Those that can ask for fewer rows than
all are asked for fewer, and their time is scaled; the others say so by the share of the work they return. chunkdot 0.6
names numba below 0.58, and runs with newer: it is installed without its dependencies (`make bench`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

K = 10
Work = Callable[[], object]


@dataclass(frozen=True)
class Peer:
    """`make(raw, unit, asked, threads)` prepares; `slow`: asked for a part of the rows, and scaled; `by_row`: its time
    is that of a row times the rows, so that of large tables a part is enough."""

    title: str
    package: str
    make: Callable[[np.ndarray, np.ndarray, int, int], Work]
    slow: bool = False
    by_row: bool = False
    fixed_core: bool = False


def plain_product(_raw: np.ndarray, unit: np.ndarray, asked: int, threads: int) -> Work:
    """R0: blocks of the float32 product of the asked rows with all, nothing else."""
    import torch

    torch.set_num_threads(threads)
    x, out = torch.from_numpy(unit), torch.empty(1024, 4096)

    def work() -> None:
        for a in range(0, asked, 1024):
            for b in range(0, len(x), 4096):
                left, right = x[a : min(a + 1024, asked)], x[b : b + 4096]
                torch.mm(left, right.T, out=out.view(-1)[: len(left) * len(right)].view(len(left), len(right)))

    return work


def torch_topk(_raw: np.ndarray, unit: np.ndarray, asked: int, threads: int) -> Work:
    import torch

    torch.set_num_threads(threads)
    x = torch.from_numpy(unit)
    return lambda: [torch.mm(x[a : min(a + 256, asked)], x.T).topk(K + 1, dim=1) for a in range(0, asked, 256)]


def faiss_flat(_raw: np.ndarray, unit: np.ndarray, asked: int, threads: int) -> Work:
    import faiss

    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatIP(unit.shape[1])
    index.add(unit)
    return lambda: index.search(unit[:asked], K + 1)


def scikit_learn(raw: np.ndarray, _unit: np.ndarray, asked: int, _threads: int) -> Work:
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=K + 1, algorithm="brute", metric="cosine").fit(raw)
    return lambda: model.kneighbors(raw[:asked])


def chunkdot(raw: np.ndarray, _unit: np.ndarray, asked: int, threads: int) -> Work:
    import numba
    from chunkdot import cosine_similarity_top_k

    numba.set_num_threads(threads)
    cosine_similarity_top_k(raw[:300], top_k=K + 1)  # compile
    return lambda: cosine_similarity_top_k(raw[:asked], top_k=K + 1, embeddings_right=raw)


def usearch_exact(kind: str) -> Callable[[np.ndarray, np.ndarray, int, int], Work]:
    def make(_raw: np.ndarray, unit: np.ndarray, asked: int, threads: int) -> Work:
        from usearch.index import MetricKind, search

        x = unit if kind == "f32" else np.round(unit / np.abs(unit).max(axis=1, keepdims=True) * 127).astype(np.int8)
        return lambda: search(x, x[:asked], K + 1, MetricKind.Cos, exact=True, threads=threads)

    return make


def gensim_loop(raw: np.ndarray, _unit: np.ndarray, asked: int, _threads: int) -> Work:
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(raw.shape[1])
    vectors.add_vectors([str(i) for i in range(len(raw))], raw)
    vectors.fill_norms()
    return lambda: [vectors.most_similar(str(i), topn=K) for i in range(asked)]


def armillary(kernel: str = "auto", histogram: str = "none") -> Callable[[np.ndarray, np.ndarray, int, int], Work]:
    def make(raw: np.ndarray, _unit: np.ndarray, _asked: int, threads: int) -> Work:
        from armillary.scan import ArrayRows, scan

        how = {"kernel": _float32_rung() if kernel == "float32" else kernel, "histogram": histogram, "threads": threads}
        scan(
            ArrayRows(np.random.default_rng(0).standard_normal((2100, raw.shape[1]), dtype=np.float32)), **how
        )  # compile
        return lambda: scan(ArrayRows(raw), k=K, **how).kernel

    return make


def _float32_rung() -> str:
    """The fastest that runs here."""
    from armillary.scan.kernels import KERNELS, host_features

    names = [name for name, rung in KERNELS.items() if rung.features <= host_features()]
    return next(name for name in names if name.endswith("-float32"))


PEERS: dict[str, Peer] = {
    "R0": Peer("plain float32 product of the whole matrix (R0)", "torch", plain_product, by_row=True),
    "armillary": Peer("Armillary: ten nearest, extreme pairs, hubs, moments", "armillary", armillary()),
    "sampled": Peer("Armillary with the sampled histogram", "armillary", armillary(histogram="sampled")),
    "exact": Peer("Armillary with the exact histogram", "armillary", armillary(histogram="exact")),
    "float32": Peer("Armillary, float32 kernel", "armillary", armillary("float32")),
    "portable": Peer("Armillary, kernel portable", "armillary", armillary("portable")),
    "torch": Peer("torch mm + topk", "torch", torch_topk, by_row=True),
    "faiss": Peer("faiss IndexFlatIP as installed", "faiss-cpu", faiss_flat, by_row=True),
    "faiss-fixed": Peer(
        "faiss IndexFlatIP, OPENBLAS_CORETYPE fixed", "faiss-cpu", faiss_flat, by_row=True, fixed_core=True
    ),
    "scikit-learn": Peer("scikit-learn NearestNeighbors, brute", "scikit-learn", scikit_learn, slow=True),
    "chunkdot": Peer("chunkdot", "chunkdot", chunkdot, slow=True),
    "usearch-f32": Peer("usearch exact, f32", "usearch", usearch_exact("f32"), slow=True),
    "usearch-i8": Peer("usearch exact, i8 (not exact)", "usearch", usearch_exact("i8"), slow=True),
    "gensim": Peer("gensim most_similar, row by row", "gensim", gensim_loop, slow=True),
}
