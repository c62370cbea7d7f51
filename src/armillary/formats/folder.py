"""A folder: a Hugging Face checkpoint, or the one file in it that is a table."""

from __future__ import annotations

from dataclasses import replace

from armillary.errors import UnreadableError
from armillary.formats.checkpoint import from_index, single_file
from armillary.formats.safetensors import open_checkpoint
from armillary.formats.source import Format, Request, Source
from armillary.table import Table

_INDEX = ".safetensors.index.json"
_WEIGHTS = (".safetensors", ".gguf", ".npy", ".npz")  # endings only shortlist: the file's content decides
_REFUSED = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".onnx")


def _recognises(source: Source) -> bool:
    return source.is_folder


def _open(source: Source, request: Request) -> Table:
    if "model.safetensors" in source.entries:
        table = open_checkpoint(
            single_file(source.path / "model.safetensors", source.name), source, request, "Hugging Face folder"
        )
        return _with_strays(table, source)
    indexes = [name for name in source.entries if name.endswith(_INDEX)]
    if indexes:
        index = "model" + _INDEX if "model" + _INDEX in indexes else indexes[0]
        checkpoint = from_index(source.path / index, source.entries)
        return _with_strays(open_checkpoint(checkpoint, source, request, "Hugging Face folder, sharded"), source)
    return _only_file(source, request)


def _only_file(source: Source, request: Request) -> Table:
    """The one weights file of the folder; with several, the error lists them."""
    from armillary.formats.opener import open_source
    from armillary.formats.source import read_source

    weights = [name for name in source.entries if name.endswith(_WEIGHTS)]
    if "-00001-of-" in "".join(weights) and all(name.endswith(".gguf") for name in weights):
        weights = [name for name in weights if "-00001-of-" in name]  # the first part of a split file leads to the rest
    if len(weights) == 1:
        return open_source(read_source(source.path / weights[0], source.name), request)
    if weights:
        listed = ", ".join(weights[:6])
        raise UnreadableError(f"{source.name} holds {len(weights)} files that could be the table: {listed}", "name one")
    refused = [name for name in source.entries if name.endswith(_REFUSED)]
    if refused:
        raise UnreadableError(
            f"expected safetensors or GGUF in {source.name}, found {', '.join(refused[:4])}, which is not read",
            "convert it to safetensors first",
        )
    found = ", ".join(source.entries[:6]) or "nothing"
    raise UnreadableError(f"expected a model in the folder {source.name}, found {found}", "name the folder of a model")


def _with_strays(table: Table, source: Source) -> Table:
    """List the other weights files of the folder as ignored."""
    report = table.load_report
    others = [n for n in source.entries if n.endswith((*_WEIGHTS, *_REFUSED)) and n not in report.files_read]
    return replace(table, load_report=replace(report, files_ignored=tuple(sorted({*report.files_ignored, *others}))))


FORMAT = Format("Hugging Face folder", _recognises, _open)
