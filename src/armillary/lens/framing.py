"""The special tokens that a model is used to see around a text: BOS before it, [CLS] and [SEP] on its sides.

Our tokenizers add none, so that a table's rows are looked up as they are; a running model needs them. They are read
from the file that defines them: the template of a `tokenizer.json`, or the keys of a GGUF.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armillary.table import Vocabulary

_SPM_ADDS_BOS = ("llama",)  # tokenizer models of GGUF that add BOS where the file does not say


@dataclass(frozen=True)
class Framing:
    """Ids put before and after a text; `bos` is the id of the model's BOS token, also where it is not added."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    bos: int | None = None

    def around(self, ids: Sequence[int]) -> list[int]:
        """The ids of a text with its frame."""
        return [*self.before, *ids, *self.after]


def framing_of_gguf(keys: Mapping[str, Any]) -> Framing:
    """The frame that the keys of a GGUF file ask for."""
    bos, eos = (_id(keys.get(f"tokenizer.ggml.{name}_token_id")) for name in ("bos", "eos"))
    default = keys.get("tokenizer.ggml.model") in _SPM_ADDS_BOS
    adds_bos = keys.get("tokenizer.ggml.add_bos_token", default) and bos is not None
    adds_eos = keys.get("tokenizer.ggml.add_eos_token", False) and eos is not None
    return Framing((bos,) if adds_bos and bos is not None else (), (eos,) if adds_eos and eos is not None else (), bos)


def framing_of_folder(folder: Path, vocabulary: Vocabulary, bos: int | None = None) -> Framing:
    """The frame that a Hugging Face folder asks for; `bos` is the id its config gives."""
    path = folder / "tokenizer.json"
    if path.is_file():
        from armillary.formats.tokens.tokenizer_json import read_json

        before, after = _templates(read_json(path).get("post_processor"), vocabulary)
        return Framing(before, after, bos)
    if (folder / "vocab.txt").is_file():  # BERT's layout, whose frame is part of the model
        return Framing(_ids(["[CLS]"], vocabulary), _ids(["[SEP]"], vocabulary), bos)
    return Framing(bos=bos)


def _templates(processor: Any, vocabulary: Vocabulary) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(before, after) of a post-processor of the `tokenizers` library, its sequences opened."""
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    for part in _parts(processor):
        kind = part.get("type")
        if kind == "TemplateProcessing":
            names = [next(iter(piece.items())) for piece in part.get("single", ())]
            at = next((i for i, (what, _) in enumerate(names) if what == "Sequence"), len(names))
            before += _ids([value["id"] for what, value in names[:at]], vocabulary)
            after = (*_ids([value["id"] for what, value in names[at + 1 :]], vocabulary), *after)
        elif kind in ("BertProcessing", "RobertaProcessing"):
            before, after = (*before, int(part["cls"][1])), (int(part["sep"][1]), *after)
    return before, after


def _parts(processor: Any) -> list[Mapping[str, Any]]:
    if not isinstance(processor, dict):
        return []
    if processor.get("type") == "Sequence":
        return [part for inner in processor.get("processors", ()) for part in _parts(inner)]
    return [processor]


def _ids(names: Sequence[str], vocabulary: Vocabulary) -> tuple[int, ...]:
    return tuple(found[-1] for name in names if (found := vocabulary.find(name)))


def _id(value: Any) -> int | None:
    return int(value) if isinstance(value, int) else None
