"""Saved answers of other commands, read and checked before they become sections of a report."""

from __future__ import annotations

import os
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from idbits.counts import Spectrum
from idbits.errors import InputError
from idbits.storage import expand_home
from idbits.studies.columns.result import ColumnSubsets as Columns
from idbits.studies.events.result import Events
from idbits.studies.leak.result import Leak
from idbits.studies.link.result import Linkage, SyntheticAttack
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.report.result import Included, SavedAnswer
from idbits.studies.report.saved_text import saved_section
from idbits.studies.shared.default_columns import ChosenColumns
from idbits.studies.shared.documents import read_saved_file
from idbits.studies.shared.roles import Role, RoleJudgement
from idbits.studies.shared.serialisation import UncheckedData
from idbits.values.attributes import Kind

__all__ = ["answer_from", "read_all_saved", "read_saved", "rebuilt"]

_MOST = 8
_LONGEST_COMMAND = 40


def read_all_saved(names: Sequence[str | os.PathLike[str]], *, internal: bool) -> tuple[Included, ...]:
    """Read the saved answers of a report, at most a few."""
    if len(names) > _MOST:
        raise InputError(f"a report can include at most {_MOST} saved answers (--include)")
    return tuple(read_saved(name, internal=internal) for name in names)


def read_saved(name: str | os.PathLike[str], *, internal: bool) -> Included:
    """Read the JSON of another command; one that shows values few people have is for internal reports only."""
    path = Path(expand_home(name))
    answer = read_saved_file(path, " (--include)").data
    if answer["command"] == "report":
        raise InputError(f'"{path}" is a report; include answers of other commands instead (--include)')
    if answer.get("internal") and not internal:
        raise InputError(
            f'"{path}" shows values that few people have; only internal reports may include it (--internal)'
        )
    included = Included(path.name, answer)
    try:
        _check_shown(included)
    except InputError as error:
        command = answer["command"][:_LONGEST_COMMAND]
        raise InputError(f'"{path}" is not an answer of idbits {command}: {error} (--include)') from error
    return included


def _check_shown(included: Included) -> None:
    """Refuse an answer that cannot be shown now, rather than fail when the page is made."""
    notes = included.answer.get("notes") or []
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise InputError("its notes are not texts")
    try:
        _ = included.result
        saved_section(included, 1)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("its figures contradict each other") from error


Made = TypeVar("Made")

_INFINITIES = {"inf": float("inf"), "-inf": float("-inf")}


def rebuilt(kind: type[Made], data: Any) -> Made:
    """Return a dataclass from its plain data; a missing key or a wrong type is an error that names the key.

    >>> from idbits.studies.leak.result import Conditional
    >>> rebuilt(Conditional, {"original_bits": 1.5, "released_bits": "inf"})
    Conditional(original_bits=1.5, released_bits=inf)
    """
    if not isinstance(data, Mapping):
        raise InputError(f"{kind.__name__} is not an object")
    # mypy does not see that types are hashable.
    hints = _hints(kind)  # type: ignore[arg-type]
    made = {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in data:
            made[field.name] = _value(hints[field.name], data[field.name], field.name)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f'the key "{field.name}" is missing')
    return kind(**made)


@cache
def _hints(kind: Any) -> UncheckedData:
    return get_type_hints(kind)


