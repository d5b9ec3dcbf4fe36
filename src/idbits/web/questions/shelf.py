"""Where the questions are kept: counted once, by whoever comes first."""

from __future__ import annotations

import threading
from pathlib import Path

from idbits.errors import InputError
from idbits.progress import SILENT, Progress
from idbits.web.questions.bank import Bank

__all__ = ["Shelf"]


class Shelf:
    """The questions to pick from.

    Args:
        examples: the folder of public statistics; None for made-up people.
        bank: the questions themselves, where they have been counted already.
    """

    def __init__(self, examples: Path | None = None, bank: Bank | None = None) -> None:
        self._examples = examples
        self._bank = bank
        self._lock = threading.Lock()

    def bank(self, progress: Progress = SILENT) -> Bank:
        """Return the questions; the first call counts them."""
        with self._lock:
            if self._bank is None:
                self._bank = self._counted(progress)
            return self._bank

    def _counted(self, progress: Progress) -> Bank:
        from idbits.web.questions.examples import FILES, made_up, real_examples

        if self._examples is None:
            with progress.step("making up people for the examples"):
                return made_up()
        found = real_examples(self._examples, progress)
        if found is None:
            raise InputError(f'"{self._examples}" holds none of the files {", ".join(FILES)} (--examples)')
        if not any(place.people for place in found.places):
            # Answers without people to hide among.
            return found.with_more(made_up())
        return found
