"""Tries an installed idbits: every command, every extra, in an empty folder, without the network.

``python release/smoke.py [EXTRA ...]`` runs with the Python that has idbits. Commands that need an extra that is not
named must say how to install it; ``-spark`` leaves an extra out. It prints one line per trial, and ends with 1 if one
failed.
"""

from __future__ import annotations

import contextlib
import http.cookiejar
import json
import os
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from pathlib import Path

EXTRAS = ("files", "leak", "pdf", "spark", "sql", "web")
_INSIDE = "IDBITS_SMOKE_WITHOUT_NETWORK"

TRIALS = {
    "demo": "demo --people 2000 --folder demo",
    "inspect": "inspect demo/people.parquet",
    "measure": "measure demo/people.parquet --qid birthdate,zip,gender",
    "population": "population demo/people.parquet --qid birthdate:year,zip:prefix2,gender --people 1e5",
    "disclosure": "disclosure demo/people.parquet --qid zip:prefix1 --sensitive gender",
    "columns": "columns demo/people.parquet",
    "gain": "gain demo/people.parquet --columns birthdate:year,gender",
    "events": "events visits.csv --person patient --time date --attributes place --period 2005-01",
    "link": "link demo/people.parquet demo/people.parquet --on birthdate,zip,gender",
    "randomise": "randomise original.csv --mechanism laplace --epsilon 1 -o released.csv",
    "leak": "leak original.csv released.csv --mic-rows 100",
    "overlap": "overlap demo/people.parquet --zones zip:prefix2,birthdate:year",
    "report": "report demo/people.parquet --qid birthdate,zip,gender -o report.html",
    "advise": "advise demo/people.parquet --qid birthdate,zip --plan plan.json",
    "apply": "apply demo/people.parquet --plan plan.json --out treated.csv",
    "report as JSON": "report demo/people.parquet --qid gender --sections bits --format json -o report.json",
    "decide": "decide report.json --decision refuse --by 'A. Example' --why 'a trial'",
    "init": "init demo/people.parquet -o idbits.toml",
    "check": "check",
    "predict uniqueness": "predict uniqueness --k 10 --values 365",
    "predict singletons": "predict singletons --k 20 --probabilities 0.5,0.3,0.1,0.1",
    "predict width": "predict width --distribution normal:mean=170,sd=10 --width 1,2 --k 30",
    "predict correlated": "predict correlated --sd 5,4 --rho 0.5 --width 1,1 --k 20",
    "predict group": "predict group --cost 10 --values 365",
    "predict suspects": "predict suspects --weights 0.5,0.3,0.2",
    "questionnaire": "questionnaire survey.toml",
}
"""Commands of the plain installation."""

WITH_EXTRA = {
    "files": {"a workbook": "measure people.xlsx --qid zip"},
    "leak": {"t-SNE": "leak original.csv released.csv --mic-rows 50 --reduction tsne"},
    "pdf": {"report as PDF": "report demo/people.parquet --qid gender --sections bits -o report.pdf"},
    "spark": {"Spark": "measure demo/people.parquet --qid zip,gender --engine spark"},
    "sql": {"a database": "measure sqlite:///people.db --table people --qid zip"},
    "web": {
        "repository keygen": "repository keygen",
        "repository add": "repository add office --role publisher --public-key data/signing-key.pem.pub "
        "--holder Office",
        "publish": "publish demo/people.parquet --qid gender --population City=Ede --date 2020-01-01 --distribution",
        "query": "query --qid gender --population City=Ede",
        "repository entries": "repository entries",
        "repository accounts": "repository accounts",
        "repository vocabulary": "repository vocabulary",
        "repository inventory": "repository inventory",
        "repository match": "repository match",
        "repository verify": "repository verify",
        "repository backup": "repository backup backup.jsonl",
        "repository restore": "repository restore backup.jsonl --repository restored.db",
        "repository export": "repository export export.jsonl",
        "repository trust": "repository trust office --public-key data/signing-key.pem.pub --holder Office "
        "--repository other.db",
        "repository import": "repository import export.jsonl --repository other.db",
        "repository conflicts": "repository conflicts",
        "repository resolve": "repository resolve REF --keep ours --reason 'a trial'",
        "repository follow": "repository follow http://127.0.0.1:9",
        "repository followed": "repository followed",
        "repository sync": "repository sync",
        "repository unfollow": "repository unfollow http://127.0.0.1:9",
        "repository decide": "repository decide REF 'not asked' --by 'A. Example' --why 'a trial'",
        "repository decisions": "repository decisions REF",
        "repository retract": "repository retract REF --reason 'a trial'",
        "repository revoke": "repository revoke office",
    },
}
CODES = {"check": (0, 1), "repository resolve": (3,), "repository sync": (3,)}
"""Exit codes other than 0: there is nothing to resolve, and nobody answers at the followed address."""

