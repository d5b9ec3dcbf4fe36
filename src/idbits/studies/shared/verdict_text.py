"""The verdict of an answer as Python sees it: its headline, which is a text, with its level and reasons."""

from __future__ import annotations

from typing import Self

from idbits.render.blocks import Level, Verdict
from idbits.render.page import plain as plain_text

__all__ = ["VerdictText", "saved_reasons"]


class VerdictText(str):
    """The headline of an answer, with its level and reasons.

    It is a text: ``answer.verdict == "Nobody is unique"``. It is empty for answers that judge nothing. Scripts can rely
    on the level; headlines may change.

    Examples:
        >>> verdict = VerdictText("Nobody is unique", Level.GOOD, ("All groups have 5 rows or more.",))
        >>> verdict, verdict.level, verdict.sentence
        ('Nobody is unique', <Level.GOOD: 'good'>, 'All groups have 5 rows or more.')
    """

    _level: Level
    _reasons: tuple[str, ...]
    _headline: str | None

    def __new__(
        cls, text: str, level: Level = Level.UNDECIDED, reasons: tuple[str, ...] = (), headline: str | None = None
    ) -> Self:
        """Return a headline; ``headline`` if it is shown in other words than ``text``."""
        made = super().__new__(cls, text)
        made._level, made._reasons, made._headline = level, reasons, headline
        return made

    def __getnewargs__(self) -> tuple[str, Level, tuple[str, ...], str | None]:  # type: ignore[override]
        return str(self), self._level, self._reasons, self._headline

    @property
    def level(self) -> Level:
        """How serious it is: ``bad``, ``warn``, ``good`` or ``undecided``."""
        return self._level

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons, the main one first; they name arguments instead of options."""
        # Most verdicts are made for text, where reasons are not needed one by one.
        from idbits.studies.shared.python_words import python_sentence

        return tuple(plain_text(python_sentence(reason)) for reason in self._reasons)

    @property
    def title(self) -> str:  # type: ignore[override]
        """The headline as it is shown; it differs from the text for ``Leak``, whose verdict is one word."""
        return str(self) if self._headline is None else self._headline

    @classmethod
    def of(cls, verdict: Verdict | None) -> VerdictText:
        """Return the verdict of some blocks; an empty text if there is none."""
        if verdict is None:
            return cls("")
        return cls(verdict.title, verdict.level, verdict.reasons)

    @property
    def sentence(self) -> str:
        """The main reason."""
        return self.reasons[0] if self.reasons else ""

    @property
    def more(self) -> tuple[str, ...]:
        """Further reasons."""
        return self.reasons[1:]


def saved_reasons(verdict: VerdictText) -> tuple[str, ...]:
    """Return the reasons as JSON has them, in the words of commands."""
    _, _, reasons, _ = verdict.__getnewargs__()
    return tuple(map(plain_text, reasons))
