"""Shapes of values that tell what a column holds: patterns for whole texts, which every engine can count.

They contain no look-ahead, no classes of letters and no large repetition, so that Python, RE2, Java and the databases
read them alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from idbits.values.checksums import valid_numbers
from idbits.values.common_words import WORD_SHAPES, count_common_words

__all__ = [
    "MOST_VALUES", "SHAPES", "WHOLE_NUMBER", "ShapeCounting", "ShapeCounts", "count_shapes", "has_shape",
    "shapes_of_figures",
]  # fmt: skip

MOST_VALUES = 300
"""This many distinct values, drawn by hash, are enough to tell the shape of a column's values."""

_MONTH = (
    "([Jj][Aa][Nn]|[Ff][Ee][Bb]|[Mm][Aa][RrIiYyÄä]|[Aa][PpVvBbUu]|[Jj][Uu][NnLlIi]|[Ss][Ee][Pp]|[Oo][CcKk][Tt]"
    "|[Nn][Oo][Vv]|[Dd][EeIi][CcZz])[A-Za-zéûäí]{0,7}"
)
_TAIL = "([T ,].{1,25})?"
_SEPARATED = (
    f"([12][0-9]{{3}}[-/.][01]?[0-9][-/.][0-3]?[0-9]|[0-3]?[0-9][-/.][0-3]?[0-9][-/.]([12][0-9])?[0-9]{{2}})\\.?{_TAIL}"
)
_PERIOD = "[12][0-9]{3}[-/ ]?([Qq][1-4]|[Ww][0-5][0-9])|[12][0-9]{3}[-/](0[1-9]|1[0-2])|(0[1-9]|1[0-2])[-/][12][0-9]{3}"
_IN_WORDS = f"([0-9]{{1,2}}\\.?[- /]?)?{_MONTH}\\.?[-., /]{{1,2}}([0-9]{{1,2}}(st|nd|rd|th)?,?[- ])?[0-9]{{2,4}}{_TAIL}"
_MONTH_DIGITS, _DAY_DIGITS, _CENTURY = "(0[1-9]|1[0-2])", "(0[1-9]|[12][0-9]|3[01])", "(1[89]|20|21)"
_CLOCK = "([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?"
_STREET_BEFORE = (
    r"[Rr]ue|[Aa]venue|[Aa]v\.?|[Bb]oulevard|[Bb]d\.?|[Aa]ll[^ ]{1,2}e|[Cc]hemin|[Rr]oute|[Ii]mpasse|[Pp]lace|[Qq]uai"
    r"|[Cc]alle|[Cc]/|[Aa]vda\.?|[Aa]venida|[Pp]laza|[Pp]aseo|[Cc]amino|[Cc]arrera|[Vv]ia|[Rr]ua|[Ww]eg|[Aa]m|[Aa]n der"
)
_STREET_AFTER = (
    r"[Ss]treet|[Ss]t\.?|[Rr]oad|[Rr]d\.?|[Aa]venue|[Aa]ve\.?|[Ll]ane|[Ll]n\.?|[Dd]rive|[Dd]r\.?|[Bb]oulevard|[Bb]lvd\.?"
    r"|[Ww]ay|[Cc]ourt|[Cc]t\.?|[Pp]lace|[Pp]l\.?|[Ss]quare|[Tt]errace|[Cc]lose|[Cc]rescent|[Pp]arkway|[Pp]kwy|[Tt]rail"
)
_STREET_END = (
    r"[Ss]tra(ss|ß)e|[Ss]tr\.?|[Ww]eg|[Pp]latz|[Gg]asse|[Aa]llee|[Rr]ing|[Dd]amm|[Uu]fer|[Ss]traat|[Ll]aan|[Pp]lein"
    r"|[Gg]racht|[Kk]ade|[Dd]ijk|[Ss]ingel|[Uu]tc[aá]j?a?|[Kk][öo]r[úu]t| [ÚúUu]t(ja)?| [Tt][ée]re?| [Ss][ée]t[áa]ny"
)
_STREETS = (
    f"[0-9]{{1,5}}[A-Za-z]?( bis| ter)?,? ({_STREET_BEFORE}) [^0-9]{{2,50}}"
    f"|[0-9]{{1,5}}[A-Za-z]? [^0-9]{{1,40}} ({_STREET_AFTER})[ .,]?.{{0,40}}"
    f"|[^0-9]{{2,40}}({_STREET_END}) [0-9]{{1,4}} ?[A-Za-z]?[.,]?.{{0,40}}"
    f"|({_STREET_BEFORE}) [^0-9]{{2,40}},? [0-9]{{1,4}} ?[A-Za-z]?.{{0,40}}"
)
_REST = "[^0-9 ,@_/:;|<>=#()]"
# A word of a name: no digit, no sign that names do not contain.
_WORD = r"[^0-9 @_/\\:;|<>=#()+*%$&\"?!,{}\[\]]{1,30}"

