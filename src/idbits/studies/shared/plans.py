"""A plan: how a table is to be treated, written by ``idbits advise`` and carried out by ``idbits apply``.

A plan is a JSON file without values of the table. It names a view per column, or a level of a hierarchy file, which has
to be given again and is recognised by its hash.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from idbits._version import __version__
from idbits.canonical import LATER, is_later_schema
from idbits.errors import InputError
from idbits.file_guard import note_read
from idbits.storage import expand_home, whole_file
from idbits.studies.shared.documents import strict_json
from idbits.studies.shared.serialisation import Json, JsonObject, to_json

__all__ = [
    "ALL", "AS_IS", "KIND", "METHODS", "MIXED", "PLAN_SCHEMA", "HierarchyFile", "Plan", "PlannedColumn", "read_plan",
]  # fmt: skip

PLAN_SCHEMA = "idbits-plan/1"
KIND = "idbits plan"
AS_IS = "as is"
"""The view of a column that stays as it is."""
ALL = "all"
"""The view of a column that is given up: all values become one."""
MIXED = "mixed"
"""The view of a column whose coarseness differs between groups of people."""
METHODS = ("nodes", "local", "sets")
"""One view per column for everyone; views per group of people; ranges per group of people."""


@dataclass(frozen=True, slots=True)
class HierarchyFile:
    """A hierarchy file: its name, and the SHA-256 of its bytes in hexadecimal digits."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class PlannedColumn:
    """What becomes of a column.

    Attributes:
        column: the column of the source, without a view.
        view: ``as is``, ``all``, or the transforms after the name of the column, such as ``year:band5``; with a
            hierarchy ``as is``, ``all`` or ``level 2``; ``mixed`` if it differs between groups of people.
        level: the step of the ladder, from 0; with a hierarchy the field of its lines, 0 for the raw value. The last
            level may be one that the file lacks and that has one value for everything (``all``).
        hierarchy: the file that the levels come from.
        start: the view that the ladder begins with, which nothing is lost by.
        ladder: all views of the ladder, ``as is`` first; empty with a hierarchy, or if the ladder is not known.
        importance: the weight of the column's loss.
    """

    column: str
    view: str
    level: int
    hierarchy: HierarchyFile | None = None
    start: str = AS_IS
    ladder: tuple[str, ...] = ()
    importance: float = 1.0

    @property
    def first(self) -> str:
        """The column with the view that its ladder begins with, as in ``--qid``."""
        return self.column if self.start == AS_IS else f"{self.column}:{self.start}"

    @property
    def attribute(self) -> str | None:
        """The column with its view as in ``--qid``; None if it is given up or comes from a hierarchy."""
        if self.view == ALL or self.hierarchy is not None:
            return None
        return self.column if self.view == AS_IS else f"{self.column}:{self.view}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A treatment and the goal it was chosen for.

    Attributes:
        goal: the rules that the treated table has to meet, as in ``--goal``.
        withhold_limit: the largest share of people that may be withheld, 0 to 1.
        columns: the columns someone may know, in the order of ``--qid``.
        loss: the name of the loss that was minimised.
        method: ``nodes``, ``local`` or ``sets``.
        expected: what the treatment gives on the table it was found for: ``n_rows``, ``withheld``, ``figures`` and
            ``loss``, each a figure by its name.
        passes: for ``local``, the view of each column in each pass: people whose groups break the goal in one pass are
            treated by the next.
        fingerprint: for ``sets``, the hash of the columns and groups: such a plan fits its own table only.
        use_for: the column that the treated table should still predict.
        seed: the seed of the folds of that prediction.
    """

    goal: tuple[str, ...]
    withhold_limit: float
    columns: tuple[PlannedColumn, ...]
    loss: str
    method: str = "nodes"
    expected: Mapping[str, Json] = field(default_factory=dict)
    passes: tuple[tuple[str, ...], ...] = ()
    fingerprint: str | None = None
    use_for: str | None = None
    seed: int = 0

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Return the plan that ``to_dict()`` was made from; anything that is not one is an error."""
        return _checked(dict(data), "the plan")

    def to_dict(self) -> JsonObject:
        """Return the plan as plain data."""
        return {
            "schema": PLAN_SCHEMA,
            "version": __version__,
            "kind": KIND,
            "goal": list(self.goal),
            "withhold_limit": self.withhold_limit,
            "method": self.method,
            "columns": [
                {
                    "column": planned.column,
                    "view": planned.view,
                    "level": planned.level,
                    "hierarchy": (
                        {"name": planned.hierarchy.name, "sha256": planned.hierarchy.sha256}
                        if planned.hierarchy is not None
                        else None
                    ),
                    "start": planned.start,
                    "ladder": list(planned.ladder),
                    "importance": planned.importance,
                }
                for planned in self.columns
            ],
            "passes": [list(views) for views in self.passes],
            "fingerprint": self.fingerprint,
            "loss": self.loss,
            "use_for": self.use_for,
            "seed": self.seed,
            "expected": dict(self.expected),
        }

    def to_json(self) -> str:
        """Return the plan as a JSON text with one key per line; infinite figures become words."""
        return json.dumps(json.loads(to_json(self.to_dict())), indent=2, ensure_ascii=False)

    def write(self, path: Path) -> None:
        """Write the plan to a file, whole or not at all."""
        with whole_file(path) as draft:
            draft.write_text(f"{self.to_json()}\n", encoding="utf-8", newline="\n")


