"""The page of questions: the same figures as ``idbits questionnaire``, and every state in its address."""

import csv
import html
import itertools
import math
import re
from collections import Counter
from dataclasses import astuple
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pyarrow as pa
import pytest

import idbits
from idbits.engines.base import OpenOptions
from idbits.errors import InputError
from idbits.examples.public import NORWEGIAN_AGES
from idbits.web.questions.answering import answer_link
from idbits.web.questions.bank import Bank, Place
from idbits.web.questions.examples import QuestionToCount, _merged, count_table, examples_in, shipped_examples
from idbits.web.questions.link import MOST_QUESTIONS, QuestionLink, read_own_question, read_people

from .conftest import PEOPLE, Site

BIRTH, CODE, SEX = "example.birthdate:year", "example.postcode:prefix2", "example.sex"


def ask(*keys: str, **more: str) -> str:
    people = int(more["people"]) if "people" in more else None
    return QuestionLink(more.get("place"), people, keys).address("/questions.json")


@pytest.mark.big
def test_without_questions_everyone_is_left(site: Site) -> None:
    page = site.text("/")
    assert f"{PEOPLE:,} people" in page
    assert "made up" in page
    assert site.data("/questions.json")["steps"] == []


def test_questions_counted_together_are_those_of_the_command(site: Site) -> None:
    survey = {
        "population": PEOPLE,
        "questions": [{"name": "Date of birth"}, {"name": "Postcode"}, {"name": "Sex"}],
        "joint": [
            {
                "questions": ["Date of birth", "Postcode", "Sex"],
                "distribution": f"{site.folder / 'people.parquet'}:birthdate:year,zip:prefix2,gender",
            }
        ],
    }
    expected = idbits.questionnaire(survey).to_dict()
    answer = site.data(ask(BIRTH, CODE, SEX))
    assert answer["steps"] == expected["steps"]
    assert answer["order"] == expected["order"]
    assert answer["dropping"] == expected["dropping"]
    assert answer["independent"] is False
    assert {one["source"] for one in answer["asked"]} == {answer["asked"][0]["source"]}


@pytest.mark.big
def test_questions_of_ones_own_are_those_of_the_command(site: Site) -> None:
    survey = {
        "population": 16_000_000,
        "questions": [{"name": "Education", "share": 0.3}, {"name": "Hair", "shares": [0.6, 0.3, 0.1]}],
    }
    expected = idbits.questionnaire(survey).to_dict()
    answer = site.data(ask("=30|Education", "=60,30,10|Hair", place="other", people="16000000"))
    for mine, theirs in zip(answer["steps"], expected["steps"], strict=True):
        for key in ("best_case", "expected_at_most", "factor"):
            assert mine[key] == pytest.approx(theirs[key], rel=1e-12)
    assert answer["steps"][0]["worst_case"] is None
    assert answer["steps"][0]["reasons"]["worst_case"] == "only the most common answer is known"


def test_adding_a_question_never_leaves_more_people(site: Site) -> None:
    steps = site.data(ask(SEX, CODE, "=50,50|Coin", BIRTH))["steps"]
    for case in ("best_case", "expected", "worst_case"):
        left = [PEOPLE, *(step[case] for step in steps)]
        assert all(after <= before + 1e-9 for before, after in itertools.pairwise(left))


def test_coarser_questions_leave_more_people(site: Site) -> None:
    fine = site.data(ask("example.birthdate"))["steps"][0]["expected"]
    month = site.data(ask("example.birthdate:month"))["steps"][0]["expected"]
    year = site.data(ask("example.birthdate:year"))["steps"][0]["expected"]
    assert fine < month < year


def test_a_smaller_group_is_a_smaller_crowd(site: Site) -> None:
    everyone, town = site.data(ask(SEX)), site.data(ask(SEX, people="500"))
    assert town["steps"][0]["best_case"] == pytest.approx(everyone["steps"][0]["best_case"] / 10)


