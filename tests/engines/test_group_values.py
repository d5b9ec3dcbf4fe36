"""People by group and sensitive value: every engine counts what plain Python counts row by row."""

from collections import Counter
from datetime import date

import pytest

from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
from idbits.errors import InputError
from idbits.reading import OpenOptions
from idbits.studies.disclosure.study import disclosure_of_table, disclosure_question
from idbits.studies.shared.persons import PersonOptions
from idbits.values.attributes import Kind, parse_attribute, parse_attributes

ROWS = [
    {"zip": code, "sex": sex, "ill": ill, "town": town, "people": people}
    for code, sex, ill, town, people in [
        ("01", "F", "flu", "x", "2"), ("01", "F", "flu", "x", "1"), ("01", "F", None, "y", "3"),
        ("02", "M", "cold", "y", "0"), ("02", "M", "Flu", "x", "1"), (None, "M", "flu ", None, "4"),
        (None, "M", "flu", "x", "1"), ("1", None, "é", "y", "2"), ("1", None, "e", "y", "1"),
        ("03", "F", None, "x", "5"), ("03", "F", None, "x", "1"), ("04", "M", "rare", None, "0"),
    ]
]  # fmt: skip


def request_of(table, known, sensitive, by=None, **more) -> GroupValueRequest:
    columns = table.columns
    category = parse_attribute(by, columns) if by is not None else None
    return GroupValueRequest(
        known=parse_attributes(known, columns), sensitive=parse_attribute(sensitive, columns), by=category, **more
    )


def content(counts: GroupValueCounts) -> Counter:
    """Return the groups with their categories, whatever their numbers."""
    cells = counts.cells
    assert cells.value_people.min() > 0
    assert len(set(counts.labels)) == len(counts.labels)
    groups = [[] for _ in range(cells.n_groups)]
    for group, value, people in zip(cells.groups.tolist(), cells.values.tolist(), cells.counts.tolist(), strict=True):
        groups[group].append((counts.labels[value], people))
    named = [None] * cells.n_groups
    if counts.categories is not None:
        of_groups, labels = counts.categories
        named = [labels[category] for category in of_groups.tolist()]
    in_order = [sorted(group, key=lambda cell: (cell[0] is None, cell[0] or "")) for group in groups]
    return Counter((category, tuple(group)) for category, group in zip(named, in_order, strict=True))


def row_by_row(rows, known, sensitive, by=None, count=None) -> Counter:
    groups: dict[object, Counter] = {}
    for row in rows:
        people = int(row[count]) if count is not None else 1
        key = (row[by] if by is not None else None, *(row[name] for name in known))
        groups.setdefault(key, Counter())[row[sensitive]] += people
    found: Counter = Counter()
    for (category, *_), values in groups.items():
        cells = sorted(
            ((value, people) for value, people in values.items() if people),
            key=lambda cell: (cell[0] is None, cell[0] or ""),
        )
        found[category, tuple(cells)] += bool(cells)
    return +found


@pytest.mark.parametrize("by", [None, "town"])
@pytest.mark.parametrize("count", [None, "people"])
def test_groups_and_values(engine, by, count):
    options = OpenOptions(count=count)
    table = engine.loaded(ROWS, ["zip", "sex", "ill", "town"], count=count)
    request = request_of(table, ["zip", "sex"], "ill", by)
    assert content(table.group_value_counts(request, options)) == row_by_row(ROWS, ["zip", "sex"], "ill", by, count)


def test_views_of_columns(engine):
    table = engine.loaded(ROWS, ["zip", "sex", "ill"])
    request = request_of(table, ["zip:prefix1", "sex:top1"], "ill:top1")
    expected = engine.reference(ROWS)
    assert content(table.group_value_counts(request, OpenOptions())) == content(
        expected.group_value_counts(request_of(expected, ["zip:prefix1", "sex:top1"], "ill:top1"), OpenOptions())
    )


def test_labels_of_groups(engine):
    table = engine.loaded(ROWS, ["zip", "sex", "ill"])
    counts = table.group_value_counts(request_of(table, ["zip", "sex"], "ill", with_labels=True), OpenOptions())
    assert content(counts) == row_by_row(ROWS, ["zip", "sex"], "ill")
    named = {counts.group_labels(group): int(k) for group, k in enumerate(counts.cells.sizes)}
    assert named == Counter((row["zip"], row["sex"]) for row in ROWS)


def test_small_categories_need_no_label(engine):
    table = engine.loaded(ROWS, ["zip", "ill", "town"])
    counts = table.group_value_counts(request_of(table, ["zip"], "ill", "town", at_least=4), OpenOptions())
    of_groups, labels = counts.categories
    people = Counter()
    for category, size in zip(of_groups.tolist(), counts.cells.sizes.tolist(), strict=True):
        people[category] += size
    assert sorted(people.values()) == [2, 4, 6]
    assert {labels[category] for category, number in people.items() if number >= 4} == {"x", "y"}


def test_the_cell_of_each_row(engine):
    if not engine.kept.in_order or engine.name in ("sqlite", "postgresql", "mariadb"):
        table = engine.loaded(ROWS, ["zip", "ill"])
        with pytest.raises(InputError, match="records cannot be written"):
            table.group_value_counts(request_of(table, ["zip"], "ill", with_rows=True), OpenOptions())
        return
    table = engine.loaded(ROWS, ["zip", "sex", "ill"], in_order=True, where="sex is not null")
    counts = table.group_value_counts(request_of(table, ["zip", "sex"], "ill", with_rows=True), OpenOptions())
    kept = [(number, row) for number, row in enumerate(ROWS, start=1) if row["sex"] is not None]
    assert counts.rows.numbers.tolist() == [number for number, _ in kept]
    values = counts.cells.values[counts.rows.cells]
    assert [counts.labels[value] for value in values] == [row["ill"] for _, row in kept]
    sizes = counts.cells.cell_sizes[counts.rows.cells].tolist()
    groups = Counter((row["zip"], row["sex"]) for _, row in kept)
    assert sizes == [groups[row["zip"], row["sex"]] for _, row in kept]


def test_typed_values(typed_engine):
    rows = [
        {"zip": "a", "day": date(2020, 1, day), "income": income}
        for day, income in [(1, 2.5), (1, None), (2, 10.0), (31, 2.5)]
    ] + [{"zip": None, "day": None, "income": 1e20}]
    kinds = {"zip": Kind.TEXT, "day": Kind.DATE, "income": Kind.NUMBER}
    table = typed_engine.loaded(rows, ["zip", "day", "income"], kinds)
    expected = typed_engine.reference(rows, kinds)
    for known, sensitive in ((["zip"], "day"), (["zip"], "income"), (["day:month"], "income:band5")):
        found, reference = (
            content(each.group_value_counts(request_of(each, known, sensitive), OpenOptions()))
            for each in (table, expected)
        )
        assert found == reference


def test_the_whole_answer(engine):
    question = disclosure_question(l="2,3")
    answers = []
    for table in (engine.loaded(ROWS, ["zip", "sex", "ill", "town"]), engine.reference(ROWS)):
        known, sensitive = parse_attributes(["zip"], table.columns), parse_attributes(["ill", "sex"], table.columns)
        answer = disclosure_of_table(table, known, sensitive, question, OpenOptions(), PersonOptions())
        answers.append(answer.to_dict() | {"notes": None})
    assert answers[0] == answers[1]
