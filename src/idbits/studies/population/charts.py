"""Charts about a sample and its population: the interval within the bounds, and figures by number of people."""

from __future__ import annotations

from idbits.render.described_chart import DescribedChart
from idbits.render.estimate_charts import CurveLine, IntervalBar, ShareCurves
from idbits.render.numbers import count, estimated_share, whole_percent
from idbits.studies.population.result import PopulationAnswer
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["charts_of", "drawn_ranges", "estimate_chart", "interval_chart", "size_chart", "sizes_chart"]

_BLUE, _ORANGE = "#2166ac", "#d95f02"
_BOUNDS, _INTERVAL, _ESTIMATE = 0.2, 0.45, 1.0
_MARGIN = 0.25
_QUARTERS: list[Json] = [0, 0.25, 0.5, 0.75, 1]


def charts_of(answer: PopulationAnswer) -> dict[str, DescribedChart]:
    """Return all charts by name, the main one first."""
    sizes = sizes_chart(answer)
    return {
        **({"interval": estimate_chart(answer)} if answer.pi.high is not None else {}),
        **({"sizes": sizes} if sizes is not None else {}),
    }


def estimate_chart(answer: PopulationAnswer) -> DescribedChart:
    """Return the estimate of pi with its interval and its bounds."""
    pi, ranges = answer.pi, drawn_ranges(answer)
    words = {
        1: "What follows without any model.",
        2: "The interval and what follows without any model.",
        3: "The estimate, its interval and what follows without any model.",
    }[len(ranges) + (pi.value is not None)]
    chart = IntervalBar(
        (pi.value, f"Best estimate: {estimated_share(pi.value)}") if pi.value is not None else None,
        _written(ranges.get("interval"), f"{whole_percent(answer.level)} interval: "),
        _written(ranges.get("bounds"), "Possible without any model: "),
    )
    return DescribedChart(chart, words, f"{answer.unit.capitalize()} unique here that are unique in the population")


def _written(ends: tuple[float, float] | None, what: str) -> tuple[float, float, str] | None:
    if ends is None:
        return None
    low, high = ends
    return low, high, f"{what}{whole_percent(low)} to {whole_percent(high)}"


def sizes_chart(answer: PopulationAnswer) -> DescribedChart | None:
    """Return uniqueness and correctness by the number of people; None if the model describes fewer than two sizes."""
    known = [size for size in answer.sizes if size.unique_share is not None]
    words = "Unique people, and how often a match is right, by the number of people."
    if known:
        first, last = known[0], known[-1]
        words += (
            f" Among {count(first.people)} people {estimated_share(first.unique_share or 0)} are unique, among "
            f"{count(last.people)} {estimated_share(last.unique_share or 0)}."
        )
    lines = [_line("unique", "rl", answer, "unique_share"), _line("match is right", "fl", answer, "correctness")]
    drawn = tuple(line for line in lines if line.points)
    if not drawn or len(drawn[0].points) < 2:
        return None
    people = [int(number) for number, _ in drawn[0].points]
    marks = [(answer.n_rows, f"the table: {count(answer.n_rows)}")]
    marks += [(answer.people, f"the population: {count(answer.people)}")] if answer.people > answer.n_rows else []
    chart = ShareCurves(drawn, tuple((n, count(n)) for n in people), "Number of people", tuple(marks))
    return DescribedChart(chart, words, "The more people, the fewer stay unique")


def _line(name: str, colour: str, answer: PopulationAnswer, figure: str) -> CurveLine:
    """Return a line through the sizes that the model describes."""
    points = [(size.people, getattr(size, figure)) for size in answer.sizes]
    return CurveLine(name, colour, tuple((people, part) for people, part in points if part is not None))


