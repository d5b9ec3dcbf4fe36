"""How the answers of ``idbits overlap`` are shown."""

from __future__ import annotations

from collections.abc import Sequence

from idbits.render.blocks import Block, Command, Items, Level, Paragraph, TableBlock, Verdict
from idbits.render.numbers import bits, count, share
from idbits.studies.overlap.charts import candidate_rows
from idbits.studies.overlap.result import IsolatedZones, ReleaseOverlap, ZoneOverlap
from idbits.studies.shared.presentation import show
from idbits.studies.shared.rules_table import rules_table
from idbits.wording import counted, counted_people, joined

__all__ = [
    "candidates_table", "group_table", "joint_sentence", "learnt_table", "release_verdict", "releases_not_assessed",
    "size_table", "zone_verdict", "zones_not_assessed",
]  # fmt: skip

_MANY = 0.01
_EASIER_BITS = 0.5
_MOST_SIZES = 15
_MOST_GROUPS = 10
_MOST_NAMED = 4


@show.register
def _(answer: ZoneOverlap) -> list[Block]:
    blocks: list[Block] = [zone_verdict(answer), *rules_table(answer.rules)]
    if answer.groups:
        blocks += [size_table(answer), group_table(answer)]
    if answer.internal:
        blocks.append(Paragraph("For internal use only: this names the zones that isolate small groups."))
    blocks.append(Items("Not assessed", zones_not_assessed(answer)))
    if answer.next_command is not None:
        blocks.append(Command("Next: name the zones (for internal use)", answer.next_command))
    return blocks


def zone_verdict(answer: ZoneOverlap) -> Verdict:
    """Say whether subtracting counts isolates small groups."""
    first, second = answer.zones
    unit, below = answer.unit, count(answer.threshold)
    more = _about_zones(answer)
    if answer.isolated.groups:
        groups, smallest = answer.isolated.groups, unit.counted(answer.smallest or 0)
        isolated = (
            f"a group of {smallest}"
            if groups == 1
            else f"{count(groups)} groups of fewer than {below} {unit}, {unit.counted(answer.isolated.people)} in all; "
            f"the smallest has {smallest}"
        )
        sentence = f"Subtracting counts by {first} and by {second} (differencing) isolates {isolated}."
        return Verdict(Level.BAD, "Subtracting the two tables isolates small groups", sentence, more)
    nothing = f"Subtracting counts by {first} and by {second} isolates no group of fewer than {below} {unit}"
    if answer.not_searched.atoms:
        return Verdict(
            Level.UNDECIDED, "Not all zones could be searched", f"{nothing} in the zones that were searched.", more
        )
    if answer.published_small.zones:
        return Verdict(
            Level.WARN, "The two tables together give no more away, but some zones are small", f"{nothing}.", more
        )
    return Verdict(Level.GOOD, "The two tables together isolate no small group", f"{nothing}.", more)


def _about_zones(answer: ZoneOverlap) -> tuple[str, ...]:
    """Return what else matters about the zones: small ones, and those that were not searched."""
    sentences = []
    small, unit = answer.published_small, answer.unit
    if small.zones:
        sentences.append(
            f"{counted(small.zones, 'zone')} {'has' if small.zones == 1 else 'have'} fewer than "
            f"{count(answer.threshold)} {unit} as published ({unit.counted(small.people)} in all)."
        )
    if answer.not_searched.atoms:
        sentences.append(
            f"{counted(answer.not_searched.atoms, 'piece')} with {unit.counted(answer.not_searched.people)} are in "
            "parts of the map too large to search completely: there we looked only for single pieces."
        )
    return tuple(sentences)


