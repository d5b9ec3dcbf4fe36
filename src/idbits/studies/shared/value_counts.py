"""A table of a column's values, each with a count or a probability, recognised by its names."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from idbits.counts import Value
from idbits.engines.base import OpenOptions, Table
from idbits.engines.open import open_table
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.render.numbers import significant
from idbits.values.attributes import Attribute, parse_attribute
from idbits.wording import counted

__all__ = ["read_value_counts", "require_all_values"]

_WEIGHING = re.compile(
    r"(^|[^a-z])(count|counts|n|number|freq|frequency|frequencies|pop|population|people|persons|total|weight|"
    r"p|prob|probability|probabilities|share|shares|proportion|percent|percentage|aantal|anzahl|antall)([^a-z]|$)",
    re.IGNORECASE,
)
_VALUE_NAMES = ("value", "values", "label", "category", "key")
# Shares that were rounded to a few digits do not add up to exactly 1.
_MOST_DIGITS = 300
_ROUNDING = Fraction(1, 1000)


def read_value_counts(feature: Attribute, source: object, options: OpenOptions, called: str) -> dict[Value, Fraction]:
    """Return the count or the probability of each value of a feature in a population, by its shown text.

    ``called`` names the table in messages, such as ``"prior"``: the prior of "zip".
    """
    if any(transform.name == "top" for transform in feature.transforms):
        raise InputError(f'":top" selects different values in a population; remove it from "{feature.name}"')
    own_options = replace(options.for_population(None, None), engine=None, master=None)
    with closing(open_table(source, own_options)) as table:
        value, weight = _columns(feature, table, called)
        table.load([value.column, *([weight.column] if weight is not None else [])])
        if weight is None:
            histogram = table.histogram([value])
            weights = {
                shown[0]: Fraction(people) for shown, people in zip(histogram.values, histogram.people, strict=True)
            }
        else:
            weights = _weights(feature, table, value, weight, called)
    if not sum(weights.values()):
        raise NotEstimableError(f'the {called} of "{feature.name}" has no people in it')
    return weights


def require_all_values(feature: Attribute, missing: int, people: int, smoothing: float) -> None:
    """Raise an error if a prior lacks values of the table and smoothing does not cover them."""
    if missing and not smoothing:
        raise DataError(
            f'the prior of "{feature.name}" lacks {counted(missing, "value")} of the table '
            f"({counted(people, 'row')}), so the gain is unbounded; --smoothing 0.01 mixes in the table's values"
        )


def _columns(feature: Attribute, table: Table, called: str) -> tuple[Attribute, Attribute | None]:
    """Find the column of values (by the feature's name, or the only one without counts) and the column of counts."""
    names = list(table.columns)
    lowered = {name.lower(): name for name in names}
    transforms = ":".join(map(str, feature.transforms))
    if feature.name in table.columns:
        value, coarser = feature.name, ""
    elif feature.column in table.columns:
        value, coarser = feature.column, transforms
    else:
        named = [lowered[word] for word in _VALUE_NAMES if word in lowered]
        counting = [name for name in names if _WEIGHING.search(name)]
        others = [name for name in names if name not in counting]
        if named:
            value = named[0]
        elif len(names) == 1:
            value = names[0]
        elif len(others) == 1:
            value = others[0]
        else:
            raise InputError(
                f'the {called} of "{feature.name}" has {counted(len(names), "column")}; rename them to '
                f'"{feature.column}" or "value", and "count" or "probability"'
            )
        coarser = transforms
    rest = [name for name in names if name != value]
    counting = [name for name in rest if _WEIGHING.search(name)]
    if len(rest) > 1 and len(counting) != 1:
        raise InputError(
            f'the {called} of "{feature.name}" needs exactly one column such as "count" or "probability", but has '
            f"{len(counting) or 'none'}"
        )
    weight = next(iter(counting or rest), None)
    values = parse_attribute(f"{value}:{coarser}" if coarser else value, table.columns)
    return values, Attribute(weight, table.columns[weight]) if weight is not None else None


def _weights(
    feature: Attribute, table: Table, value: Attribute, weight: Attribute, called: str
) -> dict[Value, Fraction]:
    rows = table.coded_rows([value, weight])
    numbers = [_number(text, feature, called) for text in table.labels(weight)]
    texts = table.labels(value)
    weights: dict[Value, Fraction] = {}
    for code, number in zip(rows.codes[0].tolist(), rows.codes[1].tolist(), strict=True):
        weights[texts[code]] = weights.get(texts[code], Fraction(0)) + numbers[number]
    total = sum(weights.values(), Fraction(0))
    whole = all(number.denominator == 1 for number in numbers)
    if not whole and abs(total - 1) > _ROUNDING:
        raise DataError(
            f'the probabilities in the {called} of "{feature.name}" must add up to 1, but add up to '
            f"{significant(float(total), 6)} (whole numbers are read as counts)"
        )
    return weights


def _number(text: Value, feature: Attribute, called: str) -> Fraction:
    try:
        number = Decimal(text) if text is not None else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or number < 0 or abs(number.adjusted()) > _MOST_DIGITS:
        raise DataError(
            f'every count or probability in the {called} of "{feature.name}" must be a number of at least 0'
        )
    return Fraction(number)