@pytest.mark.parametrize(
    ("pressed", "expected"),
    [
        ("q=example.sex&add=example.birthdate", ["example.sex", "example.birthdate"]),
        ("q=example.sex&q=example.birthdate&up=1", ["example.birthdate", "example.sex"]),
        ("q=example.sex&q=example.birthdate&down=0", ["example.birthdate", "example.sex"]),
        ("q=example.sex&q=example.birthdate&up=0", ["example.sex", "example.birthdate"]),
        ("q=example.sex&q=example.birthdate&drop=0", ["example.birthdate"]),
        ("q=example.sex&drop=7", ["example.sex"]),
        ("q=example.sex&add=own&own_name=Cat&own_share=60", ["example.sex", "=60|Cat"]),
        ("place=example&people=&q=example.sex", ["example.sex"]),
    ],
)
def test_every_button_leads_to_an_address_of_its_own(site: Site, pressed: str, expected: list[str]) -> None:
    answer_ = site.get(f"/?{pressed}", follow_redirects=False)
    assert answer_.status_code == 303
    address = answer_.headers["location"]
    assert [value for name, value in parse_qsl(urlsplit(address).query) if name == "q"] == expected
    # And that one stays.
    assert site.get(address, follow_redirects=False).status_code == 200


def test_with_a_script_the_page_comes_at_once_and_names_its_address(site: Site) -> None:
    answer_ = site.get("/?q=example.sex&add=example.birthdate", headers={"HX-Request": "true"}, follow_redirects=False)
    assert answer_.status_code == 200
    assert answer_.headers["hx-push-url"] == "/?q=example.sex&q=example.birthdate"
    assert 'id="app"' in answer_.text
    assert 'id="status"' in answer_.text


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("people=many", "number of people must be a whole number"),
        ("people=0", "number of people must be a whole number"),
        ("people=-5", "number of people must be a whole number"),
        ("place=atlantis", '"atlantis"'),
        ("add=own&own_name=&own_share=60", "60 characters"),
        ("add=own&own_name=Cat&own_share=", "how many in 100 people"),
        ("add=own&own_name=Cat&own_share=0", "more than 0 and at most 100"),
        ("add=own&own_name=Cat&own_share=150", "more than 0 and at most 100"),
        ("add=own&own_name=Cat&own_share=50, 20", "add up to 70 in 100 people"),
        ("&".join(f"q==50|c{n}" for n in range(MOST_QUESTIONS + 1)), f"at most {MOST_QUESTIONS} questions"),
    ],
)
def test_bad_input_is_one_clear_sentence(site: Site, query: str, sentence: str) -> None:
    page = site.text(f"/?{query}", status=400)
    assert sentence in html.unescape(page)
    assert 'role="alert"' in page
    if "add=" not in query:
        assert sentence in site.data(f"/questions.json?{query}", status=400)["error"]


def test_a_group_of_ones_own_starts_with_a_number(site: Site) -> None:
    answer_ = site.get("/?place=other&q=example.sex", follow_redirects=False)
    assert answer_.headers["location"] == f"/?place=other&people={PEOPLE}&q=example.sex"
    assert site.data("/questions.json?place=other", status=400)["error"] == "enter the number of people"


def test_what_a_link_names_and_the_server_does_not_have_is_said(site: Site) -> None:
    page = html.unescape(site.text("/?q=nl.age&q=example.sex"))
    assert re.search('Left out: [^<]*"nl.age"', page)
    assert "Are you a man or a woman?" in page
    assert site.data("/questions.json?q=nl.age", status=400)["error"].startswith('the question "nl.age"')
    assert 'no view "year"' in site.data("/questions.json?q=example.sex:year", status=400)["error"]


def test_markup_in_a_question_of_ones_own_is_text(site: Site) -> None:
    page = site.text(QuestionLink(asked=("=60|<img src=x onerror=alert(1)>",)).address())
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_every_help_leads_to_what_it_promises(bank: Bank) -> None:
    answer = answer_link(bank, QuestionLink(asked=("example.birthdate", CODE, "=60,30,10|Hair")))
    assert answer.drops
    assert answer.coarser
    for suggestion in (*answer.drops, *answer.coarser):
        there = answer_link(bank, suggestion.link)
        assert there.crowd.expected == pytest.approx(suggestion.change.crowd.expected)


