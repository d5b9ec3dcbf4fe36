"""Surveys: read a TOML file and find what is known about the answers to each question.

``survey.schema.json`` in this folder is the published schema; the checks here follow it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypedDict, TypeVar, cast

from idbits.engines.base import Table
from idbits.errors import InputError
from idbits.measures.crowd import Answers
from idbits.reading import Reading
from idbits.storage import expand_home
from idbits.studies.questionnaire.answers import (
    QuestionBlock,
    Views,
    checked_shares,
    counted_answers,
    counted_block,
    largest_share,
    listed_answers,
    listed_block,
)
from idbits.studies.shared.column_source import ask_columns, split_source
from idbits.studies.shared.documents import read_toml
from idbits.values.attributes import Attribute
from idbits.wording import near_names

__all__ = ["EntryLookup", "Survey", "SurveySource", "read_survey", "schema_text"]

_MOST_TOGETHER = 6
_LARGEST = 2**63

Reply = TypeVar("Reply")


class QuestionKeys(TypedDict, total=False):
    """A question in a survey file; the schema defines which keys go together."""

    name: str
    assessed: bool
    share: float
    factor: float
    shares: list[float]
    distribution: str
    entry: str
    count: str
    where: str
    several: bool
    refused: float
    skipped: float


class JointKeys(TypedDict, total=False):
    """Questions that a survey file counts together."""

    questions: list[str]
    distribution: str
    shares: list[object]
    count: str
    where: str


class SurveyKeys(TypedDict, total=False):
    """A survey file."""

    title: str
    population: int
    questions: list[QuestionKeys]
    joint: list[JointKeys]


SurveySource = str | os.PathLike[str] | Mapping[str, object]
"""A TOML file, or the same as a dictionary."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A questionnaire that has been read."""

    title: str | None
    population: int
    names: tuple[str, ...]
    blocks: tuple[QuestionBlock, ...]
    not_assessed: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@cache
def schema_text() -> str:
    """Return the published schema of survey files."""
    return files("idbits.studies.questionnaire").joinpath("survey.schema.json").read_text(encoding="utf-8")


EntryLookup = Callable[[str], Mapping[str, Any]]
"""Returns what the entry with a reference says of the answers: ``probabilities``, or ``values`` and ``kappa``."""


def read_survey(survey: SurveySource, reading: Reading, entries: EntryLookup | None = None) -> Survey:
    """Read a survey file, or a dictionary with the same structure; ``entries`` looks up entries of a repository."""
    folder = Path()
    if isinstance(survey, str | os.PathLike):
        path = Path(expand_home(survey))
        folder = path.parent
        survey = read_toml(path, f'"{survey}"')
    if not isinstance(survey, Mapping):
        raise InputError("a survey must be a TOML file or a dictionary with the same structure")
    _check_keys(survey, _properties(), "the survey")
    reader = _QuestionReader(folder, reading, entries)
    return reader.survey(cast("SurveyKeys", survey))


@cache
def _properties(*path: str) -> dict[str, dict[str, str]]:
    import json

    part = json.loads(schema_text())
    for name in path:
        part = part["properties"][name]["items"]
    return dict(part["properties"])


