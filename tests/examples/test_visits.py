"""The made-up visits have the outline that they promise."""

from collections import Counter
from datetime import date

import numpy as np
import pytest

from idbits.errors import InputError
from idbits.examples.visits import visits


@pytest.mark.big
def test_outline() -> None:
    table = visits(3_000)
    assert table.equals(visits(3_000))
    assert not table.equals(visits(3_000, seed=1))
    assert table.num_rows / 3_000 == pytest.approx(58.67, rel=0.03)
    days = table["date"].to_numpy()
    weekdays = Counter(((days.astype(int) + 3) % 7).tolist())
    assert weekdays[5] + weekdays[6] < 0.04 * table.num_rows
    places = sorted(Counter(table["place"].to_pylist()).values(), reverse=True)
    assert len(places) == 100
    assert 0.15 < places[0] / table.num_rows < 0.3
    assert places[-1] < 0.005 * table.num_rows
    records = np.array(sorted(Counter(table["patient"].to_pylist()).values()))
    assert records.max() > 10 * records.mean() > 10 * np.median(records)
    assert table.num_rows > 1.1 * table.group_by(["patient", "date", "place"]).aggregate([]).num_rows
    assert not bool((np.diff(table["patient"].to_numpy()[:1000]) >= 0).all())


def test_days_and_people_can_be_few() -> None:
    table = visits(1, first=date(2005, 1, 30), last=date(2005, 2, 2))
    assert set(map(str, table["date"].to_pylist())) <= {"2005-01-30", "2005-01-31", "2005-02-01", "2005-02-02"}
    with pytest.raises(InputError):
        visits(0)
