"""``idbits check``: may this data go out?"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import print_answer, write_file
from idbits.cli.progress import progress_on_stderr

__all__ = ["check_command"]


@options.sharing
def check_command(
    output: options.Output,
    policy: Annotated[Path, typer.Option(help="The policy to hold the data against.", metavar="FILE")] = Path(
        "idbits.toml"
    ),
    baseline: Annotated[
        Path | None, typer.Option(help="The JSON of an earlier check: what changed since is said.", metavar="FILE")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Write the outcomes as JUnit XML, too.", metavar="FILE"), options.WRITTEN
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotations for GitHub workflows (there, they are printed anyway).")
    ] = False,
    memory: options.Memory = None,
    threads: options.Threads = None,
    seed: options.Seed = 0,  # noqa: ARG001 (every command takes it; nothing is drawn here)
) -> None:
    """May this data go out? Holds datasets against the rules of a policy; exits with 0, 1 or 3.

    Example: idbits check --policy idbits.toml
    """
    from idbits.render.junit import github_annotations, junit_xml
    from idbits.studies.check.study import check
    from idbits.studies.check.text import outcome_sentence

    with progress_on_stderr(quiet=output.quiet) as progress:
        answer = check(policy, baseline=baseline, memory=memory, threads=threads, progress=progress)
    lines = [(rule.dataset, rule.rule, rule.word, outcome_sentence(rule)) for rule in answer.rules]
    if junit is not None:
        write_file(junit, junit_xml(lines))
    if github or os.environ.get("GITHUB_ACTIONS") == "true":
        # On stderr: what stdout holds may be JSON. Workflows read both.
        sys.stderr.write(github_annotations(lines, answer.policy))
    print_answer(answer, output)
    raise SystemExit(answer.exit_code)
