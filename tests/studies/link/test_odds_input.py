"""What links by odds refuse, and notes about them."""

import pyarrow
import pytest

import idbits
from idbits.errors import DataError, InputError, NotEstimableError

NAMES = pyarrow.table({"name": [f"n{i % 30}" for i in range(200)], "zip": [str(1000 + i % 40) for i in range(200)],
                       "pay": [str(i % 50) for i in range(200)], "id": list(range(200))})  # fmt: skip
ON = "name,zip,pay"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": "name=equal,near,else"}, 'no level is named "near"'),
        ({"levels": "name=else,equal"}, "can only be the first"),
        ({"levels": "age=equal,else"}, '"age" is not compared'),
        ({"levels": ["name=equal,else", "name=equal,else"]}, "two lists of levels"),
        ({"levels": "name=equal,5%,jw0.9,else"}, "cannot be mixed"),
        ({"block": "name"}, "is in every block"),
        ({"block": ["age", "zip"]}, '"age" is not compared'),
        ({"block": ["zip", "zip"]}, "given twice"),
        ({"threshold": 1.5}, "between 0 and 1"),
        ({"coverage": 0.5}, "leave out coverage:"),
        ({"sensitive": "id"}, "leave out probabilistic=True"),
        ({"count": "id"}, "one row per person"),
    ],
)
def test_wrong_questions(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        idbits.link(NAMES, NAMES, ON, probabilistic=True, **options)


def test_options_of_odds_need_them() -> None:
    for options in ({"block": "zip"}, {"levels": "zip=equal,else"}, {"threshold": 0.4}):
        with pytest.raises(InputError, match="is for probabilistic=True"):
            idbits.link(NAMES, NAMES, ON, **options)
    with pytest.raises(InputError, match="name how near values are with levels="):
        idbits.link(NAMES, NAMES, "name~edit1,zip,pay", probabilistic=True)


def test_databases_keep_their_rows() -> None:
    with pytest.raises(InputError, match="only counts leave a database"):
        idbits.link("sqlite:///people.db", NAMES, ON, probabilistic=True)


def test_pairs_are_counted_before_they_are_joined() -> None:
    with pytest.raises(DataError, match="2,340 pairs would be compared, more than max_pairs= allows"):
        idbits.link(NAMES, NAMES, ON, probabilistic=True, block=["name", "zip"], max_pairs=2_000)


def test_tables_without_common_people() -> None:
    others = pyarrow.table({"name": [f"m{i}" for i in range(100)], "zip": [str(2000 + i) for i in range(100)],
                            "pay": [f"{i}.5" for i in range(100)]})  # fmt: skip
    with pytest.raises(NotEstimableError):
        idbits.link(NAMES, others, ON, probabilistic=True)
    with pytest.raises(NotEstimableError, match="is empty"):
        idbits.link(NAMES, others.set_column(0, "name", [[" "] * 100]), ON, probabilistic=True)


def test_repeated_ids_are_refused() -> None:
    twice = pyarrow.concat_tables([NAMES, NAMES.slice(0, 3)])
    with pytest.raises(DataError, match='3 values of "id" occur more than once in the second table'):
        idbits.link(NAMES, twice, ON, truth="id", probabilistic=True)


def test_dates_in_two_orders_and_spaces_meet() -> None:
    days = [f"{1950 + i % 50}-{1 + i % 12:02}-{13 + i % 15:02}" for i in range(300)]
    first = pyarrow.table(
        {"born": days, "name": [f"n{i % 97}x" for i in range(300)], "zip": [str(i % 89) for i in range(300)]}
    )
    turned = [f" {day[8:]}.{day[5:7]}.{day[:4]}" for day in days]
    second = first.set_column(0, "born", [turned])
    answer = idbits.link(first, second, "born,name,zip", probabilistic=True, block=["name", "zip", "born"])
    equal = next(each for each in answer.weights if (each.column, each.level) == ("born", "equal"))
    assert equal.m > 0.9
    assert any("without spaces around them" in note for note in answer.notes)
