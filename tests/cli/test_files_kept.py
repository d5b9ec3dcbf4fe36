"""No output option of any command replaces a file that the command reads, or another output of it.

The commands and their options come from the program itself: a new option that may name a file needs a case here.
"""

import hashlib
import inspect
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

import idbits
from idbits.cli import options
from idbits.cli.main import app
from idbits.file_guard import guarded_files, note_read, will_write
from idbits.storage import whole_file

Run = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A command with its arguments, the files that it reads by the parameter that leads to them, and its outputs.

    ``ends`` is the exit code when the outputs are files of their own; nothing is published in this folder.
    """

    command: str
    arguments: str
    reads: dict[str, str] = field(default_factory=dict)
    writes: tuple[str, ...] = ("out",)
    ends: int = 0

    def __str__(self) -> str:
        return f"{self.command} {self.arguments}"


REPOSITORY = {"repository": "repository.db"}
HERE = "--repository repository.db"
EVENTS = "visits.csv --person who --time day --attributes zip --period 2005-01 --points 1..2"

CASES = [
    Case(
        "measure", "people.csv --qid zip --population population.csv",
        {"source": "people.csv", "population": "population.csv"},
    ),
    Case("measure", "sqlite:///people.db --table people --qid zip", {"source": "people.db"}),
    Case("measure", "people.db --table people --qid zip", {"source": "people.db"}),
    Case("measure", "people.csv --qid zip --population sqlite:///people.db --population-table people",
         {"source": "people.csv", "population": "people.db"}),
    Case("measure", "folder --qid zip", {"source": "folder/part.csv"}),
    Case("measure", "folder/*.csv --qid zip", {"source": "folder/part.csv"}),
    Case(
        "population", "people.csv --qid zip,sex --people 1000",
        {"source": "people.csv"}, ("out", "records", "charts"),
    ),
    Case(
        "disclosure",
        "people.csv --qid zip --sensitive sex --population population.csv --prior sex=prior.csv "
        "--hierarchy sex=sexes.csv",
        {"source": "people.csv", "population": "population.csv", "prior": "prior.csv", "hierarchy": "sexes.csv"},
        ("out", "records", "charts"),
    ),
    Case(
        "advise", "people.csv --qid zip,sex --hierarchy sex=sexes.csv",
        {"source": "people.csv", "hierarchy": "sexes.csv"}, ("out", "plan", "charts"),
    ),
    Case("gain", "people.csv --columns zip,sex --analysis counts.csv",
         {"source": "people.csv", "analysis": "counts.csv"}, ("out", "cells")),
    Case(
        "gain", "people.csv --columns zip,sex --prior zip=prior.csv --count n --compare released.csv",
        {"source": "people.csv", "prior": "prior.csv", "compare": "released.csv"}, ("out", "cells"),
    ),
    Case(
        "apply", "people.csv --plan plan.json --drop n --pseudonym sex --key pseudonyms.key --rows-are-people",
        {"source": "people.csv", "plan": "plan.json", "key": "pseudonyms.key"}, ("out", "receipt", "mapping"),
    ),
    Case(
        "apply", "people.csv --plan levels.json --hierarchy sex=sexes.csv --drop n --rows-are-people",
        {"source": "people.csv", "plan": "levels.json", "hierarchy": "sexes.csv"}, ("out", "receipt", "mapping"),
    ),
    Case("inspect", "people.csv", {"source": "people.csv"}),
    Case(
        "report", "people.csv --qid zip --population population.csv --include saved.json",
        {"source": "people.csv", "population": "population.csv", "include": "saved.json"},
    ),
    Case(
        "report", "people.csv --qid zip --about about.md --decision decided",
        {"source": "people.csv", "about": "about.md"},
    ),
    Case("report", "people.csv --qid zip --sections bits --format pdf", {"source": "people.csv"}),
    Case(
        "decide", "decided/report.json --decision approve-with-treatment --by us --why later --key key.pem "
        "--plan plan.json --receipt decided/receipt.json",
        {
            "report": "decided/report.json", "key": "key.pem", "plan": "plan.json",
            "receipt": "decided/receipt.json",
        },
    ),
    Case("predict uniqueness", "--k 9 --distribution people.csv:zip", {"distribution": "people.csv"}, ("out", "chart")),
    Case("predict uniqueness", f"--k 9 --entry 0123456789abcdef {HERE}", REPOSITORY, ("out", "chart"), ends=3),
    Case("predict singletons", "--k 9 --distribution people.csv:zip", {"distribution": "people.csv"}, ("out", "chart")),
    Case("predict singletons", f"--k 9 --entry 0123456789abcdef {HERE}", REPOSITORY, ("out", "chart"), ends=3),
    Case("predict width", "--k 9 --width 1 --distribution people.csv:n", {"distribution": "people.csv"},
         ("out", "chart")),
    Case("predict correlated", "--sd 5,4 --rho 0.5 --width 1,1 --k 10", {}, ("out", "chart")),
    Case("predict group", "--cost 9 --distribution people.csv:zip", {"distribution": "people.csv"}),
    Case("predict group", f"--cost 9 --entry 0123456789abcdef {HERE}", REPOSITORY, ends=3),
    Case("predict suspects", "--distribution people.csv:zip", {"distribution": "people.csv"}),
    Case("questionnaire", "survey.toml", {"survey": "survey.toml", "its distribution": "people.csv"},
         ("out", "chart")),
    Case("questionnaire", f"entry.toml {HERE}", {"survey": "entry.toml", **REPOSITORY}, ("out", "chart"), ends=3),
    Case("leak", "people.csv released.csv --columns n", {"original": "people.csv", "released": "released.csv"},
         ("out", "chart")),
    Case("link", "people.csv released.csv --on zip", {"release": "people.csv", "second": "released.csv"},
         ("out", "charts", "records")),
    Case("link", "sqlite:///people.db people.csv --table people --on zip", {"release": "people.db"}, ("out", "charts")),
    Case("link", "people.csv --original released.csv --control population.csv --attack linkability --left zip "
         "--right sex", {"release": "people.csv", "original": "released.csv", "control": "population.csv"},
         ("out", "charts")),
    Case("overlap", "people.csv --zones zip,sex", {"source": "people.csv"}, ("out", "chart")),
    Case("overlap", "people.csv released.csv --person n --qid-a zip --qid-b zip --sensitive sex",
         {"source": "people.csv", "other": "released.csv"}, ("out", "chart")),
    Case("overlap", "sqlite:///people.db --table people --zones zip,sex", {"source": "people.db"}, ("out", "chart")),
    Case("randomise", "people.csv --columns n --mechanism laplace --epsilon 1", {"source": "people.csv"}),
    Case("init", "people.csv --force", {"sources": "people.csv"}),
    Case("init", "sqlite:///people.db --table people --force", {"sources": "people.db"}),
    Case(
        "check", "--policy policy.toml --baseline baseline.json --data a=released.csv",
        {
            "data": "released.csv",
            "policy": "policy.toml", "baseline": "baseline.json",
            "its population": "population.csv", "its database": "people.db", "its second table": "roll.csv",
            "its original people": "original.csv", "its control": "control.csv",
        },
        ("out", "junit"),
    ),
    Case("columns", "people.csv --candidates zip,sex", {"source": "people.csv"}, ("out", "charts", "records")),
    Case("demo", "--people 50"),
    Case("events", EVENTS, {"source": "visits.csv"}, ("out", "chart", "resume")),
    Case(
        "publish", f"people.csv --qid zip --population City=Amsterdam {HERE} --key key.pem",
        {"source": "people.csv", "key": "key.pem", **REPOSITORY},
        ends=2,
    ),
    Case("query", f"--qid postcode --population City=Amsterdam {HERE}", REPOSITORY),
    Case("repository keygen", "--key new.pem", {}, ("out", "key")),
    Case("repository add", f"somebody --public-key key.pem.pub {HERE}", {"public_key": "key.pem.pub", **REPOSITORY}),
    Case("repository revoke", f"registry {HERE}", REPOSITORY),
    Case("repository accounts", HERE, REPOSITORY),
    Case("repository entries", HERE, REPOSITORY),
    Case("repository retract", f"0123456789abcdef --reason wrong {HERE}", REPOSITORY, ends=3),
    Case("repository decide", f"0123456789abcdef wait --by us --why later {HERE}", REPOSITORY, ends=3),
    Case("repository decisions", f"0123456789abcdef {HERE}", REPOSITORY, ends=3),
    Case("repository vocabulary", HERE, REPOSITORY),
    Case("repository inventory", f"inventory.toml {HERE}", {"file": "inventory.toml", **REPOSITORY}),
    Case("repository match", HERE, REPOSITORY),
    Case("repository verify", HERE, REPOSITORY),
    Case("repository backup", HERE, REPOSITORY, ("out", "file")),
    Case("repository restore", "backup.jsonl --repository restored.db",
         {"file": "backup.jsonl", "repository": "restored.db"}),
    Case("repository export", HERE, REPOSITORY, ("out", "file")),
    Case("repository trust", f"other --public-key key.pem.pub --holder Other {HERE}",
         {"public_key": "key.pem.pub", **REPOSITORY}),
    Case("repository import", f"export.jsonl {HERE}", {"file": "export.jsonl", **REPOSITORY}),
    Case("repository follow", f"https://a.example --api-key-file api.key {HERE}",
         {"api_key_file": "api.key", **REPOSITORY}),
    Case("repository unfollow", f"https://a.example {HERE}", REPOSITORY, ends=2),
    Case("repository followed", HERE, REPOSITORY),
    Case("repository sync", HERE, REPOSITORY),
    Case("repository conflicts", HERE, REPOSITORY),
    Case("repository resolve", f"0123456789abcdef --keep ours --reason later {HERE}", REPOSITORY, ends=3),
]  # fmt: skip

# A server writes only to its database and to files named after their hashes in the folder of decisions; the folder of
# the demo has a test of its own.
NO_CASE = {
    "advise": {"population"},
    "population": {"spectrum", "stratum_sizes", "marginal"},
    "serve": {"database", "folder", "policy", "examples", "decisions"},
    "demo": {"folder"},
}

# Texts that never name a file.
TEXTS = {
    "accuracy", "add", "alias", "as_", "attacker", "attributes", "by", "candidates", "cells_as", "coarser", "columns",
    "count", "data_source", "date", "dates", "decision", "delimiter", "description", "encoding", "engine", "entry",
    "features", "format", "growth", "holder", "kind", "master", "mean", "mechanism", "memory", "method", "missing",
    "name", "null", "order", "patterns", "period", "person", "points", "population_count", "population_table",
    "probabilities", "qid", "query", "reason", "receipt", "reduction", "ref", "role", "sd", "sections", "sheet",
    "supersedes", "sweep", "table", "target", "text", "time", "times", "weights", "where", "why", "width", "zone",
    "household", "knows", "null_person", "population_person", "people", "fraction", "weight", "strata", "sizes",
    "blank", "drop", "keep_identifier", "pseudonym", "rest", "rows",
    "qid_a", "qid_b", "rule", "sensitive", "zones", "excluded", "known_people", "l", "near", "ranks", "secret", "goal",
    "withhold", "loss", "keep", "from_", "to", "importance", "use_for", "risk",
    "attack", "block", "infer", "known", "left", "levels", "right",
    "also", "nulls", "on", "truth", "truth_a", "truth_b", "count_b", "dates_b", "delimiter_b", "encoding_b", "null_b",
    "query_b", "sheet_b", "table_b", "where_b",
}  # fmt: skip
# These commands name no file by a parameter that does elsewhere.
TEXTS_HERE = {
    "decide": {"noted", "public_key"},
    "publish": {"population"},
    "query": {"population"},
    "serve": {"host_name"},
    "repository import": {"source"},
    "repository follow": {"url"},
    "repository unfollow": {"url"},
    "repository sync": {"url"},
}


def commands(group: typer.Typer = app, path: str = "") -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield all commands of the program with their names."""
    for command in group.registered_commands:
        yield f"{path} {command.name}".strip(), command.callback
    for member in group.registered_groups:
        yield from commands(member.typer_instance, f"{path} {member.typer_instance.info.name}".strip())


