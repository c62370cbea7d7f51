"""Length against frequency: what a table learns about how often a word occurs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import count, number
from armillary.errors import MissingExtra
from armillary.report import FigureData, Finding, Section, Series
from armillary.study.sections.part import Part

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = False
ID = "frequency"
TITLE = "Length and frequency"
FEWEST, BINS = 200, 20


def compose(study: Study, scanned: bool) -> Part | None:
    """Norm against log frequency of words in Latin script, in the language that the vocabulary knows best.

    None where the table has fewer than 200 of them.
    """
    if study.table.vocabulary.named_by_id:
        return None
    from armillary.words.frequencies import NAMES, language_of, word_frequencies, words_by_script
    from armillary.words.meaning import rank_trend

    vocabulary = study.table.vocabulary
    try:
        code = language_of(set(words_by_script(vocabulary).get("Latin", {}).values()), "Latin")
        log, language = word_frequencies(vocabulary, {"Latin": code}).log, NAMES[code]
    except MissingExtra as missing:
        return Part(Section(id=ID, title=TITLE, sentences=[f"Left out. {missing.message}; {missing.cure}."]))
    ids = study.code.ids[np.isfinite(log[study.code.ids])]
    if len(ids) < FEWEST:
        return None
    norms = study.facts.norms[ids]
    rho, p = rank_trend(log[ids], norms)
    told = (
        f"{_statement(rho)}: Spearman's ρ of norm and log frequency is {number(rho)} over {count(len(ids))} {language} words "
        f"that are one token (p = {number(p)})."
    )
    section = Section(
        id=ID,
        title=TITLE,
        sentences=[told, "armillary's Study.meaning says the same by script, and for the first principal component."],
        figure=_figure(log[ids] / np.log(10), norms, _statement(rho), language),
        how=f"Frequencies are wordfreq's for {language}, the language of Latin script that the vocabulary knows best; norms are of the raw rows. p by the normal law of ρ under independence.",
    )
    return Part(section, findings=(Finding(text=told, section=ID, weight=0.4),))


def _statement(rho: float) -> str:
    if abs(rho) < 0.1:
        return "Length hardly follows frequency"
    return f"Frequent words have {'longer' if rho > 0 else 'shorter'} rows"


def _figure(log: np.ndarray, norms: np.ndarray, statement: str, language: str) -> FigureData:
    """Median and quartiles of the norms in 20 bins of as many words each."""
    parts = np.array_split(np.argsort(log, kind="stable"), BINS)
    x = [float(np.median(log[part])) for part in parts]
    low, middle, high = (np.array([np.quantile(norms[part], q) for part in parts]).tolist() for q in (0.25, 0.5, 0.75))
    return FigureData(
        id="norm-frequency",
        title=statement,
        alt=f"Median and quartiles of the norm of {language} words, from rare words to frequent ones.",
        x_label=f"log10 of the relative frequency (wordfreq, {language})",
        y_label="‖x‖, raw rows as stored",
        series=[
            Series.of("line", "median, with the quartiles", x, middle, low=low, high=high),
        ],
        caption=f"{BINS} bins of as many words each.",
    )
