"""The answer of ``idbits overlap`` as a page of its own: the verdict, the main numbers, charts and tables."""

from __future__ import annotations

from collections.abc import Sequence

from idbits._version import __version__
from idbits.render.numbers import count, share
from idbits.render.page import Page, Section, Term, Tile, named
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.overlap.text import (
    group_table,
    joint_sentence,
    learnt_table,
    release_verdict,
    releases_not_assessed,
    zone_verdict,
    zones_not_assessed,
)
from idbits.studies.report.overlap_sections import named_releases, named_zones, releases_figure, zones_figure
from idbits.studies.report.page_parts import named_table, not_assessed_section, verdict_without_marks
from idbits.studies.report.text import few_names
from idbits.wording import counted, counted_people, joined

__all__ = ["overlap_page"]

_TITLE = "What two publications give away together"
_STAMP = "INTERNAL: this page names the zones that isolate small groups. Do not pass it on."
_SUBTRACTION = (
    "Someone who has both tables adds the counts of some zones of one and subtracts those of some zones of the other. "
    "What remains is the count of a group that nobody published."
)


def overlap_page(answer: ZoneOverlap | ReleaseOverlap, tables: Sequence[str], origin: Sequence[Term] = ()) -> Page:
    """Return the page of an answer.

    Args:
        answer: the answer.
        tables: the name of the table, or of both releases.
        origin: what is needed to make the page again, besides the version.
    """
    foot = (*origin, Term("Version", f"idbits {__version__}"))
    if isinstance(answer, ZoneOverlap):
        return _page_of_zones(answer, tables[0], foot)
    return _page_of_releases(answer, tables, foot)


def _page_of_zones(answer: ZoneOverlap, table: str, foot: tuple[Term, ...]) -> Page:
    zones = joined(
        f"by {named(zone)} ({counted(number, 'zone')})"
        for zone, number in zip(answer.zones, answer.n_zones, strict=True)
    )
    shown = named_zones(answer)
    groups = Section(
        "groups",
        "Groups that follow from subtraction",
        (_SUBTRACTION,),
        (zones_figure(answer),),
        (group_table(answer),),
    )
    return Page(
        title=_TITLE,
        subject=f"{answer.unit.counted(answer.n_people)} in {named_table(table)}, counted {zones}.",
        verdict=verdict_without_marks(zone_verdict(shown)),
        tiles=_tiles_of_zones(answer),
        advice=(),
        sections=(*([groups] if answer.groups else []), not_assessed_section(zones_not_assessed(shown), answer.notes)),
        foot=foot,
        stamp=_STAMP if answer.internal else None,
        notes=answer.notes,
    )


def _page_of_releases(answer: ReleaseOverlap, tables: Sequence[str], foot: tuple[Term, ...]) -> Page:
    first, second = map(named_table, tables)
    shown = named_releases(answer)
    known = (
        f"Known from the first: {joined(few_names(answer.qid_a))}. "
        f"Known from the second: {joined(few_names(answer.qid_b))}."
    )
    learnt = Section(
        "learnt",
        "What both releases tell",
        (joint_sentence(answer),),
        (releases_figure(answer),),
        (learnt_table(answer),),
    )
    return Page(
        title=_TITLE,
        subject=f"{counted_people(answer.people)} in both {first} and {second}, identified by {named(answer.person)}. "
        f"{known} To stay secret: {shown.sensitive}.",
        verdict=verdict_without_marks(release_verdict(shown)),
        tiles=_tiles_of_releases(answer),
        advice=(),
        sections=(learnt, not_assessed_section(releases_not_assessed(shown), answer.notes)),
        foot=foot,
        notes=answer.notes,
    )


def _tiles_of_zones(answer: ZoneOverlap) -> tuple[Tile, ...]:
    isolated, small, unit, below = answer.isolated, answer.published_small, answer.unit, count(answer.threshold)
    tiles = [
        Tile(
            "small group isolated" if isolated.groups == 1 else "small groups isolated",
            count(isolated.groups),
            isolated.groups,
            f"Groups of fewer than {below} {unit} that follow from subtracting the two tables.",
        ),
        Tile(
            f"{unit.singular if isolated.people == 1 else unit} in them",
            count(isolated.people),
            isolated.people,
            f"Of {count(answer.n_people)}, each counted once.",
        ),
    ]
    if answer.smallest is not None:
        tiles.append(
            Tile("in the smallest of them", count(answer.smallest), answer.smallest, "No count of it is published.")
        )
    return (
        *tiles,
        Tile(
            "zone small as published" if small.zones == 1 else "zones small as published",
            count(small.zones),
            small.zones,
            f"Zones with fewer than {below} {unit}, which need no subtraction.",
        ),
    )


def _tiles_of_releases(answer: ReleaseOverlap) -> tuple[Tile, ...]:
    certain, secret = answer.certain, named(answer.sensitive)
    best = max(certain.first, certain.second)
    everyone = counted_people(answer.people)

    def of_people(number: int, label: str, meaning: str) -> Tile:
        return Tile(f"of the people {label}", share(number / answer.people), number, meaning)

    return (
        of_people(
            certain.both, "have one value left", f"{secret} of {count(certain.both)} of {everyone}, from both groups."
        ),
        of_people(
            certain.new, "have one left only with both", f"{count(certain.new)}, whom no release gives away alone."
        ),
        of_people(best, "have one left with one release", f"{count(best)}, from the release that tells more."),
        of_people(
            answer.joint.alone,
            "are unique in their joint group",
            f"{count(answer.joint.alone)} share both groups with nobody else in both releases.",
        ),
    )
