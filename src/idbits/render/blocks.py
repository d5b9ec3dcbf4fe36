"""Blocks: the parts of an answer, independent of where they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Block", "Code", "Command", "Heading", "Items", "Level", "Paragraph", "TableBlock", "Verdict"]


class Level(StrEnum):
    """How serious a verdict is."""

    BAD = "bad"
    WARN = "warn"
    GOOD = "good"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, first: a short title and one sentence."""

    level: Level
    title: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A title over the blocks that follow."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few plain sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list of sentences under a title."""

    title: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """A command to type next, and why."""

    reason: str
    command: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines that are shown unchanged, and what they do."""

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table of texts; columns in ``left`` are words, all others numbers.

    Attributes:
        emphasis: indices of the most important rows.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    left: tuple[int, ...] = (0,)
    caption: str = ""
    emphasis: tuple[int, ...] = field(default=())


Block = Verdict | Heading | Paragraph | Items | Command | Code | TableBlock
