"""The lens for someone who watches: a prompt becomes the grid and the path of a position on the map; a word, its drift.

Whether a model can run is told before anything heavy is imported, in one line that names the cure.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from armillary.errors import ArmillaryError, UsageError

if TYPE_CHECKING:
    from armillary.lens import States
    from armillary.study.study import Progress, Study

MOST_TOKENS = 64  # of a prompt: the grid has a column for each
NEEDED = ("torch", "transformers")


def why_no_model(study: Study) -> str:
    """Why no model can run here, in one line; empty where one may."""
    if study.path is None:
        return "the table came from an array; open a model file or folder instead"
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed: pip install 'armillary[lens]'"
    if study.path.is_dir():
        return "" if (study.path / "config.json").exists() else "the folder has no config.json, so no model to run"
    return (
        "" if study.path.suffix == ".gguf" else f"{study.path.name} holds a table alone; the model's own file can run"
    )


class LiveLens:
    """The lens over one study. The baseline of a drift is read once."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._baseline: list[States] | None = None

    def why_not(self) -> str:
        """Why no model can run here; empty where one may."""
        return why_no_model(self._study)

    def grid(
        self, prompt: str, position: int | None = None, answer: str | None = None, progress: Progress | None = None
    ) -> dict[str, Any]:
        """The logit lens of a prompt, and the path of one position (by default the last) on the map's plane.

        UsageError for a prompt of more than 64 tokens, or a position that is not there.
        """
        from armillary.lens import logit_lens, path

        model = self._model()
        length = len(model.encode(prompt))
        if length > MOST_TOKENS:
            raise UsageError(f"expected a prompt of at most {MOST_TOKENS} tokens, found {length}", "shorten it")
        if progress:
            progress(1, 3)
        found = logit_lens(model, prompt, answer=answer or None)
        if progress:
            progress(2, 3)
        plane = self._study.projection
        chosen = length - 1 if position is None else position
        way = path(model.states(prompt), chosen, model.table, mean=plane.mean, axes=plane.axes)
        return {**found.to_dict(), "path": way.to_dict()}

    def drift(self, word: str, sentences: Sequence[str], progress: Progress | None = None) -> dict[str, Any]:
        """One word in several sentences through the layers, beside the layer's baseline."""
        from armillary.lens import drift, paragraphs

        model = self._model()
        if self._baseline is None:
            self._baseline = model.states_of(paragraphs(), progress)
        return drift(model, sentences, word, baseline=self._baseline, progress=progress).to_dict()

    def _model(self):
        why = self.why_not()
        if why:
            raise ArmillaryError(f"no model can run here: {why}")
        return self._study.model()
