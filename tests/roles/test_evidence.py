"""Each kind of evidence about a column by itself: a column that only this evidence can tell apart."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest
from labelled_schemas import Values, kind_word

from idbits.engines.plain import PlainTable
from idbits.reading import OpenOptions
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.studies.shared.roles.judging import judge_all_rows
from idbits.studies.shared.roles.naming import name_evidence
from idbits.values.attributes import Kind

ROWS = 120


def judged(columns: Mapping[str, Sequence[object]]) -> dict[str, RoleJudgement]:
    kinds = {name: Kind(kind_word(list(values))) for name, values in columns.items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {judgement.column: judgement for judgement in judge_all_rows(PlainTable(rows, kinds), OpenOptions())}


def judgement_of(values: Sequence[object], name: str = "x") -> RoleJudgement:
    return judged({name: values})[name]


def drawn(pattern: str, seed: int = 1, rows: int = ROWS) -> Values:
    draw = random.Random(seed)
    signs = {"9": "0123456789", "A": "ABCDEFGHJKLMNPRSTUVWXYZ"}
    return ["".join(draw.choice(signs.get(sign, sign)) for sign in pattern) for _ in range(rows)]


def among(values: Sequence[object], seed: int = 1, rows: int = ROWS) -> Values:
    return random.Random(seed).choices(list(values), k=rows)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("PatientID", "direct identifier"), ("Kundennummer", "direct identifier"),
        ("numéro_client", "direct identifier"),
        ("apellidos", "direct identifier"), ("burgerservicenummer", "direct identifier"),
        ("születési név", "direct identifier"), ("nom de naissance", "direct identifier"),
        ("Téléphone (coord. structure)", "direct identifier"), ("Vornamen", "direct identifier"),
        ("geslacht", "quasi-identifier"), ("Steuerklasse", "quasi-identifier"), ("código_postal", "quasi-identifier"),
        ("születési idő", "quasi-identifier"), ("cell_id", "quasi-identifier"), ("store_id", "quasi-identifier"),
        ("fecha_ingreso", "time"), ("Entlassungsdatum", "time"), ("FMONTH", "time"), ("date_de_sortie", "time"),
        ("Hauptdiagnose", "sensitive"), ("jövedelem", "sensitive"), ("religion", "sensitive"),
        ("montant_total", "measurement"), ("total_patients", "measurement"), ("opmerkingen", "free text"),
        ("aantal", "count"), ("Einwohner", "count"),
    ],
)  # fmt: skip
def test_words_of_the_name(name: str, role: str) -> None:
    assert str(name_evidence(name)[0].role) == role


@pytest.mark.parametrize("name", ["py010n", "person", "plan", "nation", "n_children", "count2"])
def test_only_whole_words_name_a_count(name: str) -> None:
    assert all(str(item.role) != "count" for item in name_evidence(name))


def test_a_word_in_doubt_does_not_name_a_person() -> None:
    assert judgement_of(among(range(1, 9)), "officer_blorp_code").role == "quasi-identifier"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([f"{word}@example.org" for word in drawn("AAAAAA")], "100% of values are e-mail addresses"),
        (drawn("+31 6 99999999"), "100% of values are telephone numbers"),
        (drawn("10.1.9.99"), "100% of values are addresses of devices"),
        (drawn("99999999-9999-4999-9999-999999999999"), "100% of values are random codes"),
        ([f"https://example.org/{word}" for word in drawn("AAAAAA")], "100% of values are web addresses"),
        ([f"{number} Main Street" for number in range(1, ROWS + 1)], "100% of values are streets with a house number"),
        ([f"{a.title()}straße {n}" for n, a in enumerate(drawn("AAAAA"), 1)],
         "100% of values are streets with a house number"),
    ],
)  # fmt: skip
def test_shapes_of_identifiers(values: Values, sentence: str) -> None:
    found = judgement_of([*values[:80], *values[:40]])
    assert (found.role, sentence in found.evidence) == ("direct identifier", True), found


def test_common_first_names_even_if_they_repeat() -> None:
    names = ["Anna", "László", "Pierre", "Jürgen", "Zorbla", "Femke", "Quexl", "María", "Oliver", "Wibbon", "Sophie"]
    found = judgement_of(among(names))
    assert found.role == "direct identifier"
    assert found.evidence[0] == "73% of values contain a common first name"
    assert judgement_of(
        among(["Ruhr", "Rhine", "Weser", "Elbe", "Oder", "Main", "Neckar", "Saale", "Lahn", "Isar"])
    ).role == ("quasi-identifier")


def test_surname_comma_first_name_even_if_it_repeats() -> None:
    names = [f"{a.title()}, {b.title()}" for a, b in zip(drawn("AAAAAA", 2, 12), drawn("AAAA", 3, 12), strict=True)]
    found = judgement_of(among(names))
    assert found.role == "direct identifier"
    assert found.evidence[0].endswith("are written like a surname, a comma and a first name")
    assert judgement_of(among(names), "location").role == "quasi-identifier"


def test_numbers_with_a_check_digit() -> None:
    from stdnum.nl import bsn

    numbers = [text for text in (f"{n:09}" for n in range(100_000_000, 100_002_000)) if bsn.is_valid(text)][:60]
    found = judgement_of([*numbers, *numbers])
    assert found.role == "direct identifier"
    assert any("Dutch citizen service numbers (BSN)" in sentence for sentence in found.evidence)
    assert judgement_of([*drawn("999999999", rows=60)] * 2).evidence[0] != found.evidence[0]


def test_values_that_hardly_repeat() -> None:
    found = judgement_of(drawn("AAAAAAA"))
    assert (found.role, found.evidence[0]) == ("direct identifier", "100% of values differ")


def test_values_that_repeat_a_little_and_evenly() -> None:
    people = list(range(10_000, 10_040))
    even = [random.Random(1).sample(people, len(people)) for _ in range(3)]
    found = judgement_of([str(number) for numbers in even for number in numbers])
    assert found.role == "direct identifier"
    assert found.evidence[0] == "repeats about equally for all its values"
    skewed = [str(10_000 + min(39, int(random.Random(index).expovariate(0.3)))) for index in range(ROWS)]
    assert judgement_of(skewed).role == "quasi-identifier"


def test_whole_numbers_of_equal_length() -> None:
    numbers = random.Random(1).sample(range(10_000, 99_999), 40) * 3
    assert "whole numbers of equal length" in judgement_of([str(number) for number in numbers]).evidence


def test_long_codes_of_letters_and_digits() -> None:
    codes = drawn("A9A9A9A9A9A9", rows=40) * 3
    found = judgement_of(codes)
    assert found.role == "direct identifier"
    assert "long codes of letters and digits" in found.evidence


@pytest.mark.parametrize("values", [list(range(7, 7 + ROWS)), sorted(random.Random(1).sample(range(9_999), ROWS))])
@pytest.mark.parametrize("as_text", [False, True])
def test_row_numbers_and_numbers_that_rise_number_the_records(values: list[int], as_text: bool) -> None:
    found = judgement_of([str(value) for value in values] if as_text else values)
    assert (found.role, found.evidence[0]) == ("direct identifier", "numbers the records")
    assert found.numbers_records


def test_an_event_number_numbers_the_records() -> None:
    found = judgement_of(random.Random(1).sample(range(10**6, 10**7), ROWS), "event_id")
    assert "numbers the records" in found.evidence
    assert found.numbers_records
    assert not judgement_of(random.Random(1).sample(range(10**6, 10**7), ROWS), "patient_id").numbers_records


def test_a_column_that_determines_most_others_is_an_identifier() -> None:
    people = random.Random(1).choices(range(1, 30), k=ROWS)
    personal = {name: {p: random.Random(f"{name}{p}").choice(range(many)) for p in set(people)} for name, many in
                {"a": 20, "b": 9, "c": 12, "d": 15}.items()}  # fmt: skip
    table = {"k": [f"q{p}" for p in people], **{n: [f"v{of[p]}" for p in people] for n, of in personal.items()}}
    found = judged(table)
    assert found["k"].role == "direct identifier"
    assert "determines 4 of 4 other columns" in found["k"].evidence
    assert {name: found[name].role for name in personal} == dict.fromkeys(personal, "quasi-identifier")


@pytest.mark.parametrize(
    "values",
    [
        drawn("2020-03-19 12:09:59"), [f"201903{d:02}" for d in among(range(1, 29))],
        [f"2019{m:02}" for m in among(range(1, 13))], [f"2019031{h}1{h}59" for h in among(range(1, 10))],
        [f"03{d:02}{y}" for d, y in zip(among(range(10, 29)), among(range(1950, 2020), 2), strict=True)],
        [f"9701{d:02} 12:30:11" for d in among(range(10, 29))],
        among(["Monday", "Freitag", "samedi", "hétfő", "zondag"]),
        [f"Tue Apr {d} 18:00:09 +0000 2012" for d in among(range(10, 29))],
        [f"{h}:{m}" for h, m in zip(among(range(10, 23)), among(range(10, 59), 3), strict=True)],
        [f"[{d}/Oct/2000:13:55:36 -0700]" for d in among(range(10, 29))],
    ],
)  # fmt: skip
def test_dates_and_times_in_any_shape(values: Values) -> None:
    assert judgement_of(values).role == "time"


@pytest.mark.parametrize("name", ["date", "fecha_alta", "issue_dt"])
def test_dates_in_six_digits_need_a_name(name: str) -> None:
    values = [
        f"9{y}{m}{d}" for y, m, d in zip(among(range(9)), among(range(10, 13), 2), among(range(10, 29), 3), strict=True)
    ]
    assert judgement_of(values, name).role == "time"
    assert judgement_of(values, "customer_no").role == "direct identifier"


def test_six_digits_that_count_are_no_dates() -> None:
    assert judgement_of([str(121_000 + index) for index in range(ROWS)], "nr").role == "direct identifier"


@pytest.mark.parametrize("name", ["admitted", "birth_date", "Entlassungsdatum"])
def test_days_as_spreadsheets_store_them_are_no_identifiers(name: str) -> None:
    values = random.Random(1).sample(range(29_000, 44_000), ROWS)
    assert judgement_of(values, name).role in ("time", "quasi-identifier")
    assert judgement_of(values, "patient_no").role == "direct identifier"


@pytest.mark.parametrize("name", ["approved", "created"])
def test_a_yes_or_no_is_no_time(name: str) -> None:
    assert judgement_of(among(["yes", "no"]), name).role == "quasi-identifier"


def test_a_place_number_that_nobody_shares_is_an_identifier() -> None:
    assert judgement_of(drawn("999999"), "county_id").role == "direct identifier"
    assert judgement_of(among(drawn("999999", rows=9)), "county_id").role == "quasi-identifier"


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ([3] * 5 + [4] * 115, "count"),
        ([3.5] * 5 + [4.0] * 115, "measurement"),
        ([None] + [3] * 4 + [4] * 115, None),
        ([-1] + [3] * 4 + [4] * 115, None),
    ],
)
@pytest.mark.parametrize("name", ["count", "n", "people"])
def test_what_counts_people(values: Values, role: str | None, name: str) -> None:
    found = judgement_of(values, name).role
    assert found == role if role is not None else found != "count"


def test_numbers_with_decimals_are_measurements() -> None:
    values = [round(random.Random(index).uniform(1, 90), 2) for index in range(ROWS)]
    found = judgement_of(values)
    assert (found.role, found.evidence[0]) == ("measurement", "numbers with decimals")


def test_long_texts_are_free_text() -> None:
    found = judgement_of([" ".join(drawn("AAAAA", seed, 9)) for seed in range(ROWS)])
    assert (found.role, found.evidence[0]) == ("free text", "long values of several words")


def test_nothing_varies() -> None:
    assert judgement_of(["x"] * ROWS).role == "constant"
    assert judgement_of([None] * ROWS).role == "empty"
    assert judgement_of(["x", None] * (ROWS // 2)).role == "quasi-identifier"


def test_evidence_shows_no_value() -> None:
    texts = ["Kovács, János", "Smith, Anna", *drawn("Qqqqqqq9999", rows=50)]
    assert not any(text in sentence for text in texts for sentence in judgement_of(texts).evidence)
