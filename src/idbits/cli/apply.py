"""``idbits apply``: write a treated copy of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

__all__ = ["apply_command"]


@options.sharing
def apply_command(
    source: options.Source,
    reading: options.Reading,
    screen: options.Screen,
    plan: Annotated[
        Path | None, typer.Option(help="The plan to carry out, from idbits advise --plan.", metavar="FILE")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The treated file to write: .csv or .parquet.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    qid: Annotated[
        str | None,
        typer.Option(
            help="Instead of a plan: columns with their views, e.g. age:band20,zip:prefix2,job:all.",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    withhold_below: Annotated[
        int | None, typer.Option(help="With --qid: leave out groups smaller than K.", metavar="K", min=1)
    ] = None,
    receipt: Annotated[
        Path | None,
        typer.Option(help="The receipt to write; by default the file with .receipt.json added.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="Leave out this column (repeatable).", metavar="COL", autocompletion=complete_columns),
    ] = None,
    keep_identifier: Annotated[
        list[str] | None,
        typer.Option(
            help="Keep this column, although it seems to identify people (repeatable).",
            metavar="COL",
            autocompletion=complete_columns,
        ),
    ] = None,
    pseudonym: Annotated[
        str | None,
        typer.Option(
            help="Replace the values of this column by pseudonyms.", metavar="COL", autocompletion=complete_columns
        ),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="The secret key of the pseudonyms; created if missing.", metavar="FILE")
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(help="The hierarchy file of a column of the plan, again (repeatable).", metavar="COL=FILE"),
    ] = None,
    ranks: Annotated[
        list[str] | None,
        typer.Option(help="The order of a sensitive column's values (repeatable).", metavar="COL=A,B,.."),
    ] = None,
    rows: Annotated[
        str, typer.Option(help="The order of the rows: sorted, or kept as it is.", metavar="HOW")
    ] = "sorted",
    blank: Annotated[
        str, typer.Option(help="The text for a column that is given up, and for cut characters.", metavar="TEXT")
    ] = "*",
    rest: Annotated[str, typer.Option(help="The text for the values that top merges.", metavar="TEXT")] = "other",
    drop_empty: Annotated[bool, typer.Option("--drop-empty", help="Leave out columns that are given up.")] = False,
    safe_csv: Annotated[
        bool, typer.Option("--safe-csv", help="Protect untouched cells that look like formulas, too.")
    ] = False,
    mapping: Annotated[
        Path | None,
        typer.Option(help="Write which value replaces which (JSON); for internal use only.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    person: Annotated[
        str | None,
        typer.Option(
            help="The column that identifies people, who must have one row each.",
            metavar="COL",
            autocompletion=complete_columns,
        ),
    ] = None,
    rows_are_people: options.RowsArePeople = False,
    seed: options.Seed = 0,  # noqa: ARG001 (every command accepts it; this one draws nothing)
) -> None:
    """Write a treated copy of a table, with a receipt

    Makes columns coarser and leaves people out, as a plan says. The source is never
    changed. The file is read back and measured before it gets its name.

    Examples:
        idbits apply people.csv --plan plan.json --out treated.csv
        idbits apply people.csv --qid age:band20,zip:prefix2 --withhold-below 5 --out treated.csv
        idbits apply people.csv --plan plan.json --out treated.parquet --drop name --pseudonym id --key secret.key
    """
    from idbits.studies.apply.study import apply

    keep_sources(source)
    with progress_on_stderr(quiet=screen.quiet) as progress:
        reading["progress"] = progress
        answer = apply(
            source,
            plan,
            out,
            qid=qid,
            withhold_below=withhold_below,
            receipt=receipt,
            drop=drop or (),
            keep_identifier=keep_identifier or (),
            rows=rows,
            mapping=mapping,
            blank=blank,
            rest=rest,
            pseudonym=pseudonym,
            key=key,
            hierarchy=hierarchy or (),
            ranks=ranks or (),
            drop_empty=drop_empty,
            safe_csv=safe_csv,
            force=force,
            person=person,
            rows_are_people=rows_are_people,
            **reading,
        )
    print_answer(answer, screen)
