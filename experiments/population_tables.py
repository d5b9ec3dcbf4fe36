"""The tables and the chart of docs/explanation/population.md, from the samples in experiments/population.csv.

    python experiments/population_tables.py [NAME ..]

Prints the tables. ``python tests/docs/test_population_experiment.py`` writes them and the chart into the documentation.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from population_parts import distance_to_independence, parts
from population_runs import (
    CHOSEN,
    FRACTIONS,
    Run,
    at,
    covered,
    decimals,
    errors,
    every_run,
    mean_of,
    mean_size,
    number,
    percent,
    row,
    runs,
    share,
    within,
)
from scipy.stats import spearmanr

__all__ = ["METHODS", "TABLES"]

METHODS = {
    "ours": "idbits", "local_gamma": "local gamma", "pitman": "Pitman posterior", "pitman_arx": "Pitman as in ARX",
    "dankar": "Dankar's rule", "snb": "SNB, corrected", "zayatz": "Zayatz", "favaro": "Favaro",
    "loglinear": "log-linear, main effects", "benedetti_franconi": "Benedetti-Franconi",
}  # fmt: skip
EVEN_GRIDS = {"US births, date", "US births, calendar, weekday", "Netherlands, year, age, sex"}
"""Populations in which all combinations of values are about equally likely."""


def methods_and_errors(
    chosen: Sequence[Run], figure: str, names: dict[str, str], *, relative: bool = False
) -> Iterator[str]:
    """Yield the mean size of the error of each method, by fraction."""
    show = (lambda value: percent(value, 1)) if relative else decimals
    widths = (26, 6, 6, 6, 6, 6, 6, 6, 6, 9)
    yield row("method", *(percent(f) for f in FRACTIONS), "all", "worst", "bias", "no answer", widths=widths)
    for method, name in names.items():
        all_errors = errors(chosen, method, figure, relative=relative)
        cells = [show(mean_size(errors(at(chosen, f), method, figure, relative=relative))) for f in FRACTIONS]
        worst, bias = show(max(map(abs, all_errors))), float(np.mean(all_errors))
        shown_bias = f"{bias:+.1%}" if relative else f"{bias:+.3f}"
        missing = str(len(chosen) - len(all_errors))
        yield row(name, *cells, show(mean_size(all_errors)), worst, shown_bias, missing, widths=widths)


def accuracy() -> Iterator[str]:
    """Mean size of the error of pi, by sampling fraction."""
    chosen = runs()
    populations = {run["population"] for run in chosen}
    yield f"{len(chosen)} samples of {len(populations)} populations; before the verdict: also where it is not estimable"
    yield from methods_and_errors(chosen, "pi", METHODS)
    sure = [run for run in chosen if run["estimability"] == "estimable"]
    yield ""
    yield f"{len(sure)} of these samples, which idbits calls estimable"
    yield from methods_and_errors(sure, "pi", METHODS)


def kinds() -> Iterator[str]:
    """Mean size of the error of pi by kind of population. Even grids were set apart after seeing the errors."""
    groups: dict[str, Callable[[Run], bool]] = {
        "real": lambda run: run["kind"] == "real",
        "made up": lambda run: run["kind"] == "made up",
        "true pi < 10%": lambda run: number(run, "true_pi") < 0.1,
        "even grids": lambda run: run["population"] in EVEN_GRIDS,
        "all others": lambda run: run["population"] not in EVEN_GRIDS,
        "others, 5% up": lambda run: run["population"] not in EVEN_GRIDS and number(run, "f") >= 0.05,
    }
    widths = (26, 7, 7, 13, 10, 10, 13)
    chosen = {name: [run for run in runs() if belongs(run)] for name, belongs in groups.items()}
    yield row("method", *groups, widths=widths)
    for method, name in METHODS.items():
        yield row(name, *(decimals(mean_size(errors(own, method))) for own in chosen.values()), widths=widths)
    bias = [f"{np.mean(errors(own, 'ours')):+.3f}" for own in chosen.values()]
    yield row("bias of idbits", *bias, widths=widths)
    yield row("samples", *(str(len(own)) for own in chosen.values()), widths=widths)


def by_population() -> Iterator[str]:
    """Mean size of the error of pi over the samples of each population, and how often our interval held the truth."""
    widths = (31, 6, 6, 4, 6, 5, 6, 6, 6, 7, 9)
    yield row(
        "population", "people", "unique", "pi", "idbits", "gamma", "Pitman", "Dankar", "Zayatz", "covered", "estimable",
        widths=widths,
    )  # fmt: skip
    chosen = runs()
    for name in dict.fromkeys(run["population"] for run in chosen):
        own = [run for run in chosen if run["population"] == name]
        means = [mean_size(errors(own, method)) for method in ("ours", "local_gamma", "pitman", "dankar", "zayatz")]
        estimable = sum(run["estimability"] == "estimable" for run in own)
        yield row(
            str(name), f"{number(own[0], 'people'):,.0f}", percent(number(own[0], "true_unique_share"), 1),
            decimals(statistics.fmean(number(run, "true_pi") for run in own), 2), *map(decimals, means),
            f"{sum(covered(run) for run in own)}/{len(own)}", f"{estimable}/{len(own)}", widths=widths,
        )  # fmt: skip


def gains() -> Iterator[str]:
    """How much smaller is our error, over the samples that both answer? Populations, not samples, are independent."""
    rng = np.random.default_rng(0)
    widths = (26, 14, 14, 6, 9, 16)
    yield row("method", "populations", "idbits is", "gain", "at 1%", "90% interval", widths=widths)
    for title, names in {"chosen": CHOSEN, "random": ("random",)}.items():
        for method in ("local_gamma", "pitman", "dankar", "loglinear"):
            gained = gains_over(method, runs(*names))
            small = gains_over(method, at(runs(*names), 0.01))
            drawn = [float(np.mean(rng.choice(gained, len(gained)))) for _ in range(5_000)]
            low, high = np.quantile(drawn, [0.05, 0.95])
            better = f"better in {sum(gain > 0 for gain in gained)}"
            yield row(
                METHODS[method], f"{title}, {len(gained)}", better, f"{np.mean(gained):+.3f}", f"{np.mean(small):+.3f}",
                f"{low:+.3f} to {high:+.3f}", widths=widths,
            )  # fmt: skip


def gains_over(method: str, chosen: Sequence[Run]) -> list[float]:
    """Return, for each population, how much larger the mean error of a method is than ours."""
    both = [run for run in chosen if run[f"{method}_pi"] is not None]
    by_name: dict[object, list[Run]] = {}
    for run in both:
        by_name.setdefault(run["population"], []).append(run)
    return [
        (mean_size(errors(own, method)) or 0.0) - (mean_size(errors(own, "ours")) or 0.0) for own in by_name.values()
    ]


def intervals() -> Iterator[str]:
    """The 90% interval of pi and the bounds without a model: how often they hold the truth, and how wide they are."""
    widths = (30, 6, 7, 5, 9, 10, 10, 11, 12)
    yield row(
        "samples", "number", "covered", "width", "estimable", "covered if", "resampling", "bounds held", "their width", widths=widths,
    )  # fmt: skip
    chosen = runs()
    groups: dict[str, Callable[[Run], bool]] = {"all": lambda run: bool(run)}
    groups |= {f"f = {percent(f)}": lambda run, f=f: run["f"] == f for f in FRACTIONS}  # type: ignore[misc]
    groups |= {
        "true pi below 10%": lambda run: number(run, "true_pi") < 0.1,
        "true pi 10% to 50%": lambda run: 0.1 <= number(run, "true_pi") <= 0.5,
        "true pi above 50%": lambda run: number(run, "true_pi") > 0.5,
        "fewer than 1% of people unique": lambda run: number(run, "true_unique_share") < 0.01,
        "real tables": lambda run: run["kind"] == "real",
        "made-up tables": lambda run: run["kind"] == "made up",
    }
    for name, belongs in groups.items():
        own = [run for run in chosen if belongs(run)]
        sure = [run for run in own if run["estimability"] == "estimable"]
        resampled = [run for run in own if run["low_resampled"] is not None]
        yield row(
            name, str(len(own)), share(map(covered, own)),
            decimals(statistics.median(number(run, "high_pi") - number(run, "low_pi") for run in own), 2),
            share(run["estimability"] == "estimable" for run in own), share(map(covered, sure)),
            share(within(run, "low_resampled", "high_resampled") for run in resampled),
            share(within(run, "bound_low", "bound_high") for run in own),
            decimals(statistics.median(number(run, "bound_high") - number(run, "bound_low") for run in own), 2),
            widths=widths,
        )  # fmt: skip


def figures() -> Iterator[str]:
    """Other figures of the population: mean size of the error, and our interval."""
    chosen = runs()
    parts: tuple[tuple[str, str, bool, dict[str, str]], ...] = (
        ("share of people who are unique (answers above 1 count as 1)", "unique_share", False, METHODS),
        ("entropy in bits", "entropy_bits", False, {
            "ours": "idbits", "local_gamma": "local gamma", "plug_in": "of the sample", "miller_madow": "Miller-Madow",
            "grassberger": "Grassberger", "chao_shen": "Chao-Shen",
        }),
        ("correctness, relative error", "correctness", True, {
            "ours": "idbits", "local_gamma": "local gamma", "pitman": "Pitman (Rocher 2025)",
            "benedetti_franconi": "Benedetti-Franconi",
        }),
    )  # fmt: skip
    for title, figure, relative, names in parts:
        yield f"{title}:"
        yield from methods_and_errors(chosen, figure, names, relative=relative)
        sure = [run for run in chosen if run["estimability"] == "estimable"]
        cells = [share(covered(run, figure) for run in at(sure, f)) for f in FRACTIONS]
        widths = [
            statistics.median(number(run, f"high_{figure}") - number(run, f"low_{figure}") for run in at(sure, f))
            for f in FRACTIONS
        ]
        columns = (26, 6, 6, 6, 6, 6, 6)
        yield row("covered, estimable", *cells, share(covered(run, figure) for run in sure), widths=columns)
        yield row("median width", *(decimals(width) for width in widths), "", widths=columns).rstrip(" |")
        yield ""


def records() -> Iterator[str]:
    """The chance of each record: predicted and observed by fifths of p_unique, and how well it ranks."""
    for fraction in FRACTIONS:
        own = [run for run in at(runs(), fraction) if run["records_0"] is not None]
        cells = []
        for fifth in range(5):
            total = sum(number(run, f"records_{fifth}") for run in own)
            predicted = sum(number(run, f"predicted_{fifth}") for run in own) / total
            observed = sum(number(run, f"unique_{fifth}") for run in own) / total
            cells.append(f"{predicted:.2f} -> {observed:.2f}")
        ranked = [number(run, "auc") for run in own if run["auc"] is not None]
        yield f"{percent(fraction):>4} | {' | '.join(cells)} | AUC {np.mean(ranked):.2f}, worst {min(ranked):.2f}"


def alarm() -> Iterator[str]:
    """Does the trial on the sample predict the error? Rank correlation of its error with the true one, in logits."""
    needed = ("error_logit", "s_disagreement", "loglinear_pi")
    tried = [run for run in runs() if all(run[name] is not None for name in needed)]
    widths = (10, 7, 20, 24, 22)
    yield row(
        "fraction", "samples", "trial on the sample", "disagreement with Pitman", "independent columns", widths=widths
    )
    for fraction in FRACTIONS:
        own = at(tried, fraction)
        true = [abs(logit(number(run, "ours_pi")) - logit(number(run, "true_pi"))) for run in own]
        signs = [[number(run, name) for run in own] for name in ("error_logit", "s_disagreement")]
        signs.append([distance_to_independence(run) for run in own])
        cells = [f"{spearmanr(sign, true).statistic:.2f}" for sign in signs]
        yield row(percent(fraction), str(len(own)), *cells, widths=widths)
    every = [run for run in (*runs(), *runs("fails")) if run["error_logit"] is not None]
    missed = [run for run in every if not covered(run)]
    unseen = sum(number(run, "error_logit") < 0.3 for run in missed)
    yield f"The interval missed the truth in {len(missed)} of {len(every)} samples, failing populations included."
    yield f"In {unseen} of these the trial on the sample was off by less than 0.3 logits: it did not raise the alarm."


def logit(part: float) -> float:
    cut = min(0.998, max(0.002, part))
    return float(np.log(cut / (1 - cut)))


def at_random() -> Iterator[str]:
    """Populations that nobody chose: random columns of Adult, and random networks of columns."""
    chosen = runs("random")
    yield f"{len(chosen)} samples of {len({run['population'] for run in chosen})} populations"
    yield from methods_and_errors(chosen, "pi", METHODS)
    widths = (26, 6, 6, 6, 6, 6, 6)
    yield row(
        "covered", *(share(map(covered, at(chosen, f))) for f in FRACTIONS), share(map(covered, chosen)), widths=widths
    )
    few = [covered(run) for run in chosen if number(run, "true_pi") < 0.1]
    yield f"Where the true pi is below 10%, {sum(few)} of {len(few)} samples are covered ({share(few)})."
    held = [within(run, "bound_low", "bound_high") for run in chosen]
    yield f"The bounds held the truth in {sum(held)} of {len(held)} samples."


def fails() -> Iterator[str]:
    """Where it fails: means of three samples of populations that break the assumptions."""
    widths = (29, 6, 6, 5, 6, 12, 6, 6, 9, 7)
    yield row(
        "population", "f", "people", "truth", "idbits", "interval", "Pitman", "trial", "estimable", "covered",
        widths=widths,
    )  # fmt: skip
    chosen = [run for run in every_run() if run["kind"] == "fails"]
    for name, fraction in dict.fromkeys((run["population"], run["f"]) for run in chosen):
        own = [run for run in chosen if (run["population"], run["f"]) == (name, fraction)]
        low, high = mean_of(own, "low_pi"), mean_of(own, "high_pi")
        estimable = sum(run["estimability"] == "estimable" for run in own)
        yield row(
            str(name), f"{float(fraction or 0):.4g}".lstrip("0"), f"{number(own[0], 'n'):,.0f}",
            decimals(mean_of(own, "true_pi"), 2), decimals(mean_of(own, "ours_pi"), 2),
            f"{decimals(low, 2)} to {decimals(high, 2)}", decimals(mean_of(own, "pitman_pi"), 2),
            decimals(mean_of(own, "error_logit"), 2), f"{estimable}/{len(own)}",
            f"{sum(covered(run) for run in own)}/{len(own)}", widths=widths,
        )  # fmt: skip


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "accuracy": accuracy,
    "kinds": kinds,
    "populations": by_population,
    "intervals": intervals,
    "parts": parts,
    "figures": figures,
    "records": records,
    "alarm": alarm,
    "random": at_random,
    "gains": gains,
    "fails": fails,
}


def main() -> None:
    for name in sys.argv[1:] or TABLES:
        print(f"== {name}: {TABLES[name].__doc__}")
        for line in TABLES[name]():
            print(line.rstrip())
        print()


if __name__ == "__main__":
    main()
