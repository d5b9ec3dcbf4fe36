"""Engines that return only distinct rows, large tables, memory, and how an answer is shown."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow
import pytest

import idbits
from idbits.counts import CodedRows
from idbits.engines.local import LocalCapabilities
from idbits.engines.open import open_table
from idbits.errors import EngineError, InputError
from idbits.studies.gain import attack


class DistinctOnly(LocalCapabilities):
    """A table that, like a database, counts equal rows itself and returns each once."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def coded_rows(self, attributes: Any) -> CodedRows:
        rows = self._table.coded_rows(attributes)
        counted = Counter(zip(*(column.tolist() for column in rows.codes), strict=True))
        codes = tuple(np.array(column, np.uint32) for column in zip(*counted, strict=True))
        return CodedRows(codes, rows.sizes, np.array(list(counted.values()), np.int64))


FRAME = pyarrow.table({"a": [1, 1, 2, 2, 3, 3, 3], "b": list("xxyzxxz"), "c": [0, 0, 1, 1, 0, 0, 1]})


def test_distinct_rows_of_a_database_give_the_same(monkeypatch):
    wanted = {"growth": "greedy", "sweep": "a:band2", "target": "c", "attacker": "knows:1"}
    expected = idbits.gain(FRAME, **wanted).to_dict()
    monkeypatch.setattr("idbits.studies.gain.study.open_table", lambda *given: DistinctOnly(open_table(*given)))
    assert idbits.gain(FRAME, **wanted).to_dict() == expected
    with pytest.raises(InputError, match="distinct rows"):
        idbits.gain(FRAME, cells=True)


def test_large_tables_keep_no_cells_and_say_so(monkeypatch):
    small = idbits.gain(FRAME).to_dict()
    monkeypatch.setattr(attack, "_FEW_CELLS", 5)
    monkeypatch.setattr(attack, "_FEW_PAIR_ROWS", 5)
    answer = idbits.gain(FRAME)
    assert answer.heat_map() is None
    data = answer.to_dict()
    assert data["most_exposed"] is None
    assert data["dependence"]["mutual_information_bits"] is None
    assert data["reasons"].keys() == {"most_exposed", "mean_csf"}
    assert all(feature["mean_csf"] is None for feature in data["features"])
    assert "mutual=True" in str(answer)
    same = ("rig", "pif", "mics", "rig_curve", "rows_at_pif")
    assert {key: data[key] for key in same} == {key: small[key] for key in same}
    assert idbits.gain(FRAME, mutual=True).dependence.mutual_information_bits is not None
    assert idbits.gain(FRAME, cells=True).heat_map() is not None


def test_more_memory_than_allowed_is_refused():
    frame = pyarrow.table({name: np.arange(1_100_000) % 7 for name in "ab"})
    with pytest.raises(EngineError, match="memory="):
        idbits.gain(frame, memory="64MB")


@pytest.mark.big
def test_many_columns():
    draw = np.random.default_rng(0)
    frame = pyarrow.table({f"c{j}": draw.integers(0, 2, 60) for j in range(100)})
    answer = idbits.gain(frame, columns=frame.column_names)
    assert len(answer.features) == 100
    # Everyone differs from all others in dozens of columns, so each cell is fully learnt.
    for feature in answer.features:
        assert feature.mean_cig_bits == pytest.approx(feature.entropy_bits, abs=1e-12)
    assert "60 more columns" in str(answer)


def test_a_frame_has_no_next_command_and_names_are_quoted(tmp_path):
    assert idbits.gain(FRAME).next_command is None
    path = tmp_path / "odd names.csv"
    path.write_text('"a, b";c\n' + "".join(f"{i % 30};{i % 2}\n" for i in range(60)))
    command = idbits.gain(path).next_command
    assert "odd names.csv'" in command
    assert '"a, b:band5"' in command or '"a, b:' in command


def test_an_answer_shows_itself_everywhere():
    answer = idbits.gain(FRAME)
    assert "<table" in answer._repr_html_()
    assert repr(answer).startswith("Gain(columns=['a', 'b', 'c'], n_rows=7")
    assert answer.to_arrow().column("column").to_pylist() == ["a", "b", "c"]
    assert answer.curve_to_arrow().column_names == ["bits", "people"]
    with pytest.raises(AttributeError, match="'nothing'"):
        answer.nothing  # noqa: B018
