"""Charts about links: what happens to records, how many candidates they have, and which columns do the harm."""

from __future__ import annotations

from idbits.studies.link.result import Linkage
from idbits.studies.shared.serialisation import Json, JsonObject
from idbits.studies.shared.vega_lite import axis, specification

__all__ = ["candidates_chart", "charts_of", "class_chart", "curve_chart"]

_BLUE = "#2166ac"


def charts_of(answer: Linkage) -> dict[str, JsonObject]:
    """Return all charts by name."""
    return {
        "records": class_chart(answer),
        "candidates": candidates_chart(answer),
        "columns": curve_chart(answer),
    }


def class_chart(answer: Linkage) -> JsonObject:
    """Return the records by what happens to them."""
    classes = answer.records
    names = {
        "one to one": classes.one_to_one,
        "crowded": classes.crowded,
        "ambiguous": classes.ambiguous,
        "no candidate": classes.no_candidate,
    }
    rows: list[Json] = [{"class": name, "records": number} for name, number in names.items()]
    return specification(
        "What happens to the records",
        rows,
        mark={"type": "bar", "color": _BLUE},
        encoding={"y": axis("class", "", "nominal", sort=None), "x": axis("records", "records")},
    )


def candidates_chart(answer: Linkage) -> JsonObject:
    """Return the records by the number of candidates, in powers of two."""
    rows: list[Json] = [
        {"candidates": str(each.low) if each.low == each.high else f"{each.low}-{each.high}", "records": each.records}
        for each in answer.candidate_bins
    ]
    return specification(
        "Candidates of the records",
        rows,
        mark={"type": "bar", "color": _BLUE},
        encoding={
            "x": axis("candidates", "people who fit", "ordinal", sort=None, axis={"labelAngle": 0}),
            "y": axis("records", "records"),
        },
    )


def curve_chart(answer: Linkage) -> JsonObject:
    """Return the share of one-to-one records as columns are added."""
    rows: list[Json] = [
        {"columns": f"+ {point.on[-1]}" if index else point.on[-1], "share": point.one_to_one / answer.n_records}
        for index, point in enumerate(point for point in answer.curve if point.is_prefix)
    ]
    return specification(
        "Records that match exactly one person, by columns",
        rows,
        mark={"type": "line", "point": True, "color": _BLUE},
        encoding={
            "x": axis("columns", "columns compared", "ordinal", sort=None, axis={"labelAngle": 0}),
            "y": axis("share", "share of records", axis={"format": "%"}),
        },
    )
