"""The colours of a page: enough contrast in light, in the dark and on paper, and different for colour-blind readers."""

import re
from functools import cache
from itertools import combinations

import pytest

from idbits.render.html import environment

Rgb = tuple[float, float, float]

# What stands in one chart: unique, below the goal and reached; learnt, nearly learnt, context and unique; two dots.
TOGETHER = [("risk", "risk2", "goal"), ("learn", "learn2", "cloud", "risk"), ("learn", "ink3"), ("risk", "ink3")]
# Machado, Oliveira and Fernandes (2009), full severity, for linear light.
SIMULATED = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "nobody": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}
# In CIELAB, 2.3 is just noticeable; areas of a chart must differ at a glance.
AT_A_GLANCE = 20.0


@cache
def palette(where: str) -> dict[str, str]:
    """Return the colours for light, dark or print."""
    style = environment().get_template("colours.css").render()
    light, dark, paper, *_ = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", {"light": light, "dark": dark, "print": paper}[where]))


def linear(colour: str) -> Rgb:
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2, from 1 to 21."""
    light, dark = sorted(
        (sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))
         for colour in (one, other)),
        reverse=True,
    )  # fmt: skip
    return (light + 0.05) / (dark + 0.05)


def lab(light: Rgb) -> Rgb:
    """Return CIELAB (D65) of linear light."""
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    x, y, z = (
        sum(weight * part for weight, part in zip(row, light, strict=True)) / most
        for row, most in zip(to_xyz, white, strict=True)
    )
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour: str, blindness: str) -> Rgb:
    light = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, light, strict=True))))
        for row in SIMULATED[blindness]
    )
    return lab((red, green, blue))


def difference(one: str, other: str, blindness: str) -> float:
    pairs = zip(seen(one, blindness), seen(other, blindness), strict=True)
    return sum((first - second) ** 2 for first, second in pairs) ** 0.5


def test_the_measures_are_those_of_the_standards() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert lab(linear("#ff0000")) == pytest.approx((53.24, 80.09, 67.20), abs=0.05)
    # Red and green of the same lightness: what the test is there to refuse.
    assert difference("#c43c39", "#5a7d2a", "nobody") > 80
    assert difference("#c43c39", "#5a7d2a", "deuteranopia") < AT_A_GLANCE


@pytest.mark.parametrize("where", ["light", "dark", "print"])
def test_texts_and_marks_stand_out(where: str) -> None:
    colours = palette(where)
    for name in ("ink", "ink2", "ink3", "risk", "goal", "learn", "judge", "accent"):
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    for wash, tone in (("riskwash", "risk"), ("goalwash", "goal"), ("judgewash", "judge"), ("wash", "ink3")):
        assert contrast(colours[tone], colours[wash]) >= 4.5, wash
    # Outlines of pale areas, axes and lines to fill in.
    for name in ("edge", "risk", "learn", "goal"):
        assert contrast(colours[name], colours["paper"]) >= 3, name
    # Printed in grey, a pale part still differs from the full one.
    for full, pale in (("risk", "risk2"), ("learn", "learn2")):
        assert contrast(colours[full], colours[pale]) >= 3, pale


@pytest.mark.parametrize("blindness", list(SIMULATED))
@pytest.mark.parametrize("where", ["light", "dark", "print"])
def test_colours_of_one_chart_differ_for_everybody(where: str, blindness: str) -> None:
    colours = palette(where)
    for chart in TOGETHER:
        for one, other in combinations(chart, 2):
            assert difference(colours[one], colours[other], blindness) >= AT_A_GLANCE, (one, other)


def test_every_meaning_of_a_drawing_has_one_colour() -> None:
    style = environment().get_template("drawings.css").render()
    filled = dict(re.findall(r"\.(r1|r2|g1|l1|l2|c1) \{ fill: var\(--(\w+)\)", style))
    assert filled == {"r1": "risk", "r2": "risk2", "g1": "goal", "l1": "learn", "l2": "learn2", "c1": "cloud"}
    # Pale areas have the outline of their colour, so that they are seen on paper.
    assert re.findall(r"\.(r2|l2|c1|w1) \{[^}]*stroke: var\(--(risk|learn|edge)\)", style) == [
        ("r2", "risk"), ("l2", "learn"), ("c1", "edge"), ("w1", "edge"),
    ]  # fmt: skip
