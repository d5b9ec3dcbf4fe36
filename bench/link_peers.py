"""How do links by odds and attacks on synthetic data compare with Splink and anonymeter? In one run.

    python bench/link_peers.py [--people 1000000] [--febrl FOLDER] [--no-splink] [--no-anonymeter]

Times are CPU seconds of whole processes, reading included. Splink has the same levels and blocks, draws u from 10^6
pairs (its documentation's advice for a first model) and claims each record's best pair. Made-up people have names,
birth dates, postcodes and sexes; half of the second table are people of the first, each value with a typing error with
a chance of 5%. Peers run in separate environments, which are created on first use.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

from peer import PeerUnavailable, last_words, peer_python
from rows import Goal, add_json_option, at_most, record, row_without_peer

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "build" / "bench"
FEBRL = HERE.parent.parent / "shared" / "golden" / "link" / "febrl"

SIMILAR = ("equal", "jw0.92", "jw0.8", "else")
FEBRL_LEVELS = {
    "given_name": SIMILAR, "surname": SIMILAR, "suburb": SIMILAR, "date_of_birth": ("equal", "edit1", "else"),
    "postcode": ("equal", "edit1", "else"), "street_number": ("equal", "else"), "state": ("equal", "else"),
}  # fmt: skip
FEBRL_BLOCKS = [
    ["date_of_birth"], ["given_name", "surname"], ["postcode", "surname"], ["postcode", "given_name"],
    ["suburb", "street_number"],
]  # fmt: skip
MADE_LEVELS = {
    "given_name": SIMILAR, "surname": SIMILAR, "born": ("equal", "edit1", "else"), "zip": ("equal", "edit1", "else"),
    "sex": ("equal", "else"),
}  # fmt: skip
MADE_BLOCKS = [["born", "zip"], ["surname", "born"], ["given_name", "surname", "zip"], ["given_name", "born"]]

RUN_IDBITS = """
import json, sys, idbits
first, second, setup = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
levels = [f"{name}={','.join(words)}" for name, words in setup["levels"].items()]
blocks = setup["blocks"] if setup["given_blocks"] else None
found = idbits.link(first, second, list(setup["levels"]), truth="person", probabilistic=True, block=blocks,
                    levels=levels)
truth, pairs = found.truth, found.likely_pairs
expected = next(each.expected_right for each in found.thresholds if each.claims == truth.claims)
counts = [truth.claims, truth.right, truth.in_both, found.matches_expected, pairs.pairs, pairs.right]
print(json.dumps([*counts, expected]))
"""

RUN_SPLINK = """
import json, logging, sys
import splink, splink.comparison_library as cl, splink.comparison_level_library as cll
from splink import DuckDBAPI, Linker, SettingsCreator, block_on
logging.disable(logging.CRITICAL)
first, second, setup = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
def level(name, column):
    if name == "equal":
        return cll.ExactMatchLevel(column)
    if name == "else":
        return cll.ElseLevel()
    if name.startswith("jw"):
        return cll.JaroWinklerLevel(column, float(name[2:]))
    return cll.DamerauLevenshteinLevel(column, int(name[4:]))
comparisons = [
    cl.CustomComparison(comparison_levels=[cll.NullLevel(column), *(level(name, column) for name in names)],
                        output_column_name=column)
    for column, names in setup["levels"].items()
]
rules = [block_on(*block) for block in setup["blocks"]]
database = DuckDBAPI()
import pyarrow.parquet as parquet
frames = [database.register(parquet.read_table(path)) for path in (first, second)]
settings = SettingsCreator(link_type="link_only", comparisons=comparisons, unique_id_column_name="row",
                           blocking_rules_to_generate_predictions=rules, additional_columns_to_retain=["person"])
linker = Linker(frames, settings)
linker.training.estimate_probability_two_random_records_match(rules, recall=0.9)
linker.training.estimate_u_using_random_sampling(max_pairs=1e6)
for rule in rules:
    linker.training.estimate_parameters_using_expectation_maximisation(rule)
predictions = linker.inference.predict(threshold_match_probability=0.5)
table = predictions.physical_name
counted = database._con.execute(f'''
    WITH ranked AS (SELECT *, row_number() OVER (PARTITION BY row_l ORDER BY match_weight DESC) AS i,
                              row_number() OVER (PARTITION BY row_r ORDER BY match_weight DESC) AS j FROM {table})
    SELECT count(*) FILTER (i = 1 AND j = 1), count(*) FILTER (i = 1 AND j = 1 AND person_l = person_r),
           count(*), count(*) FILTER (person_l = person_r) FROM ranked''').fetchone()