def test_a_help_that_leads_to_another_table_promises_what_that_counts() -> None:
    # Years are known without the postcode, bands only together with it.
    ages, bands = ("", "in years", ("age",)), ("band10", "in bands", ("age:band10",))
    place, sex = Place("x", "a town"), QuestionToCount("sex", "Sex", "Which?", (("", "as it is", ("sex",)),))
    code = QuestionToCount("code", "Postcode", "Where?", (("", "all of it", ("code",)),))
    age = [QuestionToCount("age", "Age", "How old?", ways) for ways in ((bands,), (ages, bands))]
    rows = [{"age": 3 * n % 50, "code": n * n % 7, "sex": n % 3 % 2} for n in range(400)]
    frame = pa.Table.from_pylist(rows)
    town = _merged(
        count_table(frame, OpenOptions(), place, "of codes", (code, age[0], sex)),
        count_table(frame.slice(0, 300), OpenOptions(), place, "of ages", (age[1], sex)),
    )
    for keys in itertools.chain(itertools.permutations(("x.code", "x.age", "x.sex", "=60,30,10|Hair")), [("x.age",)]):
        answer = answer_link(town, QuestionLink(asked=keys))
        assert {suggestion.change.view for suggestion in answer.coarser} >= {"in bands"}
        for suggestion in (*answer.drops, *answer.coarser):
            there = answer_link(town, suggestion.link)
            assert astuple(there.crowd) == pytest.approx(astuple(suggestion.change.crowd))
            assert (there.crowd.expected or 0) == pytest.approx(suggestion.change.times * (answer.crowd.expected or 0))


def test_the_order_on_offer_keeps_the_crowd_large_for_longest(bank: Bank) -> None:
    keys = ("example.birthdate", SEX, CODE)
    result = answer_link(bank, QuestionLink(asked=keys)).result
    assert result is not None

    def cost(asked: tuple[str, ...]) -> float:
        return sum(
            -math.log2(item.crowd.expected or 1) for item in answer_link(bank, QuestionLink(asked=asked)).questions
        )

    names = {"Date of birth": keys[0], "Sex": keys[1], "Postcode": keys[2]}
    best = tuple(names[name] for name in result.order)
    import itertools

    assert cost(best) == pytest.approx(min(cost(order) for order in itertools.permutations(keys)))


def test_many_questions_are_no_longer_ordered_exactly_but_still_answered(bank: Bank) -> None:
    keys = tuple(f"={50 + n},{50 - n}|own {n}" for n in range(MOST_QUESTIONS))
    answer = answer_link(bank, QuestionLink(asked=keys))
    assert len(answer.questions) == MOST_QUESTIONS
    assert answer.result is not None
    # Independent questions: the one that gives away least comes first.
    assert answer.result.order[0] == f"own {MOST_QUESTIONS - 1}"


def test_the_same_question_is_asked_once(bank: Bank) -> None:
    answer = answer_link(bank, QuestionLink(asked=("example.birthdate", "example.birthdate:year", "=50|A", "=60|A")))
    assert [item.name for item in answer.questions] == ["Date of birth", "A", "A (2)"]


def test_percentages_that_were_rounded_are_parts_of_their_sum(bank: Bank) -> None:
    answer = answer_link(bank, QuestionLink(asked=("=33.3,33.3,33.3|Third",)))
    assert answer.questions[0].crowd.best_case == pytest.approx(PEOPLE / 3)
    assert any("add up to 99.9" in note for note in answer.notes)


def test_an_entry_of_the_repository_can_be_asked(site: Site) -> None:
    entries = site.app.state.repository.entries().entries
    whole = next(entry for entry in entries if entry.is_whole)
    said = whole.statement
    answer = site.data(ask(f"entry.{whole.ref}", place="other", people=str(said.n_people)))
    assert answer["steps"][0]["best_case"] == pytest.approx(max(cell.people for cell in whole.cells))
    assert answer["steps"][0]["expected"] == pytest.approx(said.n_people / 2**said.entropy_bits)
    kappa = next(entry for entry in entries if not entry.cells)
    answer = site.data(ask(f"entry.{kappa.ref}", place="other", people="1000"))
    assert answer["steps"][0]["expected"] == pytest.approx(1000 / 2**kappa.statement.entropy_bits)
    assert answer["steps"][0]["worst_case"] is None
    assert site.data(ask("entry.0000000000000000"), status=400)["error"].startswith('the question "entry.')


