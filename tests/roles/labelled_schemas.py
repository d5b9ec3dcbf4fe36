"""Reads the labelled columns (``tuning.txt``, ``unseen.txt``, ...) and invents values for them.

A line is ``column | roles | values``; the first role is the label, roles after a slash are acceptable, too. The values
are described in words, see ``_KINDS``: ``40% missing`` before a description leaves out values, and ``within COLUMN``
after it repeats a value in all rows with the same value of another column.
"""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

FOLDER = Path(__file__).parent
ROWS = 400

Values = list[object]


@dataclass(frozen=True)
class LabelledColumn:
    name: str
    roles: tuple[str, ...]
    values: str


@dataclass(frozen=True)
class Schema:
    title: str
    columns: tuple[LabelledColumn, ...]


def read_schemas(file: str) -> list[Schema]:
    schemas: list[Schema] = []
    for line in (FOLDER / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            schemas.append(Schema(line[2:], ()))
        elif line.strip() and not line.startswith("# "):
            name, roles, values = line.split(" | ")
            column = LabelledColumn(name, tuple(roles.split("/")), values)
            schemas[-1] = Schema(schemas[-1].title, (*schemas[-1].columns, column))
    return schemas


def invent(schema: Schema, rows: int = ROWS) -> dict[str, Values]:
    """Invent the values of all columns, the same every time."""
    table: dict[str, Values] = {}
    for column in schema.columns:
        draw = random.Random(f"{schema.title}/{column.name}")
        table[column.name] = _column(column.values, table, draw, rows)
    return table


def _column(words: str, table: dict[str, Values], draw: random.Random, rows: int) -> Values:
    within = re.fullmatch(r"(.*) within (.+)", words)
    if within is not None:
        return _within(within[1], table[within[2]], draw)
    missing = re.fullmatch(r"(\d+)% missing (.*)", words)
    if missing is not None:
        values = _column(missing[2], table, draw, rows)
        return [None if draw.random() < int(missing[1]) / 100 else value for value in values]
    for pattern, kind in _KINDS.items():
        match = re.fullmatch(pattern, words)
        if match is not None:
            return kind(draw, rows, *match.groups())
    raise ValueError(words)


def _within(words: str, outer: Values, draw: random.Random) -> Values:
    """Repeat a value for each value of another column; several if there are more of them."""
    keys = list(dict.fromkeys(outer))
    many = re.search(r" of (\d+)$", words)
    each = max(1, round(int(many[1]) / len(keys))) if many is not None else 1
    values = _column(words, {}, draw, max(len(keys) * each, 1))
    if many is not None:
        values = (list(dict.fromkeys(values)) * (len(keys) * each))[: len(keys) * each]
    choices = {key: values[index * each : (index + 1) * each] for index, key in enumerate(keys)}
    return [None if key is None else draw.choice(choices[key]) for key in outer]


def _skewed(draw: random.Random, rows: int, choices: Values) -> Values:
    """Some values are much more frequent than others, as in most columns."""
    weights = [1 / (rank + 1) for rank in range(len(choices))]
    values = draw.choices(choices, weights, k=rows)
    values[: len(choices)] = choices[:rows]
    draw.shuffle(values)
    return values


def _repeated(draw: random.Random, rows: int, choices: Values) -> Values:
    """Values of people: each has a few rows, which are together."""
    values = [*choices, *draw.choices(choices, k=max(0, rows - len(choices)))][:rows]
    order = {value: index for index, value in enumerate(choices)}
    return sorted(values, key=lambda value: order[value])


def _numbers(draw: random.Random, count: int, digits: int) -> list[int]:
    low = 10 ** (digits - 1)
    return draw.sample(range(low, min(10 * low, low + 10**9)), count)


def _code(draw: random.Random, pattern: str) -> str:
    signs = {"#": "0123456789", "X": "ABCDEFGHJKLMNPRSTUVWXYZ", "x": "abcdefghijklmnopqrstuvwxyz"}
    return "".join(draw.choice(signs.get(sign, sign)) for sign in pattern).replace("~", " ")


def _codes(draw: random.Random, pattern: str, count: int) -> Values:
    codes: dict[str, None] = {}
    while len(codes) < count:
        codes[_code(draw, pattern)] = None
    return list(codes)


def _moment(draw: random.Random, first: str, last: str) -> datetime:
    start = datetime(int(first), 1, 1)
    seconds = (datetime(int(last) + 1, 1, 1) - start).total_seconds()
    return start + timedelta(seconds=draw.randrange(int(seconds)))


def _moments(form: str | None) -> Callable[..., Values]:
    def values(draw: random.Random, rows: int, first: str = "1930", last: str = "2005") -> Values:
        moments = [_moment(draw, first, last) for _ in range(rows)]
        return [moment.strftime(form) for moment in moments] if form is not None else list(moments)

    return values


def _dates(draw: random.Random, rows: int, first: str = "1930", last: str = "2005") -> Values:
    return [_moment(draw, first, last).date() for _ in range(rows)]


_SYLLABLES = ["ka", "ro", "min", "el", "sza", "bo", "ver", "ta", "lin", "dor", "mu", "hen", "jo", "fi", "gar", "ste"]


def _word(draw: random.Random, parts: int = 2) -> str:
    return "".join(draw.choice(_SYLLABLES) for _ in range(parts)).capitalize()


def _names(draw: random.Random, rows: int, parts: int, distinct: int) -> Values:
    return _skewed(draw, rows, [_word(draw, parts) for _ in range(distinct)])


def _sentence(draw: random.Random, low: int = 9, high: int = 16) -> str:
    return " ".join(_word(draw).lower() for _ in range(draw.randint(low, high)))


def _kinds(draw: random.Random, rows: int, count: str) -> Values:
    labels: dict[str, None] = {}
    while len(labels) < int(count):
        labels[" ".join(_word(draw) for _ in range(draw.choice([1, 1, 2])))] = None
    return _skewed(draw, rows, list(labels))


def _amounts(draw: random.Random, rows: int) -> Values:
    return [int(draw.lognormvariate(9, 0.7)) for _ in range(rows)]


def _zeros(values: Callable[..., Values]) -> Callable[..., Values]:
    return lambda draw, rows: [0 if draw.random() < 0.7 else value for value in values(draw, rows)]


def _decimals(draw: random.Random, rows: int, low: str = "0", high: str = "20000") -> Values:
    return [round(draw.uniform(float(low), float(high)), 3 if float(high) < 500 else 2) for _ in range(rows)]


def _few_decimals(draw: random.Random, rows: int, count: str) -> Values:
    return _skewed(draw, rows, [index / 2 + 0.5 for index in range(int(count))])


def _checked(digits: int, kind: str, form: str = "{}") -> Callable[..., Values]:
    def values(draw: random.Random, rows: int) -> Values:
        from importlib import import_module

        is_valid = import_module(f"stdnum.{kind}").is_valid
        found: dict[str, None] = {}
        while len(found) < rows:
            text = form.format("".join(draw.choice("0123456789") for _ in range(digits)))
            if is_valid(text):
                found[text] = None
        return list(found)

    return values


def _dni(draw: random.Random, rows: int) -> Values:
    from stdnum.es import dni

    numbers = [f"{draw.randrange(10**8):08}" for _ in range(rows)]
    return [number + dni.calc_check_digit(number) for number in numbers]


def _nir(draw: random.Random, rows: int) -> Values:
    from stdnum.fr import nir

    bodies = [f"{_code(draw, '1##')}{draw.randint(1, 12):02}75{_code(draw, '######')}" for _ in range(rows)]
    return [body + nir.calc_check_digits(body) for body in bodies]


def _iban(draw: random.Random, rows: int) -> Values:
    from stdnum import iban

    bodies = [f"{draw.randrange(10**18):018}" for _ in range(rows)]
    return [f"DE{iban.calc_check_digits('DE00' + body)}{body}" for body in bodies]


def _fodselsnummer(draw: random.Random, rows: int) -> Values:
    from stdnum.no import fodselsnummer

    found: dict[str, None] = {}
    while len(found) < rows:
        body = _moment(draw, "1940", "1999").strftime("%d%m%y") + f"{draw.randrange(500):03}"
        first = fodselsnummer.calc_check_digit1(body)
        text = body + first + fodselsnummer.calc_check_digit2(body + first)
        if fodselsnummer.is_valid(text):
            found[text] = None
    return list(found)


def _uuid(draw: random.Random) -> str:
    return str(uuid.UUID(int=draw.getrandbits(128), version=4))


_KINDS: dict[str, Callable[..., Values]] = {
    r"constant": lambda draw, rows: ["X"] * rows,
    r"empty": lambda draw, rows: [None] * rows,
    r"row numbers": lambda draw, rows: list(range(1, rows + 1)),
    r"unique ascending numbers": lambda draw, rows: sorted(_numbers(draw, rows, 5)),
    r"unique numbers": lambda draw, rows: draw.sample(range(1, 20 * rows), rows),
    r"unique (\d+)-digit numbers": lambda draw, rows, digits: _numbers(draw, rows, int(digits)),
    r"numbers of (\d+)": lambda draw, rows, count: _repeated(draw, rows, draw.sample(range(1, 9999), int(count))),
    r"(\d+)-digit numbers of (\d+)": lambda draw, rows, digits, count: (
        _repeated if int(digits) > 3 else _skewed
    )(draw, rows, list(_numbers(draw, int(count), int(digits)))),
    r"text (\d+)-digit numbers of (\d+)": lambda draw, rows, digits, count: _skewed(
        draw, rows, _codes(draw, "#" * int(digits), int(count))
    ),
    r"(?:padded )?codes (\S+(?: ### ##)?) unique": lambda draw, rows, pattern: _codes(draw, pattern, rows),
    r"codes (\S+) of (\d+)": lambda draw, rows, pattern, count: _repeated(
        draw, rows, _codes(draw, pattern, int(count))
    ),
    r"ips": lambda draw, rows: [_code(draw, "10.#.1##.##") for _ in range(rows)],
    r"uuid": lambda draw, rows: [_uuid(draw) for _ in range(rows)],
    r"uuid of (\d+)": lambda draw, rows, count: _repeated(draw, rows, [_uuid(draw) for _ in range(int(count))]),
    r"(\d+) kinds": _kinds,
    r"(\d+) kinds of numbers": lambda draw, rows, count: _skewed(draw, rows, list(range(8507, 8507 + int(count)))),
    r"(\d+) quarters": lambda draw, rows, count: _skewed(draw, rows, [f"2019Q{q + 1}" for q in range(int(count))]),
    r"(?:signed )?whole (\d+)-(\d+)": lambda draw, rows, low, high: [
        draw.randint(int(low), int(high)) for _ in range(rows)
    ],
    r"amounts": _amounts,
    r"signed amounts": lambda draw, rows: [value - 5000 for value in _amounts(draw, rows)],  # type: ignore[operator]
    r"(\d+)-digit amounts": lambda draw, rows, digits: [
        int(draw.lognormvariate(0, 0.6) * 2 * 10 ** (int(digits) - 1)) for _ in range(rows)
    ],
    r"zeros and amounts": _zeros(_amounts),
    r"zeros and decimals": _zeros(_decimals),
    r"decimals ([\d.]+)-([\d.]+)": _decimals,
    r"signed decimals ([\d.]+)-([\d.]+)": lambda draw, rows, low, high: [
        -value for value in _decimals(draw, rows, low, high)  # type: ignore[operator]
    ],
    r"text decimals ([\d.]+)-([\d.]+)": lambda draw, rows, low, high: [
        str(value) for value in _decimals(draw, rows, low, high)
    ],
    r"(\d+) decimals": _few_decimals,
    r"points": lambda draw, rows: [_code(draw, "POINT (-122.###### 37.######)") for _ in range(rows)],
    r"dates (\d+)-(\d+)": _dates,
    r"birth dates": _dates,
    r"birth stamps": _moments(None),
    r"stamps (\d+)-(\d+)": _moments(None),
    r"iso stamps (\d+)-(\d+)": _moments("%Y-%m-%dT%H:%M:%SZ"),
    r"us stamps (\d+)-(\d+)": _moments("%m/%d/%Y %I:%M:%S %p"),
    r"us dates (\d+)-(\d+)": _moments("%m/%d/%Y"),
    r"us birth dates": _moments("%m/%d/%Y"),
    r"german dates (\d+)-(\d+)": _moments("%d.%m.%Y"),
    r"german birth dates": _moments("%d.%m.%Y"),
    r"compact dates (\d+)-(\d+)": _moments("%Y%m%d"),
    r"compact birth dates": _moments("%Y%m%d"),
    r"months (\d+)-(\d+)": _moments("%b-%Y"),
    r"european dates (\d+)-(\d+)": _moments("%d/%m/%Y"),
    r"dutch dates (\d+)-(\d+)": _moments("%d-%m-%Y"),
    r"dutch birth dates": _moments("%d-%m-%Y"),
    r"hungarian dates (\d+)-(\d+)": _moments("%Y.%m.%d."),
    r"english dates (\d+)-(\d+)": _moments("%b %d, %Y"),
    r"short dates (\d+)-(\d+)": _moments("%y%m%d"),
    r"short birth dates": _moments("%y%m%d"),
    r"short stamps (\d+)-(\d+)": _moments("%y%m%d %H:%M:%S"),
    r"digit dates (\d+)-(\d+)": _moments("%m%d%Y"),
    r"unix stamps (\d+)-(\d+)": _moments("%a %b %d %H:%M:%S +0000 %Y"),
    r"year months (\d+)-(\d+)": _moments("%Y-%m"),
    r"12 months": _moments("%B"),
    r"7 weekdays": _moments("%A"),
    r"long clock": _moments("%H:%M:%S"),
    r"clock": _moments("%H:%M"),
    r"years (\d+)-(\d+)": lambda draw, rows, first, last: [draw.randint(int(first), int(last)) for _ in range(rows)],
    r"epoch (\d+)-(\d+)": lambda draw, rows, first, last: [
        int((_moment(draw, first, last) - datetime(1970, 1, 1)).total_seconds()) for _ in range(rows)
    ],
    r"first names": lambda draw, rows: _names(draw, rows, 2, 90),
    r"surnames": lambda draw, rows: _names(draw, rows, 3, 250),
    r"full names": lambda draw, rows: [f"{_word(draw, 3)}, {_word(draw)}" for _ in range(rows)],
    r"names of (\d+)": lambda draw, rows, count: _skewed(
        draw, rows, [f"{_word(draw, 3)}, {_word(draw)}" for _ in range(int(count))]
    ),
    r"french phones": lambda draw, rows: [_code(draw, "06 ## ## ## ##") for _ in range(rows)],
    r"emails": lambda draw, rows: [f"{_word(draw, 3).lower()}{number}@example.org" for number in range(rows)],
    r"phones": lambda draw, rows: [_code(draw, "+31 6 ########") for _ in range(rows)],
    r"addresses": lambda draw, rows: [f"{draw.randint(1, 300)} {_word(draw, 3)} Street" for _ in range(rows)],
    r"streets": lambda draw, rows: _skewed(draw, rows, [f"{_word(draw, 3)} Street" for _ in range(250)]),
    r"urls": lambda draw, rows: [f"https://example.org/loans/{number}" for number in range(rows)],
    r"urls of (\d+)": lambda draw, rows, count: _skewed(
        draw, rows, [f"http://www.{_word(draw, 3).lower()}.com" for _ in range(int(count))]
    ),
    r"sentences": lambda draw, rows: [_sentence(draw) for _ in range(rows)],
    r"(\d+) searches": lambda draw, rows, count: _skewed(
        draw, rows, [_sentence(draw, 1, 5) for _ in range(int(count))]
    ),
    r"word lists": lambda draw, rows: [";".join(_word(draw) for _ in range(draw.randint(2, 9))) for _ in range(rows)],
    r"icd of (\d+)": lambda draw, rows, count: _skewed(draw, rows, _codes(draw, "X##.#", int(count))),
    r"bsn": _checked(9, "nl.bsn"),
    r"dni": _dni,
    r"nir": _nir,
    r"iban": _iban,
    r"fodselsnummer": _fodselsnummer,
}  # fmt: skip


def is_whole(values: Values) -> bool:
    return all(isinstance(value, int) for value in values if value is not None)


def kind_word(values: Values) -> str:
    """Return the kind of a column of such values in a typed table."""
    known = [value for value in values if value is not None]
    if not known or isinstance(known[0], str):
        return "text"
    if isinstance(known[0], datetime):
        return "timestamp"
    if isinstance(known[0], date):
        return "date"
    return "integer" if is_whole(known) else "number"
