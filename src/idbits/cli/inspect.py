"""``idbits inspect``: what is in this table?"""

from __future__ import annotations

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer
from idbits.cli.progress import progress_on_stderr

__all__ = ["inspect_command"]


@options.sharing
def inspect_command(
    source: options.Source,
    reading: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """What is in this table?

    Lists rows, types, missing values, distinct counts and the likely role of each column.
    Shows no values.

    Examples:
        idbits inspect people.csv
        idbits inspect people.csv --encoding cp1250 --delimiter ';'
        idbits inspect 'lake/*.parquet' --where "year >= 2020"
    """
    from idbits.studies.inspect.study import inspect

    reading |= cluster
    keep_sources(source)
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = inspect(source, **reading)
    print_answer(answer, output)
