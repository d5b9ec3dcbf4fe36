"""Errors of Python functions name arguments, those of commands name options; nothing else about them differs."""

import ast
import inspect
import pickle
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import idbits
import idbits.predict
import idbits.repository
from commands import Run
from idbits.errors import (
    ColumnNotFoundError,
    DataError,
    EngineError,
    IdbitsError,
    InputError,
    NotEstimableError,
    RefusedError,
    UnreadDatesError,
)
from idbits.repository import PublicationDetails
from idbits.studies.shared.python_errors import arguments_of, naming_arguments, python_error

SOURCE = Path(idbits.__file__).parent
MODULES = (idbits, idbits.predict, idbits.repository)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
PEOPLE = pyarrow.table(
    {
        "zip": ["1011", "1011", "9985", "9985", "1011", "9000"],
        "sex": ["F", "M", "F", "F", "M", "M"],
        "age": [20, 21, 35, 36, 20, 60],
        "day": ["2005-01-03", "2005-01-04", "2005-01-05", "2005-01-03", "2005-02-04", "2005-02-05"],
        "who": [1, 2, 3, 4, 4, 5],
    }
)
OPTION = re.compile(r"(?<![\w-])--?[a-z]+")
ARGUMENT = re.compile(r"(?<![\w{])([a-z]\w*)=")


def every_argument() -> set[str]:
    named = {name for function in FUNCTIONS.values() for name in arguments_of(function)}
    methods = set(inspect.signature(idbits.repository.Repository.follow).parameters)
    return named | methods | set(inspect.signature(PublicationDetails).parameters)


# What all messages say

PRINTED = ("python_words", "notices", "exchange_notices", "queries")
"""Modules with sentences that only commands print."""


def literals(tree: ast.AST) -> Iterator[str]:
    """Give the texts of a module, with a word in place of what is filled in; without docstrings."""
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inner | documentation:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else " it " for part in node.values)


