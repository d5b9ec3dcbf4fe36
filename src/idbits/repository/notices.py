"""The answers of the repository commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from idbits.errors import InputError
from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, count, fixed
from idbits.repository.accounts import Account
from idbits.repository.entries import Entry
from idbits.repository.inventory import HolderTable, Match, Questions
from idbits.repository.statements import population_text
from idbits.repository.verification import Problem
from idbits.repository.vocabulary import Concept
from idbits.studies.shared.documents import read_toml
from idbits.studies.shared.presentation import Answer
from idbits.studies.shared.serialisation import Json, JsonObject, plain
from idbits.wording import counted

__all__ = [
    "AccountList", "DecisionList", "EntryList", "Inventory", "MatchList", "Notice", "Verification", "WordList",
    "read_inventory",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class RepositoryAnswer(Answer):
    """The answer of a repository command."""

    command: ClassVar[str] = "repository"

    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Notice(RepositoryAnswer):
    """A notice that a command did something, with the result."""

    action: str
    title: str
    sentence: str
    facts: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, action: str, title: str, sentence: str, **facts: Json) -> Notice:
        """Return a notice."""
        return cls(action=action, title=title, sentence=sentence, facts=facts)

    def to_dict(self) -> JsonObject:
        """Return the notice as plain data."""
        return {"action": self.action, **self.facts}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        keys = [name for name in ("public_key", "key") if name in self.facts]
        shown = [Paragraph(f"{name.replace('_', ' ')}: {self.facts[name]}") for name in keys]
        return [Verdict(Level.GOOD, self.title, self.sentence), *shown]


@dataclass(frozen=True, kw_only=True, eq=False)
class AccountList(RepositoryAnswer):
    """All accounts."""

    action: ClassVar[str] = "accounts"
    json_keys: ClassVar = ("action", "accounts")

    accounts: tuple[Account, ...]

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        rows = [
            [each.name, each.role, each.holder or "-", "revoked" if each.revoked else "in use", each.public_key or "-"]
            for each in self.accounts
        ]
        return [TableBlock("Accounts", ("name", "role", "holder", "key", "public key"), rows, left=(0, 1, 2, 3, 4))]


@dataclass(frozen=True, kw_only=True, eq=False)
class EntryList(RepositoryAnswer):
    """The entries that match a search."""

    entries: tuple[Entry, ...]
    unverified: tuple[str, ...] = ()

    def to_dict(self) -> JsonObject:
        """Return the entries as plain data."""
        entries = plain([entry.to_dict() for entry in self.entries])
        return {"action": "entries", "entries": entries, "unverified": list(self.unverified)}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        rows = [self._row(entry) for entry in self.entries]
        names = ("entry", "what", "people", "kappa", "bits", "holder, day, status")
        shown: list[Block] = [TableBlock("Entries, signatures verified", names, rows, left=(0, 1, 5))]
        if self.unverified:
            shown.append(Items("Changed after signing, and not shown", self.unverified))
        return shown

    @staticmethod
    def _row(entry: Entry) -> list[str]:
        statement = entry.statement
        figures = ["-"] * 3
        if not entry.is_retracted:
            figures = [count(statement.n_people), fixed(statement.kappa_nats, 4), bits(statement.entropy_bits)]
        what = f"{', '.join(statement.qid)} in {population_text(statement.population)}"
        return [entry.ref, what, *figures, f"{statement.holder}, {statement.date}, {entry.status}"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionList(RepositoryAnswer):
    """The decisions based on an entry, oldest first."""

    action: ClassVar[str] = "decisions"
    json_keys: ClassVar = ("action", "ref", "decisions")

    ref: str
    decisions: tuple[dict[str, object], ...]

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        rows = [
            [str(each["recorded_at"])[:10], *(str(each[key]) for key in ("decision", "by", "why"))]
            for each in self.decisions
        ]
        title = f"Decisions based on entry {self.ref}"
        if not rows:
            return [Paragraph(f"No decisions based on entry {self.ref} are recorded.")]
        return [TableBlock(title, ("recorded", "decision", "by", "why"), rows, left=(0, 1, 2, 3))]


@dataclass(frozen=True, kw_only=True, eq=False)
class WordList(RepositoryAnswer):
    """The vocabulary."""

    concepts: tuple[Concept, ...]

    def to_dict(self) -> JsonObject:
        """Return the vocabulary as plain data."""
        return {"action": "vocabulary", "concepts": plain([concept.to_dict() for concept in self.concepts])}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        rows = [
            [each.name, str(each.kind), ", ".join(f"{name}={view}" if view else name for name, view in each.aliases)]
            for each in self.concepts
        ]
        return [TableBlock("Vocabulary", ("name", "kind", "also called"), rows, left=(0, 1, 2))]


@dataclass(frozen=True, kw_only=True, eq=False)
class Inventory(RepositoryAnswer):
    """The tables of data holders, and the questionnaires."""

    tables: tuple[HolderTable, ...]
    questionnaires: tuple[Questions, ...]

    def to_dict(self) -> JsonObject:
        """Return both inventories as plain data."""
        tables = plain([table.to_dict() for table in self.tables])
        questionnaires = plain([form.to_dict() for form in self.questionnaires])
        return {"action": "inventory", "tables": tables, "questionnaires": questionnaires}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        held = [
            [each.holder, each.name, ", ".join(each.columns), _population(each), count(each.size)]
            for each in self.tables
        ]
        asked = [
            [each.name, each.where, ", ".join(each.questions), _population(each), count(each.people)]
            for each in self.questionnaires
        ]
        return [
            TableBlock("Tables", ("holder", "table", "columns", "population", "people"), held, left=(0, 1, 2, 3)),
            TableBlock(
                "Questionnaires", ("name", "where", "asks for", "population", "people"), asked, left=(0, 1, 2, 3)
            ),
        ]


def _population(record: HolderTable | Questions) -> str:
    return population_text(record.population) or "-"


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchList(RepositoryAnswer):
    """Quasi-identifiers worth publishing."""

    matches: tuple[Match, ...]

    def to_dict(self) -> JsonObject:
        """Return the matches as plain data."""
        return {"action": "match", "matches": plain([match.to_dict() for match in self.matches])}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        if not self.matches:
            sentence = "No questionnaire asks for columns that a holder could still publish."
            return [Verdict(Level.GOOD, "Nothing to publish", sentence)]
        worst = self.matches[0]
        asking = counted(len(worst.asked_in), "questionnaire")
        sentence = f"{asking} {'asks' if len(worst.asked_in) == 1 else 'ask'} for {', '.join(worst.qid)}."
        items = Items("Most exposed first", tuple(_match_text(match) for match in self.matches))
        return [Verdict(Level.WARN, "Worth publishing", sentence), items]


def _match_text(match: Match) -> str:
    asked = f"asked in {' and '.join(match.asked_in)}"
    of = f" of {count(match.people_asked)} people" if match.people_asked else ""
    held = f"held by {' and '.join(match.held_by)}"
    done = f"; published as {' and '.join(match.published)}" if match.published else ""
    return f"{', '.join(match.qid)} in {population_text(match.population)}: {asked}{of}; {held}{done}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Verification(RepositoryAnswer):
    """The result of checking the log, the rows and the signatures."""

    problems: tuple[Problem, ...]
    head: tuple[int, str]

    def to_dict(self) -> JsonObject:
        """Return the verification as plain data."""
        return {
            "action": "verify",
            "verified": not self.problems,
            "problems": plain(self.problems),
            "head": {"sequence": self.head[0], "hash": self.head[1]},
        }

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        shown: list[Block]
        if self.problems:
            sentence = f"{counted(len(self.problems), 'problem')} found: the database was changed or is damaged."
            rows = [[problem.where, problem.what] for problem in self.problems]
            shown = [
                Verdict(Level.BAD, "Changed", sentence),
                TableBlock("Problems", ("where", "what"), rows, (0, 1)),
            ]
        else:
            sentence = f"{counted(self.head[0], 'line')} of the log, every row and every signature are correct."
            shown = [Verdict(Level.GOOD, "Verified", sentence)]
        return [
            *shown,
            Paragraph(
                f"Receipt {self.head[0]}:{self.head[1]}. Store it elsewhere and verify with it later (--receipt)."
            ),
        ]


def read_inventory(path: Path) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the tables and questionnaires of a TOML file."""
    data = read_toml(path, f'"{path}"')
    tables, questionnaires = data.get("tables", []), data.get("questionnaires", [])
    if set(data) - {"tables", "questionnaires"} or not all(
        isinstance(part, list) and all(isinstance(item, dict) for item in part) for part in (tables, questionnaires)
    ):
        raise InputError(f'"{path}": an inventory may contain only [[tables]] and [[questionnaires]]')
    return tables, questionnaires
