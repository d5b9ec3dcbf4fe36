"""Completion of columns: it is silent about errors."""

from pathlib import Path

import pytest

from idbits.cli.table_columns import complete_columns


class Typed:
    """What the parser knows while a shell completes."""

    def __init__(self, path: Path) -> None:
        self.params, self.args = {}, [str(path)]


@pytest.mark.parametrize("content", [b"%PDF-1.7", b"", b"1980-01-01,1011\n1981-02-03,1012\n1981-02-03,1012\n"])
def test_nothing_is_completed_from_what_is_no_table_with_names(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    assert complete_columns(Typed(path), "") == []  # type: ignore[arg-type]


def test_columns_are_completed_after_the_last_comma(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,sex\n1011,F\n1011,M\n1012,F\n")
    assert complete_columns(Typed(path), "zip,") == ["zip,sex"]  # type: ignore[arg-type]
    assert complete_columns(Typed(path), "s") == ["sex"]  # type: ignore[arg-type]
