"""The logit lens of a prompt for a study: what the room `lens` found, put beside the map and word frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer, percent
from armillary.lens import (
    BiasAgainstFrequency,
    Decomposition,
    LanguageModel,
    LogitLens,
    Path,
    Readout,
    bias_against_frequency,
    bias_of,
    decompose,
    logit_lens,
    path,
)
from armillary.lens.logit_lens import readout_for
from armillary.table import Token, Vocabulary

if TYPE_CHECKING:
    from armillary.report import Report
    from armillary.study.sections.part import Part
    from armillary.study.study import Study

_NAMED = 5  # tokens that a bias favours most


@dataclass(frozen=True)
class Bias:
    """What the biases of final norm and head add to each token's logit, against log frequency.

    `found`: None where there is no bias; `favoured`: the tokens it lifts most; `source`: of the frequencies.
    """

    found: BiasAgainstFrequency | None
    favoured: tuple[Token, ...]
    source: str

    def __str__(self) -> str:
        if self.found is None:
            return "Final norm and head have no bias: whatever the text says, no token is preferred beforehand."
        named = ", ".join(token.text for token in self.favoured)
        f = self.found
        return (
            f"The biases of final norm and head prefer {named}. Spearman's ρ of what they add with log frequency is "
            f"{f.spearman:.2f} over {f.n:,} tokens (p = {f.p:.2g} over {f.draws:,} shuffles; {self.source})."
        )

    def to_dict(self) -> dict[str, Any]:
        favoured = [{"id": token.id, "text": token.text} for token in self.favoured]
        return {"against_frequency": self.found and self.found.to_dict(), "favoured": favoured, "source": self.source}


@dataclass(frozen=True, eq=False, repr=False)
class Lens(Answer):
    """A logit lens with whichever of decomposition, path and bias were asked for."""

    study: Study
    model: LanguageModel
    found: LogitLens
    decomposition: Decomposition | None = None
    way: Path | None = None
    bias: Bias | None = None

    @property
    def statement(self) -> str:
        """What the model answers, and from which layer on."""
        found, text = self.found, self.found.answer.text
        ranks, final = found.ranks[:, -1], percent(float(found.probabilities[-1, -1]))
        if ranks[-1] > 1:
            return f"{text} is number {ranks[-1]:,} at the output, with {final}."
        since = next((layer for layer in range(found.depth + 1) if (ranks[layer:] == 1).all()), found.depth)
        told = f"since layer {since} of {found.depth}" if since < found.depth else "in no layer before it"
        return f"{text} is first at the output, with {final}, and {'has been ' if since < found.depth else ''}{told}."

    @property
    def extras(self) -> dict[str, Decomposition | Path | Bias]:
        """What was asked for beside the lens itself, by name."""
        asked = {"decomposition": self.decomposition, "path": self.way, "bias": self.bias}
        return {name: part for name, part in asked.items() if part is not None}

    def parts(self) -> list[Part]:
        """The lens as sections of a report, with its finding."""
        from armillary.study.lens_sections import parts_of

        return parts_of(self)

    def report(self) -> Report:
        """The lens as a report of its own."""
        from armillary.study.running import report_of

        parts = self.parts()
        prompt = "".join(t.text for t in self.found.tokens).replace("▁", " ").strip()
        name = f"{self.study.provenance.source}: {prompt}"
        return report_of(self.study, name, [f for p in parts for f in p.findings], [p.section for p in parts])

    def to_dict(self) -> dict[str, Any]:
        return {"lens": self.found.to_dict(), **{name: part.to_dict() for name, part in self.extras.items()}}

    def __str__(self) -> str:
        return "\n\n".join([self.statement, *(str(part) for part in self.extras.values())])


def lens_of_study(
    study: Study, prompt: str, *, answer: str | int | None, k: int, decompose: bool, path: int | None, bias: bool,
    bos: bool, device: str,
) -> Lens:  # fmt: skip
    """The lens of a prompt with what else is asked; see `Study.lens`."""
    model = study.model(device)
    model = model.with_bos() if bos else model
    found = logit_lens(model, prompt, answer=answer, k=k)
    return Lens(
        study,
        model,
        found,
        _taken_apart(model, prompt) if decompose else None,
        None if path is None else _way(study, model, prompt, path),
        bias_told(readout_for(model), model.table.vocabulary) if bias else None,
    )


def _taken_apart(model: LanguageModel, prompt: str) -> Decomposition:
    return decompose(readout_for(model), model.states(prompt).at(model.layers)[-1], model.table.vocabulary)


def _way(study: Study, model: LanguageModel, prompt: str, position: int) -> Path:
    """The path, with its coordinates on the plane of the study's map."""
    states = model.states(prompt)
    plane = study.projection
    return path(states, position, model.table, mean=plane.mean, axes=plane.axes)


def bias_told(readout: Readout, vocabulary: Vocabulary) -> Bias:
    """What the biases of a readout prefer, against wordfreq's frequencies; MissingExtra without the extra `words`."""
    values = bias_of(readout)
    if values is None:
        return Bias(None, (), "")
    from armillary.words.frequencies import word_frequencies

    known = word_frequencies(vocabulary)
    top = np.lexsort((np.arange(len(values)), -values))[:_NAMED]
    return Bias(bias_against_frequency(values, known.log), tuple(vocabulary[int(i)] for i in top), known.source)
