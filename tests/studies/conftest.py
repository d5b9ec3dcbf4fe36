"""The oracle: every figure of SPEC section 1 from a list of rows, by counting and by the book."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import pytest

from commands import run

__all__ = ["run"]

Expected = dict[str, Any]


def figures_of(counts: Counter[Hashable], possible_values: int | None = None) -> Expected:
    """Return what a measurement of these values and their people must say."""
    sizes = sorted(k for k in counts.values() if k)
    people = np.repeat(sizes, sizes)
    n = len(people)
    entropy = math.fsum(k / n * math.log2(n / k) for k in sizes)
    possible = possible_values if possible_values is not None else len(counts)
    return {
        "n_rows": n,
        "n_reference": n,
        "n_sets": len(sizes),
        "k_min": min(sizes),
        "k_max": max(sizes),
        "singletons": sizes.count(1),
        "entropy_bits": entropy,
        "max_entropy_bits": math.log2(n),
        "k_hat": n / 2**entropy,
        "guaranteed_singletons": max(0.0, (entropy - (math.log2(n) - 1)) * n),
        "degree_of_anonymity": 1 - entropy / math.log2(n) if n > 1 else None,
        "mean_risk": float(np.mean(1 / people)),
        "max_risk": 1 / min(sizes),
        "kappa_nats": math.fsum(k / n * math.log(k / n * possible) for k in sizes),
        "n_values": possible,
        "spectrum": sorted([k, m] for k, m in Counter(sizes).items()),
        "spectrum_people": [k * m for k, m in sorted(Counter(sizes).items())],
        "gain_table": [_gain(people, bits) for bits in range(math.floor(math.log2(n)), -1, -1)],
        "set_sizes": {
            "min": min(sizes),
            "q1": float(np.quantile(sizes, 0.25)),
            "median": float(np.median(sizes)),
            "mean": n / len(sizes),
            "q3": float(np.quantile(sizes, 0.75)),
            "max": max(sizes),
        },
        "people_at_most": {str(t): int((people <= t).sum()) for t in (1, 5, 10, 50, 100)},
        "people_below": {str(t): int((people < t).sum()) for t in (2, 5, 10)},
        "people_exactly": {str(t): int((people == t).sum()) for t in range(1, 11)},
        "bits_quantiles": {
            name: float(np.quantile(np.log2(n / people), level))
            for name, level in {
                "min": 0, "p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "max": 1,
            }.items()
        },
        "renyi_bits": {
            "0": math.log2(len(sizes)),
            "1": entropy,
            "2": -math.log2(math.fsum((k / n) ** 2 for k in sizes)),
            "inf": -math.log2(max(sizes) / n),
        },
    }  # fmt: skip


def _gain(people: np.ndarray, bits: int) -> Expected:
    enough = int((people * 2**bits <= len(people)).sum())
    return {"bits": bits, "people": enough, "share": enough / len(people)}


def close_to(expected: Any) -> Any:
    """Return the expected data with room for the last digits of floats; integers stay exact."""
    if isinstance(expected, dict):
        return {key: close_to(value) for key, value in expected.items()}
    if isinstance(expected, list):
        return [close_to(value) for value in expected]
    return pytest.approx(expected, rel=1e-10, abs=1e-12) if isinstance(expected, float) else expected


def check_figures(data: dict[str, Any], rows: Iterable[Hashable], possible_values: int | None = None) -> None:
    """Fail where the data of a measurement are not those of the rows."""
    counts = rows if isinstance(rows, Counter) else Counter(rows)
    expected = figures_of(counts, possible_values)
    assert {key: data[key] for key in expected} == close_to(expected)


@pytest.fixture(scope="session")
def check() -> Callable[..., None]:
    """Return the comparison with the oracle."""
    return check_figures
