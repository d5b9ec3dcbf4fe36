"""The sort that NumPy uses is chosen by the processor; an existing choice wins, and nothing is printed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from idbits.processor import avoid_slow_sort, sorts_slowly

SETTING = "NPY_DISABLE_CPU_FEATURES"
ALL_FLAGS = "fpu sse2 avx2 avx512f avx512dq avx512cd avx512bw avx512vl avx512_vbmi2 avx512_vpopcntdq"


def described(vendor: str, family: int, flags: str) -> str:
    """Return two processors as Linux describes them."""
    lines = f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: 17\nflags\t\t: {flags}\n\n"
    return f"processor\t: 0\n{lines}processor\t: 1\n{lines}"


@pytest.mark.parametrize(
    ("vendor", "family", "flags", "slow"),
    [
        ("AuthenticAMD", 25, ALL_FLAGS, True),  # Zen 4
        ("AuthenticAMD", 25, "fpu sse2 avx2", False),  # Zen 3
        ("AuthenticAMD", 26, ALL_FLAGS, False),  # Zen 5
        ("AuthenticAMD", 23, "fpu sse2 avx2", False),  # Zen 2
        ("GenuineIntel", 6, ALL_FLAGS, False),
        ("HygonGenuine", 25, ALL_FLAGS, False),
    ],
)
def test_only_zen_4_sorts_slowly(vendor: str, family: int, flags: str, *, slow: bool) -> None:
    assert sorts_slowly(described(vendor, family, flags)) == slow


@pytest.fixture
def zen_4(tmp_path: Path) -> Path:
    path = tmp_path / "cpuinfo"
    path.write_text(described("AuthenticAMD", 25, ALL_FLAGS))
    return path


@pytest.mark.parametrize(
    ("version", "features"),
    [("2.0.2", "AVX512F"), ("2.3.5", "AVX512F"), ("2.4.0", "X86_V4 AVX512_ICL"), ("3.0.0rc1", "X86_V4 AVX512_ICL")],
)
def test_features_have_the_names_of_the_installed_numpy(
    monkeypatch: pytest.MonkeyPatch, zen_4: Path, version: str, features: str
) -> None:
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    monkeypatch.setattr("importlib.metadata.version", lambda _: version)
    environment: dict[str, str] = {}
    avoid_slow_sort(environment, zen_4)
    assert environment == {SETTING: features}


@pytest.mark.parametrize("given", [{SETTING: ""}, {SETTING: "AVX512_SPR"}, {"NPY_ENABLE_CPU_FEATURES": "X86_V4"}])
def test_an_existing_setting_wins(monkeypatch: pytest.MonkeyPatch, zen_4: Path, given: dict[str, str]) -> None:
    monkeypatch.delitem(sys.modules, "numpy", raising=False)
    environment = dict(given)
    avoid_slow_sort(environment, zen_4)
    assert environment == given


def test_nothing_is_set_too_late_or_on_other_systems(monkeypatch: pytest.MonkeyPatch, zen_4: Path) -> None:
    environment: dict[str, str] = {}
    monkeypatch.setitem(sys.modules, "numpy", sys)
    avoid_slow_sort(environment, zen_4)
    monkeypatch.delitem(sys.modules, "numpy")
    avoid_slow_sort(environment, zen_4.parent / "missing")
    assert environment == {}


def test_the_installed_numpy_takes_the_features_without_a_word(zen_4: Path) -> None:
    """Run only where NumPy has the instructions: it warns about others, and they are never named there."""
    numpy_features = pytest.importorskip("numpy._core._multiarray_umath").__cpu_features__
    if not numpy_features.get("AVX512_ICL"):
        pytest.skip("this processor has no AVX-512")
    program = (
        "import os, pathlib, sys\n"
        "from idbits.processor import avoid_slow_sort\n"
        f"avoid_slow_sort(os.environ, pathlib.Path({str(zen_4)!r}))\n"
        "import numpy\n"
        "from numpy._core._multiarray_umath import __cpu_features__ as features\n"
        "print(features.get('X86_V4', features['AVX512F']), os.environ['NPY_DISABLE_CPU_FEATURES'])\n"
    )
    words = [sys.executable, "-W", "always", "-c", program]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, env=environment_without_choice())
    assert ended.stdout.startswith("False ")
    assert ended.stderr == ""


def environment_without_choice() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != SETTING}