_GUARDED = "IDBITS_SMOKE_GUARDED"
_GUARD = """
import runpy, sys

def refuse(event, values):
    if event not in ("socket.connect", "socket.getaddrinfo"):
        return
    host = values[0] if event == "socket.getaddrinfo" else values[1][0]
    if host not in (None, "", "127.0.0.1", "::1", "localhost"):
        raise SystemExit(f"{event}: this would leave the machine")

sys.addaudithook(refuse)
sys.argv[0] = "idbits"
runpy.run_module("idbits", run_name="__main__", alter_sys=True)
"""
"""Runs idbits where the network cannot be turned off: connections that Python opens to other machines end it."""


def main(extras: list[str]) -> int:
    """Try everything and return the exit code."""
    _leave_network()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ["IDBITS_DATA"] = str(Path(folder) / "data")
        write_tables()
        names = all_commands()
        for name in names:
            _note(failed, f"{name} --help", _run(f"{name} --help").returncode == 0)
        for name, command in TRIALS.items():
            ended = _run(command)
            _note(failed, name, ended.returncode in CODES.get(name, (0,)), ended.stderr)
        for extra in EXTRAS:
            if f"-{extra}" not in extras:
                _try_extra(extra, extra in extras, failed)
        tried = {*TRIALS, *(name for trials in WITH_EXTRA.values() for name in trials), "serve"}
        left = [name for name in names if name not in tried]
        _note(failed, "every command was tried", not left, ", ".join(left))
        _note(failed, "manual pages and completion are installed", _has_shared_files())
    sys.stdout.write(f"{len(failed)} failed\n")
    return 1 if failed else 0


def _leave_network() -> None:
    """Start again in a network of its own that has nothing but loopback, where the system can do that."""
    if _INSIDE not in os.environ:
        os.environ[_INSIDE] = "1"
        words = ["unshare", "--map-root-user", "--net"]
        if (
            shutil.which("unshare")
            and subprocess.run([*words, "true"], check=False, capture_output=True).returncode == 0
        ):
            os.execvp("unshare", [*words, sys.executable, *sys.argv])  # noqa: S606, S607
    if shutil.which("ip"):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=False, capture_output=True)  # noqa: S607
    try:
        socket.create_connection(("192.0.2.1", 9), timeout=1).close()
    except TimeoutError:
        pass
    except OSError as error:
        sys.stdout.write(f"ok    no network ({error.strerror})\n")
        return
    os.environ[_GUARDED] = "1"
    sys.stdout.write("note  the network stays on: idbits ends if its Python connects to another machine\n")


def _command(*words: str) -> list[str]:
    # Not the source of this folder's project: -P keeps the current folder off the path.
    return [sys.executable, "-P", *(["-c", _GUARD] if _GUARDED in os.environ else ["-m", "idbits"]), *words]


