"""Links by odds, written again without an engine, arrays or shared code: loops over all pairs, for small tables."""

import hashlib
import math
import re
from collections import Counter
from datetime import date

Row = tuple[str | None, ...]


def jaro_winkler(one: str, other: str) -> float:
    window = max(max(len(one), len(other)) // 2 - 1, 0)
    used = [False] * len(other)
    common = []
    for i, character in enumerate(one):
        for j in range(max(0, i - window), min(len(other), i + window + 1)):
            if not used[j] and other[j] == character:
                used[j] = True
                common.append((i, j))
                break
    if not common:
        return 0.0
    taken = [other[j] for j in sorted(j for _, j in common)]
    # Like the original program of the Census Bureau: half of the displaced characters, rounded down.
    moved = sum(one[i] != second for (i, _), second in zip(common, taken, strict=True)) // 2
    m = len(common)
    jaro = (m / len(one) + m / len(other) + (m - moved) / m) / 3
    prefix = 0
    for first, second in zip(one[:4], other[:4], strict=False):
        if first != second:
            break
        prefix += 1
    return jaro + prefix * 0.1 * (1 - jaro) if jaro > 0.7 else jaro


def edits(one: str, other: str) -> int:
    """Damerau-Levenshtein with neighbouring swaps (optimal string alignment: the same up to 1)."""
    table = [[i + j for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            change = one[i - 1] != other[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + change)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def _day(text: str) -> date | None:
    try:
        return date(int(text[:4]), int(text[4:6]), int(text[6:])) if len(text) == 8 else None
    except ValueError:
        return None


def level(one: str | None, other: str | None, names: list[str]) -> int:
    """Return the index of the first level that holds, -1 for a null."""
    if one is None or other is None:
        return -1
    if one == other:
        return 0
    as_dates = any(re.fullmatch("[0-9]+d", name) for name in names)
    return next(index for index, name in enumerate(names) if _holds(name, one, other, as_dates=as_dates))


def _holds(name: str, one: str, other: str, *, as_dates: bool) -> bool:
    """Whether two different texts meet the test of a level."""
    days = [_day(one), _day(other)] if as_dates else []
    if name.startswith("jw"):
        return jaro_winkler(one, other) >= float(name[2:])
    if name.startswith("edit"):
        return None not in days and edits(one, other) <= int(name[4:])
    if re.fullmatch("[0-9]+d", name):
        first, second = days
        return first is not None and second is not None and abs((first - second).days) <= int(name[:-1])
    if name.endswith("%"):
        numbers = float(one), float(other)
        return abs(numbers[0] - numbers[1]) <= float(name[:-1]) / 100 * max(map(abs, numbers))
    return name == "else"


def nonmatch_chances(a: list[Row], b: list[Row], column: int, names: list[str], most: int = 500) -> list[float]:
    counts = [Counter(row[column] for row in side if row[column] is not None) for side in (a, b)]
    given = counts[0].total() * counts[1].total()
    equal = sum(number * counts[1][value] for value, number in counts[0].items())
    drawn = [sorted(each, key=lambda text: hashlib.sha256(text.encode()).hexdigest())[:most] for each in counts]
    weights = [0.0] * len(names)
    for one in drawn[0]:
        for other in drawn[1]:
            if one != other:
                weights[level(one, other, names)] += counts[0][one] * counts[1][other]
    rest = [max(weight, 0.5) if name != "equal" else 0.0 for weight, name in zip(weights, names, strict=True)]
    share = max(equal, 0.5) / given
    chances = [(1 - share) * weight / sum(rest) for weight in rest]
    chances[0] += share
    return [max(chance, 0.5 / given) for chance in chances]


def block_of(one: Row, other: Row, block: tuple[int, ...]) -> bool:
    return all(one[index] is not None and one[index] == other[index] for index in block)


def patterns(a: list[Row], b: list[Row], block: tuple[int, ...], levels: list[list[str]]) -> Counter[tuple[int, ...]]:
    return Counter(
        tuple(level(x, y, names) for x, y, names in zip(one, other, levels, strict=True))
        for one in a
        for other in b
        if block_of(one, other, block)
    )


def em(
    counts: Counter[tuple[int, ...]], block: tuple[int, ...], u: list[list[float]]
) -> tuple[float, float, dict[int, list[float]]]:
    free = [index for index in range(len(u)) if index not in block]
    m = {index: [0.9] + [0.1 / (len(u[index]) - 1)] * (len(u[index]) - 1) for index in free}
    rate = 0.3
    for _ in range(500):
        sums = {index: [0.0] * len(u[index]) for index in free}
        total = 0.0
        for pattern, pairs in counts.items():
            ratio = math.prod(m[i][pattern[i]] / u[i][pattern[i]] for i in free if pattern[i] >= 0)
            expected = pairs * rate * ratio / (rate * ratio + 1 - rate)
            total += expected
            for i in free:
                if pattern[i] >= 0:
                    sums[i][pattern[i]] += expected
        rate = total / counts.total()
        new = {i: [max(each / sum(sums[i]), 1e-6) for each in sums[i]] if sum(sums[i]) else m[i] for i in free}
        moved = max(abs(x - y) for i in free for x, y in zip(new[i], m[i], strict=True))
        m = new
        if moved < 1e-7:
            break
    return rate, rate * counts.total(), m


def chances(
    a: list[Row], b: list[Row], levels: list[list[str]], blocks: list[tuple[int, ...]]
) -> tuple[list[list[float]], list[list[float]]]:
    """Return m and u, the chances of each level of each column for one person and for two."""
    u = [nonmatch_chances(a, b, index, names) for index, names in enumerate(levels)]
    found = [em(patterns(a, b, block, levels), block, u) for block in blocks]
    kept = [each for each in found if each[0] >= 1e-4]
    m = []
    for index in range(len(levels)):
        parts = [(matches, chances[index]) for _, matches, chances in kept if index in chances]
        total = sum(matches for matches, _ in parts)
        m.append([max(sum(w * c[k] for w, c in parts) / total, 1e-6) for k in range(len(levels[index]))])
    return m, u


def link(
    a: list[Row], b: list[Row], levels: list[list[str]], blocks: list[tuple[int, ...]]
) -> tuple[float, dict[tuple[int, int], float], dict[int, tuple[int, float]]]:
    """Return the expected matches, the odds of every pair, and the claim of each record with its probability."""
    m, u = chances(a, b, levels, blocks)
    ratios = {}
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            if any(block_of(one, other, block) for block in blocks):
                held = [level(x, y, names) for x, y, names in zip(one, other, levels, strict=True)]
                ratios[i, j] = math.prod(m[c][k] / u[c][k] for c, k in enumerate(held) if k >= 0)
    rate, moved = 0.5 / len(b), 1.0
    while moved >= 1e-13:
        odds = {pair: rate / (1 - rate) * ratio for pair, ratio in ratios.items()}
        new = math.fsum(o / (1 + o) for o in odds.values()) / (len(a) * len(b))
        moved, rate = abs(new - rate), new
    odds = {pair: rate / (1 - rate) * ratio for pair, ratio in ratios.items()}
    return rate * len(a) * len(b), odds, _claims(odds)


def _claims(odds: dict[tuple[int, int], float]) -> dict[int, tuple[int, float]]:
    best: list[dict[int, list[tuple[float, int]]]] = [{}, {}]
    for (i, j), value in odds.items():
        best[0].setdefault(i, []).append((value, j))
        best[1].setdefault(j, []).append((value, i))

    def single(candidates: list[tuple[float, int]]) -> int | None:
        top = max(value for value, _ in candidates)
        tied = [index for value, index in candidates if math.isclose(value, top, rel_tol=1e-9)]
        return tied[0] if len(tied) == 1 else None

    claims = {}
    for i, candidates in best[0].items():
        j = single(candidates)
        if j is not None and single(best[1][j]) == i:
            claims[i] = (j, odds[i, j] / (1 + math.fsum(value for value, _ in candidates)))
    return claims
