"""The first page of a report: all that is needed to decide, on one sheet of paper."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from idbits.render.numbers import count
from idbits.render.page import Term

__all__ = ["BeforeAfter", "CheckedRow", "DecisionBox", "FirstPage", "GoalReach", "SizeBars", "SizeBin", "Standing"]

_MANY_ROWS = 6


class Standing(StrEnum):
    """How a result compares with its limit; shown as a word with a shape, so that colour is never needed."""

    WITHIN = "Within"
    OVER = "Over"
    DEPENDS = "Depends"


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """One thing that was checked: the result in bold, what belongs to it in plain type, and the limit."""

    name: str
    result: str
    detail: str
    limit: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A figure of the table as it is and treated; ``standing`` says whether the treated one is within its limit."""

    name: str
    before: str
    after: str
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class GoalReach:
    """What reaches the goal: a finding, sentences, the changes one by one, and figures before and after."""

    title: str
    text: tuple[str, ...]
    changes: tuple[str, ...] = ()
    figures: tuple[BeforeAfter, ...] = ()


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Group sizes from ``least`` to ``most`` (None: any larger one), and the people in such groups."""

    least: int
    most: int | None
    before: float
    after: float | None

    @property
    def sizes(self) -> str:
        """The sizes as they are shown."""
        if self.most is None:
            return f"{count(self.least)}+"
        return count(self.least) if self.most == self.least else f"{count(self.least)}–{count(self.most)}"


@dataclass(frozen=True, slots=True)
class SizeBars:
    """People by the size of their group, as it is and treated.

    Attributes:
        words: the finding with its numbers, for people who cannot see the chart.
        total: the people of the table as it is, who are 100% in both rows.
        before, after: who is in each row, such as 30,162 people; ``after`` is None without a treatment.
        goal: the smallest group that is large enough.
        goal_label: what the line at the goal says.
        nobody_left: what the treated row says below the goal if it is empty there.
        withheld: what is left out by the treatment, such as 3.9% withheld.
    """

    title: str
    words: str
    bins: tuple[SizeBin, ...]
    total: float
    before: str
    after: str | None
    goal: int
    goal_label: str
    nobody_left: str
    withheld: str | None = None


@dataclass(frozen=True, slots=True)
class DecisionBox:
    """The decision: choices to tick and lines to fill in, or the terms of a recorded decision."""

    choices: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    recorded: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class FirstPage:
    """All that is needed to decide.

    Attributes:
        question, date: the small line above the name of the dataset.
        day: the date in the head of the evidence.
        running: the line at the foot of every printed page.
        lede: what the data are, in a sentence or two.
        facts: for whom the data are, and why; a term without a meaning is a line to fill in.
        tone: the colour of the verdict: bad, warn or good.
        bars: None if group sizes cannot be drawn.
    """

    question: str
    date: str
    dataset: str
    day: str
    running: str
    lede: str
    facts: tuple[Term, ...]
    tone: str
    checks: tuple[CheckedRow, ...]
    reach: GoalReach
    bars: SizeBars | None
    decision: DecisionBox
    not_assessed: str
    provenance: str

    @property
    def is_dense(self) -> bool:
        """Whether there is so much to say that paper needs smaller type."""
        return len(self.checks) > _MANY_ROWS or len(self.reach.figures) > _MANY_ROWS
