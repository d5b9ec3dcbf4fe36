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
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, first: a short title and the reasons.

    Attributes:
        sentence: the main reason.
        more: further reasons, as important as the first.
    """

    level: Level
    title: str
    sentence: str
    more: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """All reasons, the main one first."""
        return (self.sentence, *self.more)


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
