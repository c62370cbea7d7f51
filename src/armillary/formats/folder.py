"""A folder: a Hugging Face checkpoint, or the one file in it that is a table."""

from __future__ import annotations

from dataclasses import replace

from armillary.errors import UnreadableError
from armillary.formats.checkpoint import from_index, single_file
from armillary.formats.safetensors import open_checkpoint
from armillary.formats.sentence_transformers import first_module
from armillary.formats.source import Format, Request, Source
from armillary.table import Table

_INDEX = ".index.json"
_SINGLE = ("model.safetensors", "pytorch_model.bin")
# endings only shortlist, in groups of which the first that is there is taken: the file's content decides
_WEIGHTS = (
    (".safetensors", ".gguf", ".npy", ".npz"),
    (".bin", ".pt", ".pth", ".ckpt"),
    (".onnx", ".parquet", ".feather", ".arrow", ".vec", ".vec.gz"),
)
_NO_WEIGHTS = ("training_args.bin", "optimizer.bin", "optimizer.pt", "scheduler.pt", "scheduler.bin")
_REFUSED = (".h5", ".msgpack")
_ENDINGS = tuple(ending for group in _WEIGHTS for ending in group)


def _recognises(source: Source) -> bool:
    return source.is_folder


def _open(source: Source, request: Request) -> Table:
    single = next((name for name in _SINGLE if name in source.entries), None)
    if single == _SINGLE[0] or (single and not _indexes(source)):
        checkpoint = single_file(source.path / single, source.name)
        return _with_strays(open_checkpoint(checkpoint, source, request, "Hugging Face folder"), source)
    if indexes := _indexes(source):
        checkpoint = from_index(source.path / indexes[0], source.entries)
        return _with_strays(open_checkpoint(checkpoint, source, request, "Hugging Face folder, sharded"), source)
    return _only_file(source, request)


def _indexes(source: Source) -> list[str]:
    """Indexes of shards in the folder, safetensors first, the usual name first of each kind."""
    endings = (".safetensors" + _INDEX, ".bin" + _INDEX)
    named = [[n for n in source.entries if n.endswith(ending)] for ending in endings]
    return [n for group in named for n in sorted(group, key=lambda n: not n.startswith(("model.", "pytorch_model.")))]


def _only_file(source: Source, request: Request) -> Table:
    """The one weights file of the folder; with several, the error lists them."""
    from armillary.formats.opener import open_source
    from armillary.formats.source import read_source

    if (inner := first_module(source)) is not None:
        return open_source(read_source(inner, source.name), request)
    groups = [[n for n in source.entries if n.endswith(group) and _is_weights(n)] for group in _WEIGHTS]
    weights = next((group for group in groups if group), [])
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
            f"expected a table of a kind that is read in {source.name}, found {', '.join(refused[:4])}, which is not read",
            "convert it to safetensors first",
        )
    found = ", ".join(source.entries[:6]) or "nothing"
    raise UnreadableError(
        f"expected a model in the folder {source.name}, found {found}",
        "name the folder that holds config.json and *.safetensors (or *.bin, *.gguf)",
    )


def _is_weights(name: str) -> bool:
    return name not in _NO_WEIGHTS and not name.endswith(".tokens.parquet")


def _with_strays(table: Table, source: Source) -> Table:
    """List the other weights files of the folder as ignored."""
    report = table.load_report
    others = [n for n in source.entries if n.endswith((*_ENDINGS, *_REFUSED)) and n not in report.files_read]
    return replace(table, load_report=replace(report, files_ignored=tuple(sorted({*report.files_ignored, *others}))))


FORMAT = Format("Hugging Face folder", _recognises, _open)