def read_plan(path: str | Path) -> Plan:
    """Read a plan; anything that is not one is an error that says what is wrong."""
    file = Path(expand_home(path))
    note_read(file)
    try:
        data = strict_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f'the plan "{file}" cannot be opened: {error.strerror}') from error
    except ValueError as error:
        raise InputError(f'the plan "{file}" is not valid JSON') from error
    if isinstance(data, dict) and is_later_schema(data.get("schema"), PLAN_SCHEMA):
        raise InputError(f'the plan "{file}" {LATER}')
    if not isinstance(data, dict) or data.get("schema") != PLAN_SCHEMA:
        raise InputError(f'"{file}" is not a plan; idbits advise --plan writes one')
    return _checked(cast("dict[str, Any]", data), f'the plan "{file}"')


def _checked(data: dict[str, Any], called: str) -> Plan:
    goal, columns, limit = data.get("goal"), data.get("columns"), data.get("withhold_limit")
    if not isinstance(goal, list) or not all(isinstance(rule, str) for rule in goal):
        raise InputError(f'{called}: "goal" must be a list of rules')
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
        raise InputError(f'{called}: "withhold_limit" must be a share from 0 to 1')
    if not isinstance(columns, list) or not columns:
        raise InputError(f'{called}: "columns" must be a list of columns')
    planned = tuple(_planned(column, called) for column in columns)
    names = [column.column for column in planned]
    if len(set(names)) < len(names):
        raise InputError(f'{called}: "columns" names a column twice')
    method, loss, expected = data.get("method", "nodes"), data.get("loss", ""), data.get("expected", {})
    if method not in METHODS:
        raise InputError(f'{called}: "method" must be {", ".join(METHODS[:-1])} or {METHODS[-1]}')
    if not isinstance(loss, str) or not isinstance(expected, dict):
        raise InputError(f'{called}: "loss" must be a text and "expected" an object')
    use_for, seed = data.get("use_for"), data.get("seed", 0)
    if not (use_for is None or isinstance(use_for, str)) or not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError(f'{called}: "use_for" must be a column and "seed" a whole number')
    passes, fingerprint = _mixed(data, method, len(planned), called)
    return Plan(tuple(goal), float(limit), planned, loss, method, expected, passes, fingerprint, use_for, seed)


def _mixed(
    data: dict[str, Any], method: str, n_columns: int, called: str
) -> tuple[tuple[tuple[str, ...], ...], str | None]:
    """Return the passes of a plan of ``local``, or the fingerprint of one of ``sets``."""
    passes, fingerprint = data.get("passes") or [], data.get("fingerprint")
    if not isinstance(passes, list) or not all(_are_views(views, n_columns) for views in passes):
        raise InputError(f'{called}: each of its "passes" must have one view per column')
    if (method == "local") != bool(passes):
        raise InputError(f'{called}: the method "local" needs "passes", and no other method has them')
    if (method == "sets") != isinstance(fingerprint, str):
        raise InputError(f'{called}: the method "sets" needs a "fingerprint", and no other method has one')
    return tuple(tuple(views) for views in passes), fingerprint


def _are_views(views: object, n_columns: int) -> bool:
    return isinstance(views, list) and len(views) == n_columns and all(isinstance(view, str) for view in views)


def _planned(data: object, called: str) -> PlannedColumn:
    if not isinstance(data, dict) or not all(isinstance(data.get(key), str) for key in ("column", "view")):
        raise InputError(f'{called}: each of its columns needs a "column" and a "view"')
    level, hierarchy = data.get("level"), data.get("hierarchy")
    if not isinstance(level, int) or isinstance(level, bool) or level < 0:
        raise InputError(f'{called}: the "level" of a column must be a whole number of at least 0')
    file = None
    if hierarchy is not None:
        known = isinstance(hierarchy, dict) and all(isinstance(hierarchy.get(key), str) for key in ("name", "sha256"))
        if not known:
            raise InputError(f'{called}: a "hierarchy" needs a "name" and a "sha256"')
        file = HierarchyFile(hierarchy["name"], hierarchy["sha256"])
    start, ladder, importance = data.get("start", AS_IS), data.get("ladder", []), data.get("importance", 1.0)
    if not isinstance(start, str) or not isinstance(ladder, list) or not _are_views(ladder, len(ladder)):
        raise InputError(f'{called}: the "start" of a column must be a view, and its "ladder" a list of views')
    if isinstance(importance, bool) or not isinstance(importance, int | float) or not 0 < importance < 10**6:
        raise InputError(f'{called}: the "importance" of a column must be a number above 0')
    return PlannedColumn(data["column"], data["view"], level, file, start, tuple(ladder), float(importance))