def parameters_of(command: Callable[..., None]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(command, eval_str=True).parameters)


def parameters_that_may_name_files(command: Callable[..., None]) -> set[str]:
    """Return the parameters that take a text or a path, and not only numbers or a yes."""

    def texts(kind: Any) -> bool:
        return kind in (str, Path) or any(map(texts, get_args(kind)))

    return {name for name, p in parameters_of(command).items() if texts(get_args(p.annotation)[0])}


def test_every_option_that_may_name_a_file_has_a_case():
    for name, command in commands():
        cases = [case for case in CASES if case.command == name]
        covered = {parameter for case in cases for parameter in (*case.reads, *case.writes)}
        known = covered | TEXTS | TEXTS_HERE.get(name, set()) | NO_CASE.get(name, set())
        unknown = parameters_that_may_name_files(command) - known
        assert not unknown, f"idbits {name}: say in this file what {sorted(unknown)} is"
        marked = {name for name, p in parameters_of(command).items() if options.is_written(p)}
        assert marked == {parameter for case in cases for parameter in case.writes}, f"idbits {name}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with everything that the commands read."""
    from idbits.repository import SigningKey, backup, connect, export

    folder = tmp_path_factory.mktemp("made")
    rows = [(str(1000 + i % 5), "FM"[i % 2], i) for i in range(40)]
    lines = "".join(f"{zip_},{sex},{n}\n" for zip_, sex, n in rows)
    for name in ("people", "released", "population", "prior", "roll", "original", "control"):
        (folder / f"{name}.csv").write_text("zip,sex,n\n" + lines)
    (folder / "counts.csv").write_text("zip,sex,people\n" + lines)
    (folder / "sexes.csv").write_text("F;all\nM;all\n")
    (folder / "folder").mkdir()
    (folder / "folder" / "part.csv").write_text("zip,sex,n\n" + lines)
    days = "".join(f"{i % 9},2005-01-{1 + i % 20:02},{i % 3}\n" for i in range(90))
    (folder / "visits.csv").write_text("who,day,zip\n" + days)
    with sqlite3.connect(folder / "people.db") as database:
        database.execute("CREATE TABLE people (zip TEXT, sex TEXT, n INTEGER)")
        database.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    database.close()
    (folder / "saved.json").write_text(idbits.measure(folder / "people.csv", "zip").to_json())
    (folder / "policy.toml").write_text(
        'rules = ["k_min >= 1"]\n'
        '[[dataset]]\nname = "a"\nsource = "people.csv"\nqid = ["zip"]\npopulation = "population.csv"\n'
        '[dataset.link]\nsecond = "roll.csv"\non = ["zip"]\n'
        '[[dataset]]\nname = "b"\nsource = "sqlite:///people.db"\ntable = "people"\nqid = ["zip"]\n'
        '[dataset.link]\noriginal = "original.csv"\ncontrol = "control.csv"\nattack = "singling-out"\n'
    )
    columns = [{"column": "zip", "view": "prefix3", "level": 1, "hierarchy": None}]
    plan = {"schema": "idbits-plan/1", "goal": [], "withhold_limit": 0, "columns": columns}
    (folder / "plan.json").write_text(json.dumps(plan))
    levels = hashlib.sha256((folder / "sexes.csv").read_bytes()).hexdigest()
    hierarchy = {"name": "sexes.csv", "sha256": levels}
    columns += [{"column": "sex", "view": "all", "level": 1, "hierarchy": hierarchy}]
    (folder / "levels.json").write_text(json.dumps(plan | {"columns": columns}))
    (folder / "pseudonyms.key").write_text("ab" * 32)
    (folder / "about.md").write_text('purpose = "teaching"\n')
    (folder / "decided").mkdir()
    report = folder / "decided" / "report.json"
    report.write_text(idbits.report(folder / "people.csv", "zip", sections="bits").to_json())
    treated = folder / "decided" / "treated.csv"
    receipt = folder / "decided" / "receipt.json"
    idbits.apply(folder / "people.csv", folder / "plan.json", treated, receipt=receipt, drop="n")
    idbits.decide(report, "refuse", by="us", why="first")
    (folder / "baseline.json").write_text('{"command": "check", "figures": {}}')
    (folder / "survey.toml").write_text(
        'population = 900\n[[questions]]\nname = "q"\ndistribution = "people.csv:zip"\n'
    )
    (folder / "entry.toml").write_text('population = 900\n[[questions]]\nname = "q"\nentry = "0123456789abcdef"\n')
    (folder / "inventory.toml").write_text(
        '[[tables]]\nholder = "City"\nname = "people"\nsize = 900\n'
        'population = {City = "Amsterdam"}\ncolumns = ["postcode"]\n'
    )
    (folder / "api.key").write_text("idbits_key")
    (folder / "api.key").chmod(0o600)
    key = SigningKey.generate()
    key.write(folder / "key.pem")
    (folder / "key.pem.pub").write_text(key.public_key + "\n")
    store = connect(str(folder / "repository.db"), create=True)
    store.add_account("registry", "reader", by="me")
    backup(store, folder / "backup.jsonl")
    export(store, folder / "export.jsonl")
    store.close()
    connect(str(folder / "restored.db"), create=True).close()
    return folder


