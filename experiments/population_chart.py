"""The chart of docs/explanation/population.md: estimate against truth, for idbits and every other method.

    python experiments/population_chart.py

Prints the chart as SVG. It has its own background and colours for light and dark, so it is readable on any page.
"""

from __future__ import annotations

from population_runs import FRACTIONS, mean_of, runs
from population_tables import METHODS

from idbits.render.svg import to_svg
from idbits.studies.shared.serialisation import JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["chart", "picture"]

COLUMNS = 5
STYLE = """<style>
:root { --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --first: #2f6db3; --second: #c2570c }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6e9ec; --soft: #a3adb8; --line: #3a424b; --paper: #14181c; --first: #6aa9ee; --second: #f59a4a } }
text { font-family: sans-serif }
</style>"""
TITLE = "Estimate of pi against the truth: ten methods, one dot per population and sampling fraction"
# Small fractions stand out.
COLOURS = ["#d95f02", "#d95f02", "#2166ac", "#2166ac", "#2166ac"]
SHAPES = ["triangle-up", "circle", "circle", "square", "diamond"]


def scatter_rows() -> list[JsonObject]:
    """Return estimate and truth of each method, population and fraction: means of three samples."""
    rows: list[JsonObject] = []
    chosen = runs()
    for name, fraction in dict.fromkeys((run["population"], run["f"]) for run in chosen):
        own = [run for run in chosen if (run["population"], run["f"]) == (name, fraction)]
        for method, label in METHODS.items():
            answered = [run for run in own if run[f"{method}_pi"] is not None]
            estimate = mean_of(answered, f"{method}_pi")
            if estimate is not None:
                truth = mean_of(answered, "true_pi")
                rows.append({"method": label, "f": f"{float(fraction or 0):.0%}", "truth": truth, "estimate": estimate})
    return rows


def chart() -> JsonObject:
    """Return one panel per method; a dot on the diagonal is right."""
    labels = [f"{fraction:.0%}" for fraction in FRACTIONS]
    scale: JsonObject = {"domain": [0, 1]}
    dots: JsonObject = {
        "mark": {"type": "point", "size": 16, "strokeWidth": 1},
        "encoding": {
            "x": axis("truth", "truth", scale=scale, axis={"values": [0, 0.5, 1], "format": "%"}),
            "y": axis("estimate", "estimate", scale=scale, axis={"values": [0, 0.5, 1], "format": "%"}),
            "color": axis("f", "sample", "nominal", scale={"domain": labels, "range": COLOURS}),
            "shape": axis("f", "sample", "nominal", scale={"domain": labels, "range": SHAPES}),
        },
    }
    diagonal: JsonObject = {
        "data": {"values": [{"truth": 0, "estimate": 0}, {"truth": 1, "estimate": 1}]},
        "mark": {"type": "line", "strokeWidth": 1, "color": "var(--soft)"},
        "encoding": {"x": axis("truth", "truth"), "y": axis("estimate", "estimate")},
    }
    made = specification(
        TITLE,
        scatter_rows(),
        facet=axis(
            "method", "", "nominal", sort=list(METHODS.values()), header={"labelColor": "var(--ink)", "labelFontSize": 12},
        ),
        columns=COLUMNS,
        spec={"width": 112, "height": 112, "layer": [diagonal, dots]},
        config={"legend": {"orient": "bottom", "labelColor": "var(--ink)", "titleColor": "var(--soft)"}},
    )  # fmt: skip
    return {name: part for name, part in made.items() if name not in ("width", "height")}


def picture() -> str:
    """Return the chart as the text of an SVG file."""
    drawn = to_svg(chart(), "population")
    head, _, rest = drawn.partition(">")
    head = head.replace(' aria-labelledby="population-words"', "").replace(
        '<svg class="wide"', '<svg xmlns="http://www.w3.org/2000/svg"'
    )
    paper = '<rect width="100%" height="100%" fill="var(--paper)"/>'
    return f"{head}><title>{TITLE}</title>{STYLE}{paper}{rest}\n"


if __name__ == "__main__":
    print(picture(), end="")
