"""Attacks on synthetic data in a report, as a section and as a page of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from idbits._version import __version__
from idbits.render.numbers import share
from idbits.render.page import Figure, Page, Section, Term, Tile, named
from idbits.studies.link.charts import rates_chart
from idbits.studies.link.result import SyntheticAttack
from idbits.studies.link.text import EXPERIMENTAL, attack_in_words, attack_not_assessed, attack_verdict, rates_table
from idbits.studies.report.page_parts import named_table, not_assessed_section, verdict_without_marks
from idbits.wording import counted, counted_people

__all__ = ["attack_page", "attack_section"]

_TITLE = "What the synthetic data tell about real people"


def attack_section(answer: SyntheticAttack, name: str) -> Section:
    """Return how often an attack succeeds, on whom."""
    verdict = attack_verdict(answer)
    text = (verdict.sentence, *verdict.more, _attack_sentence(answer), EXPERIMENTAL)
    return Section(name, verdict.title, text, (_rates_figure(answer),), topic=_TITLE)


def attack_page(answer: SyntheticAttack, tables: Sequence[str], origin: Sequence[Term] = ()) -> Page:
    """Return the page of an answer; ``tables`` are the names of the synthetic, the original and the control table."""
    synthetic, original, *control = map(named_table, tables)
    beside = f", and on {counted_people(answer.n_control or 0)} of {control[0]}" if control else ""
    attacks = Section(
        "attack", "What the attack does", (_attack_sentence(answer), EXPERIMENTAL), (_rates_figure(answer),)
    )
    return Page(
        title=_TITLE,
        subject=f"{counted(answer.n_synthetic, 'synthetic record')} of {synthetic}: {answer.attack} attacks on "
        f"{counted_people(answer.n_original)} of {original}{beside}.",
        verdict=verdict_without_marks(attack_verdict(answer)),
        tiles=_tiles(answer),
        advice=(),
        sections=(attacks, not_assessed_section(attack_not_assessed(answer), answer.notes)),
        foot=(*origin, Term("Version", f"idbits {__version__}")),
        notes=answer.notes,
    )


def _attack_sentence(answer: SyntheticAttack) -> str:
    """Return what the attack does, with column names that can stand in sentences."""
    left, right = (None if names is None else tuple(map(named, names)) for names in (answer.left, answer.right))
    infer = None if answer.infer is None else named(answer.infer)
    return attack_in_words(replace(answer, left=left, right=right, infer=infer))


def _tiles(answer: SyntheticAttack) -> tuple[Tile, ...]:
    attacks = f"Estimated from {counted(answer.n_attacks, 'attack')}"
    tiles = [
        Tile("succeed on original people", share(answer.rate.value), answer.rate.value, f"{attacks}."),
        Tile("succeed by guessing", share(answer.baseline.value), answer.baseline.value, f"{attacks}."),
    ]
    if answer.control is not None:
        meaning = f"{attacks} on people whom the data never saw."
        tiles.insert(1, Tile("succeed on others", share(answer.control.value), answer.control.value, meaning))
    if answer.control is not None and answer.risk is not None:
        low, high = share(answer.risk.low), share(answer.risk.high)
        tiles.append(Tile("is the risk that remains", share(answer.risk.value), answer.risk.value,
                          f"It comes from the original people. 95% interval: {low} to {high}."))  # fmt: skip
    return tuple(tiles)


def _rates_figure(answer: SyntheticAttack) -> Figure:
    return rates_chart(answer).with_table(rates_table(answer))
