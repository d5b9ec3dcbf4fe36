"""The answer of ``idbits link`` as a page of its own: the verdict, the main numbers, charts and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from idbits._version import __version__
from idbits.render.numbers import bits, count, decimal, percent, share
from idbits.render.page import Page, Section, Term, Tile
from idbits.studies.link.result import Linkage
from idbits.studies.link.text import link_verdict, not_assessed
from idbits.studies.report.link_figures import link_figures
from idbits.studies.report.link_section import link_tables, named_linkage
from idbits.studies.report.page_parts import named_table, not_assessed_section, verdict_without_marks
from idbits.studies.report.text import without_options
from idbits.wording import counted, counted_people, joined

__all__ = ["link_page"]

_ATTACK = (
    "Someone who has both tables compares these columns. A record that one person fits, who fits no other record, is "
    "a link that they would claim."
)
_ATTACK_BY_ODDS = (
    "Someone who has both tables weighs how far these columns agree, with typing errors. A pair that is the best for "
    "both sides, and likely enough, is a link that they would claim."
)
_NOT_KNOWN = "This is what an attacker would claim. How many claims are right depends on who is in the second table."


def link_page(answer: Linkage, tables: Sequence[str], origin: Sequence[Term] = ()) -> Page:
    """Return the page of an answer.

    Args:
        answer: the answer.
        tables: the names of the release and of the second table.
        origin: what is needed to make the page again, besides the version.
    """
    first, second = map(named_table, tables)
    shown = named_linkage(answer)
    verdict = verdict_without_marks(link_verdict(shown))
    if answer.truth is None and answer.coverage is None and answer.thresholds is None:
        verdict = replace(verdict, more=(_NOT_KNOWN,))
    attack = _ATTACK if answer.thresholds is None else _ATTACK_BY_ODDS
    links = Section("links", "What the second table tells", (attack,), link_figures(answer), link_tables(answer))
    # A page about two tables cannot send its reader to a command.
    beyond = [without_options(sentence) for sentence in not_assessed(shown) if "idbits " not in sentence]
    return Page(
        title="Who can be named with a second table",
        subject=f"{counted(answer.n_records, 'record')} of {first}, compared with {counted_people(answer.n_people)} of "
        f"{second} by {joined(shown.on)}.",
        verdict=verdict,
        tiles=_tiles(answer),
        advice=(),
        sections=(links, not_assessed_section(beyond, answer.notes)),
        foot=(*origin, Term("Version", f"idbits {__version__}")),
        notes=answer.notes,
    )


def _tiles(answer: Linkage) -> tuple[Tile, ...]:
    classes, n = answer.records, answer.n_records
    some = classes.one_to_one + classes.crowded + classes.ambiguous
    tiles = [
        _claims_tile(answer),
        *_right_tile(answer),
        Tile(
            "of the records match somebody",
            share(some / n),
            some,
            f"{count(some)}; nobody in the second table fits the others."
            if some < n
            else "Each has at least one person who fits.",
        ),
    ]
    if answer.identity_bits is not None:
        tiles.append(
            Tile(
                "bits tell who a record is",
                bits(answer.identity_bits),
                answer.identity_bits,
                f"On average; {bits(answer.max_identity_bits)} bits single out everyone in the second table.",
            )
        )
    return tuple(tiles)


def _claims_tile(answer: Linkage) -> Tile:
    """Return how many records an attacker would claim a person for."""
    n = answer.n_records
    if answer.thresholds is not None:
        claims = answer.thresholds[0]
        meaning = (
            f"{count(claims.claims)} of {counted(n, 'record')}, with a probability of at least {percent(claims.p)}."
        )
        return Tile("of the records claim a person", share(claims.claims / n), claims.claims, meaning)
    one = answer.records.one_to_one
    meaning = f"{count(one)} of {counted(n, 'record')}, and that person matches no other record."
    return Tile("of the records match one person", share(one / n), one, meaning)


def _right_tile(answer: Linkage) -> list[Tile]:
    """Return how many links are right, as far as it is known."""
    truth, right = answer.truth, answer.right
    if truth is not None:
        if truth.precision is None:
            return []
        meaning = f"{count(truth.right)} of {counted(truth.claims, 'claim')}, by the column that identifies people."
        return [Tile("of the claims are right", share(truth.precision), truth.right, meaning)]
    if answer.thresholds is not None:
        expected = answer.thresholds[0].expected_right
        meaning = f"Of {counted(answer.thresholds[0].claims, 'claim')}, by their probabilities."
        return [Tile("right claims expected", decimal(expected), expected, meaning)]
    if right.expected is not None:
        meaning = f"Of {counted(answer.n_records, 'record')}, with one guess per record."
        return [Tile("right guesses expected", decimal(right.expected), right.expected, meaning)]
    return [
        Tile(
            "links are right at most",
            count(right.at_most),
            right.at_most,
            "How many are right depends on who is in the second table.",
        )
    ]
