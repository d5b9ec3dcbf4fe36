"""``idbits questionnaire``: how many people still share your answers?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from idbits.cli import options
from idbits.cli.output import print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.repository_options import Address, Insecure, opened

if TYPE_CHECKING:
    from idbits.studies.predict.known import Given

__all__ = ["questionnaire_command"]


@options.sharing
def questionnaire_command(
    output: options.Output,
    survey: Annotated[str | None, typer.Argument(help="The questionnaire: a TOML file.", show_default=False)] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of the TOML file instead.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Write the chart (Vega-Lite) to this file.", metavar="FILE"), options.WRITTEN
    ] = None,
    repository: Address = None,
    insecure: Insecure = False,
    memory: options.Memory = None,
    threads: options.Threads = None,
    seed: options.Seed = 0,
) -> None:
    """How many people share your answers after each question?

    Reads the questions and how people answer them from a TOML file, before anything is
    collected.

    Examples:
        idbits questionnaire survey.toml
        idbits questionnaire survey.toml --chart answers.json
        idbits questionnaire --schema
    """
    from idbits.errors import InputError
    from idbits.studies.questionnaire.study import questionnaire
    from idbits.studies.questionnaire.survey import schema_text

    if schema:
        typer.echo(schema_text(), nl=False)
        return
    if survey is None:
        raise InputError(
            "name a questionnaire, for example idbits questionnaire survey.toml (--schema shows the format)"
        )
    with progress_on_stderr(quiet=output.quiet) as progress:
        answer = questionnaire(
            survey,
            entries=lambda ref: _drawn(ref, repository, insecure=insecure),
            seed=seed,
            memory=memory,
            threads=threads,
            progress=progress,
        )
    if chart is not None:
        write_chart(chart, answer.chart())
    print_answer(answer, output)


def _drawn(ref: str, repository: str | None, *, insecure: bool) -> Given:
    """Return how people answer according to an entry; the repository is opened only when an entry is named."""
    with opened(repository, insecure=insecure) as store:
        return cast("Given", store.entry(ref).drawn_from())
