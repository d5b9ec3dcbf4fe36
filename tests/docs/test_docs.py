"""The documentation is complete: every command, option and key; every page in the navigation; no dead link.

``test_examples.py`` runs what the pages show.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import tempfile
import tomllib
import unicodedata
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from typer.main import get_command

import idbits
from idbits import repository
from idbits.cli.main import app
from idbits.examples.registry import registry
from idbits.examples.visits import visits
from idbits.repository.conflicts import Conflict
from idbits.repository.exchange_notices import FollowedList, ImportAnswer, SyncAnswer
from idbits.repository.notices import (
    AccountList,
    DecisionList,
    EntryList,
    Inventory,
    MatchList,
    Notice,
    Verification,
    WordList,
)
from idbits.repository.verification import Problem
from idbits.studies.check.result import Check, Outcome, PassingTreatment
from idbits.studies.measure.explain import ExplainedStatement, Explanation
from idbits.studies.shared.plans import HierarchyFile, Plan, PlannedColumn

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")), *sorted(DOCS.rglob("*.md"))]
BUILD_FILES = [ROOT / name for name in ("Makefile", "pyproject.toml", "constraints.txt", "zensical.toml")]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def all_commands(commands: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command with its whole name; commands of commands, too."""
    for name, command in commands.items():
        yield above + name, command
        yield from all_commands(getattr(command, "commands", {}), f"{above}{name} ")


