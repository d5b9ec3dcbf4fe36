"""A page to pass on: plain parts from which HTML and Markdown are made, independent of any result type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from idbits.render.blocks import TableBlock, Verdict
from idbits.render.svg import VegaLite
from idbits.render.text import safe

if TYPE_CHECKING:
    from idbits.render.drawing import Drawing
    from idbits.render.first_page import FirstPage

__all__ = [
    "Figure", "Page", "Section", "Term", "Tile", "axis_names", "named", "numbered_if_alike", "plain", "shortened",
]  # fmt: skip

_LONGEST = 24
_LONGEST_IN_PROSE = 48
_OPEN, _CLOSE = "\u2068", "\u2069"


def shortened(name: str, longest: int = _LONGEST) -> str:
    """Return a name that fits, without its middle if it is too long; control characters are shown.

    >>> shortened("a" * 20 + "b" * 20, 11)
    'aaaaa…bbbbb'
    """
    shown = safe(name)
    half = (longest - 1) // 2
    return shown if len(shown) <= longest else f"{shown[:half]}…{shown[-half:]}"


def named(name: str) -> str:
    """Return a name from the data for use in a sentence, isolated so that right-to-left text does not reorder it.

    >>> named("zip") == "\u2068zip\u2069", plain(named("zip"))
    (True, 'zip')
    """
    return f"{_OPEN}{shortened(name, _LONGEST_IN_PROSE)}{_CLOSE}"


def plain(sentence: str) -> str:
    """Return a sentence without the marks around names."""
    return sentence.replace(_OPEN, "").replace(_CLOSE, "")


def axis_names(names: Sequence[str], longest: int = _LONGEST) -> list[str]:
    """Return names that fit on an axis, numbered if two would look the same.

    >>> axis_names(["zip", "zip"])
    ['1. zip', '2. zip']
    """
    return numbered_if_alike([shortened(name, longest) for name in names])


def numbered_if_alike(names: Sequence[str]) -> list[str]:
    """Return names, numbered if two are equal: rows of a chart with the same name would be drawn as one.

    >>> numbered_if_alike(["zip", "age"]), numbered_if_alike(["zip", "zip"])
    (['zip', 'age'], ['1. zip', '2. zip'])
    """
    if len(set(names)) == len(names):
        return list(names)
    return [f"{number}. {name}" for number, name in enumerate(names, start=1)]


@dataclass(frozen=True, slots=True)
class Tile:
    """A highlighted number: its label, the text shown, the number itself, and one sentence."""

    label: str
    shown: str
    value: float | int
    meaning: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with a description and the table behind it.

    Attributes:
        chart: a drawing, or a specification that is drawn at both widths.
        words: what the chart shows, for people who cannot see it.
        table: None if a table of the section has the same numbers.
        title: what the chart shows, in a few words above it; none if the heading of the section says it.
    """

    chart: VegaLite | Drawing
    words: str
    table: TableBlock | None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A term, its meaning, and a link to more, if any."""

    name: str
    meaning: str
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under a heading: sentences, charts, tables, a list, terms, in this order.

    Attributes:
        title: the finding, as a sentence with its figure; names in it are marked.
        topic: what the part is about, in the small line above the finding and in the contents.
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[TableBlock, ...] = ()
    items: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    topic: str = ""

    @property
    def heading(self) -> str:
        """The topic and the finding in one line, for pages without a small line above the heading."""
        return f"{self.topic}: {self.title}" if self.topic else self.title


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page: the verdict at the top, sections, and how the page was made at the foot.

    Attributes:
        stamp: a line on every printed page, such as INTERNAL.
        advice: the smallest change that helps, in a sentence or two.
        foot: what is needed to make the page again.
        head: what the page is about; a term without a meaning is a line to fill in.
        decision: the decision box, likewise.
        first: all that is needed to decide, on a sheet of its own before the rest; None for pages without one.
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
    head: tuple[Term, ...] = ()
    decision: tuple[Term, ...] = ()
    first: FirstPage | None = None

    @property
    def long_head(self) -> tuple[Term, ...]:
        """What the first page has no room for: notes, and texts that are shortened there."""
        if self.first is None:
            return ()
        shown = {self.first.dataset, *(fact.meaning for fact in (*self.first.facts, *self.first.decision.recorded))}
        terms = (*self.head, *(self.decision if self.first.decision.recorded else ()))
        return tuple(term for term in terms if term.meaning and term.meaning not in shown)
