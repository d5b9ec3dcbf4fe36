"""``idbits check``: does this data follow the policy?"""

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
    policy: Annotated[Path, typer.Option(help="The policy file.", metavar="FILE")] = Path("idbits.toml"),
    data: Annotated[
        list[str] | None,
        typer.Option(help="Another file, folder or glob for a dataset (repeatable).", metavar="NAME=SOURCE"),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="The JSON answer of an earlier check, to show what changed.", metavar="FILE")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="Also write the results as JUnit XML.", metavar="FILE"), options.WRITTEN
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotations for GitHub workflows (automatic inside one).")
    ] = False,
    no_advice: Annotated[
        bool, typer.Option("--no-advice", help="Do not look for causes and treatments if a rule is broken.")
    ] = False,
    memory: options.Memory = None,
    threads: options.Threads = None,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """Check datasets against a policy; fail a pipeline that breaks it.

    The exit code is 0 if the data may go out, 1 if a rule is broken, 2 if the policy is not valid
    and 3 if a dataset cannot be measured.

    Examples:
        idbits check --data people=week47.parquet
        idbits check --policy policies/people.toml --junit results.xml
        idbits check --baseline last-week.json --json -o this-week.json
    """
    from idbits.render.junit import github_annotations, junit_xml
    from idbits.studies.check.study import check
    from idbits.studies.check.text import outcome_sentence

    with progress_on_stderr(quiet=output.quiet) as progress:
        answer = check(
            policy,
            baseline=baseline,
            data=data or (),
            advice=not no_advice,
            memory=memory,
            threads=threads,
            progress=progress,
        )
    lines = [(rule.dataset, rule.rule, rule.word, outcome_sentence(rule)) for rule in answer.rules]
    if junit is not None:
        write_file(junit, junit_xml(lines))
    if github or os.environ.get("GITHUB_ACTIONS") == "true":
        # On stderr, because stdout may be JSON. Workflows read both.
        sys.stderr.write(github_annotations(lines, answer.policy))
    print_answer(answer, output)
    raise SystemExit(answer.exit_code)
