"""The commands whose answers are frozen, and the small tables that they are asked about.

Every command stands here with every family of its options, on made-up people and on the real data beside the
repository (``SHARED/``), through DuckDB (files) and through a SQL database (``sqlite:///people.db``).
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from idbits.examples.registry import registry
from idbits.examples.visits import visits
from idbits.studies.decide.result import START, DecidedData, DecisionRecord, FileState, NamedFile

__all__ = ["ANSWERS", "BIG", "FAILURES", "REPOSITORY", "SAVED_FILES", "SHARED", "TEXTS", "write_tables"]

SHARED = "SHARED"
"""Stands for the folder of real data in a command."""

_DATABASE = "sqlite:///people.db --table people"
_QID = "--qid birthdate:year,zip:prefix2,gender"
_TREATED = "--qid birthdate:year:band10,zip:prefix1,gender"
_ADULT = f"{SHARED}/adult.csv --delimiter ;"

ANSWERS = {
    "measure": "measure people.parquet --qid birthdate,zip,gender",
    "measure-csv": "measure people.csv --qid birthdate,zip,gender",
    "measure-sqlite": f"measure {_DATABASE} --qid birthdate,zip,gender",
    "measure-transforms": "measure people.csv --qid birthdate:quarter,zip:prefix1:top3,gender",
    "measure-several": "measure people.parquet --qid birthdate --qid birthdate:month,zip:prefix1 --qid gender",
    "measure-by": "measure people.parquet --qid birthdate:year,gender --by zip:prefix1",
    "measure-by-reveal": "measure people.parquet --qid birthdate:year,gender --by zip:prefix1 --reveal "
    "--where \"zip like '1%'\"",
    "measure-by-sqlite": f"measure {_DATABASE} --qid birthdate:year,gender --by zip:prefix1",
    "measure-values": "measure people.parquet --qid zip:prefix1,gender --values",
    "measure-values-reveal": "measure people.parquet --qid zip:prefix2 --values --reveal",
    "measure-suppress": f"measure people.parquet {_QID} --suppress 5 --possible-values 20000",
    "measure-where": f"measure people.parquet {_QID} --where \"gender = 'F' and zip like '1%'\"",
    "measure-where-sqlite": f"measure {_DATABASE} {_QID} --where \"gender = 'F' and zip like '1%'\"",
    "measure-columns": "measure people.parquet --qid zip --columns zip,gender",
    "measure-person": f"measure named.parquet {_QID} --person name",
    "measure-records": "measure visits.parquet --qid place,date:month --person patient",
    "measure-records-sqlite": "measure sqlite:///people.db --table visits --qid place,date:month --person patient",
    "measure-any-record": "measure visits.parquet --qid place --person patient --knows any-record --by date:month",
    "measure-all-records": "measure visits.parquet --qid place --person patient --knows all-records --multiset",
    "measure-null-person": "measure nulls.csv --qid b --person a --null-person own",
    "measure-household": "measure people.parquet --qid birthdate:year,gender --household zip",
    "measure-rows-are-people": f"measure people.parquet {_QID} --rows-are-people",
    "measure-population": f"measure few.parquet {_QID} --population people.parquet",
    "measure-population-missing": f"measure people.parquet {_QID} --population few.parquet --missing unbounded",
    "measure-population-count": "measure few.parquet --qid gender --population counted.csv --population-count n",
    "measure-count": "measure counted.csv --qid gender,decade --count n",
    "measure-nulls": "measure nulls.csv --qid a,b --null NA",
    "measure-explain": f"measure {_DATABASE} {_QID} --explain",
    "advise": "advise people.parquet --qid birthdate,zip,gender",
    "advise-sqlite": f"advise {_DATABASE} --qid birthdate:year,zip,gender",
    "advise-goals": 'advise people.parquet --qid birthdate:year,zip --goal "k_min >= 4" '
    '--goal "l_distinct.gender >= 2" --goal "mean_risk <= 10%" --withhold 2% --loss entropy --risk mean_risk '
    "--from zip=prefix3 --to birthdate=year:band10 --importance zip=2 --rows-are-people",
    "advise-methods": "advise people.parquet --qid birthdate,zip --method all --withhold 0 --use-for gender",
    "advise-kept": "advise people.parquet --qid birthdate:year,zip --keep zip --hierarchy birthdate=year:band5",
    "disclosure": "disclosure people.parquet --qid birthdate:year,zip:prefix1 --sensitive gender",
    "disclosure-sqlite": f"disclosure {_DATABASE} --qid birthdate:year,zip:prefix1 --sensitive gender",
    "disclosure-options": "disclosure people.parquet --qid zip:prefix2,gender --sensitive birthdate:year "
    "--near birthdate:year=5 --c 2 --l 2,4 --excluded 0,3 --known-people 0,5 --certainty 0.5",
    "disclosure-by": "disclosure people.parquet --qid birthdate:year --sensitive gender --by zip:prefix1",
    "disclosure-several": "disclosure people.parquet --qid zip --qid zip:prefix1 --sensitive gender "
    "--sensitive birthdate:year",
    "disclosure-presence": "disclosure few.parquet --qid zip:prefix1 --sensitive gender --population people.parquet",
    "disclosure-reveal": "disclosure people.parquet --qid zip:prefix1 --sensitive gender --reveal",
    "disclosure-adult": f"disclosure {_ADULT} --qid sex,age,race,marital-status --sensitive salary-class "
    "--sensitive occupation --secret occupation=Sales,Tech-support --rows-are-people",
    "measure-adult": f"measure {_ADULT} --qid sex,age,race,marital-status,education,native-country",
    "measure-adult-by": f"measure {_ADULT} --qid age:band10,education --by sex",
    "measure-nl-ages": f'measure {SHARED}/nl-ages.csv --qid leeftijd,geslacht --count aantal --where "jaar = 2019"',
    "inspect": "inspect people.parquet",
    "inspect-sqlite": f"inspect {_DATABASE}",
    "inspect-nulls": "inspect nulls.csv",
    "inspect-adult": f"inspect {_ADULT}",
    "columns": "columns people.parquet",
    "columns-sqlite": f"columns {_DATABASE}",
    "columns-shares": "columns people.parquet --candidates birthdate:year,zip,gender --share 0.2 --share 0.9",
    "columns-budget": "columns people.parquet --max-bits 9 --min-k 3",
    "columns-records": "columns people.parquet --records records.csv --record-size 2",
    "columns-adult": f"columns {_ADULT} --candidates sex,age,race,marital-status,education,native-country,workclass",
    "columns-search": f"columns {_ADULT} --candidates sex,age,age:band5,age:band10,race,marital-status,education,"
    "education:top5,native-country,native-country:top3,workclass --max-size 3",
    "population": f"population people.parquet {_QID} --people 1e5",
    "population-all": f"population people.parquet {_QID} --fraction 0.2 --all --sizes 100,1e6 --rows-are-people",
    "population-sqlite": f"population {_DATABASE} {_QID} --people 1e5",
    "population-one-column": "population people.parquet --qid birthdate --people 1e5",
    "population-nobody-unique": "population people.parquet --qid gender --people 1e5",
    "population-whole": f"population few.parquet {_QID} --fraction 1",
    "report-sample": f"report few.parquet {_QID} --people 1e5 --sections population --format json",
    "gain": "gain people.parquet --columns birthdate:year,zip:prefix1,gender",
    "gain-sqlite": f"gain {_DATABASE} --columns birthdate:year,zip:prefix1,gender",
    "gain-knows": "gain people.parquet --columns birthdate:year,zip:prefix1,gender --attacker knows:1 --percentile 90",
    "gain-named": "gain people.parquet --columns birthdate:year,zip:prefix1,gender --attacker named:gender",
    "gain-accuracy": "gain people.parquet --columns birthdate:year,gender --accuracy gender=0.8 --threshold 2",
    "gain-prior": "gain few.parquet --columns gender,birthdate:year --prior gender=priors.csv --smoothing 0.1",
    "gain-compare": "gain people.parquet --columns birthdate:year,zip:prefix1,gender --compare few.parquet",
    "gain-sweep": "gain people.parquet --columns birthdate,zip:prefix1,gender --sweep birthdate:year,birthdate:month",
    "gain-growth": "gain people.parquet --columns birthdate:year,zip:prefix1,gender --growth greedy --mutual",
    "gain-toy": f"gain {SHARED}/toy_cig_input.csv --columns gender,name,eye_color",
    "gain-adult": f"gain {_ADULT} --columns sex,age:band10,education,race --target sex --sweep age:band20",
    "events": "events visits.parquet --person patient --time date --attributes place --period 2005-01",
    "events-sqlite": "events sqlite:///people.db --table visits --person patient --time date --attributes place "
    "--period 2005-01",
    "events-points": "events visits.parquet --person patient --time date --attributes place --period 2005 "
    "--points 1..3,all --draws 200 --max-events 100 --coarser place:prefix1 --times day,month",
    "events-shopping": f"events {SHARED}/shopping-visits.parquet --person household_id --time transaction_timestamp:day"
    " --attributes store_id --period 2017-01-10..2017-01-16 --max-events 300",
    "leak": "leak original.csv released.csv --mic-rows 100",
    "leak-options": "leak original.csv released.csv --order 4 --delay 2 --scales 3 --conditional --tolerance 0.01 "
    "--error-rate 0.05 --mic-rows 50 --columns height,weight",
    "link": "link people.parquet few.parquet --on birthdate:year,zip,gender",
    "link-coverage": "link few.parquet people.parquet --on zip:prefix2,gender --coverage 0.6 --also birthdate "
    "--sensitive birthdate:year --rule 'right.expected <= 50%' --rule 'records.one_to_one <= 5'",
    "link-everyone": "link few.parquet people.parquet --on birthdate:year,gender --coverage 1",
    "link-truth": "link first.parquet second.parquet --on birthdate,zip~edit1 --truth id --records links.csv --reveal",
    "link-odds": "link people.parquet people.parquet --on birthdate,zip,gender --probabilistic --block birthdate "
    "--block zip,gender --levels zip=equal,edit1,else --threshold 0.3",
    "link-attack": "link few.parquet --original people.parquet --attack linkability --left birthdate "
    "--right zip,gender --attacks 20",
    "link-sqlite": "link sqlite:///people.db sqlite:///people.db --table people --table-b people --on zip,gender "
    "--where-b \"gender = 'F'\"",
    "overlap-zones": "overlap blocks.csv --zones town,post --count n",
    "overlap-zones-reveal": "overlap blocks.csv --zones town,post --count n --below 60 --reveal "
    "--rule 'isolated.people <= 5%' --rule 'smallest >= 3'",
    "overlap-zones-sqlite": "overlap sqlite:///people.db --table people --zones zip:prefix2,birthdate:year",
    "overlap-none": "overlap counted.csv --zones gender,decade --count n --below 2",
    "overlap-releases": "overlap first.parquet second.parquet --person id --qid-a birthdate:year --qid-b zip "
    "--sensitive gender --rule 'certain.both <= 90%'",
    "leak-machine": f"leak {SHARED}/leak/machine-prediction.csv {SHARED}/leak/machine-prediction.csv --mic-rows 100",
    "randomise": "randomise original.csv --mechanism laplace --epsilon 1 --columns height -o randomised.csv",
    "predict-uniqueness": "predict uniqueness --k 10 --values 365",
    "predict-uniqueness-target": "predict uniqueness --values 365 --target uniqueness>=50%",
    "predict-uniqueness-kappa": "predict uniqueness --k 10 --values 100 --kappa 0.1",
    "predict-uniqueness-births": f"predict uniqueness --k 9 --count births --distribution {SHARED}/us-births.csv:month",
    "predict-uniqueness-columns": "predict uniqueness --k 40 --distribution people.parquet:birthdate:year,gender",
    "predict-singletons": "predict singletons --k 20 --probabilities 0.5,0.3,0.1,0.1 --sizes 3",
    "predict-singletons-file": "predict singletons --k 50 --distribution people.parquet:birthdate:year",
    "predict-singletons-target": "predict singletons --distribution people.parquet:birthdate --target singletons<=5%",
    "predict-width": "predict width --distribution normal:mean=170,sd=10 --width 1,2,5 --k 30",
    "predict-width-file": f"predict width --distribution {SHARED}/heights-weights.csv:column2 --width 1,2 --k 40",
    "predict-correlated": "predict correlated --sd 5,4 --rho 0.5 --width 1,1 --width 2,2 --k 20",
    "predict-group": "predict group --cost 10 --values 365",
    "questionnaire": "questionnaire survey.toml",
    "questionnaire-shares": "questionnaire club.toml",
    "apply": f"apply people.parquet {_TREATED} --withhold-below 5 --out treated.csv --force",
    "apply-plan": "apply named.parquet --plan apply-plan.json --out treated.parquet --drop name --mapping mapping.json "
    "--force",
    "report": "report people.parquet --qid birthdate,zip,gender --format json",
    "report-by": "report few.parquet --qid birthdate:year,gender --by gender --features zip:prefix1 --format json",
    "report-population": f"report few.parquet {_QID} --population people.parquet --format json",
    "report-include": "report few.parquet --qid gender --include saved-events.json --include saved-columns.json "
    "--sections bits,saved --format json",
    "report-records": "report visits.parquet --qid place --person patient --knows all-records --format json",
    "report-household": "report people.parquet --qid birthdate:year,gender --household zip --sections people "
    "--format json",
    "report-about": "report few.parquet --qid gender --sections bits --about about.toml --format json",
    "report-adult": f"report {_ADULT} --qid sex,age,education --format json",
    "decide": "decide decided.json --decision approve-with-treatment --by 'A. Example' --why 'years in bands' "
    "--plan apply-plan.json",
    "decide-list": "decide past --list",
    "decide-verify": "decide past --verify",
    "check": "check --policy policy.toml",
    "check-baseline": "check --policy policy.toml --baseline baseline.json",
    "demo": "demo --people 500 --folder made",
}
"""Commands whose JSON is frozen, by the name of their file."""

SAVED_FILES = {
    "saved-events.json": ANSWERS["events"],
    "saved-columns.json": ANSWERS["columns"],
    "baseline.json": ANSWERS["check"],
    "decided.json": "report few.parquet --qid gender --sections bits",
}
"""Answers that other commands read, with the command that writes each."""

BIG = ("columns-adult", "columns-search", "demo", "events-points", "events-shopping", "report-adult", "report-by")
"""Answers that take a second or more."""

TEXTS = {
    "measure": "measure people.parquet --qid birthdate,zip,gender",
    "measure-by": "measure people.parquet --qid birthdate:year,gender --by zip:prefix1 --suppress 5",
    "measure-records": "measure visits.parquet --qid place,date:month --person patient",
    "measure-household": "measure people.parquet --qid birthdate:year,gender --household zip",
    "population": ANSWERS["population-all"],
    "disclosure": ANSWERS["disclosure"],
    "advise": ANSWERS["advise"],
    "inspect": "inspect people.csv",
    "columns": "columns people.parquet --max-bits 9",
    "gain": "gain people.parquet --columns birthdate:year,zip:prefix1,gender --growth greedy",
    "events": ANSWERS["events-points"],
    "predict": ANSWERS["predict-singletons"],
    "questionnaire": ANSWERS["questionnaire"],
    "questionnaire-shares": ANSWERS["questionnaire-shares"],
    "leak": ANSWERS["leak"],
    "link-coverage": ANSWERS["link-coverage"],
    "link-truth": ANSWERS["link-truth"],
    "link-odds": ANSWERS["link-odds"],
    "link-attack": ANSWERS["link-attack"],
    "overlap-zones": ANSWERS["overlap-zones-reveal"],
    "overlap-releases": ANSWERS["overlap-releases"],
    "check": ANSWERS["check"],
    "apply": ANSWERS["apply"],
    "decide-list": ANSWERS["decide-list"],
    "decide-verify": ANSWERS["decide-verify"],
    "report": "report people.parquet --qid birthdate,zip,gender --format md",
    "report-records": "report visits.parquet --qid place,date:month --person patient --format md",
    "report-about": "report few.parquet --qid gender --sections bits --about about.toml --format md",
}
"""Commands whose text is frozen as a person reads it, a line wide as 100 characters."""

FAILURES = {
    "measured": "measure people.parquet --qid zip",
    "a rule is broken": "check --policy policy.toml",
    "no treatment meets the goal": 'advise people.parquet --qid zip --keep zip --goal "k_min >= 50" --quiet',
    "no such file": "measure nothing.csv --qid zip",
    "no such column": "measure people.parquet --qid zpi",
    "no such option": "measure people.parquet --nonsense",
    "no such command": "measrue people.parquet",
    "no quasi-identifier": "measure people.parquet",
    "unfit transform": "measure people.parquet --qid gender:year",
    "unparsable filter": 'measure people.parquet --qid zip --where "gender = "',
    "nobody is left": "measure people.parquet --qid zip --where \"gender = 'X'\"",
    "empty file": "measure empty.csv --qid zip",
    "rows too long": "measure ragged.csv --qid a",
    "output is the source": "measure people.csv --qid zip --out people.csv",
    "one person": "measure people.parquet --qid zip --person gender --where \"gender = 'F'\"",
    "rows without a person": "measure nulls.csv --qid b --person a",
    "values that the population does not hold": "measure people.parquet --qid zip --population few.parquet",
    "identifiers in a release": f"apply named.parquet {_TREATED} --out treated.csv --force",
    "everyone withheld": "apply people.parquet --qid birthdate,zip --withhold-below 50 --out treated.csv --force",
    "treated file over its source": "apply people.csv --qid gender --out people.csv --force",
    "password in the address": "measure postgresql://me:secret@127.0.0.1/x --table t --qid zip",
    "a decision about nothing": "decide people.csv --decision approve --by A --why b",
    "an unknown key about the data": "report few.parquet --qid gender --about survey.toml",
    "no policy": "check --policy nothing.toml",
    "one column of zones": "overlap blocks.csv --zones town",
    "a limit on an overlap is broken": "overlap blocks.csv --zones town,post --count n --rule 'smallest >= 5' "
    "--json --out overlap.json",
    "a release in a database": "overlap sqlite:///people.db first.parquet --table people --person birthdate "
    "--qid-a zip --qid-b zip --sensitive gender",
    "several rows per person": "overlap first.parquet second.parquet --person zip --qid-a id --qid-b id "
    "--sensitive gender",
    "not everyone is in the second table": "link people.parquet few.parquet --on zip --coverage 1",
    "a column that only one table has": "link few.parquet people.parquet --on zip=zpi",
    "a block that all pairs share": "link people.parquet few.parquet --on zip,gender --probabilistic --block zip",
    "columns that do not suffice for odds": "link few.parquet few.parquet --on zip,gender --probabilistic",
    "an attack without its columns": "link few.parquet --original people.parquet --attack linkability",
    "truth and coverage": "link few.parquet people.parquet --on zip --truth gender --coverage 0.5",
    "a limit on links is broken": "link people.parquet few.parquet --on zip --rule 'records.no_candidate <= 0' "
    "--json --out link.json",
    "too many pairs": "link people.parquet few.parquet --on zip~edit1 --max-pairs 10",
    "tables of different length": "leak original.csv people.csv",
    "no density": "predict width --distribution weird:sd=1 --width 1 --k 3",
    "no such entry": "predict uniqueness --k 3 --entry 0123456789abcdef --repository empty.db",
}
"""Commands that end in many ways, with the exit code and the line that they print."""

REPOSITORY = (
    "repository keygen",
    "repository add office --role publisher --public-key data/signing-key.pem.pub --holder Office",
    "publish people.parquet --qid zip:prefix1,gender --population City=Amsterdam --as zip=postcode --date 2020-01-01",
    "publish people.parquet --qid gender --population City=Amsterdam --date 2020-01-01 --distribution",
    "publish people.parquet --qid gender --population City=Amsterdam --date 2020-01-01 --dry-run",
    "query --qid gender --population City=Amsterdam",
    "query --qid postcode:prefix1,gender,birthdate:year --population City=Amsterdam",
    "repository entries",
    "repository accounts",
    "repository vocabulary",
    "repository inventory",
    "repository match",
    "repository verify",
    "repository backup backup.jsonl",
    "repository export export.jsonl",
    "repository import export.jsonl",
    "repository conflicts",
    "repository followed",
    "repository sync",
)
"""One story of the repository, in which each command needs those before it."""

_CLUB = "population = 300\n" + "".join(
    f'[[questions]]\nname = "{name}"\nshares = [0.4, 0.2, 0.1, 0.1, 0.1, 0.1]\n'
    for name in ("sports", "school", "street")
)
_SURVEY = """
title = "Concert hall"
population = 16_000_000

