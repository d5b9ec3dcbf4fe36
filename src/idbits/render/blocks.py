"""Blocks: what a result looks like before anyone knows where it will be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Block", "Code", "Command", "Heading", "Items", "Level", "Paragraph", "TableBlock", "Verdict"]


class Level(StrEnum):
    """How a verdict is meant."""

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
    """A title over what follows."""

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
    """Something to type next, and why."""

    reason: str
    command: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines that stay as they are, with a word on what they do."""

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table of texts; columns in ``left`` are words, all others numbers.

    Attributes:
        emphasis: positions of rows that matter most.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    left: tuple[int, ...] = (0,)
    caption: str = ""
    emphasis: tuple[int, ...] = field(default=())


Block = Verdict | Heading | Paragraph | Items | Command | Code | TableBlock
