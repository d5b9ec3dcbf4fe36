"""``idbits init``: a first policy for a table."""

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
    source: options.Source,
    reading: options.Reading,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The policy to write.", metavar="FILE"), options.WRITTEN
    ] = Path("idbits.toml"),
    force: Annotated[bool, typer.Option("--force", help="Write over a policy that is there.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No notes and no progress on stderr.")] = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command takes it; nothing is drawn here)
) -> None:
    """Write a commented policy for a table; its quasi-identifiers are proposed.

    Example: idbits init people.csv
    """
    from idbits.errors import InputError
    from idbits.render.text import safe
    from idbits.studies.init.study import propose_policy

    if source == "-":
        raise InputError("a policy names a file or a database, not standard input")
    if out.exists() and not force:
        raise InputError(f'there is a policy "{out}" already; --force writes over it')
    keep_sources(source)
    with progress_on_stderr(quiet=quiet) as progress:
        reading["progress"] = progress
        text, notes = propose_policy(source, out.parent, **reading)
    write_file(out, text)
    if not quiet:
        for note in notes:
            sys.stderr.write(f"note: {safe(note)}\n")
    written = f"{safe(str(out))} is written. Look at its qid and rules, then"
    sys.stdout.write(f"{written}: idbits check --policy {safe(shlex.quote(str(out)))}\n")
