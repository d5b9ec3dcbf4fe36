"""Densities by name: ``normal:sd=5.289``, ``uniform:low=0,high=10``, ``exponential:mean=3`` and so on."""

from __future__ import annotations

import math
import os
from pathlib import Path

from idbits.errors import InputError
from idbits.measures.densities import Density, Exponential, Lognormal, Normal, Uniform

__all__ = ["read_density"]

_WORDS = {
    "normal": ({"sd"}, {"sd", "mean"}),
    "uniform": (set(), {"low", "high", "length"}),
    "exponential": (set(), {"mean", "rate"}),
    "lognormal": ({"mu", "sigma"}, {"mu", "sigma"}),
}
_EXAMPLES = "normal:sd=5, uniform:low=0,high=10, exponential:mean=3 or lognormal:mu=1,sigma=0.5"


def read_density(text: str | os.PathLike[str]) -> Density | None:
    """Return the density that a text names; None where it names a file.

    >>> read_density("normal:sd=5.289")
    Normal(sd=5.289, mean=None)
    """
    said = os.fspath(text)
    name, _, rest = said.partition(":")
    if name not in _WORDS or Path(name).exists():
        return None
    numbers = _numbers(rest)
    needed, allowed = _WORDS[name]
    if not needed <= set(numbers) <= allowed or not numbers:
        raise InputError(f"{name} takes {', '.join(sorted(allowed))}; densities are written {_EXAMPLES}")
    if name == "normal":
        return Normal(_positive(numbers, "sd"), numbers.get("mean"))
    if name == "lognormal":
        if abs(numbers["mu"]) > 300 or numbers["sigma"] > 30:
            raise InputError("mu is at most 300 and sigma at most 30, or the values leave what can be computed")
        return Lognormal(numbers["mu"], _positive(numbers, "sigma"))
    if name == "exponential":
        if len(numbers) != 1:
            raise InputError("exponential takes its mean or its rate, which is 1 / mean")
        return Exponential(1 / _positive(numbers, "mean") if "mean" in numbers else _positive(numbers, "rate"))
    if set(numbers) == {"length"}:
        return Uniform(_positive(numbers, "length"))
    if set(numbers) != {"low", "high"} or not numbers["low"] < numbers["high"]:
        raise InputError("uniform takes low and high, low first, or its length where its place is not known")
    return Uniform(numbers["high"] - numbers["low"], numbers["low"])


def _numbers(text: str) -> dict[str, float]:
    numbers = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        try:
            numbers[name.strip()] = float(value)
        except ValueError:
            raise InputError(f"densities are written {_EXAMPLES}") from None
        if not math.isfinite(numbers[name.strip()]):
            raise InputError(f"densities are written {_EXAMPLES}")
    return numbers


def _positive(numbers: dict[str, float], name: str) -> float:
    if numbers[name] <= 0:
        raise InputError(f"{name} is more than 0")
    return numbers[name]
