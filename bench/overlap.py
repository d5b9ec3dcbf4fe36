"""How fast is `idbits overlap`? Two zonings against plain flows and networkx, two releases by themselves, in one run.

    python bench/overlap.py [--no-networkx] [--blocks 500000]

Times are CPU seconds, the best of three. The map has building blocks at random places in a square, and zones are the
blocks nearest to random centres. Most zones of the second zoning lie inside one of the first; some blocks are on the
other side of a border, as after a reform. networkx runs in a separate
environment, which is created on first use: it finds the bridges and a smallest cut for each small piece, on a map small
enough for it. Plain flows are SciPy's, one for each small piece on the whole map.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow
import pyarrow.parquet
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow
from scipy.spatial import cKDTree

import idbits
from idbits.measures.differencing import Differencing, ZoneAtoms, isolate
from peer import run_peer
from rows import add_json_option, at_most, record, row_without_peer
from timing import best_of

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
BELOW = 10

NETWORKX = """
import json, sys, time, networkx, numpy
first, second, people, least = numpy.load(sys.argv[1])
limit = int(sys.argv[2])
start = time.process_time()
graph = networkx.Graph()
directed = networkx.DiGraph()
for a, b, n in zip(first.tolist(), second.tolist(), people.tolist()):
    graph.add_edge(("a", a), ("b", b))
    directed.add_edge(("a", a), ("b", b), capacity=n)
    directed.add_edge(("b", b), ("a", a))
bridges = {frozenset(edge) for edge in networkx.bridges(graph)}
found = 0
for a, b, n, zone in zip(first.tolist(), second.tolist(), people.tolist(), least.tolist()):
    if n >= limit:
        continue
    ends = ("a", a), ("b", b)
    cut = n if frozenset(ends) in bridges else networkx.minimum_cut_value(directed, *ends)
    found += cut < min(limit, zone)
print(json.dumps([time.process_time() - start, int(found)]))
"""


def zonings(n_blocks: int, n_first: int, n_second: int, moved: float) -> pyarrow.Table:
    """Return building blocks with their people and the zones that they are in."""
    draw = np.random.default_rng(0)
    places = draw.random((n_blocks, 2))
    centres = draw.random((n_second, 2))
    second = cKDTree(centres).query(places)[1]
    larger = cKDTree(draw.random((n_first, 2)))
    # Whole zones of the second zoning, but for some blocks that belong to where they are.
    first = np.where(draw.random(n_blocks) < moved, larger.query(places)[1], larger.query(centres)[1][second])
    return pyarrow.table({"first": first, "second": second, "people": draw.poisson(4, n_blocks)})


def atoms_of(table: pyarrow.Table) -> ZoneAtoms:
    return ZoneAtoms.of(*(table[name].to_numpy().astype(np.int64) for name in ("first", "second", "people")))


def isolated_atoms(found: Differencing) -> int:
    """Return the atoms whose smallest group is below the limit and both zones, as the peers count them."""
    least = found.atoms.smallest_zone
    smallest = np.full(len(least), np.iinfo(np.int64).max)
    for group in found.groups:
        smallest[list(group.atoms)] = np.minimum(smallest[list(group.atoms)], group.people)
    return int(np.count_nonzero(smallest < least))


def plain_flows(atoms: ZoneAtoms) -> int:
    """Count the same by one flow per small piece on the whole map."""
    tails, heads = atoms.ends
    n_zones = atoms.n_first + atoms.n_second
    capacities = np.concatenate((np.minimum(atoms.people, BELOW), np.full(len(atoms), BELOW))).astype(np.int32)
    ends = (np.concatenate((tails, heads)), np.concatenate((heads, tails)))
    graph = coo_array((capacities, ends), shape=(n_zones, n_zones)).tocsr()
    least = np.minimum(atoms.smallest_zone, BELOW)
    small = np.flatnonzero(atoms.people < BELOW).tolist()
    return sum(maximum_flow(graph, int(tails[atom]), int(heads[atom])).flow_value < least[atom] for atom in small)


def networkx_seconds(atoms: ZoneAtoms) -> tuple[float, int]:
    """Run networkx in a separate environment."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "atoms.npy"
    np.save(path, np.stack((atoms.first, atoms.second, atoms.people, atoms.smallest_zone)))
    return cast("tuple[float, int]", run_peer("networkx", NETWORKX, str(path), str(BELOW)))


