"""``idbits inspect``: what does this table hold?"""

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
    seed: options.Seed = 0,  # noqa: ARG001 (every command takes it; nothing is drawn here)
) -> None:
    """What does this table hold? Rows, types, nulls, distinct counts, likely roles; no values.

    Example: idbits inspect people.csv
    """
    from idbits.studies.inspect.study import inspect

    reading |= cluster
    keep_sources(source)
    with progress_on_stderr(quiet=output.quiet) as progress:
        reading["progress"] = progress
        answer = inspect(source, **reading)
    print_answer(answer, output)