def interval_chart(answer: PopulationAnswer, colour: str = _BLUE, ink: str = "#1b1f24") -> JsonObject:
    """Return the estimate of pi in its interval, within the bounds that need no model: three shades of one colour.

    Each is named where it is drawn: the estimate above the bar, the interval and the bounds below it.
    """
    pi = answer.pi
    rows: list[Json] = []
    layers: list[Json] = []
    words = {"bounds": ("without a model", _BOUNDS, 46), "interval": ("interval", _INTERVAL, 29)}
    for name, (low, high) in drawn_ranges(answer).items():
        text, opacity, below = words[name]
        rows.append({"what": name, "low": low, "high": high})
        layers.append(_bar(name, colour, opacity))
        shown = f"{text} {whole_percent(low)} to {whole_percent(high)}"
        layers.append(_label(shown, (low + high) / 2, below, ink))
    if pi.value is not None:
        mark: JsonObject = {"type": "tick", "thickness": 3, "size": 34, "color": colour, "opacity": _ESTIMATE}
        layers.append({"data": {"values": [{"pi": pi.value}]}, "mark": mark, "encoding": {"x": _share_axis("pi")}})
        layers.append(_label(f"estimate {estimated_share(pi.value)}", pi.value, -26, ink))
    return specification("Who is unique in the population", rows, height=110, layer=layers)


def drawn_ranges(answer: PopulationAnswer) -> dict[str, tuple[float, float]]:
    """Return the bounds and the interval, unless the bounds are all that is known."""
    ranges = {"bounds": answer.bounds.pi} if answer.bounds is not None else {}
    low, high = answer.pi.low, answer.pi.high
    if low is not None and high is not None and (low, high) != ranges.get("bounds"):
        ranges["interval"] = (low, high)
    return ranges


def _share_axis(field: str) -> JsonObject:
    title = "unique in the population, of those unique here"
    return axis(field, title, scale={"domain": [0, 1]}, axis={"format": "%", "values": _QUARTERS, "grid": False})


def _bar(name: str, colour: str, opacity: float) -> JsonObject:
    return {
        "transform": [{"filter": f"datum.what === '{name}'"}],
        "mark": {"type": "bar", "height": 24, "color": colour, "opacity": opacity},
        "encoding": {"x": _share_axis("low"), "x2": {"field": "high"}},
    }


def _label(text: str, at: float, offset: int, ink: str) -> JsonObject:
    """Return words beside the middle of a bar, as far from the ends of the axis as they need."""
    place = min(1 - _MARGIN, max(_MARGIN, at))
    return {
        "data": {"values": [{"at": place, "text": text}]},
        "mark": {"type": "text", "dy": offset, "color": ink},
        "encoding": {"x": _share_axis("at"), "text": {"field": "text", "type": "nominal"}},
    }


def size_chart(answer: PopulationAnswer, colours: tuple[str, str] = (_BLUE, _ORANGE)) -> JsonObject:
    """Return uniqueness and correctness by number of people.

    Lines are named "unique" and "match is right" at their ends; sizes that the model does not describe are left out.
    """
    rows: list[Json] = []
    ends: list[Json] = []
    for name, figure in (("match is right", "correctness"), ("unique", "unique_share")):
        points = [(size.people, getattr(size, figure)) for size in answer.sizes]
        known: list[Json] = [
            {"people": people, "what": name, "share": part} for people, part in points if part is not None
        ]
        rows += known
        ends += known[-1:]
    # A match is right at least as often as somebody is unique: its name is above its line, the other one below.
    names: list[Json] = [
        {
            "data": {"values": ends[index : index + 1]},
            "mark": {"type": "text", "align": "left", "baseline": baseline, "dx": 6},
            "encoding": {"text": {"field": "what", "type": "nominal"}},
        }
        for index, baseline in enumerate(("bottom", "top"))
    ]
    return specification(
        "Uniqueness and correctness by number of people",
        rows,
        encoding={
            "x": axis("people", "people", scale={"type": "log"}, axis={"values": _powers(answer), "format": ","}),
            "y": axis("share", "share of people", scale={"domain": [0, 1]}, axis={"format": "%", "values": _QUARTERS}),
            "color": {
                "field": "what",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": ["match is right", "unique"], "range": list(colours)},
            },
        },
        layer=[{"mark": {"type": "line", "point": True}}, *names],
    )


def _powers(answer: PopulationAnswer) -> list[Json]:
    """Return the powers of ten among the sizes, at most three of them: numbers of people are long."""
    sizes = [size.people for size in answer.sizes]
    powers = [10**exponent for exponent in range(17) if min(sizes) <= 10**exponent <= max(sizes)]
    return [*powers[:: 1 + (len(powers) - 1) // 3]] or [min(sizes), max(sizes)]
