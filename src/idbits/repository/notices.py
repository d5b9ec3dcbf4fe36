"""What the commands around a repository answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from idbits.errors import InputError
from idbits.render.blocks import Block, Items, Level, Paragraph, Table, Verdict
from idbits.render.numbers import bits, count, fixed
from idbits.repository.accounts import Account
from idbits.repository.audit import Problem
from idbits.repository.inventory import HolderTable, Match, Questions
from idbits.repository.model import Entry
from idbits.repository.vocabulary import Concept
from idbits.studies.shared.documents import read_toml
from idbits.studies.shared.presentation import Answer
from idbits.wording import counted

__all__ = [
    "AccountList",
    "DecisionList",
    "EntryList",
    "Inventory",
    "MatchList",
    "Notice",
    "Verification",
    "WordList",
    "read_inventory",
]


@dataclass(frozen=True, kw_only=True)
class Notice(Answer):
    """That something was done, and what came of it."""

    command: ClassVar[str] = "repository"

    action: str
    title: str
    sentence: str
    found: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, action: str, title: str, sentence: str, **found: Any) -> Notice:
        """Return a notice."""
        return cls(action=action, title=title, sentence=sentence, found=found)

    def to_dict(self) -> dict[str, Any]:
        """Return the notice as plain data."""
        return {"action": self.action, **self.found}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        given = [name for name in ("public_key", "key") if name in self.found]
        told = [Paragraph(f"{name.replace('_', ' ')}: {self.found[name]}") for name in given]
        return [Verdict(Level.GOOD, self.title, self.sentence), *told]


@dataclass(frozen=True, kw_only=True)
class AccountList(Answer):
    """All accounts."""

    command: ClassVar[str] = "repository"

    accounts: tuple[Account, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the accounts as plain data."""
        return {"action": "accounts", "accounts": [asdict(account) for account in self.accounts]}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        rows = [
            [one.name, one.role, one.holder or "-", "revoked" if one.revoked else "in use", one.public_key or "-"]
            for one in self.accounts
        ]
        return [Table("Accounts", ("name", "role", "holder", "key", "public key"), rows, left=(0, 1, 2, 3, 4))]


@dataclass(frozen=True, kw_only=True)
class EntryList(Answer):
    """Entries that were found."""

    command: ClassVar[str] = "repository"

    entries: tuple[Entry, ...]
    unverified: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the entries as plain data."""
        found = [entry.to_dict() for entry in self.entries]
        return {"action": "entries", "entries": found, "unverified": list(self.unverified)}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        rows = [self._row(entry) for entry in self.entries]
        names = ("entry", "what", "people", "kappa", "bits", "holder, day, status")
        shown: list[Block] = [Table("Entries, signatures verified", names, rows, left=(0, 1, 5))]
        if self.unverified:
            shown.append(Items("Changed since they were signed, and not shown", self.unverified))
        return shown

    @staticmethod
    def _row(entry: Entry) -> list[str]:
        said = entry.statement
        figures = ["-"] * 3
        if not entry.is_retracted:
            figures = [count(said.n_people), fixed(said.kappa_nats, 4), bits(said.entropy_bits)]
        what = f"{', '.join(said.qid)} in {_pairs(said.population)}"
        return [entry.ref, what, *figures, f"{said.holder}, {said.date}, {entry.status}"]


@dataclass(frozen=True, kw_only=True)
class DecisionList(Answer):
    """The decisions that rest on an entry, oldest first."""

    command: ClassVar[str] = "repository"

    ref: str
    decisions: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the decisions as plain data."""
        return {"action": "decisions", "ref": self.ref, "decisions": list(self.decisions)}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        rows = [[one["recorded_at"][:10], one["decision"], one["by"], one["why"]] for one in self.decisions]
        title = f"Decisions that rest on entry {self.ref}"
        if not rows:
            return [Paragraph(f"No decision that rests on entry {self.ref} is recorded.")]
        return [Table(title, ("recorded", "decision", "by", "why"), rows, left=(0, 1, 2, 3))]


