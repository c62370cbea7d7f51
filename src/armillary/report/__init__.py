"""The report: measures and provenance as one document, as JSON, as one HTML file, as Markdown. It computes no geometry."""

from armillary.report.model import (
    Column,
    FigureData,
    Finding,
    Headline,
    MeasureValue,
    Report,
    Section,
    Series,
    TableData,
    ordered,
)
from armillary.report.saving import read, save, schema

__all__ = [
    "Column",
    "FigureData",
    "Finding",
    "Headline",
    "MeasureValue",
    "Report",
    "Section",
    "Series",
    "TableData",
    "ordered",
    "read",
    "save",
    "schema",
]
