"""The verdict on what groups give away, and the sentences that explain it."""

from __future__ import annotations

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import bits, count, percent, share
from idbits.studies.disclosure.result import ColumnDisclosure, Disclosure
from idbits.wording import joined

__all__ = ["certain_sentence", "column_verdict", "disclosure_verdict", "guess_sentence", "worst_column"]

_MANY_CERTAIN = 0.01
_MUCH_EASIER = 0.05
_MUCH_LEARNT = 1.0


def standing(column: ColumnDisclosure) -> int:
    """Return the verdict on a column as a number: 0 is worst; with 3 the groups hide it; 4: nothing is to be learnt."""
    if column.is_constant:
        return 4
    given, nearly = column.given_away.in_company, column.nearly_given_away.in_company
    if given >= _MANY_CERTAIN * column.n_people and given:
        return 0
    if given or nearly:
        return 1
    easier = column.guess.gained_by_taking_part >= _MUCH_EASIER or column.gain_bits.p95 >= _MUCH_LEARNT
    return 2 if easier else 3


def worst_column(answer: Disclosure) -> ColumnDisclosure:
    """Return the column that decides the verdict: the worst one, of equal ones that with most certain people."""
    return min(answer.sensitive, key=lambda each: (standing(each), -each.given_away.in_company))


def disclosure_verdict(answer: Disclosure) -> Verdict:
    """Return the verdict of the worst column, with a sentence about every column."""
    worst = worst_column(answer)
    verdict = column_verdict(worst, answer)
    others = tuple(certain_sentence(each, answer) for each in answer.sensitive if each is not worst)
    return Verdict(verdict.level, verdict.title, verdict.sentence, (*verdict.more, *others))


def column_verdict(column: ColumnDisclosure, answer: Disclosure) -> Verdict:
    """Return the verdict on one column."""
    name = column.column
    titles = (
        (Level.BAD, f"The groups give {name} away"),
        (Level.WARN, f"The {name} of some {answer.unit} can be told"),
        (Level.WARN, f"The {name} of many {answer.unit} is easier to guess"),
        (Level.GOOD, f"The groups hide {name}"),
        (Level.GOOD, f"{name} has one value: nothing is to be learnt"),
    )
    level, title = titles[standing(column)]
    more: tuple[str, ...] = ()
    if column.is_constant:
        same = f"Everyone has the same {name}" if column.nulls < column.n_people else f"Nobody has a {name}"
        return Verdict(level, title, f"{same}, so no group says more than the table.")
    if standing(column) == 2:
        more = (guess_sentence(column),)
    elif standing(column) in (0, 1) and column.nearly_certain.in_company > column.certain.in_company:
        more = (_nearly_sentence(column, answer),)
    return Verdict(level, title, certain_sentence(column, answer), more)


def certain_sentence(column: ColumnDisclosure, answer: Disclosure) -> str:
    """Say for how many people all others in their group have the same value."""
    unit, certain = answer.unit, column.certain
    value = f"the same {'secret ' if column.only_secret else ''}{column.column}"
    same = f"the same {joined(answer.qid)}"
    if certain.in_company:
        part = share(column.share(certain.in_company))
        text = (
            f"For {count(certain.in_company)} of {unit.counted(column.n_people)} ({part}), all others with {same} have "
            f"{value}"
        )
        text += (
            f"; {count(certain.alone)} more {'is' if certain.alone == 1 else 'are'} unique." if certain.alone else "."
        )
    else:
        text = f"No group of several {unit} with {same} has {value} throughout"
        unique = column.top_shares.alone
        text += f"; {unit.counted(unique)} {'is' if unique == 1 else 'are'} unique." if unique else "."
    common = certain.in_company - column.given_away.in_company
    if common and common >= certain.in_company / 2:
        text += (
            f" For {count(common)} of them it is a value that more than {percent(answer.certainty)} of all {unit} "
            "have, which says little."
        )
    if certain.empty:
        text += f" {unit.counted(certain.empty)} in such groups have no {column.column} at all."
    return text


def _nearly_sentence(column: ColumnDisclosure, answer: Disclosure) -> str:
    nearly, unit = column.nearly_certain, answer.unit
    wrong = f"; {count(nearly.wrong)} of them do not have it and are suspected wrongly" if nearly.wrong else ""
    return (
        f"{unit.counted(nearly.in_company)} ({share(column.share(nearly.in_company))}) are in groups of which more "
        f"than {percent(answer.certainty)} have the same {column.column}{wrong}."
    )


def guess_sentence(column: ColumnDisclosure) -> str:
    """Say how often the best guess is right."""
    guess = column.guess
    text = (
        f"The best guess of {column.column} is right {share(guess.before)} of the time without the table and "
        f"{share(guess.after)} with it"
    )
    if guess.without is not None:
        text += f"; it would be right {share(guess.without)} of the time about somebody who is not in the table"
    return f"{text}. On average {bits(column.gain_bits.mean)} of {bits(column.prior_entropy_bits)} bits are learnt."
