"""Pattern counts, weights, probabilities and claims against a slow program that shares no code with the package."""

import math
import random
import string

import duckdb
import numpy as np
import pyarrow
import pytest
import slow_odds

import idbits
from idbits.engines.agreement import count_agreement
from idbits.engines.backends.agreement import AgreementTables, pattern_levels
from idbits.reading import OpenOptions
from idbits.studies.link.probabilistic.columns import ColumnSide, compare_column
from idbits.values.agreement import parse_levels
from idbits.values.attributes import Kind

LEVELS = {
    "name": ["equal", "jw0.92", "jw0.8", "else"],
    "born": ["equal", "edit1", "31d", "366d", "else"],
    "zip": ["equal", "edit1", "else"],
    "pay": ["equal", "5%", "else"],
    "sex": ["equal", "else"],
}
BLOCKS = [("zip",), ("name", "sex"), ("born",)]


def _typo(text: str, draw: random.Random, letters: str) -> str:
    place = draw.randrange(len(text))
    kind = draw.random()
    if kind < 0.4:
        return text[:place] + draw.choice(letters) + text[place + 1 :]
    if kind < 0.7 and len(text) > 4:
        return text[:place] + text[place + 1 :]
    return text[:place] + draw.choice(letters) + text[place:]


def _people(n: int, draw: random.Random) -> list[slow_odds.Row]:
    names = ["".join(draw.choices("abcdeéöű", k=draw.randrange(3, 8))) for _ in range(40)]
    zips = [f"{draw.randrange(1000, 1040)}" for _ in range(30)]
    return [
        (
            draw.choice(names),
            f"{draw.randrange(1950, 1953)}{draw.randrange(1, 13):02}{draw.randrange(1, 29):02}",
            draw.choice(zips),
            str(float(draw.randrange(100, 140))),
            draw.choice("FM"),
        )
        for _ in range(n)
    ]


def _tables(seed: int, n: int = 90, shared: int = 70) -> tuple[list[slow_odds.Row], list[slow_odds.Row]]:
    draw = random.Random(seed)
    people = _people(2 * n - shared, draw)
    first = people[:n]
    second = []
    for name, born, zip_code, pay, sex in [*people[:shared], *people[n:]]:
        assert name is not None
        assert born is not None
        assert zip_code is not None
        second.append(
            (
                None if draw.random() < 0.05 else _typo(name, draw, "abcdeéöű") if draw.random() < 0.2 else name,
                "19999999" if draw.random() < 0.03 else _typo(born, draw, "0129")[:8] if draw.random() < 0.1 else born,
                _typo(zip_code, draw, "0123") if draw.random() < 0.1 else zip_code,
                pay if draw.random() < 0.8 else str(float(draw.randrange(100, 140))),
                None if draw.random() < 0.1 else sex,
            )
        )
    draw.shuffle(second)
    return first, second


def _frame(rows: list[slow_odds.Row]) -> pyarrow.Table:
    columns = zip(*rows, strict=True)
    return pyarrow.table(
        {name: pyarrow.array(list(values), pyarrow.string()) for name, values in zip(LEVELS, columns, strict=True)}
    )


def _agreement_tables(first: list[slow_odds.Row], second: list[slow_odds.Row]) -> AgreementTables:
    columns = []
    for index, (name, words) in enumerate(LEVELS.items()):
        sides = []
        for rows in (first, second):
            labels: dict[str | None, int] = {}
            codes = [labels.setdefault(row[index], len(labels)) for row in rows]
            sides.append(ColumnSide(Kind.TEXT, np.array(codes, np.uint32), list(labels)))
        columns.append(compare_column(sides[0], sides[1], parse_levels(f"{name}={','.join(words)}")[1]))
    return AgreementTables(tuple(columns))


@pytest.mark.parametrize("seed", [2])
def test_pattern_counts_are_those_of_all_pairs(seed: int) -> None:
    first, second = _tables(seed)
    tables = _agreement_tables(first, second)
    blocks = [tuple(sorted(list(LEVELS).index(name) for name in names)) for names in BLOCKS]
    counter = count_agreement(tables, OpenOptions())
    try:
        for keep in (True, False):
            found = counter.block_patterns(blocks, keep=keep)
            seen: set[tuple[int, int]] = set()
            for block, counts in zip(blocks, found, strict=True):
                expected = slow_odds.patterns(first, second, block, list(LEVELS.values()))
                rows = pattern_levels(counts.patterns, [len(words) for words in LEVELS.values()]).tolist()
                assert dict(zip(map(tuple, rows), counts.pairs.tolist(), strict=True)) == dict(expected)
                held = {
                    (i, j)
                    for i, one in enumerate(first)
                    for j, other in enumerate(second)
                    if slow_odds.block_of(one, other, block)
                }
                assert counter.equal_pairs(block) == len(held)
                assert counts.new_pairs.sum() == len(held - seen)
                seen |= held
    finally:
        counter.close()