print(json.dumps(counted))
"""

RUN_OWN_ATTACK = """
import json, sys, idbits
synthetic, original, control, left, right, attacks = sys.argv[1:]
found = idbits.link(synthetic, original=original, control=control, attack="linkability", left=left, right=right,
                    attacks=int(attacks))
print(json.dumps([found.rate.value, found.control.value, found.risk.value]))
"""

RUN_OWN_ATTACKS = """
import json, sys, idbits
synthetic, original, control = sys.argv[1:4]
attacks = int(sys.argv[4])
tables = {"original": original, "control": control, "attacks": attacks}
rates = []
for options in ({"attack": "linkability", "left": "n0,n1,c0", "right": "n2,n3,c1"},
                {"attack": "inference", "infer": "c2", "known": "n0,n1,n2,c0"}, {"attack": "singling-out"}):
    found = idbits.link(synthetic, **tables, **options)
    rates += [found.rate.value, found.control.value, found.rate.high - found.rate.value]
print(json.dumps(rates))
"""

RUN_ANONYMETER_ATTACKS = """
import json, sys, pandas
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
synthetic, original, control = (pandas.read_parquet(path) for path in sys.argv[1:4])
tables = {"ori": original, "syn": synthetic, "control": control, "n_attacks": int(sys.argv[4])}
rates = []
for found in (LinkabilityEvaluator(**tables, aux_cols=(["n0", "n1", "c0"], ["n2", "n3", "c1"]), n_neighbors=1),
              InferenceEvaluator(**tables, aux_cols=["n0", "n1", "n2", "c0"], secret="c2"),
              SinglingOutEvaluator(**tables, n_cols=3)):
    found.evaluate(mode="multivariate") if isinstance(found, SinglingOutEvaluator) else found.evaluate(n_jobs=1)
    results = found.results()
    rates += [results.attack_rate.value, results.control_rate.value, results.attack_rate.error]
print(json.dumps(rates))
"""

RUN_ANONYMETER = """
import json, sys, pandas
from anonymeter.evaluators import LinkabilityEvaluator
synthetic, original, control = (pandas.read_parquet(path) for path in sys.argv[1:4])
found = LinkabilityEvaluator(ori=original, syn=synthetic, control=control, n_attacks=int(sys.argv[6]), n_neighbors=1,
                             aux_cols=(sys.argv[4].split(","), sys.argv[5].split(",")))
found.evaluate(n_jobs=1)
results = found.results()
print(json.dumps([results.attack_rate.value, results.control_rate.value, found.risk().value]))
"""


def run(python: str, program: str, *words: str) -> tuple[float, list[float]]:
    """Run a program once; return its CPU seconds and the numbers that it prints."""
    before = os.times()
    done = subprocess.run([python, "-W", "ignore", "-c", program, *words], capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode and python == sys.executable:
        raise SystemExit(done.stderr[-2000:])
    if done.returncode:
        raise PeerUnavailable(last_words(done.stderr))
    seconds = after.children_user - before.children_user + after.children_system - before.children_system
    return seconds, json.loads(done.stdout.strip().splitlines()[-1])


def febrl_tables(folder: Path) -> list[Path]:
    """Return FEBRL 4 as two files with trimmed fields, empty ones null."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = []
    for which in "ab":
        lines = [line.split(",") for line in (folder / f"dataset4{which}.csv").read_text().splitlines()]
        names = [name.strip() for name in lines[0]]
        columns = {
            name: [text.strip() or None for text in values]
            for name, values in zip(names, zip(*lines[1:], strict=True), strict=True)
        }
        columns["person"] = [re.findall("[0-9]+", text or "")[0] for text in columns["rec_id"]]
        columns["row"] = [str(number) for number in range(len(lines) - 1)]
        path = FOLDER / f"febrl4{which}.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
        paths.append(path)
    return paths