def size_table(answer: ZoneOverlap) -> TableBlock:
    """Return the groups by size."""
    unit = answer.unit
    rows = [[count(size.people), count(size.groups), count(size.people * size.groups)] for size in answer.sizes]
    rest = rows[_MOST_SIZES:]
    caption = f"{counted(len(rest), 'larger size')} not shown. " if rest else ""
    if sum(size.people * size.groups for size in answer.sizes) > answer.isolated.people:
        caption += f"Groups overlap: {unit.counted(answer.isolated.people)} in all."
    return TableBlock(
        "Isolated groups by size",
        (f"{unit} in the group", "groups", str(unit)),
        rows[:_MOST_SIZES],
        left=(),
        caption=caption.strip(),
    )


def group_table(answer: ZoneOverlap) -> TableBlock:
    """Return the smallest groups, and from how many zones, or which, they follow."""
    first, second = answer.zones
    rows = []
    for group in answer.groups[:_MOST_GROUPS]:
        taken_from = second if group.added_from == first else first
        rows.append(
            [
                count(group.people),
                count(group.atoms),
                _zones(group.added_from, group.zones_added, group.added, group),
                _zones(taken_from, group.zones_taken, group.taken, group),
            ]
        )
    rest = answer.isolated.groups - len(rows)
    caption = f"A piece is what a zone of {first} and a zone of {second} have in common."
    caption += f" {counted(rest, 'more group')}." if rest else ""
    return TableBlock(
        "The smallest groups: add zones, take others away",
        (str(answer.unit), "pieces", "add", "take away"),
        rows,
        left=(2, 3),
        caption=caption,
    )


def _zones(column: str, number: int, names: Sequence[str | None], group: IsolatedZones) -> str:
    if not group.added:
        return f"{count(number)} of {column}"
    shown = ["(empty)" if name is None else name for name in names[:_MOST_NAMED]]
    rest = number - len(shown)
    return f"{column} {joined([*shown, f'{count(rest)} more'] if rest else shown)}"


def zones_not_assessed(answer: ZoneOverlap) -> tuple[str, ...]:
    """Say what differencing of two exact tables does not cover."""
    sentences = ["Rows that the filter excludes (--where)."] if answer.filtered else []
    if answer.unit != "people":
        sentences.append(
            "Which rows belong to the same person: we assumed one row per person (--count names the column with the "
            "number of people per row; --rows-are-people says that each row is a person)."
        )
    nulls = [(name, people) for name, people in zip(answer.zones, answer.null_zones, strict=True) if people]
    if nulls:
        listed = joined(f"{name} {count(people)}" for name, people in nulls)
        sentences.append(f"Where those without a zone belong: we counted them as a published zone ({listed}).")
    return (
        *sentences,
        "A third table, and tables by further columns: counts by sex or age can be subtracted in the same way.",
        "What follows only from the fact that no count is below 0.",
        "Rounding, noise and withheld counts: we assumed that every zone has its exact count.",
    )


@show.register
def _(answer: ReleaseOverlap) -> list[Block]:
    return [
        release_verdict(answer),
        *rules_table(answer.rules),
        learnt_table(answer),
        candidates_table(answer),
        Paragraph(joint_sentence(answer)),
        Items("Not assessed", releases_not_assessed(answer)),
    ]


def release_verdict(answer: ReleaseOverlap) -> Verdict:
    """Say how many people's value only the two releases together give away."""
    secret, certain = answer.sensitive, answer.certain
    more = _about_people(answer)
    if answer.n_values == 1:
        return Verdict(
            Level.GOOD, "Nothing is to be learnt", f"Every record of both releases has the same {secret}.", more
        )
    telling = certain.new - certain.new_common
    guess = _easier_to_guess(answer)
    if telling:
        more = (guess, *more) if guess is not None else more
        sentence = (
            f"For {count(telling)} of {counted_people(answer.people)} ({share(telling / answer.people)}), only one "
            f"{secret} occurs in both of their groups, although each group alone has several."
        )
        if telling >= _MANY * answer.people:
            return Verdict(Level.BAD, f"Together the releases give {secret} away", sentence, more)
        return Verdict(Level.WARN, f"Together the releases give away the {secret} of some people", sentence, more)
    nobody = f"Nobody's {secret} is certain from both releases that is not certain from one of them."
    if certain.new:
        nobody = (
            f"{counted_people(certain.new)} become certain, all of a {secret} that more than 90% of the records have."
        )
    single = max(certain.first, certain.second)
    if single:
        more = (
            f"One release alone makes the {secret} of {count(single)} of {counted_people(answer.people)} certain.",
            *more,
        )
    if guess is not None:
        return Verdict(Level.WARN, f"Together the releases make {secret} easier to guess", guess, (nobody, *more))
    if single:
        return Verdict(Level.WARN, f"A release gives away {secret} by itself; together they add little", nobody, more)
    return Verdict(Level.GOOD, "Together the releases give away little more than one of them", nobody, more)


