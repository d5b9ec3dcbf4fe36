"""Decisions that are recorded in the app: a folder with the reports, the receipts and the records about them."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from idbits.errors import InputError
from idbits.storage import whole_file
from idbits.studies.decide.decision_file import FILE_NAME, read_lines
from idbits.studies.decide.result import DecisionRecord
from idbits.studies.decide.study import decide, list_decisions
from idbits.studies.decide.verification import check_lines

__all__ = ["DecisionFolder", "DecisionText"]

_MOST_FORMS = 1000


@dataclass(frozen=True, slots=True)
class DecisionText:
    """What the form of a decision says."""

    decision: str
    by: str
    why: str


class DecisionFolder:
    """The folder of the decisions; only its owner can read what is in it."""

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            raise InputError(f'"{path}" is not a folder (--decisions)')
        self.path = path
        self._sent: OrderedDict[tuple[str, DecisionText, str], int] = OrderedDict()
        self._lock = threading.Lock()

    def record(self, form: str, text: DecisionText, report: str, receipt: Path | None) -> int:
        """Record a decision, and return its number; a form that is sent twice unchanged is recorded once.

        Args:
            form: what identifies the form.
            text: what was decided, by whom and why.
            report: the JSON of the report.
            receipt: the receipt of the treated file, if there is one.
        """
        with self._lock:
            try:
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                report_file = self._kept("report", f"{report}\n".encode())
                sent = (form, text, report_file.name)
                if sent in self._sent:
                    return self._sent[sent]
                receipt_file = self._kept("receipt", receipt.read_bytes()) if receipt is not None else None
                # A new file of records would be readable for others if the folder is.
                self.file.touch(mode=0o600)
            except OSError as error:
                raise InputError(f'the decision cannot be written to "{self.path}": {error.strerror}') from error
            recorded = decide(report_file, text.decision, by=text.by, why=text.why, receipt=receipt_file)
            self._sent[sent] = recorded.record.sequence
            while len(self._sent) > _MOST_FORMS:
                self._sent.popitem(last=False)
            return recorded.record.sequence

    def _kept(self, kind: str, content: bytes) -> Path:
        """Return a file with a content, named after it; the same content is written once."""
        path = self.path / f"{kind}-{hashlib.sha256(content).hexdigest()[:16]}.json"
        if not path.exists() or path.read_bytes() != content:
            with whole_file(path, private=True) as draft:
                draft.write_bytes(content)
        return path

    def records(self) -> tuple[DecisionRecord, ...]:
        """Return all decisions, the latest first."""
        if not self.file.is_file():
            return ()
        return tuple(reversed(list_decisions(self.path).records))

    def found(self, number: int) -> DecisionRecord | None:
        """Return the decision with a number."""
        return next((record for record in self.records() if record.sequence == number), None)

    def problems(self) -> list[str]:
        """Say what is wrong with the records and the files kept with them; nothing if they are as they were written.

        Measured tables may change after a decision, and reading them again would take long.
        """
        if not self.file.is_file() or not self.file.stat().st_size:
            return []
        _, problems = check_lines(read_lines(self.file), self.path, with_data=False)
        return [f"Line {each.line}: {each.problem}" for each in problems]

    @property
    def file(self) -> Path:
        """The file of the records."""
        return self.path / FILE_NAME