@pytest.fixture
def world(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "world"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files; SQLite makes and removes some of its own beside a database."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def words(case: Case, **outputs: str) -> list[str]:
    """Return the command with some of its outputs; arguments come first."""
    parameters = parameters_of(dict(commands())[case.command])
    found = [*case.command.split(), *case.arguments.split()]
    for name, value in outputs.items():
        if isinstance(parameters[name].annotation.__metadata__[0], typer.models.ArgumentInfo):
            found.insert(len(case.command.split()), value)
        else:
            found += [f"--{name.replace('_', '-')}", value]
    return found


def required(case: Case, **outputs: str) -> dict[str, str]:
    """Return outputs with those added that the command cannot do without; ``apply`` replaces files on request only."""
    if case.command == "apply":
        return {"out": "new.csv", **outputs}
    return {"file": "new.jsonl", **outputs} if "file" in case.writes else outputs


def refuses(run: Run, world: Path, arguments: list[str], sentence: str) -> None:
    before = contents(world)
    ended = run(*arguments)
    assert (ended.code, ended.out) == (2, ""), (arguments, ended)
    assert sentence in ended.err, (arguments, ended.err)
    assert len(ended.err.splitlines()) == 1
    assert contents(world) == before


READS = [(case, out, file) for case in CASES for out in case.writes for file in case.reads.values()]


@pytest.mark.parametrize(("case", "out", "file"), READS, ids=[f"{c}: {out} {file}" for c, out, file in READS])
def test_what_is_read_stays(run: Run, world: Path, case: Case, out: str, file: str) -> None:
    arguments = words(case, **required(case, **{out: file}))
    refuses(run, world, arguments, "is read by this command")


@pytest.mark.parametrize("make", ["symbolic", "hard", "spelling"])
@pytest.mark.parametrize("case", CASES[:3], ids=str)
def test_links_and_spellings_are_the_same_file(run: Run, world: Path, case: Case, make: str) -> None:
    file = next(iter(case.reads.values()))
    other = {"symbolic": "link", "hard": "link", "spelling": f"folder/../{file}"}[make]
    if make == "symbolic":
        Path(other).symlink_to(file)
    elif make == "hard":
        os.link(file, other)
    refuses(run, world, words(case, out=other), "is read by this command")
    assert Path(other).is_symlink() == (make == "symbolic")


PAIRS = [(case, pair) for case in CASES for pair in itertools.combinations(case.writes, 2)]


@pytest.mark.parametrize(("case", "pair"), PAIRS, ids=[f"{case}: {pair}" for case, pair in PAIRS])
def test_two_outputs_are_two_files(run: Run, world: Path, case: Case, pair: tuple[str, str]) -> None:
    for one, other in (("new.csv", "new.csv"), ("folder/../new.csv", "new.csv"), ("New.csv", "new.csv")):
        arguments = words(case, **dict(zip(pair, (one, other), strict=True)))
        refuses(run, world, arguments, "name the same file")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_other_files_can_be_written(run: Run, world: Path, case: Case) -> None:
    """Otherwise the refusals above would prove nothing."""
    before = set(contents(world))
    rows = ("cells", "records", *(["out"] if case.command == "apply" else []))
    outputs = {name: f"new-{name}" + (".csv" if name in rows else "") for name in case.writes}
    ended = run(*words(case, **outputs), *(["--folder", "new"] if case.command == "demo" else []))
    assert ended.code == case.ends, ended.err
    assert "is read by" not in ended.err
    # Nothing is published here, so that some commands end before they write.
    assert bool({name for name in contents(world) if name.startswith("new")} - before) == (case.ends in (0, 1))


def test_standard_input_is_a_file_that_is_read(spawn: Run, world: Path) -> None:
    before = contents(world)
    for command in (["measure", "-", "--qid", "zip"], ["leak", "people.csv", "-", "--columns", "n"]):
        with Path("released.csv").open("rb") as stream:
            ended = spawn(*command, "--out", "released.csv", stdin=stream)
        assert (ended.code, ended.out) == (2, "")
        assert "is read by this command" in ended.err
    assert contents(world) == before


def test_standard_output_that_is_appended_to_the_data(start: Run, world: Path) -> None:
    before = contents(world)
    with Path("people.csv").open("ab") as stream:
        process = start("measure", "people.csv", "--qid", "zip", stdout=stream, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"standard output goes to a file that this command reads" in err
    assert contents(world) == before


def test_the_files_beside_a_sqlite_database(run: Run, world: Path) -> None:
    Path("people.db-journal").write_bytes(b"")
    refuses(run, world, ["measure", "sqlite:///people.db", "--table", "people", "--qid", "zip", "--out",
                         "people.db-journal"], "is read by this command")  # fmt: skip


def test_nothing_is_written_into_the_folder_of_a_long_count(run: Run, world: Path) -> None:
    for out in ("kept/events.json", "kept/question"):
        arguments = ["events", *EVENTS.split(), "--resume", "kept", "--out", out]
        refuses(run, world, arguments, "name the same file")
    assert run("events", *EVENTS.split(), "--resume", "kept").code == 0
    refuses(run, world, ["events", *EVENTS.split(), "--resume", "kept", "--chart", "kept/question"], "the same file")
    Path("kept/visits.csv").write_bytes(Path("visits.csv").read_bytes())
    inside = EVENTS.replace("visits.csv", "kept/visits.csv").split()
    refuses(run, world, ["events", *inside, "--resume", "kept"], "belongs to another question")


def test_devices_are_no_files(run: Run, world: Path) -> None:
    del world
    arguments = ["leak", "people.csv", "released.csv", "--columns", "n", "--chart", os.devnull, "--out", os.devnull]
    assert run(*arguments).code == 0


def test_a_key_and_its_public_half_stay(run: Run, world: Path) -> None:
    refuses(run, world, ["repository", "keygen", "--key", "key.pem"], "key.pem")
    refuses(run, world, ["repository", "keygen", "--key", "new.pem", "--out", "new.pem.pub"], "name the same file")
    Path("new.pem.pub").write_text("somebody's")
    refuses(run, world, ["repository", "keygen", "--key", "new.pem"], "new.pem.pub")


class TestDemo:
    def demo(self, run: Run, *more: str) -> Any:
        return run("demo", "--people", "200", "--folder", "demo", "--quiet", *more)

    @pytest.mark.parametrize("name", ["people.parquet", "people.csv", "answer.json", "report.html"])
    def test_files_that_it_did_not_write_stay(self, run: Run, world: Path, name: str) -> None:
        Path("demo").mkdir()
        (Path("demo") / name).write_text("mine")
        refuses(run, world, ["demo", "--people", "200", "--folder", "demo"], "is not from an earlier demo")
        assert contents(Path("demo")) == {name: b"mine"}

    def test_its_own_files_are_replaced(self, run: Run, world: Path) -> None:
        del world
        assert self.demo(run).code == 0
        before = Path("demo/people.csv").read_bytes()
        assert self.demo(run, "--seed", "1").code == 0
        assert Path("demo/people.csv").read_bytes() != before

    @pytest.mark.parametrize("name", ["people.parquet", "people.csv", "answer.json", "report.html"])
    def test_a_file_that_was_changed_is_somebody_elses(self, run: Run, world: Path, name: str) -> None:
        assert self.demo(run).code == 0
        with (Path("demo") / name).open("a") as file:
            file.write("x")
        refuses(run, world, ["demo", "--people", "200", "--folder", "demo"], "is not from an earlier demo")

    def test_stopped_at_any_file_it_can_run_again(self, run: Run, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        del world
        assert self.demo(run).code == 0
        replace = Path.replace
        for place in range(12):
            left = [place]

            def stopped(path: Path, target: Path, left: list[int] = left) -> Path:
                left[0] -= 1
                if left[0] == -1:
                    raise KeyboardInterrupt
                return replace(path, target)

            monkeypatch.setattr(Path, "replace", stopped)
            assert self.demo(run, "--seed", str(place)).code == 130
            monkeypatch.setattr(Path, "replace", replace)
        assert self.demo(run).code == 0

    def test_a_damaged_list_owns_nothing(self, run: Run, world: Path) -> None:
        assert self.demo(run).code == 0
        for text in ("", "[]", '{"sha256": 1}', '{"sha256": {"people.csv": 1}}', '{"sha256": {"people.csv": [1]}}'):
            Path("demo/.idbits-demo.json").write_text(text)
            refuses(run, world, ["demo", "--people", "200", "--folder", "demo"], "is not from an earlier demo")


def test_in_python_too(world: Path) -> None:
    before = contents(world)
    with pytest.raises(idbits.InputError, match="is read by this command"):
        idbits.gain("people.csv", columns="zip,sex", prior={"zip": "prior.csv"}, cells="prior.csv")
    with pytest.raises(idbits.InputError, match="is read by this command"):
        idbits.columns("people.csv", "zip,sex", records="folder/../people.csv")
    assert contents(world) == before
    # What an earlier call has read is no matter of this one.
    idbits.gain("people.csv", columns="zip,sex", cells="cells.csv")
    idbits.measure("cells.csv", "rig")
    idbits.gain("people.csv", columns="zip,sex", cells="cells.csv")


def test_a_file_that_was_read_without_any_announcement_stays(tmp_path: Path) -> None:
    """The last door: also where nobody said before what would be written."""
    path = tmp_path / "people.csv"
    path.write_text("mine")
    with guarded_files():
        note_read(path)
        with pytest.raises(idbits.InputError, match="is read"), whole_file(path) as draft:
            draft.write_text("other")
        with pytest.raises(idbits.InputError, match="is read"):
            will_write(path, "--out")
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_json_of_a_refusal_is_nothing(run: Run, world: Path) -> None:
    assert run("measure", "people.csv", "--qid", "zip", "--json", "--out", "people.csv").out == ""
    assert json.loads(Path("saved.json").read_text())["command"] == "measure"
