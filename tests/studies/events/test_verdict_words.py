"""The verdict about events fits tables in which few people, pairs or nobody else are left."""

import pyarrow as pa

import idbits


def verdict(people: list[str], days: list[int], **options: int) -> str:
    table = pa.table({"who": people, "when": [f"2005-01-{day:02}" for day in days]})
    return str(idbits.events(table, "who", "when", **options).to_dict()["verdict_reasons"][0])


def test_one_pair() -> None:
    assert verdict(["a", "a"], [1, 2]).startswith("1 of 1 pair of events (100%) belongs to only one person")


def test_others_who_were_left_out_are_in_the_table() -> None:
    reason = verdict(["a", "a", "b", "b", "b"], [1, 2, 1, 2, 3], max_events=3)
    assert reason.endswith("All pairs belong to one person, the only one that we measured.")


def test_shared_pairs_are_counted_once() -> None:
    assert verdict(["a", "a", "b", "b"], [1, 2] * 2).startswith("2 people share the only pair of events (when).")
    several = verdict(["a"] * 3 + ["b"] * 3, [1, 2, 3] * 2)
    assert several.startswith("At least 2 people share each of the 3 different pairs of events (when).")


def test_little_is_not_nothing() -> None:
    people = [f"p{i}" for i in range(1000) for _ in range(2)]
    reason = verdict([*people, "q", "q"], [1, 2] * 1000 + [1, 3])
    assert "A pair gives away <0.01 of the 9.97 bits" not in reason
    assert "A pair gives away 0.01 of the 9.97 bits" in reason
