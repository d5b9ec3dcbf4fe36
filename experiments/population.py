"""How far off is `idbits population`, and how often is its interval right? Samples of populations that are known whole.

    python experiments/population.py FOLDER [PROCESSES]

FOLDER contains the real tables that experiments/populations.py names. Each population is drawn from at five sampling
fractions, three times each; every sample is estimated by idbits and by every other method. One line per sample is written
to experiments/population.csv, from which experiments/population_tables.py makes the tables, and
experiments/population_chart.py the chart, of docs/explanation/population.md. Everything is seeded. It takes about ten
minutes of processor time.
"""

from __future__ import annotations

import csv
import math
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

# Small matrices: threads would only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray
from populations import EVERY, Population, people_of
from scipy.special import expit, ndtri
from scipy.stats import rankdata

from idbits.counts import Spectrum
from idbits.measures.population.benedetti_franconi import individual_risk
from idbits.measures.population.comparison import compared_estimates
from idbits.measures.population.estimate import PopulationEstimate, estimate_population
from idbits.measures.population.model import SetModel
from idbits.measures.population.sample import Sample
from idbits.measures.population.sample_entropy import sample_entropy
from idbits.measures.population.sets import SampleSets

__all__ = ["RUNS", "SEEDS", "run", "run_all"]

RUNS = Path(__file__).parent / "population.csv"
SEEDS = (1, 2, 3)
FIFTHS = 5

Row = dict[str, object]


