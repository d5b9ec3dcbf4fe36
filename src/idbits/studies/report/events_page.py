"""The answer of ``idbits events`` as a page of its own: the verdict, the main numbers, charts and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from idbits._version import __version__
from idbits.render.numbers import bits, count, decimal, share
from idbits.render.page import Page, Section, Term, Tile
from idbits.studies.events.result import Events
from idbits.studies.events.text import events_not_assessed, events_verdict
from idbits.studies.report.page_parts import named_table, not_assessed_section, verdict_without_marks
from idbits.studies.report.saved_text import events_named, events_section
from idbits.studies.report.text import without_options
from idbits.wording import counted, counted_people, joined

__all__ = ["events_page"]


def events_page(answer: Events, table: str, origin: Sequence[Term] = ()) -> Page:
    """Return the page of an answer.

    Args:
        answer: the answer.
        table: the name of the table.
        origin: what is needed to make the page again, besides the version.
    """
    shown = events_named(answer)
    made = events_section(answer, "events", "How many events make a person unique")
    # The verdict has the first sentence already.
    section = replace(made, text=tuple(without_options(sentence) for sentence in made.text[1:]))
    known = joined([shown.time, *shown.attributes])
    return Page(
        title="What events over time give away about people",
        subject=f"{counted(answer.period.n_pairs, 'pair')} of events of {counted_people(answer.people)} in "
        f"{named_table(table)}. Someone may know of an event: {known}.",
        verdict=verdict_without_marks(events_verdict(shown)),
        tiles=_tiles(answer),
        advice=(),
        sections=(*_without_figures(section), not_assessed_section(events_not_assessed(answer), answer.notes)),
        foot=(*origin, Term("Version", f"idbits {__version__}")),
        notes=answer.notes,
    )


def _without_figures(section: Section) -> tuple[Section, ...]:
    return (section,) if section.figures or section.tables or section.text else ()


def _tiles(answer: Events) -> tuple[Tile, ...]:
    figures = answer.period
    tiles = [
        Tile(
            "of pairs of events belong to one person",
            share(figures.share),
            figures.share,
            f"{count(figures.singletons)} of {counted(figures.n_pairs, 'pair')}.",
        ),
        Tile(
            "people typically share a pair",
            decimal(figures.k_hat),
            figures.k_hat,
            f"The most common pair is shared by {counted_people(figures.largest)}.",
        ),
    ]
    if answer.people > 1:
        tiles.append(
            Tile(
                "bits tell whose a pair is",
                bits(answer.person_bits),
                answer.person_bits,
                f"On average; {bits(answer.max_person_bits)} bits single out everyone.",
            )
        )
    return tuple(tiles)