@pytest.mark.parametrize("seed", [3, 5])
def test_weights_probabilities_and_claims_are_those_of_the_slow_program(seed: int) -> None:
    first, second = _tables(seed)
    names = list(LEVELS)
    blocks = [tuple(sorted(names.index(name) for name in block)) for block in BLOCKS]
    matches, odds, claims = slow_odds.link(first, second, list(LEVELS.values()), blocks)
    answer = idbits.link(
        _frame(first),
        _frame(second),
        names,
        probabilistic=True,
        block=[list(block) for block in BLOCKS],
        levels=[f"{name}={','.join(words)}" for name, words in LEVELS.items()],
    )
    assert answer.matches_expected == pytest.approx(matches, rel=1e-6)
    for index, name in enumerate(names):
        u = slow_odds.nonmatch_chances(first, second, index, LEVELS[name])
        assert [each.u for each in answer.weights if each.column == name] == pytest.approx(u, rel=1e-12)
    for counted in answer.thresholds:
        sure = [p for _, p in claims.values() if p >= counted.p]
        assert counted.claims == len(sure)
        assert counted.expected_right == pytest.approx(sum(sure), rel=1e-6)
    likely = [0] * len(first)
    for (i, _), value in odds.items():
        likely[i] += value >= 1
    assert answer.records.no_candidate == likely.count(0)
    assert answer.records.ambiguous == sum(number > 1 for number in likely)


@pytest.mark.parametrize("threshold", [0.5, 0.99])
def test_the_bits_of_the_mean_claim_add_up(threshold: float) -> None:
    first, second = _tables(3)
    names, levels = list(LEVELS), list(LEVELS.values())
    blocks = [tuple(sorted(names.index(name) for name in block)) for block in BLOCKS]
    matches, odds, claims = slow_odds.link(first, second, levels, blocks)
    m, u = slow_odds.chances(first, second, levels, blocks)
    sure = [(i, j) for i, (j, p) in claims.items() if p >= threshold]
    answer = idbits.link(
        _frame(first), _frame(second), names, probabilistic=True, block=[list(block) for block in BLOCKS],
        levels=[f"{name}={','.join(words)}" for name, words in LEVELS.items()], threshold=threshold,
    )  # fmt: skip
    claim = answer.mean_claim
    assert claim.claims == len(sure) > 40
    assert [each.column for each in claim.columns] == names
    rate = matches / (len(first) * len(second))
    assert claim.prior_bits == pytest.approx(math.log2(rate / (1 - rate)), rel=1e-6)
    for index, each in enumerate(claim.columns):
        held = [slow_odds.level(first[i][index], second[j][index], levels[index]) for i, j in sure]
        assert -1 in held or names[index] not in ("name", "sex")
        bits = [math.log2(m[index][level] / u[index][level]) for level in held if level >= 0]
        assert each.bits == pytest.approx(sum(bits) / len(sure), rel=1e-5)
    assert claim.odds_bits == pytest.approx(sum(math.log2(odds[pair]) for pair in sure) / len(sure), rel=1e-5)
    steps = answer.charts()["claims"]["data"]["values"]
    assert [step["to"] for step in steps[:-2]] == [step["from"] for step in steps[1:-1]]
    assert (steps[0]["to"], steps[-1]["from"]) == (claim.prior_bits, 0)
    assert steps[-1]["to"] == claim.odds_bits == pytest.approx(steps[-2]["to"])


def test_claims_and_probabilities_of_each_record(tmp_path: object) -> None:
    first, second = _tables(7)
    names = list(LEVELS)
    blocks = [tuple(sorted(names.index(name) for name in block)) for block in BLOCKS]
    _, _, claims = slow_odds.link(first, second, list(LEVELS.values()), blocks)
    file = f"{tmp_path}/links.parquet"
    idbits.link(
        _frame(first), _frame(second), names, probabilistic=True, block=[list(block) for block in BLOCKS],
        levels=[f"{name}={','.join(words)}" for name, words in LEVELS.items()], records=file, reveal=True,
    )  # fmt: skip
    rows = duckdb.execute(
        f"SELECT row, claimed, probability, internal_person_row FROM '{file}' ORDER BY row"
    ).fetchall()
    assert len(rows) == len(first)
    for row, claimed, probability, person in rows:
        person_of = claims.get(row - 1)
        assert bool(claimed) == (person_of is not None and person_of[1] >= 0.5)
        if claimed:
            assert person_of is not None
            assert (person - 1, probability) == (person_of[0], pytest.approx(person_of[1], rel=1e-6))


def test_text_distances_of_the_engine_are_those_of_characters() -> None:
    draw = random.Random(11)
    letters = string.ascii_lowercase[:6] + "éű"
    texts = ["".join(draw.choices(letters, k=draw.randrange(1, 9))) for _ in range(100)]
    pairs = [(one, _typo(one, draw, letters) if draw.random() < 0.6 else draw.choice(texts)) for one in texts]
    for words in (["equal", "jw0.92", "jw0.8", "jw0.6", "else"], ["equal", "edit1", "else"]):
        levels = parse_levels(f"name={','.join(words)}")[1]
        rows = [(x, "k") for x, _ in pairs], [(y, "k") for _, y in pairs]
        columns = []
        for index, chosen in enumerate((levels, parse_levels("key=equal,else")[1])):
            sides = []
            for side in rows:
                labels: dict[str | None, int] = {}
                codes = [labels.setdefault(row[index], len(labels)) for row in side]
                sides.append(ColumnSide(Kind.TEXT, np.array(codes, np.uint32), list(labels)))
            columns.append(compare_column(sides[0], sides[1], chosen))
        counter = count_agreement(AgreementTables(tuple(columns)), OpenOptions())
        try:
            (found,) = counter.block_patterns([(1,)], keep=False)
        finally:
            counter.close()
        expected = slow_odds.patterns(
            [(x, "k") for x, _ in pairs], [(y, "k") for _, y in pairs], (1,), [words, ["equal", "else"]]
        )
        got = pattern_levels(found.patterns, [len(words), 2]).tolist()
        assert dict(zip(map(tuple, got), found.pairs.tolist(), strict=True)) == dict(expected)
