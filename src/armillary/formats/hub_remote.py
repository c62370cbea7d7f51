"""One model on the hub and its folder in the cache: small files whole, weights as files with holes.

A file of weights is made at its full size at once and holds nothing but what was asked for; where in it a piece ends
that an earlier run began is noted beside it, so that it is taken up there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from armillary.formats.hub_ranges import fetch_range
from armillary.storage import atomic_path

Progress = Callable[[int, int], None]


def endpoint() -> str | None:
    """`HF_ENDPOINT`, or None for the hub itself."""
    return os.environ.get("HF_ENDPOINT") or None


@dataclass(frozen=True)
class Remote:
    """A model at one commit: the names of its files, and the folder that they are laid into."""

    repository: str
    commit: str
    folder: Path
    files: frozenset[str]

    def __str__(self) -> str:
        return f"hf:{self.repository}"

    def url(self, file: str) -> str:
        """Where the hub has a file."""
        from huggingface_hub import hf_hub_url

        return hf_hub_url(self.repository, file, revision=self.commit, endpoint=endpoint())

    def whole(self, file: str) -> None:
        """Bring a small file, unless it is here."""
        from huggingface_hub import hf_hub_download

        if not (self.folder / file).is_file():
            hf_hub_download(self.repository, file, revision=self.commit, local_dir=self.folder, endpoint=endpoint())

    def begin(self, file: str, count: int) -> tuple[bytes, int]:
        """The first bytes of a file and its size; the file is made with them and with holes for all else."""
        head = bytearray()
        size = fetch_range(self.url(file), 0, count, head.extend)
        path = self.folder / file
        if not path.is_file() or path.stat().st_size != size:
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_path(path) as temporary, temporary.open("r+b") as opened:
                opened.write(head)
                opened.truncate(size)
        return bytes(head), size

    def lay(self, file: str, begin: int, end: int, progress: Progress | None = None) -> None:
        """Bring bytes begin … end−1 of a file into their place; taken up where an earlier run stopped."""
        reached = (self.folder / file).with_name(f".{Path(file).name}-{begin}")
        at = min(end, max(begin, int(reached.read_text() or 0))) if reached.is_file() else begin
        with (self.folder / file).open("r+b") as opened:
            opened.seek(at)

            def sink(chunk: bytes) -> None:
                opened.write(chunk)
                if progress is not None:
                    progress(opened.tell() - begin, end - begin)

            try:
                if at < end:
                    fetch_range(self.url(file), at, end, sink)
            finally:
                opened.flush()
                reached.write_text(str(max(at, opened.tell())))

    def read(self, file: str, begin: int, end: int) -> bytes:
        """Bytes of a file that were laid before."""
        with (self.folder / file).open("rb") as opened:
            opened.seek(begin)
            return opened.read(end - begin)
