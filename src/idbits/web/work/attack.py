"""Attacking synthetic data for the app, in the process of the work."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from idbits.progress import Progress
from idbits.reading import OpenOptions, open_options
from idbits.render.page import Term
from idbits.studies.link.attacks.question import attack_question
from idbits.studies.link.attacks.study import attack_synthetic
from idbits.studies.report.attack_section import attack_page
from idbits.studies.shared.next_command import quoted_names
from idbits.studies.shared.serialisation import JsonObject
from idbits.web.work.tables import input_term, page_result, same_files

if TYPE_CHECKING:
    from idbits.web.work.worker import AttackTask

__all__ = ["attack_tables"]


def attack_tables(task: AttackTask, progress: Progress) -> JsonObject:
    """Attack original people, and others if there are any; return the page as a part, as a file, and as data."""
    options = [open_options({**reading, "progress": progress}) for reading in task["readings"]]
    question = attack_question(
        task["attack"], left=task["left"] or None, right=task["right"] or None, infer=task["infer"],
        attacks=task["attacks"],
    )  # fmt: skip
    with same_files(task["sources"]) as files:
        answer = attack_synthetic(task["sources"], question, options)
        with progress.step("drawing the page"):
            page = attack_page(answer, task["names"], [*_command(task, options), input_term(files)])
    return page_result(page, answer.to_json())


def _command(task: AttackTask, options: Sequence[OpenOptions]) -> list[Term]:
    """Return the command that gives the same answer; none if the tables are read with options of their own."""
    if any(each.command_words() for each in options):
        return []
    synthetic, original, *control = map(shlex.quote, task["sources"])
    words = ["idbits link", synthetic, "--original", original, *(["--control", *control] if control else [])]
    words += ["--attack", task["attack"]]
    for option, names in (("--left", task["left"]), ("--right", task["right"])):
        words += [option, shlex.quote(quoted_names(names))] if names else []
    words += ["--infer", shlex.quote(task["infer"])] if task["infer"] else []
    words += ["--attacks", str(task["attacks"])] if task["attacks"] is not None else []
    return [Term("Command", " ".join(words))]
