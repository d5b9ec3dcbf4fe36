"""The verdict on combinations of columns: how few single out how many, and which column is worth dropping."""

from __future__ import annotations

from idbits.render.blocks import Level, Verdict
from idbits.render.numbers import count, percent, share
from idbits.studies.columns.result import ColumnSubsets, Minimal, SubsetFigures
from idbits.studies.shared.beside import records_not_people, verdict_beside
from idbits.studies.shared.units import Unit
from idbits.wording import counted, joined

__all__ = ["columns_verdict", "up_to"]

_MANY = 0.01
_HARDLY = 0.9
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_DO_NOT = "Do not hand these columns over together"


def columns_verdict(answer: ColumnSubsets) -> Verdict:
    """Say how few columns single out how many people, which is worth dropping, and what else in the table does."""
    found = _of_combinations(answer)
    if answer.unit is Unit.RECORDS and answer.beside.persons:
        found = records_not_people(answer.beside, answer.n_rows, found.sentence)
    return verdict_beside(found, answer.beside)


def _of_combinations(answer: ColumnSubsets) -> Verdict:
    entry, unit, n = answer.minimal[0], answer.unit, answer.n_people
    so_far = f"Incomplete: {answer.stopped}. So far: " if answer.stopped is not None else ""
    if entry.sets:
        return Verdict(Level.BAD, _DO_NOT, so_far + _smallest(answer, entry) + _give_up(answer))
    if answer.together is None:
        sentence = f"we found no combination that singles out {percent(entry.share)} of {unit}."
        return Verdict(Level.WARN, "Not everything was counted", so_far + sentence)
    alone = answer.together.singletons
    n_columns = len(answer.candidates)
    all_of_them = {1: "it", 2: "both together"}.get(n_columns, f"all {count(n_columns)} together")
    verb = "singles" if n_columns == 1 else "single"
    found = f"{share(alone / n)} of {unit}" if alone else unit.nobody.lower()
    sentence = f"{so_far}{_which(answer, entry)} {percent(entry.share)} of {unit}; {all_of_them} {verb} out {found}."
    if alone / n >= _MANY:
        return Verdict(Level.BAD, _DO_NOT, sentence + _give_up(answer))
    if alone:
        return Verdict(Level.WARN, f"Some {unit} can be singled out", sentence + _give_up(answer))
    return _nobody(answer, f"{sentence} The smallest group has {unit.counted(answer.together.k_min)}.")


def _smallest(answer: ColumnSubsets, entry: Minimal) -> str:
    """Say what the smallest combination that reaches the share does, and how many others there are."""
    best, unit = entry.sets[0], answer.unit
    size, alone = len(best.columns), best.figures.singletons
    number = _NUMBERS[size] if size < len(_NUMBERS) else count(size)
    subject = f"{number} columns, {joined(best.columns)}," if size > 1 else f"One column, {best.columns[0]},"
    found = unit.everyone if alone == answer.n_people else f"{share(alone / answer.n_people)} of {unit}"
    sentence = f"{subject} {'single' if size > 1 else 'singles'} out {found}."
    others = len(entry.sets) - 1
    if others:
        verb = "singles" if others == 1 else "single"
        least = "" if entry.complete else "At least "
        number = f" {least}{counted(others, 'other minimal combination')}{up_to(answer)}"
        sentence += f"{number} {verb} out at least {percent(entry.share)}."
    return sentence


def _nobody(answer: ColumnSubsets, sentence: str) -> Verdict:
    """Return the best verdict only if an attacker who knows all records of a person finds nobody either."""
    people = answer.people
    if people is None or not people.knows_one_of_several:
        return Verdict(Level.GOOD, f"{answer.unit.nobody} is unique with these columns", sentence)
    everything = answer.together_all_records
    if everything is None:
        untold = "We did not count what all records of a person together give away."
        return Verdict(Level.WARN, "Nobody is unique by one record", sentence, (untold,))
    if everything.singletons:
        return Verdict(
            Level.WARN, "Some people can be singled out by all their records", sentence, (_found(answer, everything),)
        )
    return Verdict(Level.GOOD, f"{Unit.PEOPLE.nobody} is unique with these columns", sentence)


def _found(answer: ColumnSubsets, everything: SubsetFigures) -> str:
    alone = everything.singletons
    return (
        f"An attacker who knows all records of a person finds {count(alone)} of "
        f"{Unit.PEOPLE.counted(answer.n_people)} ({share(alone / answer.n_people)})."
    )


def _give_up(answer: ColumnSubsets) -> str:
    """Say which column is worth dropping, if any makes a difference."""
    known = [part for part in answer.contribution if part.singletons_without is not None]
    if answer.together is None or len(known) < 2:
        return ""
    best = min(known, key=lambda part: part.singletons_without or 0)
    left = best.singletons_without or 0
    if left > _HARDLY * answer.together.singletons:
        return " Dropping one column hardly helps."
    found = f"{share(left / answer.n_people)} of {answer.unit}" if left else answer.unit.nobody.lower()
    others = [part.column for part in answer.contribution if part is not best]
    rest = f"{others[0]} by itself singles" if len(others) == 1 else "the others together single"
    return f" Dropping {best.column} helps most: {rest} out {found}."


def _which(answer: ColumnSubsets, entry: Minimal) -> str:
    if len(answer.candidates) == 1:
        return f"The column {answer.candidates[0]} does not single out"
    assert answer.together is not None
    if answer.together.singletons < entry.people or answer.every_subset:
        return "No combination of these columns singles out"
    return f"No combination we counted, of up to {answer.max_size} columns, singles out"


def up_to(answer: ColumnSubsets) -> str:
    """Return the phrase for the largest combinations searched; empty if all were counted."""
    return "" if answer.every_subset else f" of up to {counted(answer.max_size, 'column')}"
