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
        str, typer.Argument(help="The original table: a file, a glob in quotes, or -.", show_default=False)
    ],
    released: Annotated[
        str, typer.Argument(help="The release, with the same rows in the same order.", show_default=False)
    ],
    reading: options.Reading,
    output: options.Output,
    order: Annotated[
        str, typer.Option(help="Length of the ordinal patterns; auto chooses it.", metavar="N|auto")
    ] = "auto",
    delay: Annotated[int, typer.Option(help="The distance in rows between the values of a pattern.", metavar="N")] = 1,
    reduction: Annotated[
        str, typer.Option(help="How to turn several columns into one sequence: pca or tsne.", metavar="HOW")
    ] = "pca",
    scales: Annotated[int, typer.Option(help="Also compare means of 2 to N neighbouring rows.", metavar="N")] = 1,
    conditional: Annotated[
        bool, typer.Option("--conditional", help="Also give the conditional permutation entropy.")
    ] = False,
    patterns: Annotated[
        str | None, typer.Option(help="The patterns to count, with weights: 0-1-2,2-1-0=3,*=0.5", metavar="LIST")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="The largest difference between degrees that count as equal.", metavar="X")
    ] = 0.001,
    error_rate: Annotated[
        float, typer.Option(help="The chance of calling an unrelated release a leak.", metavar="P")
    ] = 0.01,
    mic_rows: Annotated[int, typer.Option(help="The largest number of rows to compute MIC from.", metavar="N")] = 1_000,
    chart: Annotated[
        Path | None,
        typer.Option(help="Write the chart of entropy by pattern length (Vega-Lite).", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """Does a release still leak the original it was made from?

    Compares two tables with the same rows in the same order. Use link for a second table of other
    people or in another order.

    Examples:
        idbits leak original.csv released.csv
        idbits leak original.csv released.csv --error-rate 0.001 --json
        idbits leak original.csv released.csv --scales 5 --chart entropy.json
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
