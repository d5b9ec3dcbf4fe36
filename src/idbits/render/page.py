"""A page that is handed on: plain parts from which HTML and Markdown are made. It knows no result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from idbits.render.blocks import Table, Verdict

__all__ = ["Figure", "Page", "Section", "Term", "Tile"]


@dataclass(frozen=True, slots=True)
class Tile:
    """A number that stands out: what it is, how it looks, the number itself, and one sentence."""

    label: str
    shown: str
    value: float | int
    meaning: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with what it shows in words and the table behind it.

    Attributes:
        chart: a Vega-Lite spec.
        words: what the picture shows, for those who do not see it.
    """

    chart: dict[str, Any]
    words: str
    table: Table


@dataclass(frozen=True, slots=True)
class Term:
    """A word, what it means, and an address where more is said, if there is one."""

    name: str
    meaning: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under its own heading: sentences, pictures, tables, a list, terms; in this order."""

    name: str
    title: str
    text: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    items: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page: what was decided on top, sections, and how it came about at the foot.

    Attributes:
        stamp: a line on every printed page, such as INTERNAL.
        advice: the smallest change that helps, in a sentence or two.
        foot: what to know in order to make the page again.
    """

    title: str
    subject: str
    verdict: Verdict
    tiles: tuple[Tile, ...]
    advice: tuple[str, ...]
    sections: tuple[Section, ...]
    foot: tuple[Term, ...]
    stamp: str | None = None
    notes: tuple[str, ...] = field(default=())
