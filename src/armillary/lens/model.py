"""A model that can be run: its network, the table it shares with the rest of Armillary, its readout and its framing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.lens.backend import torch
from armillary.lens.framing import Framing
from armillary.lens.network import body_of, final_norm_of
from armillary.lens.readout import Readout
from armillary.lens.states import States
from armillary.table import Table, Token

Progress = Callable[[int, int], None]  # (texts done, texts)
_BATCH = 32  # texts of equal length in one forward pass; padding would change rounding, so unequal ones never meet


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """A causal model or an encoder with `layers` layers and a context of `context` positions, in float32.

    `table` is its input table and shares the network's memory where that is on the CPU. `readout` is None for an
    encoder. `disagreement`: the largest difference of our logits from the model's own, found when it was opened.
    Float32 because bfloat16 has three digits, and ranks in the hundreds are decided in the fourth.
    """

    table: Table
    network: Any = field(repr=False)
    readout: Readout | None
    framing: Framing
    layers: int
    context: int
    device: str = "cpu"
    disagreement: float = 0.0

    @property
    def is_encoder(self) -> bool:
        """Whether it reads a whole text at once and predicts no next token."""
        return self.readout is None

    def with_bos(self) -> LanguageModel:
        """The same model reading every text with BOS first; UsageError where the tokenizer has no BOS."""
        framing = self.framing
        if framing.bos is None:
            raise UsageError(
                f"expected a BOS token to put first, found none in {self.table.provenance.source}", "leave --bos out"
            )
        before = framing.before if framing.bos in framing.before else (framing.bos, *framing.before)
        return replace(self, framing=replace(framing, before=before))

    def encode(self, text: str, *, framed: bool = True) -> list[int]:
        """Ids of a text, with the special tokens the model expects around it.

        UsageError for an empty text, and for one longer than the model's context.
        """
        if not text:
            raise UsageError("expected a text, found an empty one", "give at least one word")
        ids = self.table.vocabulary.encode(text)
        ids = self.framing.around(ids) if framed else ids
        self._check(ids)
        return ids

    def states(self, text: str | Sequence[int]) -> States:
        """The residual stream of one text (or of ids, taken as they are) after every layer."""
        return self.states_of([text])[0]

    def states_of(self, texts: Sequence[str | Sequence[int]], progress: Progress | None = None) -> list[States]:
        """The same for several texts, in their order; texts of equal length share a pass."""
        encoded = [self.encode(text) if isinstance(text, str) else list(text) for text in texts]
        by_length: dict[int, list[int]] = {}
        for number, ids in enumerate(encoded):
            self._check(ids)
            by_length.setdefault(len(ids), []).append(number)
        found: dict[int, States] = {}
        for numbers in by_length.values():
            for start in range(0, len(numbers), _BATCH):
                batch = numbers[start : start + _BATCH]
                for number, layers in zip(batch, self._run([encoded[i] for i in batch]), strict=True):
                    found[number] = self._states(encoded[number], layers)
                if progress:
                    progress(len(found), len(encoded))
        return [found[number] for number in range(len(encoded))]

    def logits(self, ids: Sequence[int]) -> np.ndarray:
        """The network's own logits (p V) for ids; UsageError for an encoder."""
        if self.is_encoder:
            raise UsageError(f"{self.table.provenance.source} is an encoder: it has no next token to predict")
        library = torch()
        with library.inference_mode():
            out = self.network(library.tensor([list(ids)], device=self.device), use_cache=False)
        return out.logits[0].float().cpu().numpy()

    def _states(self, ids: list[int], layers: np.ndarray) -> States:
        vocabulary = self.table.vocabulary
        tokens = tuple(vocabulary[i] if i < len(vocabulary) else Token.of(i, b"", "", vocabulary[0].kind) for i in ids)
        return States(tokens, layers, self.table.provenance.source)

    def _run(self, batch: list[list[int]]) -> np.ndarray:
        """States (texts, layers + 1, positions, d); the last is caught before the final norm, which HF applies to it."""
        library, caught = torch(), []
        norm = None if self.is_encoder else final_norm_of(self.network)
        hook = norm.register_forward_pre_hook(lambda _, inputs: caught.append(inputs[0])) if norm is not None else None
        body = body_of(self.network)
        extra = {} if self.is_encoder else {"use_cache": False}
        try:
            with library.inference_mode():
                out = body(library.tensor(batch, device=self.device), output_hidden_states=True, **extra)
        finally:
            if hook is not None:
                hook.remove()
        hidden = [*out.hidden_states[:-1], caught[-1] if caught else out.hidden_states[-1]]
        return np.stack([layer.float().cpu().numpy() for layer in hidden], axis=1)

    def _check(self, ids: Sequence[int]) -> None:
        if not ids:
            raise UsageError("expected a text, found an empty one", "give at least one word")
        if len(ids) > self.context:
            raise UsageError(
                f"expected at most {self.context:,} tokens, the model's context, found {len(ids):,}", "shorten the text"
            )
