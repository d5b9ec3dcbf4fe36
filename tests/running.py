"""Which marks the running test has: what is slow to start may only be started by tests that say so."""

import pytest

__all__ = ["marks_of_running_test", "needs"]

marks_of_running_test: set[str] | None = None
"""The names of the running test's marks; None while no test runs."""


def needs(mark: str) -> None:
    """Fail a test that starts something slow without the mark for it: it would be in the quick loop."""
    # The pages of the documentation start whatever they show.
    if marks_of_running_test is not None and not marks_of_running_test & {mark, "docs"}:
        pytest.fail(f'this test needs the mark "{mark}": tests/conftest.py says which tests get it')