def test_numbers_as_people_type_them() -> None:
    assert read_people("16 000 000") == read_people("16.000.000") == read_people("16'000'000") == 16_000_000
    with pytest.raises(InputError):
        read_people("1.5")
    assert read_own_question(" Left  handed ", "90 10").key == "=90,10|Left handed"


@pytest.mark.big
def test_the_counts_of_real_places_are_those_of_their_files(shared_data: Path) -> None:
    bank = examples_in(shared_data)
    assert bank is not None
    ages: Counter[str] = Counter()
    with (shared_data / "nl-ages.csv").open(encoding="utf-8-sig") as file:
        for row in csv.DictReader(file, delimiter=";"):
            if row["jaar"] == "2023" and row["geslacht"] != "T":
                ages[row["leeftijd"]] += int(row["aantal"])
    n = sum(ages.values())
    place = bank.place("nl")
    assert place is not None
    assert place.people == n
    crowd = answer_link(bank, QuestionLink("nl", asked=("nl.age",))).crowd
    entropy = -math.fsum(k / n * math.log2(k / n) for k in ages.values())
    assert crowd.expected == pytest.approx(n / 2**entropy)
    assert crowd.best_case == pytest.approx(max(ages.values()))
    assert crowd.worst_case == pytest.approx(min(ages.values()))
    # Postcode, age band and sex were counted together, so together they are not independent.
    together = answer_link(bank, QuestionLink("nl", asked=("nl.postcode", "nl.age:band5", "nl.sex")))
    assert together.result is not None
    assert together.result.together == (("Postcode", "Age", "Sex"),)
    assert all("nl-postcode-age-sex.csv.gz" in (item.source or "") for item in together.questions)
    assert not place.made_up


@pytest.mark.big
def test_what_comes_with_the_package_is_what_the_files_say(shared_data: Path) -> None:
    shipped, published = shipped_examples(), examples_in(shared_data)
    assert published is not None
    for key in (
        "nl.age",
        "no.home",
        "no.home:county",
        "no.age:band10",
        "us.birthday",
        "us.birthday:month",
    ):
        link = QuestionLink("no", asked=(key,))
        assert astuple(answer_link(shipped, link).crowd) == astuple(answer_link(published, link).crowd), key
    assert [(place.key, place.made_up) for place in shipped.places] == [("nl", False), ("no", False), ("us", False)]
    assert "CC BY 4.0" in (answer_link(shipped, QuestionLink(asked=("nl.age",))).questions[0].source or "")


