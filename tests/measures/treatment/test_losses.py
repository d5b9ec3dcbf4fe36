"""Losses equal what their definitions give cell by cell, and bounds are bounds."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.lattice.rolled import NodeGroups
from idbits.measures.treatment.losses import CellLoss, ClassSizeLoss, DiscernibilityLoss, EntropyLoss
from idbits.measures.treatment.mutual import MutualLoss
from idbits.measures.treatment.necessary import NecessaryLimits
from random_lattices import Drawn, drawn_lattices


@st.composite
def treated(draw: st.DrawFn) -> tuple[Drawn, NodeGroups, np.ndarray, int]:
    """Draw a node and groups to withhold, not all of them."""
    drawn = draw(drawn_lattices())
    groups = drawn.lattice.groups_at(draw(st.sampled_from(list(drawn.lattice.nodes()))))
    n = len(groups.sizes)
    out = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    if out.all():
        out[0] = False
    return drawn, groups, out, int(groups.sizes[out].sum())


def withheld_rows(drawn: Drawn, groups: NodeGroups, out: np.ndarray) -> set[int]:
    values = groups.values(out)
    keys = set(zip(*(column.tolist() for column in values), strict=True))
    lattice = drawn.lattice
    return {
        row
        for row in range(len(drawn.rows))
        if tuple(
            int(column.maps[level][codes[row]])
            for column, codes, level in zip(lattice.columns, lattice.codes, groups.levels, strict=True)
        )
        in keys
    }


@given(treated())
def test_cell_loss_by_its_definition(case: tuple[Drawn, NodeGroups, np.ndarray, int]) -> None:
    drawn, groups, out, withheld = case
    gone, n = withheld_rows(drawn, groups, out), sum(drawn.people)
    losses = []
    for column, level in enumerate(groups.levels):
        d = len(drawn.levels[column][0])
        hidden = Counter(drawn.levels[column][level])
        total = sum(
            people * (1 if row in gone else hidden[drawn.value(column, level, row)] / d)
            for row, people in enumerate(drawn.people)
        )
        losses.append(max(0.0, (total - n / d) / (n - n / d)) if d > 1 else 0.0)
    weights = [1.0 + column for column in range(len(losses))]
    totals = drawn.totals(weights)
    assert CellLoss(totals).of(groups, out, withheld) == pytest.approx(
        np.average(losses, weights=weights), rel=1e-12, abs=1e-12
    )
    geometric = math.prod((1 + loss) ** (w / sum(weights)) for loss, w in zip(losses, weights, strict=True)) - 1
    assert CellLoss(totals, geometric=True).of(groups, out, withheld) == pytest.approx(geometric, rel=1e-12, abs=1e-12)


@given(treated())
def test_entropy_loss_by_its_definition(case: tuple[Drawn, NodeGroups, np.ndarray, int]) -> None:
    drawn, groups, out, withheld = case
    gone = withheld_rows(drawn, groups, out)
    total = kept = 0.0
    for column, level in enumerate(groups.levels):
        raw, view, lost = Counter[int](), Counter[int](), Counter[int]()
        for row, people in enumerate(drawn.people):
            raw[drawn.value(column, 0, row)] += people
            view[drawn.value(column, level, row)] += people
            if row in gone:
                lost[drawn.value(column, level, row)] += people
        coarser = dict(zip(drawn.levels[column][0], drawn.levels[column][level], strict=True))
        kept -= sum(count * math.log2(count / view[coarser[value]]) for value, count in raw.items())
        total -= sum(count * math.log2(count / withheld) for count in lost.values())
    totals = drawn.totals()
    assert EntropyLoss(totals).of(groups, out, withheld) == pytest.approx(kept + total, rel=1e-9, abs=1e-9)
    assert EntropyLoss(totals, ignore_withheld=True).of(groups, out, withheld) == pytest.approx(
        kept, rel=1e-9, abs=1e-9
    )


@given(treated())
def test_losses_of_group_sizes(case: tuple[Drawn, NodeGroups, np.ndarray, int]) -> None:
    drawn, groups, out, withheld = case
    n, sizes = sum(drawn.people), groups.sizes.tolist()
    kept = [size for size, gone in zip(sizes, out, strict=True) if not gone]
    assert DiscernibilityLoss(n).of(groups, out, withheld) == sum(k * k for k in kept) + withheld * n
    assert DiscernibilityLoss(n, monotone=True).of(groups, out, withheld) == sum(k * k for k in sizes)
    assert ClassSizeLoss(n).of(groups, out, withheld) == n / (len(kept) + bool(withheld))


@given(treated(), st.data())
def test_coarsening_and_withholding_never_lower_a_loss(
    case: tuple[Drawn, NodeGroups, np.ndarray, int], data: st.DataObject
) -> None:
    drawn, groups, out, withheld = case
    coarser = tuple(
        data.draw(st.integers(level, n - 1)) for level, n in zip(groups.levels, drawn.lattice.n_levels, strict=True)
    )
    above = drawn.lattice.groups_at(coarser)
    n, totals = sum(drawn.people), drawn.totals()
    for loss in (CellLoss(totals), CellLoss(totals, geometric=True), EntropyLoss(totals)):
        plain = loss.of(groups, None, 0)
        assert loss.of(above, None, 0) >= plain - 1e-9
        assert loss.of(groups, out, withheld) >= plain - 1e-9
        terms = sum(float(of_column[level]) for of_column, level in zip(loss.terms, groups.levels, strict=True))
        assert loss.finished(terms) == pytest.approx(plain, rel=1e-12, abs=1e-12)
    for other in (DiscernibilityLoss(n), ClassSizeLoss(n)):
        least = other.least(groups.sizes, NecessaryLimits(1, n))
        assert other.of(above, None, 0) >= least
        assert other.of(groups, out, withheld) >= least


@given(drawn_lattices(), st.integers(1, 40), st.booleans())
def test_a_coarser_node_never_keeps_more_relationships(drawn: Drawn, times: int, has_target: bool) -> None:
    lattice = drawn.lattice
    target = np.array(drawn.secrets) if has_target else None
    loss = MutualLoss(lattice.columns, lattice.codes, lattice.people * times, target)
    if not loss.exists:
        return
    lost = {node: loss.of(lattice.groups_at(node), None, 0) for node in lattice.nodes()}
    top = tuple(n - 1 for n in lattice.n_levels)
    assert (lost[(0,) * len(top)], lost[top]) == pytest.approx((0, 1), abs=1e-12)
    for node, of_node in lost.items():
        for column in range(len(node)):
            coarser = (*node[:column], node[column] + 1, *node[column + 1 :])
            assert lost.get(coarser, 1.0) >= of_node - 1e-12