def messages() -> list[str]:
    """Return every sentence of the source that names an option, except those that only commands print."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        folder, *_ = path.relative_to(SOURCE).parts
        if folder in ("cli", "web", "render") or path.stem in PRINTED:
            continue
        sentences = [text for text in literals(ast.parse(path.read_text())) if re.search(r"--[a-z]", text)]
        found += [text for text in sentences if " " in text.strip() and "var(--" not in text]
    return found


VOCABULARY = '" it " is not in the vocabulary here; add it with idbits repository vocabulary --add, and decide again'
OTHER_WORDS = {
    "--explain shows the SQL that a database would run, but this source is not a database": "only the command has it",
    "--no- it ": "an option of a command line",
    "idbits decide it  --verify": "a command; as_call makes it a call",
    VOCABULARY: "a command",
}
"""Texts with options that Python does not have, and why."""


def test_every_message_can_name_arguments_that_exist() -> None:
    known, sentences = every_argument(), messages()
    assert len(sentences) > 500
    assert set(OTHER_WORDS) <= set(sentences)
    for sentence in set(sentences) - set(OTHER_WORDS):
        said = python_error(sentence, idbits.measure)
        assert not OPTION.search(said), said
        plain = re.sub(r"'[^']*'|\"[^\"]*\"|{[^}]*}|for example \w+=dob", "", said)
        assert set(ARGUMENT.findall(plain)) <= known, said
        assert "=True=" not in said
        assert not re.search(r"\w='(and|cannot|for|if|is|it|must|needs|on|or|reads|the|to|with|writes)\b", said), said


# What functions say


BASIC: dict[str, dict[str, Any]] = {
    "idbits.advise": {"source": PEOPLE, "qid": "zip,sex", "goal": "k_min >= 2"},
    "idbits.apply": {"source": PEOPLE, "qid": "zip,sex", "out": "treated.csv", "force": True, "drop": "who"},
    "idbits.check": {"policy": "nothing.toml"},
    "idbits.columns": {"source": PEOPLE, "candidates": "zip,sex"},
    "idbits.decide": {"report": "nothing.json", "decision": "approved", "by": "Ada", "why": "it is a test"},
    "idbits.disclosure": {"source": PEOPLE, "qid": "zip", "sensitive": "sex"},
    "idbits.events": {"source": PEOPLE, "person": "who", "time": "day"},
    "idbits.gain": {"source": PEOPLE, "columns": "zip,sex"},
    "idbits.inspect": {"source": PEOPLE},
    "idbits.leak": {"original": PEOPLE, "released": PEOPLE},
    "idbits.link": {"a": PEOPLE, "b": PEOPLE, "on": "zip,age"},
    "idbits.list_decisions": {"place": "nothing.jsonl"},
    "idbits.measure": {"source": PEOPLE, "qid": "zip,sex"},
    "idbits.overlap": {"source": PEOPLE, "zones": "zip,sex"},
    "idbits.population": {"source": PEOPLE, "qid": "zip", "people": 100},
    "idbits.predict.correlated": {"sd": (1, 1), "rho": 0.5, "width": (1, 1), "k": 10},
    "idbits.predict.group": {"cost": 1, "values": 10},
    "idbits.predict.singletons": {"k": 10, "values": 10},
    "idbits.predict.suspects": {"weights": "1,2"},
    "idbits.predict.uniqueness": {"k": 10, "values": 10},
    "idbits.predict.width": {"distribution": PEOPLE, "attribute": "age", "width": 1, "k": 5},
    "idbits.questionnaire": {"survey": "nothing.toml"},
    "idbits.randomise": {"source": PEOPLE, "mechanism": "response", "epsilon": 1},
    "idbits.report": {"source": PEOPLE, "qid": "zip,sex", "sections": "sizes"},
    "idbits.repository.connect": {"address": "http://repository.example"},
    "idbits.repository.signing_key": {"path": Path("nothing.pem")},
    "idbits.verify_decisions": {"place": "nothing.jsonl"},
}
"""Questions that are answered, or fail for want of a file."""
NEED_A_REPOSITORY = {
    f"idbits.repository.{name}" for name in ("backup", "export", "import_file", "publish", "restore", "sync")
}
WRONG: tuple[Any, ...] = ("nonsense", -1, ["age", "sex"], {"age": -1})


def errors_of(name: str) -> Iterator[IdbitsError]:
    """Give the errors of a function for wrong values of its arguments, one at a time and some in pairs."""
    function, basic = FUNCTIONS[name], BASIC[name]
    arguments = [each for each in arguments_of(function) if each != "progress"]
    # How a table is read is the same everywhere.
    own = arguments if name in ("idbits.inspect", "idbits.measure") else [*inspect.signature(function).parameters]
    asked = [{each: value} for each in own for value in WRONG if each in arguments]
    asked += [{each: None} for each in basic]
    asked += [{each: value, "count": "age"} for each in ("person", "records", "analysis") for value in ("who", "zip")]
    asked += [
        {"person": "who", each: "zip"} for each in ("knows", "by", "household", "null_person", "population_person")
    ]
    asked += [{"master": "local[1]"}, {"rows_are_people": True, "person": "who"}, {"population": PEOPLE, "by": "sex"}]
    for more in asked:
        if set(more) <= set(arguments):
            try:
                function(**(basic | more))
            except IdbitsError as error:
                yield error
            except (AttributeError, KeyError, TypeError, ValueError, OSError):
                # A value of another type is not a question.
                continue


def test_all_functions_are_called() -> None:
    assert set(FUNCTIONS) == set(BASIC) | NEED_A_REPOSITORY


@pytest.mark.big
@pytest.mark.parametrize("name", sorted(BASIC))
def test_no_error_of_a_function_names_an_option(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    raised = list(errors_of(name))
    assert raised
    for error in raised:
        assert not re.search(r"--[a-z]", str(error)), error
        back = pickle.loads(pickle.dumps(error))
        assert (type(back), str(back), back.exit_code) == (type(error), str(error), error.exit_code)


# What stays as it is


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("measure --qid zip --person who --rows-are-people",
         "--rows-are-people cannot be combined with --person; leave out one of them"),
        ("measure --qid zip --person who --knows two", "--knows must be one-record, any-record or all-records"),
        ("gain --columns zip,sex --smoothing 0.1", "--smoothing needs a prior; give one with --prior"),
        ("measure --qid zip --memory 1MB", "the memory must be at least 64MB (--memory)"),
        ("disclosure --qid zip", "name the column that must not be learnt, for example --sensitive diagnosis"),
    ],
)  # fmt: skip
def test_commands_name_options(run: Run, tmp_path: Path, command: str, said: str) -> None:
    pyarrow.parquet.write_table(PEOPLE, tmp_path / "people.parquet")
    name, *options = command.split()
    assert run(name, tmp_path / "people.parquet", *options).failed(2) == f"idbits: {said}\n"


def test_commands_name_options_of_repositories(run: Run, tmp_path: Path) -> None:
    said = "idbits: http:// would send the key unencrypted; use https:// (or --insecure)\n"
    store = tmp_path / "repository.db"
    assert run("repository", "follow", "http://repository.example", "--repository", store).failed(2) == said
    assert (
        run("query", "--qid", "gender", "--population", "City=X", "--repository", "http://a.example").failed(2) == said
    )
    for connected in (idbits.repository.connect, idbits.repository.RemoteRepository):
        with pytest.raises(InputError, match=re.escape("use https:// (or insecure=True)")):
            connected("http://repository.example")


RAISED: list[IdbitsError] = [
    InputError("no value (--qid)"),
    DataError("no value (--qid)"),
    EngineError("no value (--qid)"),
    NotEstimableError("no value (--qid)"),
    UnreadDatesError("no value (--qid)", "99/99"),
    RefusedError("small_groups", "no value (--qid)"),
]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_only_the_words_of_an_error_change(error: IdbitsError) -> None:
    def ask(qid: str) -> None:
        raise error from DataError(f"{qid} (--qid)")

    with pytest.raises(type(error)) as raised:
        naming_arguments(ask)("zip")
    assert raised.value is error
    assert str(error) == "no value (qid=)"
    assert str(error.__cause__) == "zip (qid=)"
    assert "in ask\n" in "".join(traceback.format_exception(error))
    assert "--" not in "".join(traceback.format_exception_only(error))
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.exit_code, vars(back)) == (
        type(error),
        str(error),
        error.exit_code,
        vars(error),
    )


def test_names_in_a_table_stay() -> None:
    table = pyarrow.table({"--qid": ["1"], "a --where": ["2"]})
    with pytest.raises(ColumnNotFoundError, match='no column named "--person"') as raised:
        idbits.measure(table, ["--person"])
    assert (raised.value.name, raised.value.columns) == ("--person", ("--qid", "a --where"))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_stay_what_they_were(name: str) -> None:
    function = FUNCTIONS[name]
    module, _, own = name.rpartition(".")
    assert (function.__module__, function.__qualname__) == (module, own)
    assert pickle.loads(pickle.dumps(function)) is function
    inner = inspect.unwrap(function)
    assert inner is not function
    assert inspect.signature(function) == inspect.signature(inner)
    assert function.__doc__ == inner.__doc__
    assert function.__doc__
    assert inspect.getsource(function) == inspect.getsource(inner)
