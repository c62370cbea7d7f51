"""A table packed with gzip or zip: unpacked to a scratch file within bounds, opened, and the scratch file removed.

Vectors as text or in word2vec's binary form are what is packed so. Text of numbers does not shrink to less than a
sixtieth, so a file that unpacks to more than that is refused before it fills the disk.
"""

from __future__ import annotations

import gzip
import io
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO

from armillary.errors import UnreadableError, UsageError, WorkError
from armillary.formats.archive import DAMAGE, check_method
from armillary.formats.source import Format, Request, Source, read_source
from armillary.table import Table

_RATIO, _SPARE = 60, 64 << 20
_CHUNK = 1 << 20


def _recognises_gzip(source: Source) -> bool:
    return source.head[:3] == b"\x1f\x8b\x08"


def _recognises_zip(source: Source) -> bool:
    return source.head[:4] == b"PK\x03\x04"


def _open_gzip(source: Source, request: Request) -> Table:
    name = source.path.name.removesuffix(".gz") or "unpacked"
    return _unpacked(source, request, name, lambda: io.BufferedReader(gzip.GzipFile(source.path)))


def _open_zip(source: Source, request: Request) -> Table:
    try:
        with zipfile.ZipFile(source.path) as archive:
            info = _member(archive, source, request)
            check_method(info)
            inside = replace(request, tensor=None)
            return _unpacked(source, inside, Path(info.filename).name, lambda: archive.open(info))
    except DAMAGE as error:
        raise UnreadableError(
            f"the zip archive {source.name} is corrupt: {str(error)[:100]}", "copy it again"
        ) from error


def _member(archive: zipfile.ZipFile, source: Source, request: Request) -> zipfile.ZipInfo:
    """The one file of the archive, or the one that `--tensor` names."""
    files = [i for i in archive.infolist() if not i.is_dir() and not i.filename.startswith("__MACOSX/")]
    chosen = [i for i in files if i.filename == request.tensor] if request.tensor is not None else files
    if len(chosen) == 1:
        return chosen[0]
    listed = ", ".join(i.filename[:80] for i in files[:8]) or "nothing"
    raise UsageError(f"expected one file in the zip archive {source.name}, found {listed}", "choose with --tensor NAME")


def _unpacked(source: Source, request: Request, name: str, unpack: Callable[[], IO[bytes]]) -> Table:
    from armillary.formats.opener import open_source

    with tempfile.TemporaryDirectory(prefix="armillary-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder) / (name if name not in (".", "..") and "\0" not in name else "unpacked")
        _copy(unpack, scratch, source)
        inside = read_source(scratch, f"{source.name} (unpacked)")
        if _recognises_gzip(inside) or _recognises_zip(inside):
            raise UnreadableError(f"expected a table packed once in {source.name}, found one archive in another")
        table = open_source(inside, request)
    note = f"unpacked from {source.path.name}: {inside.size:,} bytes"
    report = replace(table.load_report, files_read=(source.path.name,), notes=(*table.load_report.notes, note))
    return replace(table, load_report=report, provenance=replace(table.provenance, source=source.name))


def _copy(unpack: Callable[[], IO[bytes]], target: Path, source: Source) -> None:
    most = _RATIO * source.size + _SPARE
    done = 0
    try:
        with unpack() as packed, target.open("wb") as out:
            while chunk := packed.read(_CHUNK):
                done += len(chunk)
                if done > most:
                    raise UnreadableError(
                        f"{source.name} of {source.size:,} bytes unpacks to more than {most:,}, as no vectors do",
                        "unpack it yourself if it is meant so",
                    )
                _write(out, chunk, source)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableError(f"{source.name} is cut or corrupt: {error}", "copy it again") from error


def _write(out: IO[bytes], chunk: bytes, source: Source) -> None:
    try:
        out.write(chunk)
    except OSError as error:
        raise WorkError(
            f"unpacking {source.name} into {tempfile.gettempdir()} failed: {error.strerror}",
            "set TMPDIR to another folder",
        ) from error


ZIP = Format("zip", _recognises_zip, _open_zip)
GZIP = Format("gzip", _recognises_gzip, _open_gzip)
