"""Pages quote the table of benchmarks as it is, and give no time, size or ratio that the table does not have.

After a benchmark, ``python bench/all.py --write-docs`` writes the table's figures into the pages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import BENCH, bench_module

ROOT = Path(__file__).parents[2]

# Times and sizes that nobody measured: limits, settings, goals, and the length of an experiment.
NOT_MEASURED = {
    "docs/explanation/how-it-works.md": {"256 MB"},
    "docs/explanation/leak.md": {"10 minutes"},
    "docs/explanation/repository.md": {"2 seconds", "5 minutes"},
    "docs/how-to/behind-a-proxy.md": {"10 seconds"},
    "docs/how-to/large-tables.md": {"100 MB"},
    "docs/how-to/policy.md": {"10 seconds"},
    "docs/how-to/report.md": {"500 kB"},
    "docs/how-to/spark.md": {"1 GB", "8 MB", "100 GB"},
    "docs/reference/app.md": {"64 MB", "50 kB", "100 ms", "200 ms"},
    "docs/reference/http.md": {"10 seconds"},
}


RESULTS, QUOTES, PAGE, ALL = (bench_module(name) for name in ("results", "quotes", "table_page", "all"))
TABLE: dict[str, dict[str, Any]] = RESULTS.load()
ROWS = TABLE["rows"]
ROW = {"ours": 0.5, "unit": "s", "theirs": 2.0, "memory_mb": 300.4, "facts": {"groups": 12_345, "peer_cpu_s": 3.25}}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", QUOTES.pages(), ids=name_of)
def test_a_page_quotes_what_the_table_has(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert QUOTES.missing_quotes(text, ROWS) == []
    assert text.count("<!-- bench:") == text.count("<!-- /bench -->") == len(list(QUOTES.quotes(text)))
    assert QUOTES.rewritten(text, ROWS) == text, "run: python bench/all.py --write-docs"


@pytest.mark.parametrize("page", QUOTES.pages(), ids=name_of)
def test_a_page_gives_no_figure_that_is_not_a_quote(page: Path) -> None:
    """A page about an experiment may name the file that its figures come from, if a test compares it with them."""
    text = page.read_text(encoding="utf-8")
    source = QUOTES.own_source(text)
    if source is not None:
        others = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*experiment*.py")]
        assert (ROOT / source).is_file()
        assert any(page.name in other for other in others), "no test compares the page with its source"
        return
    assert set(QUOTES.unquoted_figures(text)) == NOT_MEASURED.get(name_of(page), set())


def test_the_pages_quote_many_figures() -> None:
    quoted = [quote for page in QUOTES.pages() for quote in QUOTES.quotes(page.read_text(encoding="utf-8"))]
    assert len(quoted) > 70
    assert {name_of(page) for page in QUOTES.pages()} >= NOT_MEASURED.keys()


def test_the_page_of_the_table_is_the_table() -> None:
    page = PAGE.page(TABLE, [part.name for part in ALL.PARTS])
    assert QUOTES.GENERATED.read_text(encoding="utf-8") == page, "run: python bench/all.py --write-docs"


@pytest.mark.parametrize("key", ROWS)
def test_a_row_is_complete(key: str) -> None:
    row = ROWS[key]
    assert row["machine"] in TABLE["machines"]
    assert row["ours"] is not None or row["error"]
    assert row["peer"] is not None or row["theirs"] is None
    assert row["peer"] is None or row["theirs"] is not None or row["error"]
    assert row["ratio"] == RESULTS.figure(row, "ratio")
    for goal in row["goals"]:
        assert goal["met"] is RESULTS.is_met(row, goal)
    script = row["command"].split()[1]
    assert (ROOT / script).is_file()
    assert row["date"].endswith("Z")


def test_a_goal_that_is_not_met_is_on_the_page() -> None:
    page = QUOTES.GENERATED.read_text(encoding="utf-8")
    missed = [key for key, row in ROWS.items() for goal in row["goals"] if goal["met"] is False]
    assert page.count("**not met**") == len(missed)
    assert f"{len(missed)} are not" in page


def test_every_benchmark_is_a_part() -> None:
    """Scripts that measure belong to ``all.py``; files with a list of what they offer are shared by scripts."""
    files = {path.name: path.read_text(encoding="utf-8") for path in BENCH.glob("*.py")}
    scripts = {name for name, text in files.items() if "__main__" in text} - {
        "all.py",
        "other_tools.py",
        "pycanon_defects.py",
    }
    assert {name for name, text in files.items() if "__all__" not in text} >= scripts
    assert all("record(" in files[name] for name in scripts)
    assert {part.script for part in ALL.PARTS} == scripts
    names = [part.name for part in ALL.PARTS]
    assert len(set(names)) == len(names)


def test_a_wrong_quote_is_seen_and_mended() -> None:
    text = (
        "It took <!-- bench: a.b ours -->0.40 s<!-- /bench -->, <!-- bench: a.b speedup -->4.00<!-- /bench --> times."
    )
    mended = text.replace("0.40 s", "0.50 s")
    assert QUOTES.rewritten(text, {"a.b": ROW}) == mended
    assert QUOTES.rewritten(mended, {"a.b": ROW}) == mended


def test_a_quote_of_a_missing_row_or_figure_is_seen() -> None:
    text = "<!-- bench: a.c ours -->1 s<!-- /bench --> <!-- bench: a.b heap_mb -->1 MB<!-- /bench -->"
    assert QUOTES.missing_quotes(text, {"a.b": ROW}) == ["a.c ours", "a.b heap_mb"]


def test_a_page_can_name_the_source_of_its_figures() -> None:
    assert QUOTES.own_source("# Scale\n<!-- figures: experiments/scale.py -->\n") == "experiments/scale.py"
    assert QUOTES.own_source("# Scale\n") is None


@pytest.mark.parametrize("text", ["It took 3.5 s.", "3,200 core-seconds", "about 12\ntimes as long", "| 25 min |"])
def test_a_figure_that_is_no_quote_is_seen(text: str) -> None:
    assert len(QUOTES.unquoted_figures(text)) == 1


@pytest.mark.parametrize(
    "text", ["```sh\nsleep 3 s\n```", "zip:prefix2 s", "<!-- bench: a.b ours -->3.5 s<!-- /bench -->"]
)
def test_code_and_quotes_are_no_such_figures(text: str) -> None:
    assert QUOTES.unquoted_figures(text) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ours", "0.50 s"), ("theirs", "2.00 s"), ("ratio", "0.25"), ("speedup", "4.00"), ("memory_mb", "300 MB"),
        ("groups", "12,345"), ("peer_cpu_s", "3.25 s"), ("other", None),
    ],
)  # fmt: skip
def test_a_figure_is_written_with_about_three_digits(name: str, text: str | None) -> None:
    assert RESULTS.shown_figure(ROW, name) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0004, "s", "0.40 ms"), (0.0123, "s", "0.012 s"), (0.0995, "s", "0.10 s"), (9.994, "s", "9.99 s"),
        (9.996, "s", "10.0 s"), (99.96, "s CPU", "100 s"), (599, "s", "599 s"), (1500, "s", "25 min"),
        (8635.2, "MB", "8,635 MB"), (12.34, "ms", "12.3 ms"), (521.3, "times", "521"),
    ],
)  # fmt: skip
def test_rounding(value: float, unit: str, text: str) -> None:
    assert RESULTS.shown(value, unit) == text
