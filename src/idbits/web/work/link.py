"""Linking a release with a second table for the page Second table, in the process of the work."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from idbits.progress import Progress
from idbits.reading import OpenOptions, open_options
from idbits.render.page import Term
from idbits.studies.link.matching import match_columns
from idbits.studies.link.probabilistic.settings import link_settings
from idbits.studies.link.study import link_question, link_sources
from idbits.studies.report.link_page import link_page
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.work.tables import input_term, page_result, same_files

if TYPE_CHECKING:
    from idbits.web.work.worker import LinkTask, MatchTask

__all__ = ["find_matches", "link_tables"]


def find_matches(task: MatchTask, progress: Progress) -> JsonObject:
    """Find the columns that belong together; no value leaves the process."""
    with progress.step("comparing columns"):
        matches = match_columns(task["sources"][0], task["sources"][1], _options(task, progress))
    return {"matches": [asdict(match) for match in matches]}


def link_tables(task: LinkTask, progress: Progress) -> JsonObject:
    """Link two tables; return the page as a part, as a file, and as data."""
    options = _options(task, progress)
    first, second = task["truth"] or (None, None)
    settings = link_settings(
        None, None, task["threshold"], is_probabilistic=task["by_odds"], coverage=task["coverage"],
        sensitive=task["sensitive"],
    )  # fmt: skip
    question = link_question(
        on=task["on"], truth_a=first, truth_b=second, coverage=task["coverage"], sensitive=task["sensitive"],
        probabilistic=settings,
    )  # fmt: skip
    with same_files(task["sources"]) as files:
        answer = link_sources(task["sources"][0], task["sources"][1], question, options)
        with progress.step("drawing the page"):
            page = link_page(answer, task["names"], [*_command(task, options), input_term(files)])
    return page_result(page, answer.to_json())


def _options(task: LinkTask | MatchTask, progress: Progress) -> tuple[OpenOptions, OpenOptions]:
    first, second = (open_options({**reading, "progress": progress}) for reading in task["readings"])
    return first, second


def _command(task: LinkTask, options: Sequence[OpenOptions]) -> list[Term]:
    """Return the command that gives the same answer; none if the tables are read with options of their own."""
    if any(each.command_words() for each in options):
        return []
    words = ["idbits link", *map(shlex.quote, task["sources"]), "--on", shlex.quote(quoted_names(task["on"]))]
    words += ["--coverage", str(task["coverage"])] if task["coverage"] is not None else []
    for option, name in zip(("--truth-a", "--truth-b"), task["truth"], strict=False):
        words += [option, shlex.quote(name)]
    words += ["--probabilistic"] if task["by_odds"] else []
    words += ["--threshold", str(task["threshold"])] if task["threshold"] is not None else []
    words += ["--sensitive", shlex.quote(quoted_names(task["sensitive"]))] if task["sensitive"] else []
    return [Term("Command", " ".join(words))]
