"""Whether NumPy's sort is slow on this processor, and how to avoid it.

NumPy sorts with AVX-512 where the processor has it. On AMD's Zen 4 that takes five times as long as NumPy's other sort,
because these processors write compressed vectors to memory slowly. On Zen 5 it takes half as long as the other sort.
The command sets an environment variable before it imports NumPy. The library comes too late for that, because a program
may have imported NumPy already; there ``kernels/sorting.py`` sorts otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from functools import cache
from importlib import import_module
from pathlib import Path

__all__ = ["avoid_slow_sort", "numpy_sorts_slowly"]

_SETTING = "NPY_DISABLE_CPU_FEATURES"
_ENABLING = "NPY_ENABLE_CPU_FEATURES"
"""NumPy refuses to start if both are set."""
_CPU_INFO = Path("/proc/cpuinfo")
_FIRST_PROCESSOR = 1 << 14
_ZEN_3_AND_4 = "25"
_NAMES_SINCE = (2, 4)


def avoid_slow_sort(environment: MutableMapping[str, str], cpu_info: Path = _CPU_INFO) -> None:
    """Set NumPy's environment variable if its fastest instructions sort slowly here; an existing setting wins."""
    if {_SETTING, _ENABLING} & environment.keys() or "numpy" in sys.modules:
        return
    if sorts_slowly(_described(cpu_info)) and (features := _features()):
        environment[_SETTING] = features


@cache
def numpy_sorts_slowly() -> bool:
    """Return whether NumPy, as it was imported, sorts with instructions that are slow on this processor."""
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    return bool(features.get("X86_V4", features.get("AVX512F"))) and sorts_slowly(_described(_CPU_INFO))


def _described(cpu_info: Path) -> str:
    try:
        with cpu_info.open(encoding="ascii", errors="replace") as file:
            return file.read(_FIRST_PROCESSOR)
    except OSError:
        # Not Linux: NumPy decides.
        return ""


def sorts_slowly(cpu_info: str) -> bool:
    """Return whether AVX-512 sorts slowly on the first processor of ``/proc/cpuinfo``.

    >>> sorts_slowly("vendor_id: AuthenticAMD\\ncpu family: 25\\nflags: avx2 avx512f avx512_vbmi2")
    True
    >>> sorts_slowly("vendor_id: AuthenticAMD\\ncpu family: 26\\nflags: avx2 avx512f avx512_vbmi2")
    False
    """
    first: dict[str, str] = {}
    for line in cpu_info.splitlines():
        name, _, value = line.partition(":")
        first.setdefault(name.strip(), value.strip())
    has_it = {"avx512f", "avx512_vbmi2"} <= set(first.get("flags", "").split())
    return (first.get("vendor_id"), first.get("cpu family")) == ("AuthenticAMD", _ZEN_3_AND_4) and has_it


def _features() -> str | None:
    """Return what the installed NumPy calls these instructions; it warns about names that it does not know."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        major, minor = version("numpy").split(".")[:2]
        return "X86_V4 AVX512_ICL" if (int(major), int(minor)) >= _NAMES_SINCE else "AVX512F"
    except (PackageNotFoundError, ValueError):
        return None
