"""Comparing two publications for the page Compare, in the process of the work."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.progress import Progress
from idbits.reading import OpenOptions, Reading, open_options
from idbits.render.page import Term
from idbits.studies.overlap.releases import ReleaseQuestion, overlap_of_releases
from idbits.studies.overlap.result import ReleaseOverlap, ZoneOverlap
from idbits.studies.overlap.study import overlap
from idbits.studies.report.overlap_page import overlap_page
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.work.tables import input_term, page_result, same_files

if TYPE_CHECKING:
    from idbits.web.work.worker import OverlapTask

__all__ = ["compare_publications"]

_USUAL_LIMIT = 10


def compare_publications(task: OverlapTask, progress: Progress) -> JsonObject:
    """Compare two zonings or two releases; return the page as a part, as a file, and as data."""
    readings: list[Reading] = [{**reading, "progress": progress} for reading in task["readings"]]
    with same_files(task["sources"]) as files:
        answer = _answer(task, readings)
        with progress.step("drawing the page"):
            page = overlap_page(answer, task["names"], [*_command(task, readings), input_term(files)])
    isolates = isinstance(answer, ZoneOverlap) and bool(answer.groups)
    return page_result(page, answer.to_json()) | {"isolates": isolates}


def _answer(task: OverlapTask, readings: Sequence[Reading]) -> ZoneOverlap | ReleaseOverlap:
    if task["zones"]:
        return overlap(
            task["sources"][0],
            zones=task["zones"],
            below=task["below"],
            person=task["person"],
            rows_are_people=task["rows_are_people"],
            reveal=task["reveal"],
            **readings[0],
        )
    first, second = task["sources"]
    qid_a, qid_b = map(tuple, task["qids"])
    question = ReleaseQuestion(task["person"] or "", qid_a, qid_b, task["sensitive"] or "")
    return overlap_of_releases(first, second, question, *map(open_options, readings))


def _command(task: OverlapTask, readings: Sequence[Reading]) -> list[Term]:
    """Return the command that gives the same answer; no command reads two tables in different ways."""
    options = [open_options(reading) for reading in readings]
    if any(each != options[0] for each in options):
        return []
    return [Term("Command", " ".join(_command_words(task, options[0])))]


def _command_words(task: OverlapTask, options: OpenOptions) -> list[str]:
    words = ["idbits overlap", *map(shlex.quote, task["sources"])]
    if task["zones"]:
        words += ["--zones", _names(task["zones"])]
        words += ["--below", str(task["below"])] if task["below"] != _USUAL_LIMIT else []
    words += ["--person", shlex.quote(task["person"])] if task["person"] else []
    for option, names in zip(("--qid-a", "--qid-b"), task["qids"], strict=False):
        words += [option, _names(names)]
    words += ["--sensitive", shlex.quote(task["sensitive"])] if task["sensitive"] else []
    words += ["--rows-are-people"] if task["rows_are_people"] else []
    return [*words, *options.command_words(), *(["--reveal"] if task["reveal"] else [])]


def _names(names: Sequence[str]) -> str:
    return shlex.quote(quoted_names(names))
