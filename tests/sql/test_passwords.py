"""Passwords: from the environment, from .pgpass, from a keyring; never in an address, and never shown."""

import json
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

import databases
import idbits
from commands import Run
from idbits.errors import EngineError, IdbitsError, InputError

ROLE = f"idbits_with_password_{databases.WORKER}"
# Nothing else in an answer, in a path or in an address looks like it.
PASSWORD = "Gruenkohl%7zqx"
WRONG = "Wirsing%8zqx"


@pytest.fixture(scope="module")
def address(server: Any) -> str:
    """Return the address of a role that has to give a password."""
    server.fill("protected", [sa.Column("zip", sa.String(9))], [{"zip": f"{i % 3}"} for i in range(40)])
    if server.name == "mariadb":
        server.run(f"DROP USER IF EXISTS {ROLE}", f"CREATE USER {ROLE} IDENTIFIED BY '{PASSWORD.replace('%', '%%')}'",
                   f"GRANT SELECT ON protected TO {ROLE}")  # fmt: skip
        return server.address.replace("root@", f"{ROLE}@", 1)
    if not server.rows(f"SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}'"):
        server.run(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD.replace('%', '%%')}'")
    server.run(f"GRANT SELECT ON protected TO {ROLE}")
    # The server trusts everybody else on this machine.
    rules = Path(server.rows("SHOW hba_file")[0][0])
    rule = f"local all {ROLE} scram-sha-256\n"
    if rule not in rules.read_text():
        rules.write_text(rule + rules.read_text())
    server.run("SELECT pg_reload_conf()")
    return server.address.replace("postgres@", f"{ROLE}@", 1)


@pytest.fixture
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)


def measured(run: Run, address: str) -> Any:
    ended = run("measure", address, "--qid", "zip", "--table", "protected", "--json", "--quiet")
    assert PASSWORD not in ended.out + ended.err
    return json.loads(ended.out)["n_rows"] if ended.code == 0 else ended


@pytest.mark.usefixtures("no_keyring")
def test_without_a_password(address: str, run: Run) -> None:
    assert "cannot be reached" in measured(run, address).failed(3)