SHAPES: Mapping[str, str] = {
    "emails": r"[^@ ,;<>]{1,64}@[A-Za-z0-9.-]{1,200}\.[A-Za-z]{2,24}",
    "phones": r"(\+|00)[1-9][0-9 ()./-]{6,18}[0-9]|\(?0[0-9]{1,4}\)?[ /.-]{1,3}[0-9][0-9 ./-]{4,12}[0-9]"
    r"|(1[ .-])?\(?[2-9][0-9]{2}\)?[ .-]{1,2}[0-9]{3}[ .-][0-9]{4}( ?x[0-9]{1,6})?",
    "urls": r"([Hh][Tt][Tt][Pp][Ss]?://|[Ff][Tt][Pp]://|[Ww][Ww][Ww]\.)[^ ]{3}[^ ]*",
    "ips": r"([0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){4,7}|([0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2}",
    "uuids": r"\{?[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?"
    "|[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64}",
    "clocks": r"([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?( ?[AaPp]\.?[Mm]\.?)?",
    "moments": f"{_SEPARATED}|{_PERIOD}|{_IN_WORDS}",
    "clocked": f"[0-9][0-9A-Za-z ,./-]{{3,20}}[ T]{_CLOCK}.{{0,14}}"
    f"|(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{{0,6}},? [A-Za-z0-9 ]{{3,20}} {_CLOCK}.{{0,14}}"
    f"|\\[?[0-9]{{1,2}}/[A-Za-z]{{3}}/[0-9]{{4}}:{_CLOCK}.{{0,8}}",
    "compact_dates": f"{_CENTURY}[0-9]{{2}}{_MONTH_DIGITS}{_DAY_DIGITS}",
    "compact_months": f"{_CENTURY}[0-9]{{2}}{_MONTH_DIGITS}",
    "compact_stamps": f"{_CENTURY}[0-9]{{2}}{_MONTH_DIGITS}{_DAY_DIGITS}([01][0-9]|2[0-3])[0-5][0-9]([0-5][0-9])?",
    "digit_dates": f"({_MONTH_DIGITS}{_DAY_DIGITS}|{_DAY_DIGITS}{_MONTH_DIGITS}){_CENTURY}[0-9]{{2}}",
    "short_dates": f"[0-9]{{2}}{_MONTH_DIGITS}{_DAY_DIGITS}"
    f"|({_DAY_DIGITS}{_MONTH_DIGITS}|{_MONTH_DIGITS}{_DAY_DIGITS})[0-9]{{2}}",
    "streets": _STREETS,
    "mixed_codes": "[A-Za-z0-9_-]{0,60}([0-9][_-]?[A-Za-z]|[A-Za-z][_-]?[0-9])[A-Za-z0-9_-]{0,60}",
    "with_digits": "[^0-9]*[0-9].*",
    "point_zeros": r"-?[0-9]{1,18}\.0",
    "listed_names": f"[A-Z]{_REST}{{1,30}}( [A-Z]{_REST}{{1,30}})?, [A-Z]({_REST}| ){{2,40}}",
    "phrases": f"{_WORD}(,? {_WORD}){{1,4}}",
}
"""Patterns by name: e-mail addresses, telephone numbers, web addresses, addresses of devices, random codes (UUIDs and
digests), times of day, dates and months in any usual notation, texts that end with a time of day, days, months and
moments in digits (the year first, last, or with two digits), streets with a house number, codes of letters and digits,
texts with a digit, whole numbers written with .0, a surname, a comma and a first name, and two to five words without
digits, as names of people are.
"""

WHOLE_NUMBER = r"(-?[0-9]{1,18})(\.0+)?"
"""A whole number, perhaps written with .0 as floats are; the first group has its digits."""


@dataclass(frozen=True, slots=True)
class ShapeCounts:
    """The shapes of some distinct values of a column.

    Attributes:
        values: the number of distinct values that were looked at.
        shapes: how many of them have each shape; a shape that none has is missing.
        number_kind, valid_numbers: the kind of number that most values are by their check digits, and how many are.
    """

    values: int
    shapes: Mapping[str, int]
    number_kind: str | None = None
    valid_numbers: int = 0

    def share(self, *shapes: str) -> float:
        """Return the share of values that have one of the shapes, which must exclude each other."""
        return sum(self.shapes.get(shape, 0) for shape in shapes) / self.values if self.values else 0.0


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(SHAPES[shape], flags=re.ASCII)


def has_shape(text: str, shape: str) -> bool:
    """Whether a text has a shape.

    >>> has_shape("jan@example.org", "emails"), has_shape("14:35", "clocks"), has_shape("Dec-2015", "moments")
    (True, True, True)
    """
    return _compiled(shape).fullmatch(text) is not None


def shapes_of_figures(figures: Mapping[str, int]) -> ShapeCounts | None:
    """Return the shapes that a database or a cluster counted in all distinct values; None if it did not."""
    if not any(shape in figures for shape in SHAPES):
        return None
    return ShapeCounts(figures["distinct"], {shape: figures[shape] for shape in SHAPES if figures.get(shape)})


def count_shapes(texts: Sequence[str]) -> ShapeCounts:
    """Count the shapes of distinct values.

    >>> count_shapes(["a@example.org", "b@example.org", "none"]).shapes
    {'emails': 2}
    """
    return ShapeCounting().of(texts)


class ShapeCounting:
    """Counts the shapes of the values of several columns; a text that several columns have is looked at once."""

    def __init__(self) -> None:
        self._shapes: dict[str, tuple[str, ...]] = {}

    def of(self, texts: Sequence[str]) -> ShapeCounts:
        """Count the shapes of a column's distinct values."""
        floats = sum("point_zeros" in self._of_text(text) for text in texts)
        plain = [text.removesuffix(".0") for text in texts] if floats else texts
        counts = dict.fromkeys((*SHAPES, *WORD_SHAPES), 0)
        for text in plain:
            for shape in self._of_text(text):
                counts[shape] += 1
        counts["point_zeros"] = floats
        kind, valid = valid_numbers(plain) or (None, 0)
        return ShapeCounts(len(texts), {shape: count for shape, count in counts.items() if count}, kind, valid)

    def _of_text(self, text: str) -> tuple[str, ...]:
        known = self._shapes.get(text)
        if known is None:
            words = (shape for shape, count in count_common_words([text]).items() if count)
            known = self._shapes[text] = (*(shape for shape in SHAPES if has_shape(text, shape)), *words)
        return known
