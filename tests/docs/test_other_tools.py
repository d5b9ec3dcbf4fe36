"""The page for users of other tools quotes what idbits says, and what the tools say where they are installed."""

from __future__ import annotations

import csv
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pandas
import pytest

import idbits

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "other-tools.md").read_text(encoding="utf-8")
PEERS = {"other_tools.py": ("pycanon", "piflib", "anonymeter"), "pycanon_defects.py": ("pycanon",)}
sys.path.append(str(ROOT / "bench"))


def quoted(first: str) -> str:
    """Return the text block of the page whose first line begins with some words."""
    (block,) = re.findall(rf"^```text\n({re.escape(first)}.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return str(block)


# The other tools are no part of the tests' environment: each has old dependencies in an environment of its own, which
# the scripts install. Where that was done, their figures are computed again.
INSTALLED = [
    (script, first)
    for script, first in (("other_tools.py", "pycanon k_an"), ("pycanon_defects.py", "pycanon 1"))
    if all((ROOT / "build" / "peers" / name / "installed.txt").exists() for name in PEERS[script])
]

if INSTALLED:

    @pytest.mark.parametrize(("script", "first"), INSTALLED)
    def test_the_figures_of_other_tools_are_those_of_a_run(script: str, first: str) -> None:
        done = subprocess.run([sys.executable, ROOT / "bench" / script], capture_output=True, text=True, check=True)
        assert done.stdout == quoted(first)


def test_the_quoted_figures_of_idbits_are_ours() -> None:
    from other_tools import DIAGNOSES, ZIPS

    patients = pandas.DataFrame({"zip": ZIPS, "diagnosis": DIAGNOSES})
    disclosed = idbits.disclosure(patients, "zip", "diagnosis").to_dict()["sensitive"][0]  # type: ignore[index]
    gain = idbits.gain(patients, columns="zip,diagnosis")
    ours = {
        **{name: value for name, value in disclosed.items() if isinstance(value, float | int)},
        "recursive 3": disclosed["recursive"]["3"],
        "k_min": idbits.measure(patients, "zip").k_min, "rig['max']": gain.rig["max"],
        "percentile_pif": gain.percentile_pif,
    }  # fmt: skip
    compared = re.findall(r"; (\S+(?: 3)?) ([\d.]+); (?:equal|differs)$", quoted("pycanon k_an"), re.MULTILINE)
    compared = [(name, figure) for name, figure in compared if name in ours]
    assert len(compared) == 11
    for name, figure in compared:
        assert f"{ours[name]:.6g}" == figure, name


def test_the_optima_of_arx_are_those_of_its_tests(shared_data: Path) -> None:
    with (shared_data.parent / "golden" / "advise" / "arx_adult_optima.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    limited = [row for row in rows if row["suppression_limit"] == "0.04" and row["kind"] == "exact" and row["arx_loss"]]
    quoted_losses = {
        f"{float(row['arx_loss']):.9f} for groups of 5" for row in limited
        if row["criteria"] == "[(KAnonymity, [5])]" and row["metric"] == "Loss"
    } | {
        f"{float(row['arx_loss']):,.3f} for groups of 100" for row in limited
        if row["criteria"] == "[(KAnonymity, [100])]" and row["metric"] == "PrecomputedEntropy"
    }  # fmt: skip
    assert {loss for loss in quoted_losses if loss in PAGE} == set(re.findall(r"[\d.,]+ for groups of \d+", PAGE))


def test_the_errors_on_known_populations_are_those_of_their_page() -> None:
    trials = (ROOT / "docs" / "explanation" / "population.md").read_text(encoding="utf-8")
    first = trials.partition("== accuracy:")[2]
    theirs, ours = (
        float(re.findall(rf"^{name} *\|(?:[^|]*\|){{5}} *([\d.]+)", first, re.MULTILINE)[0]) * 100
        for name in ("Dankar's rule", "idbits")
    )
    assert f"off by {theirs:.1f} percentage points on average there (Dankar's rule), by {ours:.1f} here" in PAGE


def test_the_average_journalist_risk_of_arx_follows_from_its_source() -> None:
    released, population = (9, 1), (10, 2)
    marketer = sum(f / size for f, size in zip(released, population, strict=True)) / sum(released)
    by_group = len(population) / sum(population)
    text = " ".join(PAGE.split())
    assert f"(9 · 1/10 + 1 · 1/2) / 10 = {marketer:.2f}" in text
    assert f"2 groups / 12 people = {max(marketer, by_group):.3f}" in text


def test_the_figures_of_sdcmicro_follow_from_their_formulas() -> None:
    fraction = 0.1
    risk = fraction / (1 - fraction) * math.log(1 / fraction)
    text = " ".join(PAGE.split())
    assert f"f / (1 − f) · ln(1/f): {risk:.1%} at f = 10%" in text
    households = [1 - (1 - 1 / 3) * (1 - 1), 1 - (1 - 1 / 3) ** 2]
    assert f"7/9 = {sum(households) / 2:.3f}" in text
    assert f"2^24 + 1 = {2**24 + 1:,} people become {int(numpy.float32(2**24 + 1)):,}" in text
