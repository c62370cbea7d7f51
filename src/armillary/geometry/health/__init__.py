"""Health: which rows of a table are broken, unreachable or hardly trained, and on what evidence.

`odd_rows` sorts rows into kinds, `reference_rows` finds rows that no text can train, `under_trained` measures how near
every other row is to those, `round_trip` sends every token through the tokenizer and back.
"""

from armillary.geometry.health.candidates import Candidates, UnderTrained, judged_rows, under_trained
from armillary.geometry.health.indicators import Indicator, Indicators, indicators
from armillary.geometry.health.kinds import DEFINITIONS, KINDS, health_measures, odd_rows, spoken
from armillary.geometry.health.references import References, parse_ids, reference_rows
from armillary.geometry.health.round_trip import RoundTrip, round_trip

__all__ = [
    "DEFINITIONS",
    "KINDS",
    "Candidates",
    "Indicator",
    "Indicators",
    "References",
    "RoundTrip",
    "UnderTrained",
    "health_measures",
    "indicators",
    "judged_rows",
    "odd_rows",
    "parse_ids",
    "reference_rows",
    "round_trip",
    "spoken",
    "under_trained",
]
