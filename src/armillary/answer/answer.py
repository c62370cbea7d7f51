"""The base of results: small frozen objects that read well in a terminal, a notebook, JSON and a data frame.

A result is a frozen dataclass that derives from `Answer` and says itself in `__str__`; one that is a table derives
from `Listing` and names its columns, and gets its text table, notebook display and data frames from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from armillary.answer.columns import Align, aligned
from armillary.answer.numerals import cosine, number

if TYPE_CHECKING:
    import pandas
    import pyarrow

MOST_ROWS = 50  # of a long listing, that a repr or a notebook shows; the rest is counted


class Answer:
    """A result: `str` for people, `to_dict` for programs."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values only: what `--json` prints."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


class Listing(Answer):
    """A result that is a table. `remarks` and `title` stand over it, `notes` under it; columns are of equal length."""

    widest: ClassVar[int] = 40  # cells of the widest column in the text table; longer values are cut

    @property
    def title(self) -> str:
        """What the table shows, in one line."""
        return ""

    @property
    def remarks(self) -> Sequence[str]:
        """What changes how the whole answer is read, a sentence each: that another question was understood, say."""
        return ()

    @property
    def notes(self) -> Sequence[str]:
        """What a reader must know beside the table, a sentence each."""
        return ()

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Column name to values, plain Python values."""
        raise NotImplementedError

    def to_arrow(self) -> pyarrow.Table:
        """The columns as an Arrow table."""
        import pyarrow as pa

        return pa.table({name: list(values) for name, values in self.columns().items()})

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a data frame; needs pandas."""
        return self.to_arrow().to_pandas()

    def __str__(self) -> str:
        header, rows, align, more = self.cells()
        parts = [*self.remarks, self.title, aligned(rows, align, header, widest=self.widest), more, *self.notes]
        return "\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        header, rows, align, more = self.cells()
        head = "".join(f"<th>{escape(name)}</th>" for name in header)
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:{a}">{escape(c)}</td>' for c, a in zip(row, align, strict=True))
            + "</tr>"
            for row in rows
        )  # fmt: skip
        notes = "".join(f"<p>{escape(note)}</p>" for note in (more, *self.notes) if note)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        remarks = "".join(f"<p>{escape(remark)}</p>" for remark in self.remarks)
        return f"{remarks}<p><strong>{escape(self.title)}</strong></p>{table}{notes}"

    def head(self, rows: int) -> tuple[Mapping[str, list[Any]], int]:
        """The first rows of every column, and how many rows there are in all."""
        columns = self.columns()
        total = max((len(values) for values in columns.values()), default=0)
        return {name: list(values[:rows]) for name, values in columns.items()}, total

    def cells(self) -> tuple[list[str], list[list[str]], list[Align], str]:
        """What is shown: header, rows as written, alignment, and a line about rows that are not."""
        shown, total = self.head(MOST_ROWS)
        align: list[Align] = ["right" if _is_numeric(values) else "left" for values in shown.values()]
        rows = [list(row) for row in zip(*([shown_as(name, v) for v in c] for name, c in shown.items()), strict=True)]
        more = f"… and {total - MOST_ROWS:,} more" if total > MOST_ROWS else ""
        return [name.replace("_", " ") for name in shown], rows, align, more


def shown_as(column: str, value: Any) -> str:
    """One value as a table cell: cosines, whole numbers and other numbers each in their own way."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value) if column == "id" or column.endswith("_id") else number(value)
    if isinstance(value, float):
        return cosine(value) if "cos" in column else number(value)
    return str(value)


def _is_numeric(values: Sequence[Any]) -> bool:
    present = [v for v in values if v is not None]
    return bool(present) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in present)
