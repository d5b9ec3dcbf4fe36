"""``idbits randomise``: a release to try ``idbits leak`` on (experimental)."""

from __future__ import annotations

from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, print_text
from idbits.cli.progress import progress_on_stderr

__all__ = ["randomise_command"]


@options.sharing
def randomise_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    mechanism: Annotated[
        str | None, typer.Option(help="exponential, laplace, gaussian or response.", metavar="NAME")
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="The privacy budget per cell; smaller is more random.", metavar="E")
    ] = None,
    delta: Annotated[float, typer.Option(help="The failure probability of gaussian.", metavar="D")] = 1e-5,
    seed: options.Seed = 0,
) -> None:
    """Make a randomised release, to try leak on (experimental)

    Writes CSV. Do not use it to protect real data.

    Examples:
        idbits randomise data.csv --mechanism laplace --epsilon 1 -o released.csv
        idbits randomise data.csv --mechanism response --epsilon 2 -o released.csv
        idbits randomise data.csv --mechanism gaussian --epsilon 1 --delta 1e-6 --seed 7
    """
    from idbits.errors import InputError
    from idbits.studies.randomise.result import EXPERIMENTAL
    from idbits.studies.randomise.study import MECHANISMS, randomise

    keep_sources(source)
    if mechanism is None:
        raise InputError(f"choose how to randomise: --mechanism {' or '.join(MECHANISMS)}")
    if epsilon is None:
        raise InputError("give the privacy budget per cell, for example --epsilon 1")
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = randomise(source, mechanism=mechanism, epsilon=epsilon, delta=delta, seed=seed, **reading)
    if output.json:
        print_answer(answer, output)
        return
    print_text(answer.to_csv(), (EXPERIMENTAL, *answer.notes), output)