def _check_keys(given: object, allowed: Mapping[str, Mapping[str, str]], where: str) -> None:
    """Raise an error for keys that are not in the schema and for values of the wrong type."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where} must be a table of keys and values")
    kinds: dict[str, type | tuple[type, ...]] = {
        "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": (list, tuple),
    }  # fmt: skip
    for key, value in given.items():
        if key not in allowed:
            end = near_names(str(key), allowed) or f"; the keys are {', '.join(allowed)}"
            raise InputError(f'{where} has an unknown key "{key}"{end}')
        kind = allowed[key]["type"]
        if not isinstance(value, kinds[kind]) or (kind != "boolean" and isinstance(value, bool)):
            raise InputError(f'"{key}" of {where} must be of type {kind}')
        if isinstance(value, int | float) and not abs(value) < _LARGEST:
            raise InputError(f'"{key}" of {where} is too large or not a number')


@dataclass(slots=True)
class _QuestionReader:
    """Reads one survey and collects notes."""

    folder: Path
    reading: Reading
    entries: EntryLookup | None = None
    notes: list[str] = field(default_factory=list)
    several: list[str] = field(default_factory=list)

    def survey(self, given: SurveyKeys) -> Survey:
        population, questions = given.get("population"), given.get("questions")
        if population is None or population < 1:
            raise InputError("the survey needs population: how many people may answer, at least 1")
        if not questions:
            raise InputError("the survey has no questions; add at least one ([[questions]])")
        for question in questions:
            _check_keys(question, _properties("questions"), "a question")
            if not question.get("name"):
                raise InputError("a question has no name; give every question a name")
        names = [question["name"] for question in questions]
        if len(set(names)) < len(names):
            raise InputError("two questions have the same name; give each question its own")
        asked = {question["name"]: question for question in questions if question.get("assessed", True)}
        if not asked:
            raise InputError("no question is assessed; remove assessed = false from at least one")
        blocks = [self.joint(joint, asked) for joint in given.get("joint", ())]
        covered = [name for block in blocks for name in block.questions]
        if len(set(covered)) < len(covered):
            raise InputError("a question is in two joint distributions; it can be in only one")
        blocks += [self.question(question) for name, question in asked.items() if name not in covered]
        return Survey(
            given.get("title"),
            population,
            tuple(asked),
            tuple(blocks),
            tuple(name for name in names if name not in asked),
            tuple(self.several),
            tuple(dict.fromkeys(self.notes)),
        )

    def question(self, question: QuestionKeys) -> QuestionBlock:
        """Return the block of a single question."""
        name = question["name"]
        answers, views = self._answers(question)
        skipped = question.get("skipped", 0.0)
        if not 0 <= skipped <= 1:
            raise InputError(f'skipped of "{name}" must be a share from 0 to 1')
        coarser_views = tuple((view, coarser.with_skips(skipped)) for view, coarser in views)
        return QuestionBlock((name,), {frozenset([name]): answers.with_skips(skipped)}, {name: coarser_views})

    def _answers(self, question: QuestionKeys) -> tuple[Answers, Views]:
        """Return the answers to a question, from whatever is known about them."""
        name, refused = question["name"], question.get("refused", 0.0)
        ways = [key for key in ("share", "factor", "shares", "distribution", "entry") if key in question]
        if len(ways) != 1:
            raise InputError(
                f'"{name}" needs one of share, factor, shares, distribution or entry (or assessed = false)'
            )
        if not 0 <= refused < 1:
            raise InputError(f'refused of "{name}" must be a share of at least 0 and less than 1')
        if question.get("several") and ways != ["shares"]:
            raise InputError(f'"{name}" allows several answers: give the share of people who tick each one (shares)')
        match ways[0]:
            case "share":
                return Answers.from_largest(largest_share(name, "share", float(question["share"]), refused)), ()
            case "factor":
                return Answers.from_largest(largest_share(name, "factor", float(question["factor"]), refused)), ()
            case "shares" if question.get("several"):
                return self._ticks(question, refused)
            case "entry":
                return self._published(question, refused)
            case "shares":
                return listed_answers(checked_shares(question["shares"], name), refused)
            case _:
                return self._counted(question, refused)

    def _ticks(self, question: QuestionKeys, refused: float) -> tuple[Answers, Views]:
        name, shares = question["name"], question["shares"]
        if not shares or not all(type(share) in (int, float) and 0 <= share <= 1 for share in shares):
            raise InputError(f'all shares of "{name}" must be between 0 and 1')
        self.several.append(name)
        views: list[tuple[str, Answers]] = []
        if len(shares) > 1:
            fewer = sorted(shares, reverse=True)[:-1]
            views.append(("without the rarest answer", Answers.ticks(fewer).with_refusals(refused)))
        return Answers.ticks(shares).with_refusals(refused), tuple(views)

    def _published(self, question: QuestionKeys, refused: float) -> tuple[Answers, Views]:
        """Return the answers described by an entry of a repository: their distribution, or at least their entropy."""
        if self.entries is None:
            raise InputError(f'"{question["name"]}" names an entry, but there is no repository to look it up in')
        drawn = self.entries(question["entry"])
        self.notes.append(f'"{question["name"]}" uses the distribution of {drawn["label"]}')
        if "probabilities" in drawn:
            return listed_answers(list(drawn["probabilities"]), refused)
        if refused:
            raise InputError(f'only kappa is known for "{question["name"]}", so refused cannot be used with it')
        return Answers.from_kappa(drawn["kappa"], drawn["values"]), ()

    def _counted(self, question: QuestionKeys, refused: float) -> tuple[Answers, Views]:
        return self._ask(question, lambda table, wanted: counted_answers(table, wanted, refused))

    def _ask(self, given: QuestionKeys | JointKeys, ask: Callable[[Table, tuple[Attribute, ...]], Reply]) -> Reply:
        source, names = split_source(given["distribution"])
        path = Path(expand_home(source))
        reading: Reading = {**self.reading}
        reading["count"], reading["where"] = given.get("count"), given.get("where")
        reply, _, notes = ask_columns(path if path.is_absolute() else self.folder / path, names, reading, ask)
        self.notes.extend(notes)
        return reply

    def joint(self, joint: JointKeys, asked: Mapping[str, QuestionKeys]) -> QuestionBlock:
        """Return the block of questions that are counted together."""
        _check_keys(joint, _properties("joint"), "a joint distribution")
        names = tuple(map(str, joint.get("questions", ())))
        if not 2 <= len(names) <= _MOST_TOGETHER or len(set(names)) < len(names):
            raise InputError(f"a joint distribution needs 2 to {_MOST_TOGETHER} different questions")
        for name in names:
            if name not in asked:
                raise InputError(f'the joint distribution names "{name}", which is not an assessed question')
            if any(key in asked[name] for key in ("refused", "skipped", "several")):
                raise InputError(
                    f'"{name}" is in a joint distribution, so it cannot have refused, skipped or several; '
                    "include them in the joint distribution"
                )
        if ("distribution" in joint) == ("shares" in joint):
            raise InputError("a joint distribution needs either distribution or shares")
        if "shares" in joint:
            return listed_block(names, joint["shares"])
        return self._ask(joint, lambda table, wanted: counted_block(names, table, wanted))
