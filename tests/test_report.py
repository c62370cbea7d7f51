"""The report: golden facts, not golden bytes. Offline, escaped, valid against its schema, never half written."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import armillary as arm
from armillary.errors import UnreadableError, UsageError, WorkError
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.report import FigureData, Report, Series, cells, read, schema
from armillary.report.drawing import draw
from armillary.report.model import MeasureValue

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\tb\nc",
    "| *x* | [y](z)",
    "\u202eevil",
    "&amp;",
    "$\\frac{1}{0}$",
    "‮",
    "",
]
ROWS = np.random.default_rng(3).standard_normal((200, 16)).astype(np.float32)
ROWS[5] = 0
ROWS[6] = ROWS[7]
ROWS[8, 2] = np.nan
ROWS[0] = ROWS[1] * 2 + 0.01  # the closest distinct pair is a hostile one


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Report:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMILLARY_CACHE", str(tmp_path_factory.mktemp("cache")))
        names = HOSTILE + [f" w{i}" for i in range(200 - len(HOSTILE))]
        return arm.open(arm.Table.from_array(ROWS, names, source="<b>model</b>")).report()


@pytest.fixture(scope="module")
def page(report, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    report.save(path)
    return path.read_text(encoding="utf-8")


class Tags(HTMLParser):
    """Tags with their attributes, and ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_four_figures_come_first(report):
    assert [h.label for h in report.headlines] == [
        "rows × width",
        "closest pair",
        "mean cosine",
        "rows that need attention",
    ]
    assert report.headlines[0].value == "200 × 16"
    assert report.headlines[3].value == "3"  # one zero, one non-finite, one double
    assert report.headlines[3].note == "1 zero, 1 NaN or infinite, 1 duplicate"


def test_sections_stand_in_their_order(report):
    expected = ["load", "sphere", "crowd", "isotropy", "norms", "pairs", "hubs", "neighbors"]
    assert [s.id for s in report.sections if s.id in expected] == expected


def test_measures_are_those_of_the_table_with_their_nulls(report):
    keep = np.setdiff1d(np.arange(200), [5, 8])
    unit = ROWS[keep] / np.linalg.norm(ROWS[keep].astype(np.float64), axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(len(keep), 1)]
    assert report.measure("mean_cosine").value == pytest.approx(cosines.mean(), abs=1e-12)
    assert report.measure("largest_cosine").value == pytest.approx(1.0, abs=1e-12)  # the double
    assert report.measure("coherence_distinct").value == pytest.approx(np.sort(cosines)[-2], abs=1e-12)
    assert report.measure("mean_square_cosine").nulls.random.value == 1 / 16
    assert report.measure("hubness_skewness").nulls.matched is not None
    with pytest.raises(KeyError):
        report.measure("nonesuch")


def test_findings_are_ordered_and_lead_to_sections_that_are_there(report):
    weights = [f.weight for f in report.findings]
    assert weights == sorted(weights, reverse=True) and len(weights) >= 6
    assert {f.section for f in report.findings} <= {s.id for s in report.sections}
    assert "1 of 200 rows (0.500 %) holds a value that is NaN or infinite" in report.findings[0].text
    assert all(f.text.endswith(".") and "!" not in f.text.replace(HOSTILE[0], "") for f in report.findings)


def test_first_findings_need_no_scan(monkeypatch):
    study = arm.open(arm.Table.from_array(ROWS[10:]), cache=False)
    monkeypatch.setattr(type(study), "scan", lambda *_, **__: pytest.fail("a scan was started"))
    assert any("cosine" in f.text for f in study.first_findings())
    unscanned = study.report(scan=False)
    expected = ["load", "isotropy", "repairs", "norms", "health"]
    assert not unscanned.scanned and [s.id for s in unscanned.sections] == expected


def test_the_page_fetches_nothing(page):
    assert not re.search(r"https?:|//[a-z]|url\((?!#)|@import", page)
    loading = {
        (tag, name) for tag, attributes in Tags(page).found for name in attributes if name in ("src", "srcset", "data")
    }
    links = [a["href"] for tag, a in Tags(page).found if "href" in a]
    assert loading == set() and all(link.startswith("#") for link in links)


def test_hostile_tokens_are_text(page, report):
    tags = Tags(page).found
    assert [tag for tag, _ in tags].count("script") == 1
    assert not any(tag in ("img", "iframe", "b") for tag, _ in tags)
    assert not any(name.startswith("on") for _, attributes in tags for name in attributes)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page  # no mark that turns the text around it


def test_every_link_has_its_place_and_every_id_is_one(page):
    ids = [a["id"] for _, a in Tags(page).found if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for tag, a in Tags(page).found if "href" in a} <= set(ids)


def test_every_figure_has_a_title_that_is_a_statement_and_an_alternative_text(page, report):
    figures = [s.figure for s in report.sections if s.figure]
    assert page.count('role="img"') == len(figures) >= 4
    for figure in figures:
        assert figure.alt in page
        assert len(figure.title.split()) >= 4


def test_every_measure_is_shown_with_its_definition(page, report):
    shown = [name for s in report.sections for name in s.measures]
    assert sorted(shown) == sorted(m.name for m in report.measures)
    assert page.count('<div class="definition">') == len(shown)


def test_json_validates_against_the_published_schema(report, tmp_path):
    path = tmp_path / "report.json"
    report.save(path)
    document = json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert document["schema_version"] == 1
    assert read(path) == report
    published = schema()
    assert set(document) == set(published["properties"])
    assert set(published["required"]) <= set(document)