@pytest.mark.usefixtures("no_keyring")
def test_from_the_environment(server: Any, address: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    own = "PGPASSWORD" if server.name == "postgresql" else "MYSQL_PWD"
    for name in ("IDBITS_DB_PASSWORD", own):
        with monkeypatch.context() as patch:
            patch.setenv(name, PASSWORD)
            assert measured(run, address) == 40
    # The one that is meant for idbits comes first.
    monkeypatch.setenv(own, WRONG)
    monkeypatch.setenv("IDBITS_DB_PASSWORD", PASSWORD)
    assert measured(run, address) == 40


@pytest.mark.usefixtures("no_keyring")
@pytest.mark.parametrize("place", ["PGPASSFILE", "home"])
def test_from_pgpass(
    postgresql: Any, address: str, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
) -> None:
    if not address.startswith("postgresql:"):
        return
    file = tmp_path / ".pgpass"
    file.write_text(f"*:*:*:{ROLE}:{PASSWORD}\n")
    file.chmod(0o600)
    monkeypatch.setenv(*(("PGPASSFILE", str(file)) if place == "PGPASSFILE" else ("HOME", str(tmp_path))))
    assert measured(run, address) == 40


def test_from_a_keyring(server: Any, address: str, spawn: Run, tmp_path: Path) -> None:
    (tmp_path / "keyring.py").write_text(
        "import os\n"
        "def get_password(service, user):\n"
        "    open(os.environ['ASKED'], 'a').write(f'{service} {user}')\n"
        f"    return {PASSWORD!r}\n"
    )
    environment = {"PYTHONPATH": str(tmp_path), "ASKED": str(tmp_path / "asked")}
    ended = spawn("measure", address, "--qid", "zip", "--table", "protected", "--json", environment=environment)
    assert (ended.code, json.loads(ended.out)["n_rows"]) == (0, 40)
    assert PASSWORD not in ended.out + ended.err
    host = "localhost" if server.name == "postgresql" else "127.0.0.1"
    place = f"{host}/{sa.make_url(server.address).database}"
    assert (tmp_path / "asked").read_text() == f"idbits:{place} {ROLE}"


def test_a_keyring_that_is_locked(address: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(service: str, user: str) -> str:
        raise RuntimeError("the keyring is locked")

    monkeypatch.setitem(__import__("sys").modules, "keyring", SimpleNamespace(get_password=locked))
    assert "cannot be reached" in measured(run, address).failed(3)


REFUSED = {
    "plain": "postgresql://someone:{}@127.0.0.1/db",
    "mysql": "mysql://someone:{}@127.0.0.1/db",
    "driver": "postgresql+psycopg://someone:{}@127.0.0.1/db",
    "capitals": "POSTGRESQL://someone:{}@127.0.0.1/db",
    "escaped": "postgresql://someone:%5A{}@127.0.0.1/db",
    "password alone": "postgresql://:{}@127.0.0.1/db",
    "parameter": "postgresql://someone@127.0.0.1/db?password={}",
    "escaped parameter": "postgresql://someone@127.0.0.1/db?%70assword={}",
    "key": "postgresql://someone@127.0.0.1/db?sslmode=require&sslpassword={}",
    "short parameter": "mysql://someone@127.0.0.1/db?passwd={}",
    "token": "databricks://token:{}@host/db",
    "access token": "snowflake://someone@account/db?token={}",
    "port that is none": "postgresql://someone:{}@127.0.0.1:port/db",
    "unknown database": "nonsense://someone:{}@127.0.0.1/db",
    "odbc": "mssql+pyodbc:///?odbc_connect=DRIVER%3D%7Bx%7D%3BUID%3Dme%3BPWD%3D{}",
    "web": "https://someone:{}@127.0.0.1/people.csv",
    "one stroke": "postgresql:/someone:{}@127.0.0.1/db",
}


@pytest.mark.big
@pytest.mark.parametrize("command", ["measure", "inspect", "population", "explain"])
@pytest.mark.parametrize("form", list(REFUSED.values()), ids=list(REFUSED))
def test_a_password_in_an_address_is_refused(run: Run, form: str, command: str, tmp_path: Path) -> None:
    wrong, file = form.format("Gruenkohl7zqx"), tmp_path / "people.csv"
    file.write_text("zip\n1\n")
    arguments = {
        "measure": ["measure", wrong, "--qid", "zip", "--table", "t", "--out", tmp_path / "answer.json"],
        "inspect": ["inspect", wrong, "--table", "t"],
        "population": ["measure", file, "--qid", "zip", "--population", wrong, "--population-table", "t"],
        "explain": ["measure", wrong, "--qid", "zip", "--table", "t", "--explain"],
    }
    message = run(*arguments[command]).failed(2)
    # The others are refused for what they are.
    assert ("must not contain a password" in message) == (
        not wrong.startswith(("https:", "postgresql:/s")) and ":port" not in wrong
    )
    assert "zqx" not in message
    assert "kohl" not in message
    assert list(tmp_path.iterdir()) == [file]


def shown(error: BaseException) -> str:
    """Return whatever an error and the errors behind it show."""
    text = "".join(traceback.format_exception(error))
    while error is not None:
        text += f"{error} {error!r} {error.args}"
        error = error.__cause__ or error.__context__
    return text


def test_errors_do_not_show_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as refusal:
        idbits.measure("postgresql://me:Gruenkohl7zqx@127.0.0.1/db", "zip", table="protected")
    # A traceback holds the line of this test itself.
    assert "zqx" not in f"{refusal.value} {refusal.value!r} {refusal.value.args}"
    questions = [
        {"table": "nothing"}, {"query": "SELECT x FROM nothing"}, {"table": "protected", "qid": "zap"}, {},
        {"query": "SELECT 1 AS zip FROM protected WHERE"}, {"table": "protected", "where": "zip > 'a' or"},
    ]  # fmt: skip
    monkeypatch.setenv("IDBITS_DB_PASSWORD", PASSWORD)
    for question in questions:
        with pytest.raises(IdbitsError) as failure:
            idbits.measure(address, **{"qid": "zip", **question})
        assert "zqx" not in shown(failure.value)
    monkeypatch.setenv("IDBITS_DB_PASSWORD", WRONG)
    with pytest.raises(EngineError, match="cannot be reached") as failure:
        idbits.measure(address, "zip", table="protected")
    assert "zqx" not in shown(failure.value)


def test_answers_do_not_show_it(
    address: str, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("IDBITS_DB_PASSWORD", PASSWORD)
    monkeypatch.setenv("IDBITS_DEBUG", "1")
    caplog.set_level(0)
    answer = idbits.measure(address, "zip", table="protected", values=True)
    shown_texts = [repr(answer), str(answer), answer._repr_html_(), json.dumps(answer.to_dict()), caplog.text]
    question = ["measure", address, "--qid", "zip", "--table", "protected"]
    for number, options in enumerate((["--json"], ["--plain"], ["--explain"], ["--explain", "--json"])):
        out = tmp_path / f"answer{number}.txt"
        ended = run(*question, *options, "--out", out)
        assert ended.code == 0
        shown_texts += [ended.out, ended.err, out.read_text()]
    assert [text for text in shown_texts if "zqx" in text] == []


def test_engines_of_sqlalchemy_keep_theirs(server: Any, address: str) -> None:
    """An engine holds its password itself; no answer and no error shows it."""
    driver = "postgresql+psycopg" if server.name == "postgresql" else "mysql+pymysql"
    url = sa.make_url(address).set(drivername=driver, password=PASSWORD)
    engine = sa.create_engine(url)
    answer = idbits.measure(engine, "zip", table="protected", suppress=20)
    assert answer.n_rows == 40
    assert "zqx" not in repr(answer) + str(answer) + answer._repr_html_() + json.dumps(answer.to_dict())
    with pytest.raises(IdbitsError) as failure:
        idbits.measure(engine, "zip", table="nothing")
    assert "zqx" not in shown(failure.value)
