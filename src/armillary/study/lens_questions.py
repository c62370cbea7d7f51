"""What a study answers about the running model of its table; a part of `Study`. Needs the extra `lens`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from armillary.lens import LanguageModel
    from armillary.study.lens import Lens
    from armillary.study.study import Study


class LensQuestions:
    """The questions that run the model; `Study` derives from this, and nothing else does."""

    _models: dict[str, LanguageModel]

    @property
    def model_bytes(self) -> int | None:
        """Memory that the running model takes: four bytes a parameter; None where the file does not count them."""
        parameters = cast("Study", self).provenance.parameters
        return None if parameters is None else 4 * parameters

    def model(self, device: str = "cpu") -> LanguageModel:
        """The model this table belongs to, ready to run in float32; opened once, offline.

        `lens.logit_lens`, `lens.drift` and the rest of that room take it. UsageError for a table that is of no file.
        """
        from armillary.study.running import model_of

        if device not in self._models:
            self._models[device] = model_of(cast("Study", self), device)
        return self._models[device]

    def lens(
        self,
        prompt: str,
        *,
        answer: str | int | None = None,
        k: int = 5,
        decompose: bool = False,
        path: int | None = None,
        bias: bool = False,
        bos: bool = False,
        device: str = "cpu",
    ) -> Lens:
        """The logit lens of a prompt, with what else is asked: a logit taken apart, a position's path, the biases.

        `answer`: a token to follow, by default the model's own. `path`: a position, drawn on the map as well. `bias`:
        what norm and head prefer whatever the text says, against wordfreq (extra `words`). `bos`: put BOS first,
        though the tokenizer would not.
        """
        from armillary.study.lens import lens_of_study

        return lens_of_study(
            cast("Study", self), prompt, answer=answer, k=k, decompose=decompose, path=path, bias=bias, bos=bos, device=device
        )  # fmt: skip