def _run(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(_command(*shlex.split(command)), capture_output=True, text=True, timeout=300, check=False)


def _note(failed: list[str], name: str, ok: bool, reason: str = "") -> None:
    sys.stdout.write(f"{'ok   ' if ok else 'FAIL '} {name}{'' if ok else f': {reason.strip()}'}\n")
    sys.stdout.flush()
    if not ok:
        failed.append(name)


def _try_extra(extra: str, installed: bool, failed: list[str]) -> None:
    if extra == "spark" and installed and shutil.which("java") is None:
        sys.stdout.write("note  Spark was not tried: there is no Java\n")
        return
    for name, command in WITH_EXTRA[extra].items():
        ended = _run(command.replace("REF", _reference()) if "REF" in command else command)
        if installed:
            _note(failed, f"{name} ({extra})", ended.returncode in CODES.get(name, (0,)), ended.stderr)
        else:
            # On a slow machine, lines about progress come first.
            lines = [line for line in ended.stderr.splitlines() if not line.startswith("working")]
            says = ended.returncode == 2 and len(lines) == 1 and f"idbits[{extra}]" in lines[0]
            _note(failed, f"{name} says that it needs the extra {extra}", says, f"{ended.returncode} {ended.stderr}")
    if extra == "web" and installed:
        _note(failed, "serve", *served())


def _reference() -> str:
    """Return the reference of the published entry, or any if there is no repository."""
    ended = _run("repository entries --json")
    return str(json.loads(ended.stdout)["entries"][0]["ref"]) if ended.returncode == 0 else "0123456789abcdef"


def served() -> tuple[bool, str]:
    """Start the app, open its link, and return whether the page came, with the link or what went wrong."""
    words = _command("serve", "--no-open", "--port", "0", "--quiet")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            link = process.stdout.readline().strip()
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
            with browser.open(link, timeout=60) as page:
                return page.status == 200 and b"idbits" in page.read(), link
        except (OSError, ValueError) as error:
            return False, str(error)
        finally:
            process.terminate()


def all_commands() -> list[str]:
    """Return the names of all commands of the installed idbits."""
    code = (
        "import json\nfrom typer.main import get_command\nfrom idbits.cli.main import app\n"
        "def names(group, above=''):\n    for name, command in group.commands.items():\n"
        "        inner = getattr(command, 'commands', None)\n"
        "        yield from names(command, f'{above}{name} ') if inner else [above + name]\n"
        "print(json.dumps([*names(get_command(app))]))"
    )
    ended = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    names: list[str] = json.loads(ended.stdout)
    return names


def _has_shared_files() -> bool:
    share = Path(sys.prefix) / "share"
    names = ("man/man1/idbits.1", "bash-completion/completions/idbits", "zsh/site-functions/_idbits")
    return all((share / name).is_file() for name in names)


def write_tables() -> None:
    """Write the tables of the trials into the current folder."""
    code = (
        "from pathlib import Path\nfrom idbits.examples.visits import visits\n"
        "rows = visits(60).to_pylist()\n"
        "lines = [f\"{r['patient']},{r['date']},{r['place']}\" for r in rows]\n"
        "Path('visits.csv').write_text('\\n'.join(['patient,date,place', *lines]), encoding='utf-8')"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
    rows = "".join(f"{150 + row * 7 % 41},{50 + row * 13 % 37}\n" for row in range(200))
    Path("original.csv").write_text(f"height,weight\n{rows}", encoding="utf-8")
    Path("survey.toml").write_text(
        'population = 1000\n[[questions]]\nname = "sport"\nshares = [0.5, 0.3, 0.2]\n', encoding="utf-8"
    )
    with contextlib.closing(sqlite3.connect("people.db")) as database:
        database.execute("CREATE TABLE people (zip TEXT)")
        database.executemany("INSERT INTO people VALUES (?)", [(str(row % 5),) for row in range(50)])
        database.commit()
    _write_workbook(Path("people.xlsx"))


def _write_workbook(path: Path) -> None:
    """Write a workbook with one column, from its parts."""
    start = '<?xml version="1.0" encoding="UTF-8"?>'
    office = "http://schemas.openxmlformats.org"
    main = f"{office}/spreadsheetml/2006/main"
    related = f"{office}/officeDocument/2006/relationships"
    cells = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for n, text in enumerate(["zip", *(str(1000 + row % 4) for row in range(20))], start=1)
    )
    kinds = f"{office}/package/2006"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{kinds}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/sheet1.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{kinds}/relationships"><Relationship Id="r1" '
        f'Type="{related}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{related}"><sheets>'
        '<sheet name="people" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{kinds}/relationships"><Relationship Id="r1" '
        f'Type="{related}/worksheet" Target="sheet1.xml"/></Relationships>',
        "xl/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, start + content)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
