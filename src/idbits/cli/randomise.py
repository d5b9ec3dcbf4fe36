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
        float | None, typer.Option(help="How much a cell may tell; small is more random.", metavar="E")
    ] = None,
    delta: Annotated[float, typer.Option(help="What gaussian leaves to chance.", metavar="D")] = 1e-5,
    seed: options.Seed = 0,
) -> None:
    """Make a randomised release to try leak on. Experimental: not for protecting real data.

    Prints CSV. Example: idbits randomise data.csv --mechanism laplace --epsilon 1 --out released.csv
    """
    from idbits.errors import InputError
    from idbits.studies.randomise.result import EXPERIMENTAL
    from idbits.studies.randomise.study import MECHANISMS, randomise

    keep_sources(source)
    if mechanism is None:
        raise InputError(f"say how to randomise: --mechanism {' or '.join(MECHANISMS)}")
    if epsilon is None:
        raise InputError("say how much a cell may tell, for example --epsilon 1")
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = randomise(source, mechanism=mechanism, epsilon=epsilon, delta=delta, seed=seed, **reading)
    if output.json:
        print_answer(answer, output)
        return
    print_text(answer.to_csv(), (EXPERIMENTAL, *answer.notes), output)