@dataclass(frozen=True, kw_only=True)
class WordList(Answer):
    """The vocabulary."""

    command: ClassVar[str] = "repository"

    concepts: tuple[Concept, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the vocabulary as plain data."""
        return {"action": "vocabulary", "concepts": [concept.to_dict() for concept in self.concepts]}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        rows = [
            [one.name, str(one.kind), ", ".join(f"{name}={view}" if view else name for name, view in one.aliases)]
            for one in self.concepts
        ]
        return [Table("Vocabulary", ("name", "kind", "also called"), rows, left=(0, 1, 2))]


@dataclass(frozen=True, kw_only=True)
class Inventory(Answer):
    """Which holders have which columns, and which questions are asked where."""

    command: ClassVar[str] = "repository"

    tables: tuple[HolderTable, ...]
    questionnaires: tuple[Questions, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return both inventories as plain data."""
        asked = [one.to_dict() for one in self.questionnaires]
        return {"action": "inventory", "tables": [one.to_dict() for one in self.tables], "questionnaires": asked}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        held = [
            [one.holder, one.name, ", ".join(one.columns), _pairs(one.population), count(one.size)]
            for one in self.tables
        ]
        asked = [
            [one.name, one.where, ", ".join(one.questions), _pairs(one.population), count(one.people)]
            for one in self.questionnaires
        ]
        return [
            Table("Tables", ("holder", "table", "columns", "population", "people"), held, left=(0, 1, 2, 3)),
            Table("Questionnaires", ("name", "where", "asks for", "population", "people"), asked, left=(0, 1, 2, 3)),
        ]


def _pairs(population: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name}={value}" for name, value in population) or "-"


@dataclass(frozen=True, kw_only=True)
class MatchList(Answer):
    """Quasi-identifiers worth publishing."""

    command: ClassVar[str] = "repository"

    matches: tuple[Match, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the matches as plain data."""
        return {"action": "match", "matches": [match.to_dict() for match in self.matches]}

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        if not self.matches:
            return [Verdict(Level.GOOD, "Nothing to publish", "No questionnaire asks what a table could count.")]
        worst = self.matches[0]
        said = f"{', '.join(worst.qid)} is asked in {counted(len(worst.asked_in), 'questionnaire')}."
        items = Items("Most exposed first", tuple(_match_words(one) for one in self.matches))
        return [Verdict(Level.WARN, "Worth publishing", said), items]


def _match_words(one: Match) -> str:
    asked = f"asked in {' and '.join(one.asked_in)}"
    of = f" of {count(one.people_asked)} people" if one.people_asked else ""
    done = f"; published as {' and '.join(one.published)}" if one.published else ""
    return f"{', '.join(one.qid)} in {_pairs(one.population)}: {asked}{of}; held by {' and '.join(one.held_by)}{done}"


@dataclass(frozen=True, kw_only=True)
class Verification(Answer):
    """Whether log, rows and signatures fit."""

    command: ClassVar[str] = "repository"

    problems: tuple[Problem, ...]
    head: tuple[int, str]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the verification as plain data."""
        return {
            "action": "verify",
            "verified": not self.problems,
            "problems": [asdict(problem) for problem in self.problems],
            "head": {"sequence": self.head[0], "hash": self.head[1]},
        }

    def blocks(self) -> list[Block]:
        """Return what there is to see."""
        shown: list[Block]
        if self.problems:
            does = "does" if len(self.problems) == 1 else "do"
            said = f"{counted(len(self.problems), 'thing')} {does} not fit: somebody has changed the database."
            rows = [[problem.where, problem.what] for problem in self.problems]
            shown = [Verdict(Level.BAD, "Changed", said), Table("What does not fit", ("where", "what"), rows, (0, 1))]
        else:
            said = f"{counted(self.head[0], 'line')} of the log, every row and every signature fit."
            shown = [Verdict(Level.GOOD, "Verified", said)]
        return [
            *shown,
            Paragraph(f"Receipt {self.head[0]}:{self.head[1]}. Keep it elsewhere, and verify with it later."),
        ]


def read_inventory(path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the tables and questionnaires of a TOML file."""
    data = read_toml(path, f'"{path}"')
    tables, questionnaires = data.get("tables", []), data.get("questionnaires", [])
    if set(data) - {"tables", "questionnaires"} or not all(
        isinstance(part, list) and all(isinstance(one, dict) for one in part) for part in (tables, questionnaires)
    ):
        raise InputError("an inventory has [[tables]] and [[questionnaires]], and nothing else")
    return tables, questionnaires
