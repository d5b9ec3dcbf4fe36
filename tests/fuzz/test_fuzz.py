"""A short run of the fuzzer; `make fuzz` runs as long as asked."""

from __future__ import annotations

from run import fuzz, fuzz_answers


def test_no_file_gets_a_wrong_count_a_crash_or_a_leak() -> None:
    assert fuzz(files=150, seed=0) == []


def test_no_tampered_answer_makes_a_report_fail() -> None:
    """Either a page, or a refusal in one line; the longer run of 2,600 had 86 internal errors before."""
    assert fuzz_answers(390, seed=0) == []
