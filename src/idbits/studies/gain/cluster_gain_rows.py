"""Distinct rows of a table on a cluster, with the spectra that information gain needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idbits.counts import Spectrum
from idbits.engines.spark.distinct import DistinctFrame
from idbits.measures.entropy import entropy_bits
from idbits.measures.gain import conditional_entropy_bits, size_moment
from idbits.measures.logarithms import fixed_log2
from idbits.studies.gain.described import Described

__all__ = ["ClusterDescribed", "ClusterRows", "size_logarithms"]


class ClusterRows:
    """The distinct rows of a table on the cluster, with the spectra that everything needs."""

    def __init__(self, frame: DistinctFrame) -> None:
        self.frame = frame
        self.n_rows, self.n_people = frame.n_rows, frame.n_people
        self.sizes = (0,) * frame.n_columns
        full, n = (1 << frame.n_columns) - 1, frame.n_columns
        masks = [1 << place for place in range(n)] + [full ^ 1 << place for place in range(n) if n > 1]
        spectra = dict(frame.spectra(masks))
        nothing = Spectrum.of({self.n_people: 1})
        self.single = [spectra[1 << place] for place in range(n)]
        self.others = [spectra.get(full ^ 1 << place, nothing) for place in range(n)]
        self.everything = frame.whole


class ClusterDescribed(Described):
    """The features of a table on the cluster without any attacker."""

    rows: ClusterRows  # type: ignore[assignment]

    def __init__(self, names: Sequence[str], nulls: Sequence[int], rows: ClusterRows) -> None:
        self.names, self.nulls, self.rows = tuple(names), tuple(nulls), rows
        self.entropies = [entropy_bits(spectrum) for spectrum in rows.single]
        inner = _moment(rows.everything)
        self.conditional = [
            min(entropy, conditional_entropy_bits(_moment(others), inner, rows.n_people))
            for entropy, others in zip(self.entropies, rows.others, strict=True)
        ]
        self.joint = entropy_bits(rows.everything)
        self.n_values = [spectrum.n_sets for spectrum in rows.single]


def _moment(spectrum: Spectrum) -> int:
    """Return the sum of W log2 W over sets, exactly."""
    rows = zip(spectrum.sizes.tolist(), spectrum.sets.tolist(), strict=True)
    return sum(sets * size_moment(np.array([size])) for size, sets in rows)


def size_logarithms(*spectra: Spectrum) -> dict[int, int]:
    """Return the logarithms of the sizes that occur."""
    sizes = np.unique(np.concatenate([spectrum.sizes for spectrum in spectra]))
    return dict(zip(sizes.tolist(), fixed_log2(sizes).tolist(), strict=True))
