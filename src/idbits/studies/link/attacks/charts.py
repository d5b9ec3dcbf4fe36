"""The chart of an attack on synthetic data: how often it succeeds on whom, with intervals."""

from __future__ import annotations

from idbits.measures.linkage.success_rates import Risk
from idbits.render.described_chart import DescribedChart
from idbits.render.labelled_bars import BarRow, LabelledBars
from idbits.render.numbers import share
from idbits.studies.link.attacks.result import SyntheticAttack
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["charts_of", "rate_chart", "rate_rows", "rates_chart"]

_BLUE, _ORANGE = "#2166ac", "#d95f02"


def charts_of(answer: SyntheticAttack) -> dict[str, DescribedChart]:
    """Return all charts by name."""
    return {"rates": rates_chart(answer)}


def rates_chart(answer: SyntheticAttack) -> DescribedChart:
    """Return the shares that succeed, with their 95% intervals."""
    rows = rate_rows(answer)
    bars = tuple(
        BarRow(on, risk.value, share(risk.value), meaning, f"{share(risk.low)} to {share(risk.high)}")
        for (on, risk), meaning in zip(rows, ("r1", "c1", "c1"), strict=False)
    )
    shown = ", ".join(f"{share(risk.value)} {'by' if on == 'guessing' else 'on'} {on}" for on, risk in rows)
    words = f"Attacks that succeed, with 95% intervals: {shown}."
    return DescribedChart(LabelledBars(bars), words, "Attacks that succeed, with 95% intervals")


def rate_rows(answer: SyntheticAttack) -> list[tuple[str, Risk]]:
    """Return whom an attack is made on, each with the share that succeeds."""
    rows = [("original people", answer.rate)]
    rows += [("people never seen", answer.control)] if answer.control is not None else []
    return [*rows, ("guessing", answer.baseline)]


def rate_chart(answer: SyntheticAttack) -> JsonObject:
    """Return the shares that succeed, with their 95% intervals."""
    rows: list[Json] = [
        {"on": label, "share": risk.value, "low": risk.low, "high": risk.high} for label, risk in rate_rows(answer)
    ]
    y = axis("on", "", "nominal", sort=None)
    shares = axis("share", "attacks that succeed", axis={"format": "%"}, scale={"domain": [0, 1]})
    return specification(
        "How often the attack succeeds",
        rows,
        layer=[
            {"mark": {"type": "bar", "color": _BLUE}, "encoding": {"y": y, "x": shares}},
            {
                "mark": {"type": "rule", "color": _ORANGE, "strokeWidth": 2},
                "encoding": {"y": y, "x": axis("low", "attacks that succeed"), "x2": {"field": "high"}},
            },
        ],
    )
