"""Fuzzing by hand: `make fuzz FILES=10000 SEED=0` makes so many files and holds idbits to its word on each.

It also includes as many tampered answers in reports.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import traceback
from pathlib import Path

from answers import tampered
from cases import MARKER, Case, make_case

import idbits
from idbits.render.text import safe


def finding(case: Case) -> str | None:
    """Return what is wrong with how idbits treats a case, or None."""
    try:
        result = idbits.measure(case.path, case.qid, **case.reading)
        assert isinstance(result, idbits.Measurement)
        idbits.inspect(case.path, **case.reading)
    except idbits.IdbitsError as error:
        message = safe(str(error))
        if case.expected is not None:
            return f"refused a sound file: {message}"
        if "\n" in message or not message:
            return f"not one line: {message!r}"
        if any(marker in message for marker in case.markers) or (MARKER in message and case.markers):
            return f"a cell value in the message: {message}"
        return None
    except Exception as error:  # noqa: BLE001 (any other exception is the finding)
        return "crashed: " + "".join(traceback.format_exception_only(error)).strip()
    if case.expected is not None:
        spectrum = result.figures.spectrum
        counted = dict(spectrum.pairs()) if spectrum is not None else None
        if counted != case.expected:
            return f"counted {counted}, not {case.expected}"
        hidden = [marker for marker in case.markers if marker in str(result)]
        return f"a cell value in the answer: {hidden[0]!r}" if hidden else None
    return None


def fuzz(files: int, seed: int) -> list[str]:
    """Try so many cases; return the findings."""
    findings = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(seed, seed + files):
            case = make_case(number, folder)
            found = finding(case)
            if found is not None:
                findings.append(f"seed {number} ({case.name}): {found}")
            case.path.unlink(missing_ok=True)
    return findings


def fuzz_answers(number: int, seed: int) -> list[str]:
    """Try so many tampered answers; return the findings."""
    with tempfile.TemporaryDirectory() as name:
        return [
            f"seed {own} (saved answer of {command}): {found}"
            for command, own, found in tampered(number, seed, Path(name))
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.monotonic()
    findings = fuzz(options.files, options.seed) + fuzz_answers(options.files, options.seed)
    print("\n".join(findings))
    print(f"{options.files:,} files and as many answers, {len(findings)} findings, {time.monotonic() - start:.0f} s")
    raise SystemExit(bool(findings))


if __name__ == "__main__":
    main()
