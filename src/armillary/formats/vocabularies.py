"""What a load report says about a vocabulary against its rows, the same for every format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from armillary.formats.tokens import has_vocabulary, read_vocabulary
from armillary.formats.tokens.folder import LAYOUTS
from armillary.table import Kind, Vocabulary


def vocabulary_facts(vocabulary: Vocabulary) -> dict[str, Any]:
    """The load report's counts: tokens, padded rows at the end, holes, tokens without a row, names given twice."""
    absent = np.asarray(vocabulary.kinds) == Kind.NO_TOKEN
    if vocabulary.named_by_id:
        return {"tokens": 0}
    present = np.flatnonzero(~absent)
    last = int(present[-1]) + 1 if len(present) else 0
    named = [vocabulary.names[i] for i in present.tolist()] if absent.any() else vocabulary.names
    return {
        "tokens": len(present) + len(vocabulary.beyond),
        "padded_rows": len(absent) - last,
        "holes": int(absent[:last].sum()),
        "tokens_without_row": len(vocabulary.beyond),
        "duplicate_names": len(named) - len(set(named)),
    }


def folder_vocabulary(folder: Path, rows: int) -> Vocabulary:
    """The vocabulary of the tokenizer in a folder, one token a row; rows named by id where there is no tokenizer."""
    return read_vocabulary(folder, rows) if has_vocabulary(folder) else Vocabulary.of_ids(rows)


def files_beside(folder: Path) -> tuple[str, ...]:
    """Names of the config and the tokenizer that are read beside a checkpoint."""
    tokenizer = next((names for names, _ in LAYOUTS if all((folder / name).is_file() for name in names)), ())
    return (*(["config.json"] if (folder / "config.json").is_file() else []), *tokenizer)
