"""MIC equals minepy's, on files kept with what minepy said (approximation and MIC_e, alpha 0.6, c 15)."""

import json
from pathlib import Path

import numpy as np
import pytest

from idbits.measures.mic import maximal_information_coefficient

KINDS = ("linear", "sine_noise", "circle", "independent", "tied", "tied_dependent")


@pytest.fixture
def golden(shared_data: Path) -> Path:
    return shared_data.parent / "golden" / "mic"


@pytest.mark.parametrize("rows", [50, 200, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_minepy_says_the_same(golden: Path, kind: str, rows: int) -> None:
    name = f"{kind}_{rows}.csv"
    expected = json.loads((golden / "expected.json").read_text())[name]
    x, y = np.loadtxt(golden / name, delimiter=",", skiprows=1).T
    assert len(x) == rows
    assert maximal_information_coefficient(x, y) == pytest.approx(expected["mic_approx"], abs=1e-9)
    assert maximal_information_coefficient(x, y, equitable=True) == pytest.approx(expected["mic_e"], abs=1e-9)
