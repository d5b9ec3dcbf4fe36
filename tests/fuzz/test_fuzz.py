"""A short run of the fuzzer; `make fuzz` runs as long as asked."""

from __future__ import annotations

from run import fuzz


def test_no_file_gets_a_wrong_count_a_crash_or_a_leak() -> None:
    assert fuzz(files=150, seed=0) == []
