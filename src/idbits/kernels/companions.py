"""People who have all points of a person but one, and their other points.

Implements: SPEC section 3 (trajectories); S3 IV.C.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idbits.kernels.events import Integers, Trajectories
from idbits.kernels.points import cohorts_of_whole, holders_of_points, points_of_people

__all__ = ["Companions"]

Floats = NDArray[np.float64]


class Companions:
    """Trajectories, indexed to find people with the same points.

    Attributes:
        cohorts: for each person, the number of people with exactly the same points, including this one.
        kinds: for each person, the first of those people, who represents all of them.
        prior: for each point, the chance that a point of a person is this one: a person is drawn, then one of their
            points.
    """

    def __init__(self, trajectories: Trajectories) -> None:
        self.trajectories = trajectories
        self.lengths = trajectories.lengths()
        self._holders, self._first = holders_of_points(trajectories)
        self.kinds, self.cohorts = cohorts_of_whole(trajectories)
        each = np.repeat(1 / self.lengths, self.lengths)
        weights = np.bincount(trajectories.points, each, minlength=len(trajectories.days))
        self.prior: Floats = weights / trajectories.n_people

    def points(self, person: int) -> NDArray[np.uint32]:
        """Return the points of a person."""
        starts = self.trajectories.starts
        return self.trajectories.points[starts[person] : starts[person + 1]]

    def holders(self, point: int) -> NDArray[np.uint32]:
        """Return the people who have a point."""
        return self._holders[self._first[point] : self._first[point + 1]]

    def all_but_one(self, person: int) -> tuple[Integers, Integers]:
        """Return the people who have all points of a person or all but one, and the missing one (-1 if none).

        >>> points, starts = np.array([0, 1, 0, 1, 2, 1], np.uint32), np.array([0, 2, 5, 6])
        >>> companions = Companions(Trajectories.of(points, starts, np.arange(3), np.zeros(3, np.uint64)))
        >>> [part.tolist() for part in companions.all_but_one(0)]
        [[0, 1, 2], [-1, -1, 0]]
        """
        lists = [self.holders(point) for point in self.points(person).tolist()]
        # People who lack at most one point have at least one of the two rarest.
        shortest = sorted(range(len(lists)), key=lambda index: len(lists[index]))[:2]
        people = np.unique(np.concatenate([lists[index] for index in shortest])).astype(np.int64)
        missing = np.full(len(people), -1)
        for index, holders in enumerate(lists):
            if len(people) == 1:
                break
            at = np.searchsorted(holders, people)
            at[at == len(holders)] = 0
            has = holders[at] == people
            keep = has | (missing < 0)
            missing[~has & (missing < 0)] = index
            people, missing = people[keep], missing[keep]
        return people, missing

    def further(self, people: Integers, known: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], Floats]:
        """Return the other points of people who have the known ones, and their chances: draw a person, then a point.

        People without another point are excluded: the person we look for has one.
        """
        points = points_of_people(self.trajectories.points, self.trajectories.starts, people)
        left = self.lengths[people] - len(known)
        new = ~np.isin(points, known)
        each = np.repeat(1 / np.maximum(1, left), left)
        distinct, where = np.unique(points[new], return_inverse=True)
        return distinct, np.bincount(where, each, minlength=len(distinct)) / np.count_nonzero(left)
