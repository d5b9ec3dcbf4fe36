"""Parts of the pages of one answer: names, verdict, and what was not assessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from idbits.render.blocks import Verdict
from idbits.render.page import Section, named, plain, shortened
from idbits.studies.report.text import without_options

__all__ = ["named_table", "not_assessed_section", "verdict_without_marks"]

_LONGEST_NAME = 80
_LONGEST_NOTE = 240


def named_table(name: str) -> str:
    """Return the name of a table for use in a sentence."""
    return named(shortened(name, _LONGEST_NAME))


def verdict_without_marks(verdict: Verdict) -> Verdict:
    """Return a verdict whose title is plain text; a page has names in separate elements only in its sentences."""
    return replace(verdict, title=plain(verdict.title))


def not_assessed_section(sentences: Sequence[str], notes: Sequence[str]) -> Section:
    """Return what an answer does not cover, and what was noticed while reading."""
    items = [*map(without_options, sentences)]
    items += [f"While reading: {shortened(without_options(note), _LONGEST_NOTE)}." for note in notes]
    items.append("The law: these numbers do not decide, and low numbers do not prove that a table is anonymous.")
    return Section("not-assessed", "What these figures do not answer", items=tuple(items), topic="Not assessed")
