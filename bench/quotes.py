"""Figures of the table of benchmarks that pages quote, and figures that pages give without it.

A quote is a figure between two comments, which a reader does not see:

    <!-- bench: gain.piflib speedup -->97<!-- /bench -->

A page about an experiment has figures of its own; it names the file that they come from:

    <!-- figures: experiments/leak.py -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from results import ROOT, shown_figure

__all__ = ["GENERATED", "missing_quotes", "own_source", "pages", "quotes", "rewritten", "unquoted_figures"]

GENERATED = ROOT / "docs" / "reference" / "benchmarks.md"
QUOTE = re.compile(r"<!-- bench: (\S+) (\S+) -->(.*?)<!-- /bench -->")
SOURCE = re.compile(r"^<!-- figures: (\S+) -->$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
NUMBER = r"(?<![\w.,])\d[\d,]*(?:\.\d+)?"
DURATION = re.compile(
    rf"{NUMBER}(?:\s(?:s|ms|MB|GB|kB|seconds?|minutes?|min|hours?|core-seconds|(?:processor|CPU)\sseconds)\b|"
    rf"\stimes\sas\s(?:long|fast)\b)"
)


def pages() -> list[Path]:
    """Return the pages that may quote figures; the generated page is the table itself, the changes are history."""
    return [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path != GENERATED)]


def quotes(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the key, the figure's name and the text of each quote."""
    yield from QUOTE.findall(text)


def missing_quotes(text: str, rows: Mapping[str, Any]) -> list[str]:
    """Return the quotes whose figure the table does not have."""
    return [f"{key} {name}" for key, name, _ in quotes(text) if _figure_text(rows, key, name) is None]


def rewritten(text: str, rows: Mapping[str, Any]) -> str:
    """Return a page with every quote as the table has it; a quote of a missing figure stays as it is."""

    def quoted(match: re.Match[str]) -> str:
        key, name, before = match.groups()
        found = _figure_text(rows, key, name)
        return f"<!-- bench: {key} {name} -->{before if found is None else found}<!-- /bench -->"

    return QUOTE.sub(quoted, text)


def _figure_text(rows: Mapping[str, Any], key: str, name: str) -> str | None:
    row = rows.get(key)
    return None if row is None else shown_figure(row, name)


def own_source(text: str) -> str | None:
    """Return the file that a page's figures come from, if it is not the table of benchmarks."""
    found = SOURCE.search(text)
    return None if found is None else found[1]


def unquoted_figures(text: str) -> list[str]:
    """Return the times, sizes and ratios in the text of a page that are not quotes.

    >>> unquoted_figures("It took 3.5 s, <!-- bench: a.b speedup -->4<!-- /bench --> times as fast.")
    ['3.5 s']
    """
    plain = QUOTE.sub("", FENCE.sub("", text))
    return [" ".join(found.split()) for found in DURATION.findall(plain)]