[[questions]]
name = "education"
factor = 3.33

[[questions]]
name = "gender"
shares = [0.51, 0.49]

[[questions]]
name = "children"
assessed = false
"""

_PLAN = """
{"schema": "idbits-plan/1", "goal": ["k_min >= 3", "mean_risk <= 20%"], "withhold_limit": 0.5, "columns": [
{"column": "birthdate", "view": "year:band10", "level": 5, "hierarchy": null},
{"column": "zip", "view": "all", "level": 4, "hierarchy": null}], "loss": "cells"}
"""

_POLICY = """
version = 1
rules = ["k_min >= 2"]

[[dataset]]
name = "people"
source = "people.parquet"
qid = ["birthdate:year", "zip:prefix1", "gender"]
rules = ["people_below.5 <= 1%", { rule = "entropy_bits <= 5", level = "warn" }, "pif <= 60"]

[[dataset.waivers]]
rule = "k_min >= 2"
owner = "A. Example"
reason = "a pilot"
expires = 2999-12-31

[[dataset]]
name = "women"
source = "people.csv"
qid = ["gender"]
where = "gender = 'F'"
"""


def _write_decisions(folder: Path) -> None:
    folder.mkdir()
    previous, lines = START, []
    for number, decision in enumerate(("refuse", "approve-with-treatment"), start=1):
        record = DecisionRecord(
            sequence=number, at="2026-01-31T12:00:00Z", decision=decision, by="A. Example", why="the goal is k = 5",
            report=NamedFile("report.json", "1" * 64), data=DecidedData("p.csv", "2" * 64, 1, FileState.SAME),
            plan=NamedFile("plan.json", "3" * 64) if number == 2 else None, receipt=None, qid=("zip", "gender"),
            n_rows=100, n_people=100, singletons=7, verdict="Do not hand this over as it is", verdict_level="bad",
            version="0.1.0", previous=previous,
        )  # fmt: skip
        previous = record.hash
        lines.append(record.to_line())
    (folder / "decisions.jsonl").write_text("".join(lines), encoding="utf-8")


def write_tables(folder: Path) -> None:
    """Write every table and file that the commands name, the same bytes each time."""
    people = registry(2_000)
    pyarrow.parquet.write_table(people, folder / "people.parquet")
    pyarrow.csv.write_csv(people, folder / "people.csv")
    pyarrow.parquet.write_table(people.slice(0, 300), folder / "few.parquet")
    names = pyarrow.array([f"name {row}" for row in range(people.num_rows)])
    pyarrow.parquet.write_table(people.append_column("name", names), folder / "named.parquet")
    numbered = people.append_column("id", pyarrow.array(range(people.num_rows)))
    pyarrow.parquet.write_table(numbered.slice(0, 1_800), folder / "first.parquet")
    pyarrow.parquet.write_table(numbered.slice(200), folder / "second.parquet")
    blocks = [
        (row // 4, (row + 3 * (row % 7 == 0)) // 4, 5 + (row * 37) % 90 if row % 7 else row % 5) for row in range(64)
    ]
    (folder / "blocks.csv").write_text("town,post,n\n" + "".join(f"t{a},p{b},{n}\n" for a, b, n in blocks))
    events = visits(120)
    pyarrow.parquet.write_table(events, folder / "visits.parquet")
    with sqlite3.connect(folder / "people.db") as database:
        _fill(database, "people", people)
        _fill(database, "visits", events)
    database.close()
    (folder / "empty.csv").write_text("")
    (folder / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    (folder / "nulls.csv").write_text("a,b\n" + "NA,1\n,2\n" * 3 + "x,NA\nx,1\n 1,1\n")
    lines = [f"{gender},{decade},{4 * decade + len(gender)}" for gender in "FM" for decade in range(1, 10)]
    (folder / "counted.csv").write_text("gender,decade,n\n" + "\n".join(lines) + "\n")
    (folder / "priors.csv").write_text("value,count\nF,51\nM,49\n")
    rows = [(row % 61 + 150, (row * row) % 47 + 50) for row in range(200)]
    (folder / "original.csv").write_text("height,weight\n" + "".join(f"{a},{b}\n" for a, b in rows))
    (folder / "released.csv").write_text("height,weight\n" + "".join(f"{a + a % 7},{(b * 13) % 47}\n" for a, b in rows))
    (folder / "apply-plan.json").write_text(_PLAN)
    (folder / "about.toml").write_text('dataset = "Made-up people"\nrecipient = "Nobody"\n')
    (folder / "survey.toml").write_text(_SURVEY)
    (folder / "club.toml").write_text(_CLUB)
    (folder / "policy.toml").write_text(_POLICY)
    _write_decisions(folder / "past")


def _fill(database: sqlite3.Connection, name: str, table: pyarrow.Table) -> None:
    columns = ", ".join(f'"{column}"' for column in table.column_names)
    places = ", ".join("?" for _ in table.column_names)
    database.execute(f"CREATE TABLE {name} ({columns})")
    cells = zip(*([str(value) for value in column.to_pylist()] for column in table.columns), strict=True)
    database.executemany(f"INSERT INTO {name} VALUES ({places})", cells)
