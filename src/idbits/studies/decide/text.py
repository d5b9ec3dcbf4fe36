"""How decisions are shown: what was decided, by whom and why, and whether the records are as they were written."""

from __future__ import annotations

import shlex
from pathlib import Path

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.studies.decide.result import (
    CheckedRecord,
    DecisionCheck,
    DecisionLog,
    DecisionRecord,
    FileState,
    RecordedDecision,
)
from idbits.studies.shared.presentation import show
from idbits.wording import counted

__all__ = ["moment"]

_LEVELS = {"approve": Level.GOOD, "approve-with-treatment": Level.WARN, "refuse": Level.BAD}
_STATES = {FileState.MISSING: "not found", FileState.NO_HASH: "no hash"}


def moment(record: DecisionRecord) -> str:
    """Return when a decision was recorded.

    The time is that of the clock of the machine.
    """
    return record.at.replace("T", " ").replace("Z", " UTC")


@show.register
def _(answer: RecordedDecision) -> list[Block]:
    record = answer.record
    signed = "signed" if record.signature is not None else "not signed"
    sentence = f"Decision {record.sequence} in {answer.file}, by {record.by}, {signed}."
    return [
        Verdict(_LEVELS[record.decision], record.title, sentence, (f"Reason: {record.why}",)),
        Items("Recorded", tuple(_files(record))),
        Paragraph(f"Reference {record.reference}. Note it elsewhere: it shows later whether records were removed."),
        Command("Check all records", f"{_verify(answer.file)} --noted {record.reference}"),
    ]


def _verify(file: str) -> str:
    place = "" if Path(file).parent == Path() else f" {shlex.quote(file)}"
    return f"idbits decide{place} --verify"


def _files(record: DecisionRecord) -> list[str]:
    data = record.data
    hashed = f"SHA-256 {data.sha256}" if data.sha256 is not None else "without a hash"
    lines = [
        f"time {moment(record)}",
        f"data {data.source or 'in memory'}: {hashed}, {_STATES.get(data.state, data.state)}",
    ]
    named = {"report": record.report, "plan": record.plan, "receipt": record.receipt}
    return lines + [f"{kind} {file.file}: SHA-256 {file.sha256}" for kind, file in named.items() if file is not None]


@show.register
def _(log: DecisionLog) -> list[Block]:
    if not log.records:
        return [Paragraph(f"{log.file} has no decisions.")]
    rows = [
        [
            str(record.sequence), moment(record), record.title, record.by, record.why, record.report.file,
            "yes" if record.signature is not None else "no",
        ]
        for record in log.records
    ]  # fmt: skip
    columns = ("", "recorded", "decision", "by", "why", "report", "signed")
    return [
        TableBlock("Decisions", columns, rows, left=(1, 2, 3, 4, 5, 6)),
        Paragraph(f"Reference of the last record: {log.records[-1].reference}"),
        Command("Check all records", _verify(log.file)),
    ]


@show.register
def _(check: DecisionCheck) -> list[Block]:
    blocks: list[Block] = [_verdict(check)]
    if check.problems:
        rows = [[str(each.line) if each.line is not None else "", each.problem] for each in check.problems]
        blocks.append(TableBlock("Problems", ("line", "problem"), rows, left=(1,)))
    if check.checked:
        blocks.append(_states(check.checked))
    blocks.append(
        Items(
            "Not assessed",
            (
                "records removed from the end, unless you give a reference that was noted elsewhere (--noted)",
                "records that somebody wrote anew, unless all are signed and you name the keys (--public-key)",
                "whether the clock of the machine was right",
            ),
        )
    )
    if check.head is not None:
        blocks.append(Paragraph(f"Reference of the last record: {check.head}"))
    return blocks


def _verdict(check: DecisionCheck) -> Verdict:
    number = counted(len(check.checked), "record")
    if check.problems:
        found = counted(len(check.problems), "problem")
        return Verdict(
            Level.BAD, "The decisions are not as they were recorded", f"{found} in {number} of {check.file}."
        )
    if check.signatures_unchecked:
        unchecked = counted(check.signatures_unchecked, "signature")
        return Verdict(
            Level.UNDECIDED,
            "Signatures could not be checked",
            f"The chain of {number} is whole, but {unchecked} could not be checked; install idbits[web].",
        )
    unsigned = sum(each.record.signature is None for each in check.checked)
    signed = f"{counted(unsigned, 'record')} not signed" if unsigned else "all signatures are valid"
    return Verdict(
        Level.WARN if unsigned else Level.GOOD,
        "The records are whole",
        f"{number} in {check.file}: the chain is whole, no file that is still there has changed, {signed}.",
    )


def _states(checked: tuple[CheckedRecord, ...]) -> TableBlock:
    kinds = ("report", "data", "plan", "receipt")
    rows = [
        [
            str(each.record.sequence), each.record.title, each.record.by, str(each.signature),
            *(_STATES.get(each.files[kind], each.files[kind]) if kind in each.files else "-" for kind in kinds),
        ]
        for each in checked
    ]  # fmt: skip
    return TableBlock("Records", ("", "decision", "by", "signature", *kinds), rows, left=(1, 2, 3, 4, 5, 6, 7))