def against_peers(*, with_networkx: bool) -> None:
    for n_blocks, n_first, n_second, compared in ((4_000, 40, 300, with_networkx), (40_000, 400, 3_000, False)):
        atoms = atoms_of(zonings(n_blocks, n_first, n_second, moved=0.3))
        ours, found = best_of(3, partial(isolate, atoms, BELOW), time.process_time)
        number = isolated_atoms(found)
        flows, plain = best_of(1, partial(plain_flows, atoms), time.process_time)
        if plain != number:
            raise SystemExit(f"plain flows isolate {plain} pieces, idbits {number}")
        line = f"{n_first:,} x {n_second:,} zones, {len(atoms):,} pieces, {number:,} isolated: {ours:.4f} s"
        print(f"{line}, plain flows {flows:.2f} s ({flows / ours:.0f}x)")
        task = f"`overlap`, {n_first:,} x {n_second:,} zones, {len(atoms):,} pieces"
        record(f"overlap.flows_{n_first}", task, ours, "s CPU", peer="plain flows (SciPy)", theirs=flows)
        if compared:
            with row_without_peer("overlap.networkx", task, "networkx", "networkx"):
                theirs, same = networkx_seconds(atoms)
                if same != number:
                    raise SystemExit(f"networkx isolates {same} pieces, idbits {number}")
                print(f"  networkx {theirs:.2f} s ({theirs / ours:.0f}x)")
                record("overlap.networkx", task, ours, "s CPU", peer="networkx", theirs=theirs, uses=["networkx"])


def whole_command(n_blocks: int) -> None:
    table = zonings(n_blocks, 400, 3_000, moved=0.02)
    seconds, answer = best_of(3, lambda: idbits.overlap(table, zones="first,second", count="people"), time.process_time)
    print(
        f"{n_blocks:,} blocks, 400 x 3,000 zones, {answer.n_atoms:,} pieces: {answer.isolated.groups:,} groups, "
        f"{seconds:.2f} s (limit 5)"
    )
    task = f"`overlap`, {n_blocks:,} blocks, 400 x 3,000 zones, whole call"
    record("overlap.zones", task, seconds, "s CPU", goals=[at_most(5)])
    draw = np.random.default_rng(1)
    pieces = [draw.integers(0, size, n_blocks) for size in (400, 3_000)]
    scattered = pyarrow.table({"first": pieces[0], "second": pieces[1]})
    seconds, answer = best_of(1, lambda: idbits.overlap(scattered, zones="first,second"), time.process_time)
    print(
        f"{n_blocks:,} people at random, {answer.n_atoms:,} pieces: {answer.not_searched.atoms:,} not searched, "
        f"{seconds:.2f} s (limit 10)"
    )
    task = f"`overlap`, {n_blocks:,} people at random, 400 x 3,000 zones"
    record("overlap.random", task, seconds, "s CPU", goals=[at_most(10)])


def two_releases(n_people: int) -> None:
    draw = np.random.default_rng(2)
    columns = {name: draw.integers(0, size, n_people) for name, size in (("age", 90), ("zip", 4_000), ("ill", 50))}
    table = pyarrow.table({"id": np.arange(n_people), **columns})
    tenth = n_people // 10
    first, second = table.slice(0, 9 * tenth), table.slice(tenth)

    def compare() -> idbits.ReleaseOverlap:
        return idbits.overlap(first, second, person="id", qid_a="age", qid_b="zip", sensitive="ill")

    seconds, answer = best_of(1, compare, time.process_time)
    print(f"two releases, {answer.people:,} people in both, 50 values: {seconds:.2f} s (limit 15)")
    task = f"`overlap`, two releases, {answer.people:,} people in both"
    record("overlap.releases", task, seconds, "s CPU", goals=[at_most(15)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-networkx", action="store_true")
    parser.add_argument("--blocks", type=int, default=500_000)
    add_json_option(parser)
    given = parser.parse_args()
    against_peers(with_networkx=not given.no_networkx)
    whole_command(given.blocks)
    two_releases(1_000_000)