def _easier_to_guess(answer: ReleaseOverlap) -> str | None:
    """Return how much more both releases tell than one, if it is much."""
    model, joint = answer.gain_bits.both or 0.0, answer.joint.gain_bits
    best = max(answer.gain_bits.first, answer.gain_bits.second)
    if max(model, joint) - best < _EASIER_BITS:
        return None
    known = "both groups of a person" if model >= joint else "who shares both groups with a person"
    return (
        f"Someone who knows {known} learns {bits(max(model, joint))} bits about {answer.sensitive} on average; from "
        f"one release alone at most {bits(best)}."
    )


def _about_people(answer: ReleaseOverlap) -> tuple[str, ...]:
    sentences = []
    if answer.changed:
        sentences.append(
            f"The {answer.sensitive} of {counted_people(answer.changed)} differs between the releases, so what is left "
            "may be wrong for them."
        )
    if answer.empty:
        sentences.append(f"For {counted_people(answer.empty)}, the two groups have no {answer.sensitive} in common.")
    return tuple(sentences)


def learnt_table(answer: ReleaseOverlap) -> TableBlock:
    """Return what each release tells, and both."""
    gains, certain = answer.gain_bits, answer.certain
    rows = [
        ["first release", count(certain.first), bits(gains.first)],
        ["second release", count(certain.second), bits(gains.second)],
        ["both, if independent", count(certain.both), bits(gains.both)],
        ["both, by joint group", count(answer.joint.certain), bits(answer.joint.gain_bits)],
    ]
    return TableBlock(
        f"What is learnt about {answer.sensitive}",
        ("known groups", "people certain", "bits"),
        rows,
        caption=(
            f"Mean bits over {counted_people(answer.people)}, of {bits(answer.prior_entropy_bits)} before anything is "
            "known. If independent: a model, which overstates what similar releases tell."
        ),
    )


def candidates_table(answer: ReleaseOverlap) -> TableBlock:
    """Return people by the number of values that are left for them."""
    rows = [[label, *map(count, people)] for label, *people in candidate_rows(answer)]
    return TableBlock(
        f"People by the values of {answer.sensitive} that are left",
        ("values left", "first release", "second release", "both"),
        rows,
        left=(0,),
    )


def joint_sentence(answer: ReleaseOverlap) -> str:
    """Say how small the groups are that someone finds who knows who is in both releases."""
    joint = answer.joint
    return (
        f"Someone who knows who is in both releases finds joint groups of at least {counted_people(joint.k_min)}; "
        f"{counted_people(joint.alone)} {'is' if joint.alone == 1 else 'are'} unique in theirs."
    )


def releases_not_assessed(answer: ReleaseOverlap) -> tuple[str, ...]:
    """Say what the intersection does not cover."""
    sentences = ["Rows that the filter excludes (--where)."] if answer.filtered else []
    others = [(answer.only_first, "first"), (answer.only_second, "second")]
    sentences += [
        f"{counted_people(number)} only in the {which} release: they are part of its groups, but not counted."
        for number, which in others
        if number
    ]
    return (
        *sentences,
        "Other columns of the releases, and a third release.",
        "Someone who knows how the groups were made.",
    )
