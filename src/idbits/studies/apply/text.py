"""A treated file as text: what was written, what became of each column, and what the file still gives away."""

from __future__ import annotations

import shlex

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, count, decimal, share
from idbits.studies.apply.result import TreatedFile
from idbits.studies.shared.figures import SMALL_GROUP, MainFigures
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.plans import ALL, AS_IS
from idbits.studies.shared.presentation import show
from idbits.wording import joined

__all__: list[str] = []

_VIEWS = {AS_IS: "as it is", ALL: "given up"}


@show.register
def _(treated: TreatedFile) -> list[Block]:
    blocks: list[Block] = [_verdict(treated), _columns(treated), _figures(treated)]
    if treated.rules:
        blocks.append(_rules(treated))
    blocks.append(Paragraph(_files(treated)))
    blocks.append(Items("Not assessed", treated.not_assessed))
    measured = [column.column for column in treated.columns if column.column in treated.released]
    if measured:
        words = ["idbits", "measure", shlex.quote(treated.out), "--qid", shlex.quote(quoted_names(measured))]
        blocks.append(Command("Next", " ".join(words)))
    return blocks


def _verdict(treated: TreatedFile) -> Verdict:
    unit, after = treated.unit, treated.after
    if treated.rules:
        title, level = "The treated file meets its goal", Level.GOOD
    elif after.singletons:
        title, level = f"The treated file still has unique {unit}", Level.WARN
    else:
        title, level = f"The treated file has no unique {unit}", Level.GOOD
    level = Level.WARN if treated.kept_identifiers else level
    withheld = treated.withheld.people
    kept = f"{treated.out} has {unit.counted(after.n_rows)}"
    if withheld:
        kept += (
            f"; {count(withheld)} of {unit.counted(treated.before.n_rows)} ({share(withheld / treated.before.n_rows)})"
        )
        kept += f" {'is' if withheld == 1 else 'are'} withheld"
    more = []
    if treated.kept_identifiers:
        verb = "identifies" if len(treated.kept_identifiers) == 1 else "identify"
        more.append(f"You kept {joined(treated.kept_identifiers)}, which {verb} people.")
    return Verdict(level, title, f"{kept}. We read it back and measured it: {_standing(treated)}", tuple(more))


def _standing(treated: TreatedFile) -> str:
    after, unit = treated.after, treated.unit
    if after.singletons:
        are = "is" if after.singletons == 1 else "are"
        return f"{unit.counted(after.singletons)} ({share(after.share(after.singletons))}) {are} unique."
    return f"the smallest group has {unit.counted(after.k_min)}."


def _columns(treated: TreatedFile) -> TableBlock:
    rows = [
        [
            change.column,
            _VIEWS.get(change.view, change.view) if change.column in treated.released else "left out",
            count(change.values_before),
            count(change.values_after),
        ]
        for change in treated.columns
    ]
    return TableBlock("Columns someone may know", ("column", "becomes", "values before", "after"), rows, left=(0, 1))


def _figures(treated: TreatedFile) -> TableBlock:
    unit = treated.unit
    return TableBlock(
        "What the columns give away",
        ("table", str(unit), "bits", "of", "unique", f"below {SMALL_GROUP}", "smallest group", "typical group"),
        [_line("before", treated.before), _line("after", treated.after)],
        caption=f"of: the bits that single out {unit.everyone}. below {SMALL_GROUP}: {unit} in groups smaller than "
        f"{SMALL_GROUP}.",
    )


def _line(name: str, figures: MainFigures) -> list[str]:
    return [
        name,
        count(figures.n_rows),
        bits(figures.entropy_bits),
        bits(figures.max_entropy_bits),
        count(figures.singletons),
        count(figures.people_below[str(SMALL_GROUP)]),
        count(figures.k_min),
        decimal(figures.k_hat),
    ]


def _rules(treated: TreatedFile) -> TableBlock:
    rows = [[rule.rule, _value(rule.value), "yes" if rule.passed else "no"] for rule in treated.rules]
    return TableBlock("Goal", ("rule", "in the file", "met"), rows, left=(0,))


def _value(value: float) -> str:
    return count(value) if isinstance(value, int) else decimal(value)


def _files(treated: TreatedFile) -> str:
    order = "sorted, so that their order gives nothing away" if treated.rows_sorted else "in the order of the source"
    sentences = [f"The rows are {order}. {treated.receipt} says what was done; it has no values of the table."]
    if treated.dropped:
        sentences.append(f"Left out: {joined(treated.dropped)}.")
    if treated.pseudonym is not None:
        sentences.append(
            f"The values of {treated.pseudonym} are pseudonyms. Anyone with the key can recompute them: keep the key "
            "apart from the file."
        )
    return " ".join(sentences)