def made_people(n_people: int) -> list[Path]:
    """Return two made-up tables that share half of their people, with typing errors."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = [FOLDER / f"link_{n_people}_{which}.parquet" for which in "ab"]
    if all(path.exists() for path in paths):
        return paths
    draw = np.random.default_rng(0)
    total = n_people + n_people // 2
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    columns = {
        "given_name": _words(draw, letters, 3_000)[_zipf(draw, 3_000, total)],
        "surname": _words(draw, letters, 30_000)[_zipf(draw, 30_000, total)],
        "born": (np.datetime64("1930-01-01") + draw.integers(0, 27_000, total)).astype(str),
        "zip": np.char.zfill(draw.integers(0, 20_000, total).astype(str), 5),
        "sex": draw.choice(np.array(["F", "M"]), total),
    }
    columns["born"] = np.char.replace(columns["born"], "-", "")
    rows = [np.arange(n_people), draw.permutation(np.r_[np.arange(n_people // 2), np.arange(n_people, total)])]
    for which, path in enumerate(paths):
        table = {name: values[rows[which]] for name, values in columns.items()}
        if which:
            wrong = {name: _with_errors(draw, values, letters) for name, values in table.items() if name != "sex"}
            table |= wrong
        table |= {"person": rows[which].astype(str), "row": np.arange(n_people).astype(str)}
        pyarrow.parquet.write_table(pyarrow.table({name: values.tolist() for name, values in table.items()}), path)
    return paths


def _words(draw: np.random.Generator, letters: np.ndarray, n: int) -> np.ndarray:
    return np.array(["".join(draw.choice(letters, length)) for length in draw.integers(4, 11, n)])


def _zipf(draw: np.random.Generator, n: int, total: int) -> np.ndarray:
    weights = 1 / (np.arange(n) + 10.0)
    return draw.choice(n, total, p=weights / weights.sum())


def _with_errors(draw: np.random.Generator, values: np.ndarray, letters: np.ndarray) -> np.ndarray:
    changed = values.astype("U12").copy()
    for row in np.flatnonzero(draw.random(len(values)) < 0.05).tolist():
        text = str(values[row])
        place = int(draw.integers(len(text)))
        sign = str(draw.choice(letters)) if text[0].isalpha() else str(draw.integers(10))
        changed[row] = text[:place] + sign + text[place + 1 :]
    return changed


def against_splink(
    key: str, name: str, paths: Sequence[Path], levels: Mapping[str, Sequence[str]], blocks: list[list[str]], goal: Goal
) -> None:
    setup = {"levels": levels, "blocks": blocks, "given_blocks": True}
    words = [*map(str, paths), json.dumps(setup)]
    seconds, (claims, right, shared, expected, pairs, pairs_right, expected_right) = run(
        sys.executable, RUN_IDBITS, *words
    )
    print(
        f"{name}: idbits {seconds:.2f} s, {claims:,.0f} claims, precision {right / claims:.5f}, recall "
        f"{right / shared:.5f}, {expected:,.1f} matches expected; {pairs:,.0f} likely pairs, "
        f"{pairs_right / pairs:.5f} right"
    )
    own_seconds, own = run(sys.executable, RUN_IDBITS, *words[:2], json.dumps({**setup, "given_blocks": False}))
    print(
        f"{name}: idbits with blocks of its own {own_seconds:.2f} s, precision {own[1] / own[0]:.5f}, "
        f"recall {own[1] / shared:.5f}"
    )
    theirs, (s_claims, s_right, s_pairs, s_pairs_right) = run(peer_python("splink"), RUN_SPLINK, *words)
    print(
        f"{name}: Splink {theirs:.2f} s, {s_claims:,} claims, precision {s_right / s_claims:.5f}, recall "
        f"{s_right / shared:.5f}; {s_pairs:,} likely pairs, {s_pairs_right / s_pairs:.5f} right; idbits needs "
        f"{seconds / theirs:.2f} of its time"
    )
    facts = {"right": right, "claims": claims, "expected_matches": expected, "peer_claims": s_claims}
    facts |= {"peer_right": s_right, "own_blocks_s": own_seconds, "in_both": shared, "expected_right": expected_right}
    record(
        key, f"`link --probabilistic`, {name}", seconds, "s CPU", peer="Splink, same levels and blocks", theirs=theirs,
        goals=[goal], uses=["splink"], facts=facts,
    )  # fmt: skip


def against_anonymeter(n_rows: int, n_attacks: int) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(1)
    paths = []
    for name in ("synthetic", "original", "control"):
        table = {f"n{i}": draw.normal(size=n_rows) for i in range(7)}
        table |= {f"c{i}": draw.choice(np.array(list("abcdefgh")), n_rows).tolist() for i in range(7)}
        paths.append(FOLDER / f"attack_{name}.parquet")
        pyarrow.parquet.write_table(pyarrow.table(table), paths[-1])
    halves = ["n0,n1,n2,n3,c0,c1,c2", "n4,n5,n6,c3,c4,c5,c6"]
    words = [*map(str, paths), *halves, str(n_attacks)]
    seconds, ours = run(sys.executable, RUN_OWN_ATTACK, *words)
    theirs, found = run(peer_python("anonymeter"), RUN_ANONYMETER, *words)
    print(
        f"linkability, {n_attacks:,} attacks on {n_rows:,} x 14: idbits {seconds:.2f} s (rate {ours[0]:.5f}, control "
        f"{ours[1]:.5f}), anonymeter {theirs:.2f} s (rate {found[0]:.5f}, control {found[1]:.5f}); idbits needs "
        f"{seconds / theirs:.2f} of its time"
    )
    task = f"`link --attack linkability`, {n_attacks:,} attacks on {n_rows:,} rows x 14 columns"
    record(
        "link_peers.anonymeter", task, seconds, "s CPU", peer="anonymeter", theirs=theirs,
        goals=[at_most(1, "ratio")], uses=["anonymeter"],
    )  # fmt: skip


def agreement_with_anonymeter(n_rows: int) -> None:
    """Attack everybody in tables without ties, nulls and negative numbers: the rates must be the same."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(2)
    tables = []
    for _ in range(3):
        table = {f"n{i}": draw.exponential(size=n_rows) for i in range(4)}
        table |= {f"c{i}": draw.choice(np.array(list("abcdef")), n_rows) for i in range(3)}
        tables.append(table)
    original, synthetic, control = tables
    copied = n_rows // 3
    synthetic = {name: np.concatenate([original[name][:copied], values[copied:]]) for name, values in synthetic.items()}
    paths = []
    for name, table in (("synthetic", synthetic), ("original", original), ("control", control)):
        paths.append(FOLDER / f"agree_{name}.parquet")
        pyarrow.parquet.write_table(pyarrow.table({key: values.tolist() for key, values in table.items()}), paths[-1])
    words = [*map(str, paths), str(n_rows)]
    _, ours = run(sys.executable, RUN_OWN_ATTACKS, *words)
    _, theirs = run(peer_python("anonymeter"), RUN_ANONYMETER_ATTACKS, *words)
    for index, name in enumerate(("linkability", "inference", "singling-out")):
        own, other = ours[3 * index : 3 * index + 3], theirs[3 * index : 3 * index + 3]
        print(
            f"{name} on all {n_rows:,} people: idbits {own[0]:.5f} (control {own[1]:.5f}, +- {own[2]:.5f}), anonymeter "
            f"{other[0]:.5f} (control {other[1]:.5f}, +- {other[2]:.5f}); same rate: {abs(own[0] - other[0]) < 1e-9}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--febrl", type=Path, default=FEBRL)
    parser.add_argument("--no-splink", action="store_true")
    parser.add_argument("--no-anonymeter", action="store_true")
    add_json_option(parser)
    given = parser.parse_args()
    if not given.no_splink:
        if given.febrl.is_dir():
            with row_without_peer("link_peers.febrl", "FEBRL 4", "Splink", "splink"):
                tables, goal = febrl_tables(given.febrl), at_most(0.5, "ratio")
                against_splink("link_peers.febrl", "FEBRL 4", tables, FEBRL_LEVELS, FEBRL_BLOCKS, goal)
        made = f"made up, {given.people:,} x {given.people:,}"
        with row_without_peer("link_peers.splink", made, "Splink", "splink"):
            tables, goal = made_people(given.people), at_most(1, "ratio")
            against_splink("link_peers.splink", made, tables, MADE_LEVELS, MADE_BLOCKS, goal)
    if not given.no_anonymeter:
        task = "attacks on synthetic data"
        with row_without_peer("link_peers.anonymeter", task, "anonymeter", "anonymeter"):
            agreement_with_anonymeter(1_500)
            against_anonymeter(26_000, 2_000)


if __name__ == "__main__":
    main()
