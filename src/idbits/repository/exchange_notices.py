"""The answers of commands that exchange entries with other repositories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from idbits.render.blocks import Block, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import count
from idbits.repository.conflicts import Conflict
from idbits.repository.following import Followed
from idbits.repository.importing import ImportSummary
from idbits.repository.notices import RepositoryAnswer
from idbits.repository.statements import population_text
from idbits.repository.syncing import SyncOutcome
from idbits.studies.shared.serialisation import JsonObject, plain
from idbits.wording import counted

__all__ = ["ConflictList", "FollowedList", "ImportAnswer", "SyncAnswer"]

_MOST_SHOWN = 50


def _import_data(summary: ImportSummary) -> JsonObject:
    """Return what became of the entries of another repository, as plain data."""
    return {
        "source": summary.source,
        "dry_run": summary.dry_run,
        "added": list(summary.added),
        "already_there": summary.already_there,
        "conflicts": plain([conflict.to_dict() for conflict in summary.conflicts]),
        "held_before": summary.held_before,
        "refused": plain(summary.refused),
        "refused_number": summary.refused_number,
        "untrusted": plain(list(summary.untrusted.values())),
        "withheld": summary.withheld,
        "withdrawn": summary.withdrawn,
        "concepts_added": list(summary.concepts),
    }


def _import_blocks(summary: ImportSummary, title: str = "Imported") -> list[Block]:
    """Return the blocks that show what became of the entries of another repository."""
    done = "would be added" if summary.dry_run else "added"
    sentence = f"{_entries(len(summary.added))} {done} from {summary.source}. Entries keep their signatures."
    if summary.dry_run:
        sentence += " This was a dry run: nothing was changed."
        title = "Dry run"
    level = Level.WARN if summary.needs_attention else Level.GOOD
    rows = [
        ["added", count(len(summary.added))],
        ["already there", count(summary.already_there)],
        ["new conflicts, held back", count(len(summary.conflicts))],
        ["conflicts from before", count(summary.held_before)],
        ["refused", count(summary.refused_number)],
        ["signed with keys that are not trusted here", count(sum(k.entries for k in summary.untrusted.values()))],
        ["retracted there, and never here", count(summary.withheld)],
        ["conflicts that ended because the entry was retracted there", count(summary.withdrawn)],
    ]
    shown: list[Block] = [
        Verdict(level, title, sentence),
        TableBlock("Entries", ("", "number"), [*rows[:1], *(row for row in rows[1:] if row[1] != "0")], (0,)),
    ]
    if summary.conflicts:
        shown.append(_conflict_table("Conflicts", summary.conflicts))
        shown.append(Paragraph("Decide with idbits repository resolve REF --keep ours (or theirs) --reason TEXT."))
    if summary.refused:
        refused = [[each.where, each.why] for each in summary.refused[:_MOST_SHOWN]]
        shown.append(TableBlock("Refused", ("entry", "why"), refused, (0, 1)))
        shown += _more(summary.refused_number)
    if summary.untrusted:
        keys = [[key.holder, count(key.entries), key.public_key] for key in summary.untrusted.values()]
        shown.append(
            TableBlock(
                "Keys that are not trusted here", ("holder", "entries", "public key"), keys[:_MOST_SHOWN], (0, 2)
            )
        )
        shown += _more(len(keys))
        shown.append(
            Paragraph(
                "Ask a holder for its public key through another channel. If it is the same, run "
                'idbits repository trust NAME --public-key KEY --holder "HOLDER" and import again.'
            )
        )
    if summary.concepts:
        shown.append(Items("Added to the vocabulary", tuple(summary.concepts)))
    return shown


def _entries(number: int) -> str:
    return f"{count(number)} {'entry' if number == 1 else 'entries'}"


def _more(number: int) -> list[Block]:
    return [Paragraph(f"{count(number - _MOST_SHOWN)} more are in the JSON.")] if number > _MOST_SHOWN else []


def _conflict_table(title: str, conflicts: list[Conflict] | tuple[Conflict, ...]) -> TableBlock:
    rows = [
        [
            each.ref,
            f"{', '.join(each.qid)} in {population_text(each.population)}, {each.holder}, {each.date}",
            each.source,
            each.why if each.is_open else f"{each.why}. Kept {each.kept}: {each.reason}",
        ]
        for each in conflicts[:_MOST_SHOWN]
    ]
    return TableBlock(title, ("entry", "what", "from", "why"), rows, (0, 1, 2, 3))


@dataclass(frozen=True, kw_only=True)
class ImportAnswer(RepositoryAnswer):
    """What became of the entries of an export."""

    summary: ImportSummary

    def to_dict(self) -> JsonObject:
        """Return the outcome as plain data."""
        return {"action": "import", **_import_data(self.summary)}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        return _import_blocks(self.summary)


@dataclass(frozen=True, kw_only=True)
class ConflictList(RepositoryAnswer):
    """Conflicts with other repositories."""

    action: ClassVar[str] = "conflicts"

    conflicts: tuple[Conflict, ...]

    def to_dict(self) -> JsonObject:
        """Return the conflicts as plain data."""
        return {"action": self.action, "conflicts": plain([conflict.to_dict() for conflict in self.conflicts])}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        number = sum(conflict.is_open for conflict in self.conflicts)
        if not self.conflicts:
            return [Verdict(Level.GOOD, "No conflicts", "No entry of another repository needs a decision.")]
        sentence = f"{counted(number, 'conflict')} {'needs' if number == 1 else 'need'} a decision."
        return [
            Verdict(Level.WARN if number else Level.GOOD, "Conflicts" if number else "Decided", sentence),
            _conflict_table("Entries", self.conflicts),
            *_more(len(self.conflicts)),
        ]


@dataclass(frozen=True, kw_only=True)
class SyncAnswer(RepositoryAnswer):
    """What was read from followed repositories, and which of them could not be read."""

    outcomes: tuple[SyncOutcome, ...]
    failed: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> JsonObject:
        """Return the outcome as plain data."""
        read = [
            {"url": each.url, "complete": each.is_complete, "lines": each.lines, **_import_data(each.summary)}
            for each in self.outcomes
        ]
        failed = [{"url": url, "problem": problem} for url, problem in self.failed]
        return {"action": "sync", "read": plain(read), "failed": plain(failed)}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        if not self.outcomes and not self.failed:
            return [Verdict(Level.GOOD, "Nothing to read", "No repository is followed.")]
        shown: list[Block] = []
        for each in self.outcomes:
            shown += _import_blocks(each.summary, "Read")
            if not each.is_complete:
                shown.append(Paragraph("Not everything was read. Run idbits repository sync again to go on."))
        shown += [Verdict(Level.BAD, "Not read", f"{url}: {problem}.") for url, problem in self.failed]
        return shown


@dataclass(frozen=True, kw_only=True)
class FollowedList(RepositoryAnswer):
    """The followed repositories."""

    followed: tuple[Followed, ...]

    def to_dict(self) -> JsonObject:
        """Return the followed repositories as plain data."""
        return {"action": "followed", "followed": plain([each.to_dict() for each in self.followed])}

    def blocks(self) -> list[Block]:
        """Return the blocks to display."""
        if not self.followed:
            return [Paragraph("No repository is followed. idbits repository follow URL follows one.")]
        rows = [
            [
                each.url,
                f"line {count(each.cursor.sequence)}" if each.cursor.sequence else "not yet",
                (each.read_at or "-")[:10],
                each.problem or _left_out(each),
            ]
            for each in self.followed
        ]
        return [TableBlock("Followed repositories", ("repository", "read to", "on", "problem"), rows, (0, 1, 2, 3))]


def _left_out(followed: Followed) -> str:
    number = sum(key.entries for key in followed.untrusted.values())
    return f"{_entries(number)} with keys that are not trusted here" if number else "-"
