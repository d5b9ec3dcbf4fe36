"""Blocks in the words of Python: arguments instead of options, calls instead of commands.

Answers are written for terminals. A notebook shows the same answers to people who call functions.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from functools import cache
from importlib import import_module
from typing import Any

from idbits.render.blocks import Block, Command
from idbits.values.attributes import split_names

__all__ = ["SWITCHES", "as_call", "in_python", "python_sentence"]

SWITCHES = {
    "all", "conditional", "drop_empty", "force", "insecure", "internal", "multiset", "mutual", "probabilistic",
    "reveal", "rows_are_people", "safe_csv", "values",
}  # fmt: skip
"""Options without a value, by the names of their arguments."""
_SWITCHES_IN_PYTHON = {"cells"}
"""Options that name a file in a terminal, where Python can return the table."""
_OTHER_WORDS = {"json": "to_json()", "no-header": "header=False", "no-header-b": "header_b=False"}
_OTHER_NAMES = {"api-key-file": "key_file", "from": "from_"}
_COMMAND = re.compile(r"\bidbits ([a-z]+)\b")
_PHRASES = (
    (re.compile(r"\bidbits decide REPORT\.json --decision \.\.\."), "idbits.decide"),
    (re.compile(r"\bidbits report TABLE -o report\.json\b"), "idbits.report(...).to_json()"),
    (re.compile(r"\bidbits decide --verify"), "idbits.verify_decisions"),
    (re.compile(r"\bidbits ([a-z]+) --json\b"), r"idbits.\1(...).to_json()"),
    (re.compile(r"\bidbits ([a-z]+) (?=--)"), r"idbits.\1 with "),
    (re.compile(r"\buse predict width\b"), "use idbits.predict.width"),
    (re.compile(r"--json --out FILE\b"), "to_json()"),
    (re.compile(r"--[a-z-]+ \S+, in Python (?=[a-z_]+=)"), ""),
    (re.compile(r"--cells FILE\b"), "--cells"),
    (re.compile(r"\(--cells\)"), "(cells=)"),
    (re.compile(r"\ba (?=--)"), ""),
)
"""Words around options that Python does not have."""
_LIKE_VALUE = r"\d(?:[\w.,:-]*\w)?%?|[A-Z]+\b[\w:,]*|'[^']*'|[\w.]+[,:=][\w.,:=]*\w"
_OPTION = re.compile(rf"(?<![\w./\\-])(fewer )?--([a-z]+(?:-[a-z]+)*)(?: ({_LIKE_VALUE})|(:)(?= ))?")
_WITH_VALUE_PER_COLUMN = re.compile(r"--(hierarchy|ranks) (?:as )?([^;]+?)=(FILE(?:\.csv)?|a,b,c|\.\.\.)")
# What follows these options in a sentence is a value, not the next word.
_WITH_WORD = re.compile(
    r"--(attack|cells-as|dates|engine|knows|loss|method|missing|null-person|nulls|out|plan|reduction|sensitive)"
    r" (?!(?:and|cannot|for|if|is|must|needs|on|or|reads|to|writes)\b)([a-z][\w-]*+(?:\.[a-z]+)?+)(?![,:=]\S)"
    r"|(?<=add )--(person|sensitive) ([^-].*?)(?=\.\s|\.?$)"
)


_NAME_WITH_DASHES = re.compile("\u2068[^\u2069]*--[^\u2069]*\u2069")
"""A column whose name could be taken for an option, between the marks of names."""
_PLACE = "\ue000"


def in_python(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks that name arguments and calls of Python."""
    return [_changed(block) for block in blocks]


def _changed(block: Block) -> Block:
    if isinstance(block, Command):
        return Command(python_sentence(block.reason), as_call(block.command))
    return replace(block, **{field.name: _said(getattr(block, field.name)) for field in fields(block)})


def _said(value: Any) -> Any:
    if type(value) is str:
        return python_sentence(value)
    if isinstance(value, tuple | list):
        return type(value)(_said(item) for item in value)
    return value


def python_sentence(text: str, switches: Collection[str] = SWITCHES) -> str:
    """Return a sentence with arguments instead of options; ``switches`` are those that are True or False.

    >>> python_sentence("To measure people, add --person patient.")
    "To measure people, add person='patient'."
    >>> python_sentence("Rows that the filter excludes (--where). 12 more in --json.")
    'Rows that the filter excludes (where=). 12 more in to_json().'
    >>> python_sentence("It shows values that few people have (--reveal); --people N says how many that is.")
    'It shows values that few people have (reveal=True); people=N says how many that is.'
    >>> python_sentence("If it is a sample, idbits population estimates who is unique.")
    'If it is a sample, idbits.population estimates who is unique.'
    """
    names = _NAME_WITH_DASHES.findall(text)
    if names and _PLACE not in text:
        parts = python_sentence(_NAME_WITH_DASHES.sub(_PLACE, text), switches).split(_PLACE)
        return "".join(part + name for part, name in zip(parts, [*names, ""], strict=True))
    if "--" in text:
        for phrase, in_python_words in _PHRASES:
            text = phrase.sub(in_python_words, text)
        text = _WITH_WORD.sub(_with_word, _WITH_VALUE_PER_COLUMN.sub(_with_value_per_column, text))
        text = _OPTION.sub(lambda found: _argument(found, switches), text)
    return _COMMAND.sub(_function, text)


