"""The rules of the house that no type checker sees, read off the syntax of every module."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ALLOWED: dict[str, dict[str, str]] = {
    "logarithms": {
        "measures/": "the home of every formula",
        "render/scales.py": "puts marks on the scales of charts; no figure is made from it",
    },
    "rounding": {
        "engines/sources/sample.py": "ranks the dialects that a text file may have",
        "engines/spark/cohorts.py": "sums in whole units of a fixed size",
        "engines/spark/gain_people.py": "sums in whole units of a fixed size",
        "engines/spark/gains.py": "sums in whole units of a fixed size",
        "engines/spark/packed_gains.py": "sums in whole units of a fixed size",
        "engines/sql/dialect.py": "an exact decimal number, written without an exponent",
        "engines/sql/mysql.py": "whole seconds of an instant without fractions",
        "engines/sql/warehouses.py": "an exact decimal number, written without an exponent",
        "examples/registry.py": "whole people are made from shares, before anything is measured",
        "kernels/exact_sums.py": "sums in whole units of a fixed size",
        "kernels/row_people.py": "sums in whole units of a fixed size",
        "measures/": "sums in whole units of a fixed size, which do not depend on the order of the terms",
        "render/numbers.py": "the home of rounding",
        "values/": "exact decimal numbers, written without an exponent",
    },
    "engine checks": {"engines/": "an engine recognises its own tables"},
    "engine libraries": {"engines/open.py": "names types for the type checker"},
    "other questions": {},
}
"""What each rule leaves out: files or folders, with the reason."""

SOURCE = Path(__file__).parents[2] / "src" / "idbits"


@dataclass(frozen=True)
class Module:
    """A module: its path below ``src/idbits``, its syntax, and what the names it imports stand for."""

    path: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return "idbits." + self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @functools.cache  # noqa: B019 (modules are read once per run)
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    def imports(self) -> Iterator[tuple[int, str]]:
        """Line and full name of everything that is imported, in functions and for type checkers too."""
        for node in self.nodes():
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                parent = self._parent(node.level)
                start = ".".join(filter(None, (parent, node.module)))
                yield from ((node.lineno, f"{start}.{alias.name}") for alias in node.names)

    def _parent(self, level: int) -> str:
        if not level:
            return ""
        package = self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]
        return ".".join(package.split(".")[: len(package.split(".")) + 1 - level])

    def imported_names(self) -> dict[str, str]:
        """What the module calls the things it imports."""
        names = {}
        for node in self.nodes():
            if isinstance(node, ast.Import):
                names |= {alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                start = ".".join(filter(None, (self._parent(node.level), node.module)))
                names |= {alias.asname or alias.name: f"{start}.{alias.name}" for alias in node.names}
        return names


Offences = Iterator[tuple[int, str]]
"""Lines, each with what stands there."""

_LOGARITHM = re.compile(r"log(|2|10|1p|addexp2?|sumexp|gamma)|xlog(1p)?y|lgamma|gammaln|betaln|(rel_)?entr")


def logarithms(module: Module) -> Offences:
    """Logarithms of any library, called or handed on: measures take them, and one helper for the scales of charts."""
    imported = {name: origin for name, origin in module.imported_names().items() if not origin.startswith("idbits")}
    yield from ((0, origin) for origin in imported.values() if _is_logarithm(origin))
    for node in module.nodes():
        match node:
            case ast.Attribute(ast.Name(name), attribute) if name in imported and _is_logarithm(attribute):
                yield node.lineno, ast.unparse(node)


def _is_logarithm(name: str) -> bool:
    return _LOGARITHM.fullmatch(name.rpartition(".")[2]) is not None


_ROUNDING = ("round", "around", "rint")
_FLOAT_FORMAT = re.compile(r".*[eEfFgGn%]")
_FLOAT_IN_BRACES = re.compile(r"\{[^{}]*:[^{}]*[eEfFgG%]\}")
_FLOAT_AFTER_PERCENT = re.compile(r"%[-+ #0]*\d*(\.\d+|\.\*)?[eEfFgG]")


def rounding(module: Module) -> Offences:
    """Rounded numbers and floats made text: only ``render/numbers.py`` decides how many digits a number shows."""
    for node in module.nodes():
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _ROUNDING:
                yield node.lineno, ast.unparse(node)
            case ast.Call(func=ast.Name(id="format"), args=[_, spec]) if _is_float_format(spec):
                yield node.lineno, ast.unparse(node)
            case ast.Call(func=ast.Attribute(ast.Constant(str(text)), "format")) if _FLOAT_IN_BRACES.search(text):
                yield node.lineno, ast.unparse(node)
            case ast.FormattedValue(format_spec=ast.JoinedStr() as spec) if _is_float_format(spec):
                yield node.lineno, ast.unparse(ast.JoinedStr([node]))
            case ast.BinOp(ast.Constant(str(text)), ast.Mod()) if _FLOAT_AFTER_PERCENT.search(text):
                yield node.lineno, ast.unparse(node)


def _is_float_format(spec: ast.expr) -> bool:
    parts = spec.values if isinstance(spec, ast.JoinedStr) else [spec]
    text = "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in parts)
    return _FLOAT_FORMAT.fullmatch(text) is not None


_ENGINE_CLASS = re.compile(r"idbits\.engines\..*\.[A-Z]\w*(Table|Engine)")


def engine_checks(module: Module) -> Offences:
    """``isinstance`` with a table of an engine: a study asks the table what it can do, not what it is."""
    engine_classes = {name for name, origin in module.imported_names().items() if _ENGINE_CLASS.fullmatch(origin)}
    for node in module.nodes():
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                if engine_classes & {part.id for part in ast.walk(kinds) if isinstance(part, ast.Name)}:
                    yield node.lineno, ast.unparse(node)


_HOME = {"pyspark": ("engines/spark/",), "duckdb": ("engines/duckdb/",), "sqlalchemy": ("engines/sql/", "repository/")}


def engine_libraries(module: Module) -> Offences:
    """``pyspark``, ``duckdb`` and ``sqlalchemy`` outside the folders of their engines."""
    for line, name in module.imports():
        homes = _HOME.get(name.partition(".")[0])
        if homes is not None and not module.path.startswith(homes):
            yield line, name


_SHOWN = ("study", "result", "text", "charts")


def other_questions(module: Module) -> Offences:
    """A question that imports another one; ``report`` and ``check`` may, through what a question shows of itself."""
    room, *rest = module.path.split("/")
    if room != "studies" or len(rest) < 2 or rest[0] == "shared":
        return
    for line, name in dict.fromkeys((line, ".".join(name.split(".")[:4])) for line, name in module.imports()):
        match name.split("."):
            case ["idbits", "studies", question, *part] if question not in (rest[0], "shared"):
                if rest[0] not in ("report", "check") or not part or part[0] not in _SHOWN:
                    yield line, name


RULES: dict[str, Callable[[Module], Offences]] = {
    "logarithms": logarithms,
    "rounding": rounding,
    "engine checks": engine_checks,
    "engine libraries": engine_libraries,
    "other questions": other_questions,
}


@functools.cache
def modules() -> list[Module]:
    paths = sorted(SOURCE.rglob("*.py"))
    return [Module(path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def offences(rule: str) -> dict[str, list[str]]:
    """What breaks a rule, by file, except where that is allowed for good."""
    broken: dict[str, list[str]] = {}
    for module in modules():
        if not any(module.path.startswith(path) for path in ALLOWED[rule]):
            lines = [f"{line}: {text}" for line, text in RULES[rule](module)]
            broken |= {module.path: lines} if lines else {}
    return broken


def repeated_classes(among: list[Module]) -> dict[str, list[str]]:
    """Names that stand for more than one class, with the files that define them."""
    places = defaultdict(list)
    for module in among:
        for node in module.nodes():
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.path)
    return {name: paths for name, paths in sorted(places.items()) if len(paths) > 1}


@pytest.mark.parametrize("rule", RULES)
def test_no_module_breaks_a_rule(rule: str) -> None:
    assert not offences(rule)


def test_no_class_name_is_used_twice() -> None:
    assert not repeated_classes(modules())


@pytest.mark.parametrize("rule", RULES)
def test_nothing_is_allowed_that_is_not_needed(rule: str) -> None:
    broken = [module.path for module in modules() if any(RULES[rule](module))]
    idle = [start for start in ALLOWED[rule] if not any(path.startswith(start) for path in broken)]
    assert not idle, f"nothing in {idle} breaks the rule: take it off ALLOWED"


@pytest.mark.parametrize(
    ("rule", "path", "snippet"),
    [
        ("logarithms", "studies/measure/study.py", "import math\nx = math.log2(3)"),
        ("logarithms", "kernels/points.py", "import numpy as np\nx = np.log1p"),
        ("logarithms", "web/app.py", "from math import log10"),
        ("logarithms", "studies/leak/link.py", "from scipy import special\nx = special.xlogy(1, 2)"),
        ("rounding", "web/app.py", "x = round(2.5)"),
        ("rounding", "web/app.py", "import numpy as np\nx = np.rint(2.5)"),
        ("rounding", "studies/measure/text.py", 'x = f"{1.5:.2f}"'),
        ("rounding", "studies/measure/text.py", 'n = 3\nx = f"{1.5:,.{n}f}"'),
        ("rounding", "studies/measure/text.py", 'x = f"{0.5:.0%}"'),
        ("rounding", "studies/measure/text.py", 'x = "{:.3g}".format(1.5)'),
        ("rounding", "studies/measure/text.py", 'x = "%.3f" % 1.5'),
        ("rounding", "studies/measure/text.py", 'x = format(1.5, ".1e")'),
        (
            "engine checks",
            "studies/gain/study.py",
            "from idbits.engines.spark.table import SparkTable\nx = isinstance(0, (int, SparkTable))",
        ),
        ("engine libraries", "studies/gain/study.py", "def f():\n    from pyspark.sql import DataFrame"),
        ("engine libraries", "engines/spark/table.py", "import duckdb"),
        ("engine libraries", "engines/open.py", "import sqlalchemy.engine"),
        ("other questions", "studies/gain/study.py", "from idbits.studies.measure.study import measure"),
        ("other questions", "studies/report/study.py", "from idbits.studies.gain.cells import Cell"),
        ("other questions", "studies/gain/study.py", "from ..measure import study"),
        ("other questions", "studies/check/study.py", "import idbits.studies.gain.cells"),
    ],
)
def test_each_rule_sees_what_breaks_it(rule: str, path: str, snippet: str) -> None:
    assert list(RULES[rule](Module(path, ast.parse(snippet))))


@pytest.mark.parametrize(
    ("rule", "path", "snippet"),
    [
        ("logarithms", "studies/predict/text.py", "def f(log10, quantity):\n    return log10 + quantity.log10"),
        ("logarithms", "web/app.py", "from idbits.render.scales import decades\nimport logging\nx = logging.info"),
        ("rounding", "web/app.py", 'x = f"{12:,} {7:02d} {True:>5}"'),
        ("engine checks", "studies/gain/study.py", "x = isinstance(0, int)"),
        ("engine libraries", "engines/spark/table.py", "import pyspark"),
        ("other questions", "studies/report/study.py", "from idbits.studies.gain.study import gain"),
        ("other questions", "studies/gain/study.py", "from idbits.studies.shared.roles import role_of"),
        ("other questions", "studies/gain/study.py", "from idbits.studies.gain.cells import Cell"),
    ],
)
def test_no_rule_sees_more_than_that(rule: str, path: str, snippet: str) -> None:
    assert not list(RULES[rule](Module(path, ast.parse(snippet))))


def test_a_class_name_that_is_used_twice_is_seen() -> None:
    twice = [Module(path, ast.parse("class Answer: ...")) for path in ("cli/output.py", "web/app.py")]
    assert repeated_classes(twice) == {"Answer": ["cli/output.py", "web/app.py"]}
    assert not repeated_classes(twice[:1])
