"""Where does pycanon compute other figures than the definitions? Each on a table of a few rows, beside idbits.

    python bench/pycanon_defects.py

docs/explanation/disclosure.md lists what this prints. A line ends with "agrees" when pycanon has mended it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import pandas

import idbits
from idbits.studies.disclosure.result import ColumnDisclosure
from pycanon_python import run_pycanon


@dataclass(frozen=True)
class Defect:
    """A figure of a small table.

    Attributes:
        about: what pycanon does.
        function: its function.
        columns, index: the table; ``q`` is known, ``s`` is sensitive.
        figure: the figure of idbits that the definition gives.
    """

    about: str
    function: str
    columns: Mapping[str, Sequence[object]]
    figure: str
    index: list[int] | None = None


GROUP_OF_SEVEN = {"q": ["x"] * 7, "s": list("aaaaabb")}
DEFECTS = (
    Defect("recursive diversity divides the smallest count", "recursive_c_l_diversity", GROUP_OF_SEVEN, "recursive"),
    Defect("entropy l-diversity is cut off to a whole number", "entropy_l_diversity", GROUP_OF_SEVEN, "l_entropy"),
    Defect(
        "enhanced beta-likeness where no beta holds", "enhanced_beta_likeness",
        {"q": ["x"] * 2 + ["y"] * 8, "s": ["a"] * 2 + ["b"] * 8}, "enhanced_beta",
    ),
    Defect(
        "rows with a missing known value are dropped", "l_diversity",
        {"q": ["x", "x", None, None], "s": ["a", "b", "a", "a"]}, "l_distinct",
    ),
    Defect(
        "labels of the index are used as positions", "l_diversity",
        {"q": ["x", "x", "y", "y"], "s": ["a", "a", "b", "b"]}, "l_distinct", index=[0, 2, 1, 3],
    ),
    Defect("t-closeness of a column with one value", "t_closeness", {"q": ["x", "y"], "s": [1, 1]}, "t_ordered"),
)  # fmt: skip

PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pandas
from pycanon import anonymity
found = []
for function, columns, index in json.loads(sys.argv[1]):
    frame = pandas.DataFrame(columns, index=index)
    try:
        figure = getattr(anonymity, function)(frame, ["q"], ["s"])
        found.append([float(part) for part in figure] if isinstance(figure, tuple) else float(figure))
    except Exception as error:
        found.append(type(error).__name__)
# With several sensitive columns, gen=False adds the others to what is known.
frame = pandas.DataFrame({"q": ["x"] * 4, "s": list("aabb"), "s2": list("aabb")})
sensitive = ["s", "s2"]
ignored = [float(anonymity.l_diversity(frame, ["q"], sensitive, gen=False))]
try:
    ignored.append(float(anonymity.recursive_c_l_diversity(frame, ["q"], sensitive, gen=False)[1]))
except Exception as error:
    ignored.append(type(error).__name__)
from importlib.metadata import version
print(json.dumps([version("pycanon"), found, ignored]))
"""


def defined(defect: Defect) -> float | None:
    """Return the figure by its definition, as idbits computes it."""
    answer = idbits.disclosure(pandas.DataFrame(defect.columns, index=defect.index), "q", "s")
    assert isinstance(answer, idbits.Disclosure)
    column: ColumnDisclosure = answer["s"]
    if defect.figure == "recursive":
        return cast("float", column.recursive["2"])
    return cast("float | None", getattr(column, defect.figure))


def main() -> None:
    tables = [(defect.function, defect.columns, defect.index) for defect in DEFECTS]
    version, found, ignored = cast("tuple[str, list[object], list[object]]", run_pycanon(PROGRAM, json.dumps(tables)))
    print(f"pycanon {version}")
    for defect, theirs in zip(DEFECTS, found, strict=True):
        ours = defined(defect)
        first = theirs[0] if isinstance(theirs, list) else theirs
        agrees = isinstance(first, float) and ours is not None and abs(first - ours) < 1e-9
        print(f"{defect.about}: defined {ours}, pycanon {first}; {'agrees' if agrees else 'differs'}")
    without, recursive = ignored
    print(
        f"recursive diversity ignores gen=False for l: l-diversity with it {without}, recursive diversity says "
        f"{recursive}; {'agrees' if without == recursive else 'differs'}"
    )


if __name__ == "__main__":
    main()
