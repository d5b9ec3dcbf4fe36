"""``idbits init``: a first policy for one or more tables."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, write_file
from idbits.cli.progress import progress_on_stderr

__all__ = ["init_command"]


@options.sharing
def init_command(
    sources: Annotated[
        list[str],
        typer.Argument(help="Files, folders, globs in quotes, or a database.", show_default=False),
    ],
    reading: options.Reading,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The policy file to write.", metavar="FILE"), options.WRITTEN
    ] = Path("idbits.toml"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing policy file.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no notes and no progress.")] = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """Write a policy with comments for tables, to edit and check.

    Proposes the columns that someone may know and the rules.

    Examples:
        idbits init people.csv
        idbits init people.csv visits.parquet -o policies/hospital.toml
        idbits init postgresql://host/db --table people --force
    """
    from idbits.errors import InputError
    from idbits.render.text import safe
    from idbits.studies.init.study import propose_policy

    if "-" in sources:
        raise InputError("a policy needs a file or a database, not standard input")
    if out.exists() and not force:
        raise InputError(f'"{out}" already exists; --force replaces it')
    keep_sources(*sources)
    with progress_on_stderr(quiet=quiet) as progress:
        reading["progress"] = progress
        text, notes = propose_policy(sources, out.parent, **reading)
    write_file(out, text)
    if not quiet:
        for note in notes:
            sys.stderr.write(f"note: {safe(note)}\n")
    written = f"{safe(str(out))} written. Review its qid and rules, then run"
    sys.stdout.write(f"{written}: idbits check --policy {safe(shlex.quote(str(out)))}\n")