def packed(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one number per row; different rows have different numbers."""
    keys = np.zeros(len(codes), np.int64)
    for column in codes.T:
        values, places = np.unique(column, return_inverse=True)
        keys = np.unique(keys * len(values) + places, return_inverse=True)[1]
    return keys


@cache
def population_sizes(name: str, folder: Path) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the group of each person, and the size of each group."""
    groups = packed(people_of(name, folder))
    return groups, np.bincount(groups)


def sample_of(population: Population, fraction: float, seed: int, folder: Path) -> tuple[Sample, NDArray[np.int64]]:
    """Draw people without replacement; also return the size in the population of each set of the sample."""
    rng = np.random.default_rng([seed, round(1 / fraction), zlib.crc32(population.name.encode())])
    codes = people_of(population.name, folder)
    groups, sizes = population_sizes(population.name, folder)
    drawn = rng.choice(len(codes), round(fraction * len(codes)), replace=False)
    found, first, people = np.unique(groups[drawn], return_index=True, return_counts=True)
    order = rng.permutation(len(found))
    rows = codes[drawn[first[order]]]
    columns = [np.unique(column, return_inverse=True)[1].astype(np.uint32) for column in rows.T]
    sets = SampleSets(tuple(columns), tuple(int(column.max()) + 1 for column in columns), people[order])
    return Sample(spectrum=sets.spectrum, fraction=len(drawn) / len(codes), sets=sets), sizes[found[order]]


def run(population: Population, fraction: float, seed: int, folder: Path) -> Row:
    """Return what is true and what everybody says, for one sample."""
    sample, sizes = sample_of(population, fraction, seed, folder)
    answer = estimate_population(sample, seed=seed)
    whole = population_sizes(population.name, folder)[1]
    row: Row = {"population": population.name, "kind": population.kind, "f": fraction, "seed": seed}
    row |= {"n": sample.n, "people": int(whole.sum()), "m1": sample.uniques, "method": answer.method}
    row |= {f"true_{name}": value for name, value in truth(whole).items()}
    assert sample.sets is not None
    alone = sample.sets.people == 1
    row["true_pi"] = float((sizes[alone] == 1).mean()) if alone.any() else None
    row |= answered(answer)
    for other in compared_estimates(answer, everything=True):
        row |= {f"{other.name}_pi": other.pi, f"{other.name}_unique_share": other.unique_share}
    row |= other_figures(answer)
    row |= by_record(answer, sizes, alone)
    return row


def truth(sizes: NDArray[np.int64]) -> dict[str, float]:
    people = int(sizes.sum())
    hidden = float((sizes * np.log2(sizes)).sum()) / people
    return {
        "unique_share": float((sizes == 1).sum()) / people,
        "correctness": len(sizes) / people,
        "entropy_bits": math.log2(people) - hidden,
    }


def answered(answer: PopulationEstimate) -> Row:
    """Return our figures, also where they are not shown because the answer is not estimable."""
    row: Row = {"estimability": answer.estimability, "reason": answer.reason, "fit": answer.fits.fit}
    model = None if answer.model is None else answer.model.figures()
    for name in ("pi", "unique_share", "correctness", "entropy_bits"):
        row[f"ours_{name}"] = None if model is None else getattr(model, name)
        row |= {f"low_{name}": answer.figures[name].low, f"high_{name}": answer.figures[name].high}
    bounds = answer.bounds
    row |= {"bound_low": None if bounds is None else bounds.low, "bound_high": None if bounds is None else bounds.high}
    parts = answer.parts
    row |= {
        f"s_{name}": None if parts is None else getattr(parts, name)
        for name in ("bootstrap", "binomial", "model", "validation", "disagreement", "independence", "prior")
    }
    row["error_logit"] = None if answer.validation is None else answer.validation.error_logit
    row |= resampling_only(answer)
    return row


def resampling_only(answer: PopulationEstimate) -> Row:
    """Return the interval that resampling alone would give."""
    if answer.parts is None or answer.model_pi is None:
        return {"low_resampled": None, "high_resampled": None}
    pi = min(1 - 1e-9, max(1e-9, answer.model_pi))
    half = float(ndtri(0.95)) * math.hypot(answer.parts.bootstrap, answer.parts.binomial)
    middle = math.log(pi / (1 - pi))
    return {"low_resampled": float(expit(middle - half)), "high_resampled": float(expit(middle + half))}


def other_figures(answer: PopulationEstimate) -> Row:
    """Return what other methods say about correctness and entropy."""
    sample, fits = answer.sample, answer.fits
    spectrum: Spectrum = sample.spectrum
    entropies = sample_entropy(spectrum)
    row: Row = {
        f"{name}_entropy_bits": getattr(entropies, name) for name in ("miller_madow", "grassberger", "chao_shen")
    }
    row["plug_in_entropy_bits"] = entropies.entropy_bits
    local_gamma = None
    if fits.local_gamma is not None:
        local_gamma = SetModel.of_spectrum(fits.local_gamma, spectrum, sample.fraction).figures()
    for name in ("correctness", "entropy_bits"):
        row[f"local_gamma_{name}"] = None if local_gamma is None else getattr(local_gamma, name)
    row["pitman_correctness"] = None if fits.pitman is None else fits.pitman.correctness(sample.people)
    risks = [k * sets * individual_risk(k, k / sample.fraction) for k, sets in spectrum.pairs()]
    row["benedetti_franconi_correctness"] = math.fsum(risks) / sample.n
    return row


def by_record(answer: PopulationEstimate, sizes: NDArray[np.int64], alone: NDArray[np.bool_]) -> Row:
    """Return how p_unique of sample uniques compares with what they are: sums by fifths of the scale, and its AUC."""
    regression, model = answer.fits.regression, answer.model
    if regression is None or model is None or not alone.any():
        return {f"{what}_{fifth}": None for fifth in range(FIFTHS) for what in ("records", "predicted", "unique")} | {
            "auc": None
        }
    p_unique = model.p_unique[regression.cell_of_set][alone]
    unique = sizes[alone] == 1
    fifths = np.minimum((p_unique * FIFTHS).astype(int), FIFTHS - 1)
    row: Row = {}
    for fifth in range(FIFTHS):
        inside = fifths == fifth
        row |= {f"records_{fifth}": int(inside.sum()), f"predicted_{fifth}": float(p_unique[inside].sum())}
        row[f"unique_{fifth}"] = int(unique[inside].sum())
    yes, no = int(unique.sum()), int((~unique).sum())
    ranks = float(rankdata(p_unique)[unique].sum())
    row["auc"] = (ranks - yes * (yes + 1) / 2) / (yes * no) if yes and no else None
    return row


def run_population(population: Population, folder: Path) -> list[Row]:
    return [run(population, fraction, seed, folder) for fraction in population.fractions for seed in SEEDS]


def run_all(folder: Path, processes: int) -> Iterator[Row]:
    # Functions within functions cannot be sent to another process, names can.
    names = [population.name for population in EVERY]
    with ProcessPoolExecutor(processes) as pool:
        for rows in pool.map(partial(run_named, folder=folder), names):
            print(f"{rows[0]['population']}: {len(rows)} samples", file=sys.stderr, flush=True)
            yield from rows


def run_named(name: str, folder: Path) -> list[Row]:
    return run_population(next(each for each in EVERY if each.name == name), folder)


def shown(value: object) -> object:
    """Return a figure with the digits that are worth comparing."""
    if isinstance(value, float):
        return f"{value:.5g}"
    return "" if value is None else value


def write(rows: Iterable[Row]) -> None:
    lines = list(rows)
    with RUNS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: shown(value) for name, value in line.items()} for line in lines)


def main() -> None:
    folder, processes = (*sys.argv[1:], "2")[:2] if len(sys.argv) > 1 else ("", "2")
    if not folder or not Path(folder).is_dir():
        raise SystemExit(__doc__)
    write(run_all(Path(folder), int(processes)))


if __name__ == "__main__":
    main()
