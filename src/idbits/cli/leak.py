"""``idbits leak``: does a release still leak its original?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr

__all__ = ["leak_command"]


@options.sharing
def leak_command(
    original: Annotated[
        str, typer.Argument(help="The table as it was: a file, a glob in quotes, -.", show_default=False)
    ],
    released: Annotated[str, typer.Argument(help="The release: the same rows in the same order.", show_default=False)],
    reading: options.Reading,
    output: options.Output,
    order: Annotated[
        str, typer.Option(help="Length of the ordinal patterns; auto finds it as S4 does.", metavar="N|auto")
    ] = "auto",
    delay: Annotated[int, typer.Option(help="How many rows apart the values of a pattern are.", metavar="N")] = 1,
    reduction: Annotated[
        str, typer.Option(help="How several columns become one sequence: pca or tsne.", metavar="HOW")
    ] = "pca",
    scales: Annotated[int, typer.Option(help="Compare means of 2 to N neighbouring rows, too.", metavar="N")] = 1,
    conditional: Annotated[
        bool, typer.Option("--conditional", help="Give the conditional permutation entropy, too.")
    ] = False,
    patterns: Annotated[
        str | None, typer.Option(help="The patterns that count, and how much: 0-1-2,2-1-0=3,*=0.5", metavar="LIST")
    ] = None,
    tolerance: Annotated[float, typer.Option(help="Degrees that differ by no more are the same.", metavar="X")] = 0.001,
    error_rate: Annotated[
        float, typer.Option(help="Chance to call a release without any link a leak.", metavar="P")
    ] = 0.01,
    mic_rows: Annotated[int, typer.Option(help="Take MIC from at most so many rows.", metavar="N")] = 1_000,
    chart: Annotated[
        Path | None,
        typer.Option(help="Write entropy by pattern length as a Vega-Lite chart.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Does a release still leak the original that it was made from?

    Example: idbits leak original.csv released.csv
    """
    from idbits.studies.leak.study import leak

    keep_sources(original, released)
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = leak(
            original,
            released,
            order=order,
            delay=delay,
            reduction=reduction,
            scales=scales,
            conditional=conditional,
            patterns=patterns,
            tolerance=tolerance,
            error_rate=error_rate,
            mic_rows=mic_rows,
            seed=seed,
            **reading,
        )
    if chart is not None:
        write_chart(chart, answer.chart())
    print_answer(answer, output)
