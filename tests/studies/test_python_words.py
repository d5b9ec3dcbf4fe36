"""Notebooks show calls of Python that can be made, and sentences that name arguments."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import idbits
from idbits.reading import Reading
from idbits.render.blocks import Command, Items, Level, TableBlock, Verdict
from idbits.studies.shared.python_words import as_call, in_python, python_sentence

TEXTS = Path(__file__).parents[1] / "frozen" / "files" / "text"
SUGGESTED = sorted(
    {line.strip() for path in TEXTS.glob("*.txt") for line in re.findall(r"^  idbits .*$", path.read_text(), re.M)}
)


@pytest.mark.parametrize("command", [line for line in SUGGESTED if "..." not in line])
def test_a_suggested_command_is_a_call_that_python_accepts(command: str) -> None:
    call = ast.parse(as_call(command), mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    parameters = inspect.signature(getattr(idbits, call.func.attr)).parameters
    given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    assert set(given) <= set(parameters) | set(Reading.__annotations__)
    assert [ast.literal_eval(word) for word in call.args] == [command.split()[2]]


def test_there_are_commands() -> None:
    assert len(SUGGESTED) > 8


@pytest.mark.parametrize(
    "command",
    ["idbits serve", "idbits init people.csv", "idbits measure people.csv --no-header", "idbits measure 'a", "ls -l"],
)
def test_what_is_no_call_stays_a_command(command: str) -> None:
    assert as_call(command) == command


def test_options_that_are_given_twice_become_a_list() -> None:
    assert as_call("idbits measure p.csv --qid a --qid b,c") == "idbits.measure('p.csv', qid=[['a'], ['b', 'c']])"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Choose one with --person.", "Choose one with person=."),
        ("Add --null-person own, or see --null.", "Add null_person='own', or see null=."),
        ("3 more rows in --json.", "3 more rows in to_json()."),
        ("(see --points 1..5,all).", "(see points='1..5,all')."),
        ("--rows-are-people says so.", "rows_are_people=True says so."),
        ("use --distribution FILE:age.", "use distribution=FILE:age."),
        ("--knows must be one of these; --plan reads a plan.", "knows= must be one of these; plan= reads a plan."),
        ("for example --out treated.csv", "for example out='treated.csv'"),
        ("add --engine spark, or --weight COLUMN", "add engine='spark', or weight=COLUMN"),
        ("fewer --scales; leave out --coverage: it is known", "fewer scales; leave out coverage: it is known"),
        ("use idbits apply --drop", "use idbits.apply with drop="),
        ("idbits measure --json lists it", "idbits.measure(...).to_json() lists it"),
        ("as in --ranks age=a,b,c; --cells FILE", "as in ranks={'age': ['a', 'b', 'c']}; cells=True"),
        ("my/--where.csv and pre--where", "my/--where.csv and pre--where"),
        ("--knows all-records: it counts", "knows='all-records': it counts"),
        ("A dash -- and a range 1--2 stay.", "A dash -- and a range 1--2 stay."),
    ],
)  # fmt: skip
def test_sentences_name_arguments(sentence: str, shown: str) -> None:
    assert python_sentence(sentence) == shown


def test_all_parts_of_blocks_are_reworded() -> None:
    blocks = [
        Verdict(Level.BAD, "Bad (--where)", "You can add --person id.", ("--reveal shows it",)),
        Items("Not assessed", ("--columns",)),
        TableBlock("T", ("a --by",), [["--qid"]], caption="--json has all"),
        Command("Next", "idbits inspect p.csv"),
    ]
    shown = repr(in_python(blocks))
    assert "--" not in shown
    for words in ("where=", "person='id'", "reveal=True", "columns=", "by=", "qid=", "to_json()", "idbits.inspect"):
        assert words in shown


def test_marked_names_of_columns_are_no_options() -> None:
    sentence = "Name \u2068age --by\u2069 or \u2068zip\u2069 with --person; --by splits \u2068--by\u2069."
    assert (
        python_sentence(sentence)
        == "Name \u2068age --by\u2069 or \u2068zip\u2069 with person=; by= splits \u2068--by\u2069."
    )