def _function(found: re.Match[str]) -> str:
    return f"idbits.{found[1]}" if found[1] in _FUNCTIONS else found[0]


def _with_word(found: re.Match[str]) -> str:
    option, word = (part for part in found.groups() if part is not None)
    return f"{_name(option)}={word!r}"


def _with_value_per_column(found: re.Match[str]) -> str:
    option, column, value = found.groups()
    shown = {"...": "...", "a,b,c": "['a', 'b', 'c']"}.get(value, repr(value))
    return f"{option}={{{column!r}: {shown}}}"


def _argument(found: re.Match[str], switches: Collection[str]) -> str:
    fewer, option, value, colon = found.groups()
    name = _name(option)
    if fewer or colon:
        return f"{fewer or ''}{name}{'' if value is None else ' ' + value}{colon or ''}"
    if option in _OTHER_WORDS or name in switches or option in _SWITCHES_IN_PYTHON:
        word = _OTHER_WORDS.get(option, f"{name}=True")
        return word if value is None else f"{word} {value}"
    return f"{name}={_value(value or '')}"


def _value(word: str) -> str:
    """Return a value as Python writes it; words in capitals stand for one."""
    is_written = word.startswith("'") or word[:1].isupper() or re.fullmatch(r"\d*(\.\d+)?", word)
    return word if is_written else repr(word)


def _name(option: str) -> str:
    return _OTHER_NAMES.get(option, option.replace("-", "_"))


def as_call(command: str) -> str:
    """Return a command as the call that does the same; a command that no function of Python can repeat stays.

    >>> as_call("idbits advise people.csv --qid birthdate,zip --rows-are-people")
    "idbits.advise('people.csv', qid='birthdate,zip', rows_are_people=True)"
    >>> as_call("idbits decide past/decisions.jsonl --verify --noted 1:ab")
    "idbits.verify_decisions('past/decisions.jsonl', noted=['1:ab'])"
    >>> as_call("idbits serve")
    'idbits serve'
    """
    try:
        program, name, *words = shlex.split(command)
    except ValueError:
        return command
    if name == "decide" and "--verify" in words:
        name, words = "verify_decisions", [word for word in words if word != "--verify"]
    if program != "idbits" or name not in _FUNCTIONS:
        return command
    positional, named = _split(words)
    if named is None or not set(named) <= set(_arguments_of(name)):
        return command
    listed = _arguments_of(name)
    given = [*map(repr, positional), *(f"{key}={_as(listed[key], value)!r}" for key, value in named.items())]
    return f"idbits.{name}({', '.join(given)})"


def _as(hint: str, value: Any) -> Any:
    """Return a value as its argument takes it: in a list if only a list will do."""
    return [value] if hint.startswith("Sequence[str]") and not isinstance(value, list) else value


def _split(words: Sequence[str]) -> tuple[list[str], dict[str, Any] | None]:
    """Return the words of a command as arguments; None if an option has a form that only terminals have."""
    positional: list[str] = []
    named: dict[str, Any] = {}
    index = 0
    while index < len(words):
        word, index = words[index], index + 1
        if not word.startswith("-"):
            positional.append(word)
            continue
        option = word.removeprefix("--")
        if not word.startswith("--") or option in ("json", "no-header"):
            return positional, None
        value: Any = True
        if _name(option) not in SWITCHES and index < len(words):
            value, index = _number(words[index]), index + 1
        name = _name(option)
        if name in named:
            previous = named[name]
            value = [*previous, value] if isinstance(previous, list) else [previous, value]
        named[name] = value
    if isinstance(named.get("qid"), list):
        # A list of texts would be one quasi-identifier.
        named["qid"] = [split_names(str(names)) for names in named["qid"]]
    return positional, named


def _number(word: str) -> int | str:
    return int(word) if re.fullmatch(r"[1-9]\d{0,17}|0", word) else word


_FUNCTIONS = {
    **{
        name: name
        for name in (
            "advise", "apply", "check", "columns", "disclosure", "events", "gain", "inspect", "leak", "link", "measure",
            "overlap", "population", "questionnaire", "randomise", "report",
        )
    },
    "verify_decisions": "decide",
}  # fmt: skip
"""The functions of Python that commands become, and the folder of each."""


@cache
def _arguments_of(name: str) -> dict[str, str]:
    """Return the arguments of a function with their types."""
    from idbits.reading import Reading

    function: Callable[..., Any] = getattr(import_module(f"idbits.studies.{_FUNCTIONS[name]}.study"), name)
    parameters = {key: str(item.annotation) for key, item in inspect.signature(function).parameters.items()}
    return parameters | {key: hint.__forward_arg__ for key, hint in Reading.__annotations__.items()}
