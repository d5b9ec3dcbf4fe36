"""What do pycanon, piflib and anonymeter say about tables of a few rows? Their figures beside ours.

    python bench/other_tools.py

docs/explanation/other-tools.md quotes what this prints. A line ends with "equal" or "differs".
"""

from __future__ import annotations

import json
from typing import cast

import pandas

import idbits
from peer import run_peer

ZIPS = ["10"] * 6 + ["20"] * 4
DIAGNOSES = ["flu"] * 4 + ["asthma", "cancer"] + ["flu", "asthma", "asthma", "cancer"]

PYCANON = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pandas
from pycanon import anonymity
frame = pandas.DataFrame(json.loads(sys.argv[1]))
found = {"k_anonymity": int(anonymity.k_anonymity(frame, ["zip"]))}
for name in sys.argv[2:]:
    figure = getattr(anonymity, name)(frame, ["zip"], ["diagnosis"])
    found[name] = float(figure[0] if isinstance(figure, tuple) else figure)
print(json.dumps(found))
"""
PIFLIB = """
import json, sys
import pandas
from piflib import pif_calculator
frame = pandas.DataFrame(json.loads(sys.argv[1]))
cells = pif_calculator.compute_cigs(frame)
moves = pif_calculator.compute_csfs(frame)
print(json.dumps({
    "mean CIG of zip": float(cells["zip"].mean()), "mean CIG of diagnosis": float(cells["diagnosis"].mean()),
    "largest RIG": float(cells.sum(axis=1).max()),
    "PIF (95th percentile)": float(pif_calculator.compute_pif(cells, 95)),
    "mean CSF of zip": float(moves["zip"].mean()),
}))
"""
ANONYMETER = """
import json
import numpy, pandas
from anonymeter.evaluators.inference_evaluator import evaluate_inference_guesses
from anonymeter.neighbors.mixed_types_kneighbors import MixedTypeKNeighbors
right = evaluate_inference_guesses(
    guesses=pandas.Series([-100.0, 100.0]), secrets=pandas.Series([5.0, 5.0]), regression=True)
people = pandas.DataFrame({"a": [numpy.nan, 1.0], "c": [1.0, 3.0]})
search = MixedTypeKNeighbors(n_neighbors=2, n_jobs=1)
search.fit(people)
distances, _ = search.kneighbors(people.head(1), return_distance=True)
tied = pandas.DataFrame({"a": ["x", "x", "z"], "c": ["1", "1", "2"]})
nearest = MixedTypeKNeighbors(n_neighbors=1, n_jobs=1)
nearest.fit(tied)
chosen = nearest.kneighbors(tied.head(1))
print(json.dumps({
    "guess -100 for 5": bool(right[0]), "guess 100 for 5": bool(right[1]),
    "distance of a row with a missing number to itself": float(distances.min()),
    "rows that are nearest, of two equal ones": len(numpy.asarray(chosen).ravel()),
}))
"""
# pycanon's function and our figure of the sensitive column
SENSITIVE = {
    "l_diversity": "l_distinct", "entropy_l_diversity": "l_entropy", "recursive_c_l_diversity": "recursive 3",
    "alpha_k_anonymity": "alpha", "basic_beta_likeness": "beta", "enhanced_beta_likeness": "enhanced_beta",
    "t_closeness": "t_equal", "delta_disclosure": "delta_bits_present",
}  # fmt: skip


def show(tool: str, name: str, theirs: float, ours_name: str, ours: float) -> None:
    """Print one figure of a tool beside ours."""
    outcome = "equal" if abs(theirs - ours) < 1e-9 else "differs"
    print(f"{tool} {name} {theirs:.6g}; {ours_name} {ours:.6g}; {outcome}")


def compare_pycanon(patients: pandas.DataFrame, table: str) -> None:
    """Compare the figures of groups and of a sensitive column."""
    theirs = cast("dict[str, float]", run_peer("pycanon", PYCANON, table, *SENSITIVE))
    show("pycanon", "k_anonymity", theirs["k_anonymity"], "k_min", idbits.measure(patients, "zip").k_min)
    ours = cast("dict[str, list[dict[str, float]]]", idbits.disclosure(patients, "zip", "diagnosis").to_dict())
    figures = ours["sensitive"][0]
    figures["recursive 3"] = cast("dict[str, float]", figures["recursive"])["3"]
    for function, name in SENSITIVE.items():
        show("pycanon", function, theirs[function], name, figures[name])


def compare_piflib(patients: pandas.DataFrame, table: str) -> None:
    """Compare information gain."""
    theirs = cast("dict[str, float]", run_peer("piflib", PIFLIB, table))
    gain = idbits.gain(patients, columns="zip,diagnosis")
    features = gain.to_pandas().set_index("column")
    ours = {
        "mean CIG of zip": ("mean_cig_bits of zip", features["mean_cig_bits"]["zip"]),
        "mean CIG of diagnosis": ("mean_cig_bits of diagnosis", features["mean_cig_bits"]["diagnosis"]),
        "largest RIG": ("rig['max']", gain.rig["max"]),
        "PIF (95th percentile)": ("percentile_pif", gain.percentile_pif),
        "mean CSF of zip": ("mean_csf of zip", features["mean_csf"]["zip"]),
    }
    for name, (ours_name, value) in ours.items():
        show("piflib", name, theirs[name], ours_name, value)


def main() -> None:
    patients = pandas.DataFrame({"zip": ZIPS, "diagnosis": DIAGNOSES})
    table = json.dumps({"zip": ZIPS, "diagnosis": DIAGNOSES})
    compare_pycanon(patients, table)
    compare_piflib(patients, table)
    for name, figure in cast("dict[str, object]", run_peer("anonymeter", ANONYMETER)).items():
        print(f"anonymeter {name}: {figure}")


if __name__ == "__main__":
    main()