@pytest.mark.big
def test_shipped_questions_are_those_of_a_plain_count() -> None:
    people: Counter[tuple[str, int]] = Counter()
    for row in NORWEGIAN_AGES.table().to_pylist():
        people[row["municipality"][:2], row["age"] // 10] += row["people"]
    n = people.total()
    crowd = answer_link(shipped_examples(), QuestionLink("no", asked=("no.home:county", "no.age:band10"))).crowd
    assert crowd.best_case == pytest.approx(max(people.values()))
    assert crowd.worst_case == pytest.approx(min(k for k in people.values() if k))
    assert crowd.expected == pytest.approx(n / 2 ** -math.fsum(k / n * math.log2(k / n) for k in people.values() if k))


def test_nobody_else_left_is_said_so(site: Site) -> None:
    keys = ("example.birthdate", "example.postcode", "=50|A", "=50|B", "=50|C", "=50|D")
    page = html.unescape(site.text(QuestionLink(asked=keys).address()))
    assert "Probably nobody but you" in page
    assert "That is only you." in page
    assert "at most fewer" not in page
    # Nobody gives away more than what tells everyone apart.
    assert f"all {math.log2(PEOPLE):.2f}" in page


def test_bounds_are_rounded_to_their_safe_side(site: Site) -> None:
    # 90 in 100 give the most common answer: at most 2 to the power of -H(0.9, 0.1) of 1,000 people are left.
    page = html.unescape(site.text("/?place=other&people=1000&q=%3D90%7CHand"))
    left = 1000 * 0.9**0.9 * 0.1**0.1
    assert (math.floor(left), math.ceil(left)) == (722, 723)
    assert "At most 723 people" in page
    least = math.floor(100 * math.log2(1000 / left)) / 100
    assert f"at least {least:.2f}" in page
    assert least < math.log2(1000 / left) < least + 0.01


def tips(page: str) -> list[tuple[str, str, str]]:
    """Return the address, name and effect of each tip."""
    found = re.findall(r'<li><a href="([^"]+)"[^>]*>((?:Do not ask|Ask) [^<]*)</a>: ([^<]*)</li>', page)
    return [(html.unescape(address), html.unescape(name), effect) for address, name, effect in found]


def people_said(headline: str) -> float:
    if "nobody" in headline:
        return 1.0
    number, unit = re.search(r"([\d.,]+)( million)?", headline).groups()  # type: ignore[union-attr]
    return float(number.replace(",", "")) * (1e6 if unit else 1)


TINY = [
    ("example.birthdate", "example.postcode", "example.sex"),
    ("example.birthdate", "example.postcode"),
    ("example.birthdate:month", "example.postcode:prefix2", "=60,30,10|Hair"),
    ("example.birthdate:year", "example.postcode:prefix3", "example.sex"),
    ("example.birthdate:year", "example.postcode:prefix1", "example.sex", "=20,20,20,20,20|Club"),
    ("=30|Education", "example.postcode:prefix3"),
    tuple(f"=60,40|own {n}" for n in range(14)),
]


@pytest.mark.parametrize("keys", TINY)
def test_a_tip_always_leaves_somebody_else(site: Site, keys: tuple[str, ...]) -> None:
    page = site.text(QuestionLink(asked=keys).address())
    before = people_said(re.search('class="headline">([^<]*)<', page)[1])
    assert "1.1 times" not in page
    for address, name, effect in tips(page):
        there = site.data(address.replace("/?", "/questions.json?"))["steps"][-1]
        left = there["expected"] if there["expected"] is not None else there["best_case"]
        assert left >= 2, name
        assert math.floor(left) > before or before == 1, name
        if "times as many" in effect:
            assert before > 1
            assert float(effect.split()[0].replace(",", "")) >= 1.2
        else:
            assert before == 1
            assert effect.startswith(("leaves about ", "leaves "))
    assert tips(page), "some change helps"


def test_if_no_single_change_is_enough_the_page_names_several(site: Site) -> None:
    keys = ("example.birthdate", "example.postcode", "=10,10,10,10,10,10,10,10,10,10|Club", "=50,50|Cat")
    page = html.unescape(site.text(QuestionLink(asked=keys).address()))
    assert "No single change is enough." in page
    address, name, effect = tips(page)[0]
    data = site.data(QuestionLink(asked=keys).address("/questions.json"))
    dropped = data["fewest_drops"]["questions"]
    assert len(dropped) > 1
    assert name == f"Do not ask {', '.join(dropped[:-1])} and {dropped[-1]}"
    after = site.data(address.replace("/?", "/questions.json?"))
    assert after["steps"][-1]["expected"] == pytest.approx(data["fewest_drops"]["expected"])
    assert data["fewest_drops"]["expected"] >= 5
    assert effect.startswith("leaves about ")


def test_the_page_says_how_many_people_would_be_unique(site: Site) -> None:
    link = QuestionLink(asked=("example.birthdate:year", "example.postcode:prefix2", SEX))
    data = site.data(link.address("/questions.json"))
    unique = data["steps"][-1]["unique_people"]
    table = idbits.predict.singletons(
        PEOPLE, distribution=f"{site.folder / 'people.parquet'}:birthdate:year,zip:prefix2,gender"
    )
    assert unique == pytest.approx(table.mean.exact)
    page = html.unescape(site.text(link.address()))
    three = 10 ** max(0, len(str(int(unique))) - 3)
    assert f"about {round(unique / three) * three:,} of them" in page
    # The first tip is the question to drop.
    best = min(data["dropping"], key=lambda change: change["unique_people"])
    assert data["drop"] == best["question"]
    assert tips(page)[0][1] == f"Do not ask {best['question']}"
    few = html.unescape(site.text("/?q=example.sex"))
    assert "hardly anyone would be unique" in few
    unknown = html.unescape(site.text(QuestionLink(asked=("=60|Cat",)).address()))
    assert "How many people would be unique is not known" in unknown


def test_without_scripts_each_choice_has_a_button_that_is_seen(site: Site) -> None:
    page = site.text(QuestionLink(asked=("example.birthdate",)).address())
    assert page.count("<noscript><button>Show</button></noscript>") == 2