COMMANDS = dict(all_commands(get_command(app).commands))  # type: ignore[attr-defined]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def sections_of(page: Path) -> dict[str, str]:
    """Return the text below each heading of level 2 of a page."""
    pieces = re.split(r"^## (.*)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def rows_of(text: str) -> dict[str, str]:
    """Return the rows of the tables in a text by each name in code in their first cell."""
    rows = re.findall(r"^\| (`.*?) \|(.*)$", text, re.MULTILINE)
    return {name: rest for cell, rest in rows for name in re.findall(r"`([^` ]+)[^`]*`", cell)}


def test_every_command_is_documented_and_no_other() -> None:
    sections = sections_of(DOCS / "reference" / "cli.md")
    documented = {title.split("`idbits ")[1].rstrip("`") for title in sections if "`idbits " in title}
    assert documented == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_documented_with_its_default_and_no_other(command: str) -> None:
    section = sections_of(DOCS / "reference" / "cli.md")[f"`idbits {command}`"]
    rows = rows_of(section)
    options = {name: param for param in COMMANDS[command].params for name in param.opts if name.startswith("--")}
    assert set(options) == {name for name in rows if name.startswith("--")}
    for name, param in options.items():
        if param.default not in (None, False):
            assert f"`{param.default}`" in rows[name], f"the default of {name} is {param.default}"
    arguments = [param.name.upper() for param in COMMANDS[command].params if param.param_type_name == "argument"]
    assert all(f"`{name}`" in section for name in arguments)


def json_keys(value: Any, parent: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key with the key above it; those of ``nulls``, ``by_rule`` and of pairs are the user's own names."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, parent
            if key not in ("nulls", "by_rule") and not _own_names(key, item):
                yield from json_keys(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from json_keys(item, parent)


def _own_names(key: str, item: Any) -> bool:
    pairs = isinstance(item, dict) and all(isinstance(value, str) for value in item.values())
    return pairs and key in ("population", "aliases", "kinds")


def repository_answers(people: Any) -> Iterator[Any]:
    details = repository.PublicationDetails(date="2011-01-01", distribution=True)
    with tempfile.TemporaryDirectory() as folder:
        store, key = repository.connect(f"{folder}/r.db", create=True), repository.SigningKey.generate()
        assert isinstance(store, repository.Repository)
        yield Notice.of("add", "", "", name="a", role="admin", key="", public_key="", file="")
        yield Notice.of("backup", "", "", rows=1, entries=1)
        store.add_account("a", "publisher", by="t", public_key=key.public_key, holder="H")
        yield repository.publish(people, "gender", {"City": "X"}, store, key, details)
        rare = repository.PublicationDetails(date="2011-01-01")
        yield repository.publish(people, "birthdate:year,gender", {"City": "X"}, store, key, rare)
        store.extend_vocabulary({"name": "shoe size", "kind": "integer"}, by="t")
        yield repository.publish(people, "gender", {"shoe size": "40"}, store, key, details)
        yield store.query(["gender"], {"City": "X"})
        yield store.query(["gender", "age"], {"City": "X"})
        found = store.entries()
        yield EntryList(entries=found.entries, unverified=found.unverified)
        ref = found.entries[0].ref
        store.decide(ref=ref, decision="ask less", by="board", why="too few", recorded_by="t")
        yield DecisionList(ref=ref, decisions=tuple(store.decisions(ref)))
        yield AccountList(accounts=tuple(store.accounts()))
        yield WordList(concepts=store.vocabulary().concepts)
        table = {"name": "t", "holder": "H", "columns": ["zip"], "population": {"City": "X"}, "size": 5}
        store.record_table(table, by="t")
        store.record_questionnaire({"name": "q", "where": "w", "questions": ["zip"]}, by="t")
        yield Inventory(tables=tuple(store.tables()), questionnaires=tuple(store.questionnaires()))
        yield MatchList(matches=tuple(store.matches()))
        yield Verification(problems=(Problem("a", "b"),), head=store.head())
        yield from exchange_answers(Path(folder), store)
        store.close()


def exchange_answers(folder: Path, store: repository.Repository) -> Iterator[Any]:
    export = folder / "export.jsonl"
    repository.export(store, export)
    with contextlib.closing(repository.connect(str(folder / "other.db"), create=True)) as other:
        assert isinstance(other, repository.Repository)
        summary = repository.import_file(other, export)
        summary.refuse("line 2", "not an entry")
        conflict = Conflict(
            ref="", kind="rule", rule=None, why="", source="", ours=None, holder="", qid=(), population=(), date="",
            seen_at="",
        )  # fmt: skip
        summary.conflicts.append(conflict)
        yield ImportAnswer(summary=summary)
        yield SyncAnswer(outcomes=(repository.SyncOutcome("", summary),), failed=(("", ""),))
        other.follow("https://stats.example", by="t")
        yield FollowedList(followed=tuple(other.followed()))


def real_events() -> Iterator[Any]:
    events = visits(200)
    ask = {"attributes": "place", "max_events": 100, "draws": 100}
    yield idbits.events(events, "patient", "date", period="2005", points="1..3,90,all", gain=True, **ask)


def real_answers() -> Iterator[Any]:
    people = registry(2_000)
    qid = ["birthdate:year", "gender"]
    everything = {"values": True, "suppress": 5, "possible_values": 1_000, "columns": ["birthdate", "gender", "zip"]}
    yield idbits.measure(people, qid, where="gender = 'F'", **everything)
    yield idbits.measure(people, qid, by="zip:prefix2", where="gender = 'F'", **everything | {"values": False})
    yield idbits.measure(people, qid, by="zip:prefix1", reveal=True, **everything | {"suppress": 5_000})
    yield idbits.measure(people, [qid, ["zip"]])
    yield idbits.measure(people.slice(0, 50), qid, population=people.slice(10), missing="unbounded", suppress=2)
    yield idbits.measure(people.slice(0, 1), qid, by="gender")
    yield idbits.inspect(people)
    sizes: Any = {"n_rows": 2_000, "withheld": 0, "figures": {}, "loss": {}}
    zips = PlannedColumn("zip", "level 1", 1, HierarchyFile("zip.csv", "0" * 64))
    yield Plan(("k_min >= 5",), 0.05, (zips,), "cells", expected=sizes)
    yield idbits.advise(people, qid, method="all", use_for="zip:prefix1", withhold="20%", goal="k_min >= 20")
    yield from answers_about_people(people)
    yield from answers_about_samples(people)
    yield from treated_files(people)
    yield from answers_about_groups(people)
    yield from report_answers(people)
    yield from gain_answers(people)
    yield from predictions(people)
    yield from leak_answers(people)
    yield from overlap_answers(people)
    yield from link_answers(people)
    yield from repository_answers(people)
    yield from real_events()
    yield from real_answers_about_columns(people)
    yield Explanation(statements=(ExplainedStatement("why", "SELECT 1"),))
    rule = {"dataset": "a", "rule": "k_min >= 5", "value": 1, "limit": 5.0, "level": "fail", "passed": False}
    treatment = PassingTreatment(dataset="a")
    outcome = Outcome(**rule)  # type: ignore[arg-type]
    yield Check(policy="idbits.toml", rules=(outcome,), figures={}, treatments=(treatment,))


def treated_files(people: Any) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "treated.csv"
        yield idbits.apply(people, out=out, qid="birthdate:year:band10,zip:all,gender", withhold_below=5)


def report_answers(people: Any) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "saved.json"
        saved.write_text(idbits.measure(people, "gender").to_json(), encoding="utf-8")
        yield idbits.report(people, "birthdate,zip,gender", by="gender", include=[saved], internal=True)
        yield from decisions(Path(folder), people)
    yield idbits.report(pyarrow.table({"a": [1] * 9}), "a")
    yield idbits.report(pyarrow.table({"a": ["x", "y"]}), "a")


def decisions(folder: Path, people: Any) -> Iterator[Any]:
    report, plan = folder / "report.json", folder / "plan.json"
    report.write_text(idbits.report(people, "gender", sections="bits").to_json(), encoding="utf-8")
    zips = PlannedColumn("zip", "all", 1)
    Plan(("k_min >= 5",), 0.05, (zips,), "cells").write(plan)
    idbits.apply(people, plan, folder / "out.csv", receipt=folder / "receipt.json", drop="birthdate")
    yield idbits.decide(report, "approve", by="A", why="b", plan=plan, receipt=folder / "receipt.json")
    yield idbits.list_decisions(folder)
    about = folder / "about.toml"
    about.write_text('dataset = "d"', encoding="utf-8")
    yield idbits.report(people, "gender", sections="bits", about=about, decision=folder)
    report.write_text("{}", encoding="utf-8")
    yield idbits.verify_decisions(folder)


def answers_about_people(people: Any) -> Iterator[Any]:
    visits = pyarrow.table({"id": [1, 1, 2, None], "place": ["a", "b", "a", None], "town": ["N", "S", "N", "N"]})
    options: dict[str, Any] = {"person": "id", "null_person": "own", "by": "town", "reveal": True}
    yield idbits.measure(visits, "place", **options)
    yield idbits.measure(visits.slice(0, 3), "place", person="id", population=visits)
    # Every value has at least 5 people, and nobody else has both values of a person.
    pairs = [(number, value) for number, pair in enumerate(combinations("abcdefg", 2)) for value in pair]
    shared = pyarrow.table({"id": [number for number, _ in pairs], "place": [value for _, value in pairs]})
    yield idbits.columns(shared, ["place"], person="id")
    yield idbits.measure(people, "zip", household="gender")
    yield idbits.measure(people)
    yield idbits.measure(people, "zip")


def answers_about_samples(people: Any) -> Iterator[Any]:
    columns = "birthdate:year,zip:prefix1,gender"
    yield idbits.population(people, columns, fraction=0.2, sizes="1e4,1e5", all=True)
    yield idbits.population(people.slice(0, 50), "zip,gender", people=1e6)
    weighted = people.append_column("w", [[3.0 + 2 * (number % 2) for number in range(len(people))]])
    yield idbits.population(weighted, "birthdate:year,gender", weight="w")
    yield idbits.population(people, "birthdate:year,gender", people=len(people))


def answers_about_groups(people: Any) -> Iterator[Any]:
    known, sensitive = "zip:prefix1", "birthdate:year"
    rule = f"alpha.{sensitive} <= 1"
    yield idbits.disclosure(people, known, sensitive, near={sensitive: 5}, by="gender", rules=rule)
    yield idbits.disclosure(people, [[known], ["zip"]], "gender", secret={"gender": "X"})
    yield idbits.disclosure(people, known, "gender", reveal=True)
    yield idbits.disclosure(people.slice(0, 50), known, "gender", population=people)
    yield idbits.disclosure(people.slice(0, 1), known, "gender")
    yield idbits.report(people, known, sensitive="gender", sections="disclosure")
    yield idbits.report(people, "gender", person="zip", sensitive=sensitive, sections="disclosure")


def gain_answers(people: Any) -> Iterator[Any]:
    columns = ["birthdate:year", "zip:prefix1", "gender"]
    prior = {"value": ["1", "2"], "count": [1, 1]}
    priors: dict[str, Any] = {"prior": {"zip:prefix1": pyarrow.table(prior)}, "smoothing": 0.1}
    everything: dict[str, Any] = {"growth": "given", "compare": people, "sweep": "gender:top1", "target": "gender"}
    yield idbits.gain(people, columns=columns, attacker="knows:1", **priors, **everything)
    yield idbits.gain(people, columns=columns[:2], analysis="gender")
    yield idbits.gain(people, columns=columns, analysis=pyarrow.table({"gender": ["F", "M"], "n": [1, 2]}))
    constant = pyarrow.table({"a": [1, 1], "b": [2, 2]})
    answer = idbits.gain(constant, compare=constant, sweep="a:band5", attacker="named:a")
    yield answer
    # What is null for tables that are too large to try here.
    features = tuple(dataclasses.replace(feature, mean_csf=None) for feature in answer.figures.features)
    dependence = dataclasses.replace(answer.dependence, mutual_information_bits=None)
    figures = dataclasses.replace(answer.figures, features=features)
    yield dataclasses.replace(answer, exposed=None, dependence=dependence, figures=figures)


def predictions(people: Any) -> Iterator[Any]:
    source = {"distribution": people, "attributes": "birthdate:year"}
    yield idbits.predict.uniqueness(5, **source, target="uniqueness<=90%")
    yield idbits.predict.uniqueness(values=95, target="uniqueness<=90%")
    yield idbits.predict.uniqueness(5, distribution=people, attributes=["zip", "gender"])
    yield idbits.predict.singletons(60, values=95, kappa=0.1)
    yield idbits.predict.singletons(60, **source)
    yield idbits.predict.width("lognormal:mu=10,sigma=2", [0.01], 10)
    yield idbits.predict.width("normal:sd=5", [1], 10)
    yield idbits.predict.correlated([5, 4], 0.5, [1, 1], 10)
    yield idbits.predict.group(10, values=95)
    yield idbits.predict.suspects(probabilities=[0.5, 0.5, 0])
    yield idbits.predict.suspects(values=1)
    asked = [{"name": "a", "shares": [0.5, 0.3, 0.2]}, {"name": "b", "share": 0.5}, {"name": "c", "assessed": False}]
    yield idbits.questionnaire({"population": 1000, "questions": asked})
    yield idbits.questionnaire({"population": 10, "questions": [{"name": n, "shares": [0.5] * 2} for n in "abc"]})


def leak_answers(people: Any) -> Iterator[Any]:
    yield idbits.leak(people, people, mic_rows=10, scales=2, conditional=True)
    yield idbits.leak(people, people.rename_columns([f"{name}2" for name in people.column_names]), mic_rows=10)
    few = pyarrow.table({"same": [1, 1, 1], "other": [1, 2, 3]})
    yield idbits.leak(few, few)
    yield idbits.randomise(people.slice(0, 20), mechanism="response", epsilon=1)


def overlap_answers(people: Any) -> Iterator[Any]:
    zones = pyarrow.table({"a": ["x", "x", "y"], "b": ["p", "q", "q"], "n": [50, 3, 40]})
    yield idbits.overlap(zones, zones="a,b", count="n", reveal=True, rules="smallest >= 5")
    yield idbits.overlap(zones, zones="a,b", count="n", below=2)
    first = people.append_column("id", [list(range(len(people)))])
    asked = {"person": "id", "qid_a": "zip", "qid_b": "birthdate:year", "sensitive": "gender"}
    yield idbits.overlap(first, first, **asked)
    other = pyarrow.table({"id": [0], "birthdate": ["1990-01-01"], "gender": ["X"]})
    yield idbits.overlap(first, other, **asked)


def odds_answers(people: Any) -> Iterator[Any]:
    known = people.append_column("id", [list(range(len(people)))])
    blocks = ["birthdate", "zip,gender"]
    yield idbits.link(known, known, "birthdate,zip,gender", probabilistic=True, block=blocks, truth="id")
    yield idbits.link(people, people, "birthdate,zip,gender", probabilistic=True, block=blocks)
    for options in ({"left": "birthdate", "right": "zip", "attack": "linkability"}, {"attack": "singling-out"}):
        yield idbits.link(people, original=people, control=people, attacks=20, **options)
    yield idbits.link(people, original=people, attack="inference", infer="zip", attacks=20)


def link_answers(people: Any) -> Iterator[Any]:
    known = people.append_column("id", [list(range(len(people)))])
    voters = known.slice(0, len(people) // 2)
    yield idbits.link(known, voters, "zip,gender", coverage=0.5, also="birthdate", rules="right.expected <= 1%")
    yield idbits.link(voters, known, "zip", coverage=1, sensitive="gender")
    yield idbits.link(known, voters, "zip~edit1,gender", truth="id")
    yield from odds_answers(people)
    with tempfile.TemporaryDirectory() as folder:
        yield idbits.link(known, voters, "birthdate", records=Path(folder) / "links.csv", reveal=True)
    yield idbits.link(
        pyarrow.table({"a": ["x"], "id": ["1"]}), pyarrow.table({"a": ["y"], "id": ["2"]}), "a", truth="id"
    )


def real_answers_about_columns(people: Any) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records.csv"
        yield idbits.columns(
            people.append_column("same", [["x"] * len(people)]), max_bits=8, min_k=2, records=records, reveal=True
        )
    views = ["year", "quarter", "month", "week", "monthofyear", "year:band5", "year:band10"]
    many = ["birthdate", *(f"birthdate:{view}" for view in views), "zip", "zip:prefix1", "zip:prefix2", "gender"]
    yield idbits.columns(people, many, max_sets=1)
    yield idbits.columns(people, many, max_seconds=1e-6)
    yield idbits.columns(people.slice(0, 1), ["zip"])


def test_every_json_key_is_documented_and_no_other() -> None:
    text = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    documented = set(rows_of(text))
    real = {pair for answer in real_answers() for pair in json_keys(json.loads(answer.to_json()))}
    missing = sorted(pair for pair in real if not documented & {pair[0], f"{pair[1]}.{pair[0]}"})
    assert not missing
    names = {key for key, _ in real} | {f"{parent}.{key}" for key, parent in real}
    assert documented <= names


def test_the_navigation_names_every_page_and_no_other() -> None:
    def entries(items: Any) -> Iterator[str]:
        for item in items if isinstance(items, list) else [items]:
            if isinstance(item, str):
                yield item
            else:
                for value in item.values():
                    yield from entries(value)

    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    named = list(entries(settings["project"]["nav"]))
    assert all((DOCS / name).exists() for name in named)
    folders = tuple(name for name in named if name.endswith("/"))
    files = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert not {name for name in files if name not in named and not name.startswith(folders or ("//",))}
    assert all(any(file.startswith(folder) for file in files) for folder in folders)


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as the site generator names them."""
    anchors: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE):
        words = re.sub(r"\[(.*?)\]\(.*?\)|[`*]", r"\1", heading)
        plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
        anchors.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower()))
    return anchors


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_internal_link_is_dead(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        linked = (page.parent / name).resolve() if name else page
        assert linked.exists(), f"{target} does not exist"
        assert DOCS not in page.parents or DOCS in linked.parents, f"{target} is not part of the site"
        if anchor:
            assert anchor in anchors_of(linked), f"{target}: no such heading"


def paths_named_by(page: Path) -> set[str]:
    """Return the files and folders that a page names in its text; a folder ends with a slash."""
    words = {word for span in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")) for word in span.split()}
    return {word for word in words if re.fullmatch(r"[\w./-]+(/|\.py|\.md)", word)}


def test_every_path_that_contributors_are_sent_to_exists() -> None:
    rooms = [ROOT / name for name in ("src", "tests", "bench", "experiments", "docs")]
    inside = [path for room in rooms for path in (room, *room.rglob("*"))]
    there = [f"/{path.relative_to(ROOT).as_posix()}{'/' if path.is_dir() else ''}" for path in inside]
    made = {"site/"}
    named = paths_named_by(ROOT / "CONTRIBUTING.md") - made
    assert len(named) > 50
    assert {name for name in named if not any(path.endswith(f"/{name}") for path in there)} == set()


MACHINE = re.compile(
    r"(?<![\w.])/(home|root|tmp|work|Users|opt|srv|mnt|var)/|[A-Z]:\\|localhost"
    r"|(index|find)[-_]url|/simple\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("page", [*PAGES, *BUILD_FILES], ids=name_of)
def test_no_machine_path_and_no_address_of_a_package_registry(page: Path) -> None:
    assert not MACHINE.search(page.read_text(encoding="utf-8"))


# A command to copy stays on one line; Markdown and SQL are meant for other programs.
WIDER_THAN_A_TERMINAL = re.compile(r"  idbits |idbits\.toml written|\| |FROM \(SELECT|The goal is that every group")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_terminal_output_is_80_columns_wide(page: Path) -> None:
    for kind, block in FENCE.findall(page.read_text(encoding="utf-8")):
        if kind == "console":
            for line in block.splitlines():
                most = 88 if line.startswith(("$ ", "    -")) else 80
                assert len(line) <= most or WIDER_THAN_A_TERMINAL.match(line), line
