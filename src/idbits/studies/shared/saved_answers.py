"""Saved answers: objects made of the data of an earlier answer, and what they show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from idbits.canonical import LATER, is_later_schema
from idbits.errors import InputError
from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import count, significant
from idbits.studies.shared.restoring import fields_from, saved_names, saved_value
from idbits.studies.shared.serialisation import SCHEMA, Json
from idbits.studies.shared.verdict_text import VerdictText

if TYPE_CHECKING:
    from idbits.studies.shared.presentation import Answer

__all__ = ["answer_of", "made_from", "saved_blocks"]

Saved = TypeVar("Saved", bound="Answer")

_ABOUT_SAVED = (
    "This is a saved answer: its figures, its verdict and its table are complete. What it does not cover, and what to "
    "do next, were shown when it was computed."
)
_CONTRADICTIONS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip
_MOST_LEVELS = 40
_SHOWN_APART = {"verdict", "verdict_level", "verdict_reasons", "notes", "reasons"}


def answer_of(kind: type[Saved], data: Mapping[str, Any]) -> Saved:
    """Return the answer that some data were made from.

    Raises:
        InputError: if they are not an answer of this class.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"a saved answer is a dict, as to_dict() returns it, not a {type(data).__name__}")
    _require_kind(kind, data)
    _require_json(data)
    try:
        answer = made_from(kind, data)
        answer.to_dict()
    except _CONTRADICTIONS as error:
        reason = str(error) if isinstance(error, InputError) else "its figures contradict each other"
        raise InputError(f"this is not a saved {kind.__name__} of idbits {kind.command}: {reason}") from error
    return answer


def _require_kind(kind: type[Answer], data: Mapping[str, Any]) -> None:
    if is_later_schema(data.get("schema"), SCHEMA):
        raise InputError(f"this answer {LATER}")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise InputError(f"this is not an answer of idbits (schema {SCHEMA})")
    command = data.get("command", kind.command)
    if command != kind.command:
        name = f"an answer of idbits {command}" if isinstance(command, str) and len(command) < 40 else "something else"
        raise InputError(f"{kind.__name__}.from_dict reads answers of idbits {kind.command}; this is {name}")
    for name in ("action", "mode"):
        fixed = vars(kind).get(name)
        if isinstance(fixed, str) and data.get(name) != fixed:
            raise InputError(f'this is not a saved {kind.__name__}: its key "{name}" is not "{fixed}"')


def _require_json(data: Mapping[str, Any]) -> None:
    """Refuse data that no JSON of an answer has.

    Data that are nested deeper than any answer, or without end, could end the interpreter when they are shown.
    """
    level: dict[int, Any] = {id(data): data}
    for _ in range(_MOST_LEVELS):
        parts = [each for part in level.values() for each in _parts(part)]
        if not all(map(_can_be_written, parts)):
            raise InputError("this is not an answer of idbits: it has a value that JSON cannot have")
        level = {id(part): part for part in parts if isinstance(part, Mapping | list | tuple)}
        if not level:
            return
    raise InputError("this is not an answer of idbits: its data are nested too deeply")


def _parts(value: Any) -> list[Any]:
    return [*value.keys(), *value.values()] if isinstance(value, Mapping) else list(value)


def _can_be_written(value: Any) -> bool:
    """Return whether a value is neither a float that is not a number nor a text with half a character."""
    if isinstance(value, str):
        return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)
    return not isinstance(value, float) or value == value


def made_from(kind: type[Saved], data: Mapping[str, Any]) -> Saved:
    """Return the answer.

    What the data lack is None, or has its default if that is an empty list: nobody knows whether a filter was used.
    """
    made = fields_from(kind, data)
    answer = object.__new__(kind)
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in made:
            value = made[field.name]
        elif field.default is not MISSING:
            unknown = field.name not in saved_names(kind) and isinstance(field.default, bool | int | float | str)
            value = None if unknown else field.default
        elif field.default_factory is not MISSING:
            value = field.default_factory()
        else:
            continue
        object.__setattr__(answer, field.name, value)
    for name, value in made.items():
        # Figures that are computed when first needed, from more than a saved answer has.
        if isinstance(getattr(kind, name, None), cached_property):
            vars(answer)[name] = value
    object.__setattr__(answer, "_saved_verdict", _saved_verdict(data))
    return answer


def _saved_verdict(data: Mapping[str, Any]) -> VerdictText:
    given = data.get("verdict")
    title = given.get("title") if isinstance(given, Mapping) else given
    if title is None:
        return VerdictText("")
    reasons = data.get("verdict_reasons", [])
    if not isinstance(title, str) or not isinstance(reasons, list) or not all(isinstance(row, str) for row in reasons):
        raise InputError('"verdict" is not what idbits writes')
    level = saved_value(Level, data.get("verdict_level", Level.UNDECIDED), "verdict_level")
    return VerdictText(title, level, tuple(reasons))


def saved_blocks(answer: Answer) -> list[Block]:
    """Return what a saved answer shows: its verdict, its figures and its notes."""
    data, verdict = answer.to_dict(), answer.verdict
    rows = [(key.replace("_", " "), _shown(value)) for key, value in data.items() if key not in _SHOWN_APART]
    figures = [(name, value) for name, value in rows if value is not None]
    blocks: list[Block] = []
    if verdict:
        blocks.append(Verdict(verdict.level, str(verdict.title), verdict.sentence, verdict.more))
    blocks += [TableBlock("Figures", ("figure", "value"), figures, left=(0, 1)), Paragraph(_ABOUT_SAVED)]
    notes = data.get("notes")
    return [*blocks, Items("Notes", tuple(map(str, notes)))] if isinstance(notes, list) and notes else blocks


def _shown(value: Json) -> str | None:
    """Return a figure or a list of names as text; None for tables and for figures that do not exist."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return significant(value)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else None