def _value(hint: Any, value: Any, key: str) -> Any:
    """Return a value with the type of the hint."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in parts:
            return None
        return _first_that_fits([part for part in parts if part is not type(None)], value, key)
    if origin is tuple and parts[1] is Ellipsis and isinstance(value, list | tuple):
        return tuple(_value(parts[0], item, key) for item in value)
    if origin is dict and isinstance(value, Mapping):
        return {str(name): _value(parts[1], item, key) for name, item in value.items()}
    if hint is Spectrum:
        return _spectrum(value, key)
    if isinstance(hint, type) and issubclass(hint, StrEnum) and value in list(hint):
        return hint(value)
    return rebuilt(hint, value) if is_dataclass(hint) else _simple(hint, value, key)  # type: ignore[arg-type]


def _simple(hint: Any, value: Any, key: str) -> Any:
    number = _INFINITIES.get(value, value) if isinstance(value, str) and hint is float else value
    whole = isinstance(number, int) and not isinstance(number, bool) and abs(number) < 2**63
    fits = {float: whole or isinstance(number, float), int: whole}
    if fits.get(hint, hint in (str, bool) and isinstance(value, hint)):
        return number
    raise InputError(f'"{key}" is not what idbits writes')


def _spectrum(value: Any, key: str) -> Spectrum:
    pairs = _value(tuple[tuple[int, ...], ...], value, key)
    if not pairs or not all(len(pair) == 2 and min(pair) > 0 for pair in pairs):
        raise InputError(f'"{key}" is not what idbits writes')
    return Spectrum.of(dict(pairs))


def _first_that_fits(kinds: Sequence[Any], value: Any, key: str) -> Any:
    for kind in kinds[:-1]:
        try:
            return _value(kind, value, key)
        except InputError:
            continue
    return _value(kinds[-1], value, key)


def answer_from(data: UncheckedData) -> SavedAnswer | None:
    """Return the saved answer; None for commands whose answers are shown key by key."""
    known: dict[str, Callable[[UncheckedData], SavedAnswer]]
    known = {"columns": _columns, "events": _events, "leak": _leak, "link": _link, "overlap": _overlap}
    made = known.get(str(data["command"]))
    try:
        return made(data) if made is not None else None
    except (AttributeError, KeyError, IndexError, TypeError) as error:
        raise InputError(f"a key is missing or is not what idbits writes ({error})") from error


def _leak(data: UncheckedData) -> Leak:
    because = (data.get("reasons") or {}).get("verdict")
    return rebuilt(Leak, {**data, "original": None, "released": None, "undecided_because": because})


def _link(data: UncheckedData) -> Linkage | SyntheticAttack:
    return rebuilt(SyntheticAttack, data) if data.get("mode") == SyntheticAttack.mode else rebuilt(Linkage, data)


def _overlap(data: UncheckedData) -> ZoneOverlap | ReleaseOverlap:
    if "zones" not in data:
        return rebuilt(ReleaseOverlap, data)
    answer = rebuilt(ZoneOverlap, data)
    if len(answer.zones) != 2 or len(answer.null_zones) != 2:
        raise InputError("it does not have two columns of zones")
    return answer


def _columns(data: UncheckedData) -> Columns:
    def subset(entry: UncheckedData) -> UncheckedData:
        return {"columns": entry["columns"], "figures": entry}

    made: UncheckedData = {
        "source": None,
        "subsets": [subset(entry) for entry in data["subsets"]],
        "minimal": [{**minimal, "sets": list(map(subset, minimal["sets"]))} for minimal in data["minimal"]],
        "budget": None,
        "orders": data["shapley_orders"],
        # Answers of earlier versions do not say whether rows are people.
        "n_people": data.get("n_people", data["n_rows"]),
        "people": data if data.get("person") is not None else None,
        "every_subset": data["n_counted"] == data["n_subsets"],
        "beside": {
            **{key: data.get(key) or [] for key in ("identifiers", "record_numbers", "free_text")},
            "may_be_known": data.get("not_measured") or [],
        },
    }
    answer = replace(rebuilt(Columns, {**data, **made, "chosen": None}), chosen=_chosen(data))
    if not answer.subsets or not answer.minimal or answer.n_rows < 1:
        raise InputError("it has no combination of columns")
    return answer


def _chosen(data: UncheckedData) -> ChosenColumns | None:
    """Return how the columns were chosen, if nobody named them."""
    judgements = tuple(
        RoleJudgement(
            column=str(row["column"]),
            kind=Kind.OTHER,
            role=Role(row["role"]),
            confidence=float(row["confidence"]),
            evidence=tuple(map(str, row["evidence"])),
        )
        for row in data.get("candidate_judgements") or ()
    )
    if not judgements:
        return None
    return ChosenColumns(
        tuple(judgement.column for judgement in judgements), judgements, (), judgements, option="--candidates"
    )


def _events(data: UncheckedData) -> Events:
    def row(entry: UncheckedData) -> UncheckedData:
        # For single days, only the figures are saved.
        return {**entry, "figures": {**entry, "spectrum": None}}

    made: UncheckedData = {
        "source": None,
        "records": data["n_records"],
        "people": data["n_people"],
        "points": data["n_points"],
        "grid": data["unicity_grid"],
        "asked_period": data["period"]["asked"],
        "step": _step(str(data["days"][0]["date"])),
        "days": [row(entry) for entry in data["days"]],
        "months": [row(entry) for entry in data["months"] or ()],
    }
    return rebuilt(Events, {**data, **made})


def _step(day: str) -> str:
    """Return the time step of a saved answer from one of its dates.

    >>> [_step(text) for text in ("2005-01-27", "2005-W04", "2005-01", "2005-Q1", "2005")]
    ['day', 'week', 'month', 'quarter', 'year']
    """
    marks = (("W", "week"), ("Q", "quarter"))
    marked = next((step for mark, step in marks if mark in day), None)
    return marked or ("day", "month", "year")[2 - day.count("-")]
