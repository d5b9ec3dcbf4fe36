"""How long a repository takes to check a distribution of 1,900 cells, in a repository that already has many counts.

    python bench/repository_cells.py

Each case publishes other distributions of the same country first, then times the last one completely: its signature,
its figures and all rules. All counts are of the same people on one day, so they agree, and the rules must compare
everything before they accept. The slowest case counts. The processor time is given.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
for folder in ("tests", "tests/repository"):
    sys.path.insert(0, str(ROOT / folder))

from helpers import Publisher  # noqa: E402

from idbits.errors import RefusedError  # noqa: E402
from idbits.repository import Repository  # noqa: E402
from idbits.repository.statements import Cell, Cells  # noqa: E402
from rows import add_json_option, at_most, record  # noqa: E402

CELLS, GOAL_SECONDS = 1900, 2
COUNTRY = {"country": "NL"}

View = Callable[[int], str]


def band(width: int) -> View:
    return lambda value: str(value // width * width)


def prefix(length: int) -> View:
    return lambda value: f"{value:04d}"[:length]


def same(value: int) -> str:
    return str(value)


class People:
    """The people of a country: how many have each combination of some numbers, so that all counts agree."""

    def __init__(self, *sizes: int, least: int = 40) -> None:
        generator = random.Random(1)
        self._counts = {values: generator.randint(least, 3 * least) for values in itertools.product(*map(range, sizes))}

    def cells(self, views: Sequence[tuple[int, View]]) -> Counter[tuple[str, ...]]:
        """Return the people with each combination of views, each of one of the numbers."""
        found: Counter[tuple[str, ...]] = Counter()
        for values, people in self._counts.items():
            found[tuple(view(values[index]) for index, view in views)] += people
        return found


def publish(publisher: Publisher, names: Sequence[str], cells: Counter[tuple[str, ...]], **others: object) -> None:
    """Publish a distribution; the names must be sorted."""
    total = sum(cells.values())
    bits = -sum(people / total * math.log2(people / total) for people in cells.values())
    listed = tuple(Cell(value, people) for value, people in cells.most_common())
    given = {"population": COUNTRY, "n_people": total, "n_values": len(cells), "entropy_bits": bits} | others
    publisher.publish(qid=tuple(names), distribution=Cells(listed), **given)


Entry = tuple[tuple[str, ...], list[tuple[int, View]]]
Case = tuple[People, list[Entry]]


def cases() -> dict[str, Case]:
    """Return for each case its people and the distributions that are published, the timed one last."""
    ages, towns = 95, 20
    two = People(ages, towns)
    wide = People(CELLS)
    four = People(2, 5, 10, 19)
    four_names = ("gender", "education", "marital status", "region")
    margins: list[Entry] = [
        (tuple(sorted(four_names[i] for i in some)), [(i, same) for i in sorted(some, key=lambda i: four_names[i])])
        for size in (1, 2, 3)
        for some in itertools.combinations(range(4), size)
    ]
    every: Entry = (tuple(sorted(four_names)), [(i, same) for i in sorted(range(4), key=lambda i: four_names[i])])
    views: list[Entry] = [((f"age:band{width}",), [(0, band(width))]) for width in (2, 3, 4, 5, 6, 7, 10, 15, 20)]
    crossed: list[Entry] = [((f"age:band{width}", "region"), [(0, band(width)), (1, same)]) for width in (5, 7, 10, 20)]
    return {
        "alone": (wide, [(("postcode",), [(0, same)])]),
        "again": (wide, [(("postcode",), [(0, same)])] * 2),
        "two attributes and their totals": (
            two, [(("age",), [(0, same)]), (("region",), [(1, same)]), (("age", "region"), [(0, same), (1, same)])]
        ),
        "two attributes and nine views": (two, [*views, (("age", "region"), [(0, same), (1, same)])]),
        "two attributes in four views": (two, [*crossed, (("age", "region"), [(0, same), (1, same)])]),
        "four attributes alone": (four, [every]),
        "four attributes and their margins": (four, [*margins, every]),
        "prefixes": (wide, [*(((f"postcode:prefix{length}",), [(0, prefix(length))]) for length in (1, 2, 3)),
                            (("postcode",), [(0, prefix(4))])]),
    }  # fmt: skip


def spent_on(people: People, published: Iterable[Entry]) -> tuple[float, str]:
    """Return the processor time of publishing the last distribution, and what became of it."""
    with tempfile.TemporaryDirectory() as folder:
        store = Repository.open(str(Path(folder) / "repository.db"))
        publisher = Publisher(store)
        spent, outcome = 0.0, ""
        for number, (names, views) in enumerate(published):
            began = time.process_time()
            try:
                publish(publisher, names, people.cells(views), source=f"count {number}")
                outcome = "accepted"
            except RefusedError as error:
                outcome = f"refused: {error.rule}"
            spent = time.process_time() - began
        store.close()
    return spent, outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_json_option(parser)
    parser.parse_args()
    found = {}
    for name, (people, published) in cases().items():
        found[name], outcome = spent_on(people, published)
        print(f"{CELLS:,} cells, {name}: {found[name]:.2f} s of processor time, {outcome}", flush=True)
        if outcome != "accepted":
            sys.exit(f"{name}: the counts agree and leave nobody, but were {outcome}")
    slowest = max(found, key=found.__getitem__)
    print(f"slowest: {slowest}, {found[slowest]:.2f} s (goal {GOAL_SECONDS} s)")
    record(
        "repository.cells", f"a distribution of {CELLS:,} cells checked, the slowest of {len(found)} cases",
        found[slowest], "s CPU", goals=[at_most(GOAL_SECONDS)], facts={"alone_cpu_s": found["alone"]},
    )  # fmt: skip


if __name__ == "__main__":
    main()