def test_the_published_schema_is_the_one_in_the_docs():
    path = Path(__file__).parent.parent / "docs" / "schema" / "report-1.json"
    assert json.loads(path.read_text(encoding="utf-8")) == schema(), "run make schema"


def test_markdown_holds_the_findings_and_escapes_tokens(report, tmp_path):
    path = tmp_path / "report.md"
    report.save(path)
    text = path.read_text()
    assert text.startswith("# \\<b\\>model\\</b\\>\n")
    assert all(f"## {s.title}" in text for s in report.sections)
    assert "<script>" not in text and "| *x*" not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) > 50


@pytest.mark.parametrize("ending", ["json", "md"])
def test_a_half_written_report_never_replaces_a_good_one(report, tmp_path, monkeypatch, ending):
    path = tmp_path / f"report.{ending}"
    path.write_text("the good one")
    write = Path.write_text

    def fails(self, text, *arguments, **options):
        write(self, text[: len(text) // 2], *arguments, **options)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fails)
    with pytest.raises(WorkError, match="No space left on device"):
        report.save(path)
    assert path.read_text() == "the good one"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_wrong_ending_and_a_file_that_is_no_report_are_told(report, tmp_path):
    with pytest.raises(UsageError, match=r"ends in \.html, \.json or \.md, found report\.pdf"):
        report.save(tmp_path / "report.pdf")
    path = tmp_path / "report.json"
    for content, message in [("[1]", "version 1, found None"), ("{", "is no report"), ('{"schema_version": 2}', "found 2"), ('{"schema_version": 1}', "no whole report")]:  # fmt: skip
        path.write_text(content)
        with pytest.raises(UnreadableError, match=message):
            read(path)


@pytest.mark.long
def test_the_same_report_gives_the_same_page(report, page, tmp_path):
    report.save(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_a_picture_is_drawn_with_what_it_is_given():
    series = [Series(name="<b>", role=role, form=form, x=[1, 2, 3], y=y) for role, form, y in [
        ("measured", "bars", [1, None, 2]), ("category", "points", [1, 2, 3]), ("bound", "mark", []), ("random", "line", [3, 2, 1]),
    ]]  # fmt: skip
    svg = draw(FigureData(id="f", title="t", alt="a < b", x_label="$x$", y_label="y", series=series))
    assert svg.startswith("<svg") and "<title>a &lt; b</title>" in svg
    assert "&lt;b&gt;" in svg and ">$x$<" in svg
    assert "var(--accent)" in svg and "#030303" not in svg


def test_a_series_takes_arrays_and_what_is_no_number_is_null():
    found = Series.of("line", "a", np.array([1, 2]), np.array([0.5, np.nan], np.float32), "bound", low=iter([0.0, 1.0]))
    assert found == Series(name="a", role="bound", form="line", x=[1, 2], y=[0.5, None], low=[0.0, 1.0])
    assert all(type(v) in (int, float, type(None)) for v in (*found.x, *found.y))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_table_of_hardly_any_row_has_a_report(n, tmp_path):
    report = arm.open(arm.Table.from_array(ROWS[10 : 10 + n]), cache=False).report()
    for ending in ("html", "json", "md"):
        report.save(tmp_path / f"r.{ending}")
    assert report.headlines[0].value == f"{n} × 16"


def test_a_drawn_null_stands_beside_the_table_at_the_same_size():
    definition = Definition("coherence", "Coherence", "max |cos|", "the closest pair", "elementary", "all rows")
    formula, draw = Null(0.25, "median by the law of the extremes"), Null(0.7, "estimate: one draw of 20,000 rows")
    detail = {"subsample": {"rows": 20_000, "value": 0.8125}}
    measure = MeasureValue.of(Measure(definition, 0.875, 262_144, nulls=Nulls(None, formula, draw), detail=detail))
    assert cells.null(measure.nulls.bound, measure) == "—"
    assert cells.null(measure.nulls.random, measure) == "0.250"
    assert cells.null(measure.nulls.matched, measure) == "0.700 (0.812)"


@pytest.mark.parametrize(
    ("unit", "value", "null", "written"),
    [
        ("°", 29.5, 72.6, ("29.5°", "72.6°")),
        ("share", 0.0982, 0.0, ("9.82 %", "0 %")),
        ("rows", 1.0, 2.0, ("1 row", "2")),
        ("rows", 2.0, 1.0, ("2 rows", "1")),
        ("", 0.25, 0.0625, ("0.250", "0.0625")),
    ],
)
def test_a_measure_and_its_nulls_are_written_in_one_unit(unit, value, null, written):
    definition = Definition("m", "M", "m", "a measure", "elementary", "all rows", unit=unit)
    measure = MeasureValue.of(Measure(definition, value, 9, nulls=Nulls(Null(null, "formula"))))
    assert (cells.measured(measure), cells.null(measure.nulls.bound, measure)) == written
    assert cells.null(None, measure) == "—"


def test_suspected_rows_stand_beside_the_number_of_those_that_need_attention():
    """13 bytes that no text holds near one direction, one word beside them: a suspicion, and no broken row."""
    rows = np.random.default_rng(1).standard_normal((500, 16)).astype(np.float32)
    rows[:14] = rows[0] + 0.01 * rows[:14]
    unused = [bytes([b]) for b in (0xC0, 0xC1, *range(0xF5, 0x100))]
    study = arm.open(arm.Table.from_array(rows, [*unused, *(f" w{i}".encode() for i in range(487))]), cache=False)
    attention = study.report(scan=False).headlines[-1]
    assert (attention.value, attention.note) == (
        "0",
        "none is zero, broken, nameless or double; a suspicion beside them: 1 looks under-trained",
    )
    assert "1 token looks under-trained (normal)" in str(study.report(scan=False))
