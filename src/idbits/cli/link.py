"""``idbits link``: what does a second table tell about the records of a release?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from idbits.cli import options
from idbits.cli.output import keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.table_columns import complete_columns

if TYPE_CHECKING:
    from idbits.studies.link.reading import PairedReading

__all__ = ["link_command"]


@options.sharing
def link_command(
    release: Annotated[str, typer.Argument(help="The release, with one row per person.", show_default=False)],
    reading: options.Reading,
    reading_b: options.Reading,
    output: options.Output,
    cluster: options.Cluster,
    second: Annotated[
        str | None, typer.Argument(help="The table that somebody has.", metavar="[SECOND]", show_default=False)
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            help="Columns of both tables: birthdate,zip; birthdate=dob for other names; birthdate~3d if near.",
            metavar="A,B,..",
            autocompletion=complete_columns,
        ),
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(help="The chance that a person of the release is in the second table; 1 if all are.", metavar="C"),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(help="The column of both tables that identifies people, to check links.", metavar="COL"),
    ] = None,
    truth_a: Annotated[str | None, typer.Option(help="The same in the release.", metavar="COL")] = None,
    truth_b: Annotated[str | None, typer.Option(help="The same in the second table.", metavar="COL")] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(help="A column of the release that must not be learnt (repeatable).", metavar="COL"),
    ] = None,
    also: Annotated[
        str | None, typer.Option(help="Columns of the second table that the release lacks.", metavar="A,B,..")
    ] = None,
    nulls: Annotated[
        str,
        typer.Option(
            help="A missing value matches nobody (none), or other columns are compared (ignore).", metavar="HOW"
        ),
    ] = "none",
    max_pairs: Annotated[
        int, typer.Option(help="The largest number of pairs to compare if values are near.", metavar="N")
    ] = 10**9,
    probabilistic: Annotated[
        bool,
        typer.Option("--probabilistic", help="Link by the odds of being the same person, with typing errors."),
    ] = False,
    block: Annotated[
        list[str] | None,
        typer.Option(help="Columns that are equal in the pairs to compare by odds (repeatable).", metavar="A,B,.."),
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option(help="How far values may agree: name=equal,jw0.9,else (repeatable).", metavar="COL=LEVELS"),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="The least probability of a claim by odds (0.5).", metavar="P")
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            help="The people that a synthetic table was made from: attacks it (experimental).", metavar="FILE"
        ),
    ] = None,
    control: Annotated[
        str | None, typer.Option(help="People that the synthetic table was not made from.", metavar="FILE")
    ] = None,
    attack: Annotated[
        str | None, typer.Option(help="The attack: singling-out, linkability or inference.", metavar="ATTACK")
    ] = None,
    left: Annotated[
        str | None, typer.Option(help="Linkability: columns of one half of a record.", metavar="A,B,..")
    ] = None,
    right: Annotated[str | None, typer.Option(help="Linkability: columns of the other half.", metavar="A,B,..")] = None,
    neighbours: Annotated[
        int | None, typer.Option(help="Linkability: nearest records to compare (1).", metavar="N")
    ] = None,
    infer: Annotated[str | None, typer.Option(help="Inference: the column to guess.", metavar="COL")] = None,
    known: Annotated[
        str | None, typer.Option(help="Inference: the columns that are known; all others by default.", metavar="A,B,..")
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Inference: how near a number must be, as a share (0.05).", metavar="X")
    ] = None,
    attacks: Annotated[int | None, typer.Option(help="The largest number of attacks (2,000).", metavar="N")] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help='A rule to meet, e.g. "records.one_to_one <= 0"; exit code 1 if broken (repeatable).', metavar="RULE"
        ),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(help="Write the links of every record: .parquet or .csv.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    reveal: Annotated[
        bool,
        typer.Option("--reveal", help="Write the claimed row of the second table to --records; for internal use only."),
    ] = False,
    charts: Annotated[
        Path | None,
        typer.Option(help="Write the charts (Vega-Lite) to this JSON file.", metavar="FILE"),
        options.WRITTEN,
    ] = None,
    seed: options.Seed = 0,
) -> None:
    """What does a second table tell about the records of a release?

    Carries out a linkage attack: how many records get a name from a voter roll, a customer file
    or another release, and how many rightly. Use leak for a release with the same rows in the
    same order as its original.

    Examples:
        idbits link released.csv voters.csv --on birthdate=dob~3d,zip,sex --coverage 0.8 --also name
        idbits link released.csv patients.csv --on name,birthdate,zip,sex --probabilistic --truth id
        idbits link synthetic.csv --original people.csv --control others.csv --attack singling-out
    """
    from idbits.studies.link.study import link
    from idbits.values.attributes import split_names

    reading |= cluster
    second_reading = {f"{name}_b": value for name, value in reading_b.items()}
    both = cast("PairedReading", {**reading, **second_reading})
    keep_sources(release, second, original, control)
    with progress_on_stderr(quiet=output.quiet) as progress:
        both["progress"] = progress
        answer = link(
            release,
            second,
            on,
            coverage=coverage,
            truth=truth,
            truth_a=truth_a,
            truth_b=truth_b,
            sensitive=[name for names in sensitive or [] for name in split_names(names)],
            also=also,
            nulls=nulls,
            max_pairs=max_pairs,
            probabilistic=probabilistic,
            block=block,
            levels=levels,
            threshold=threshold,
            original=original,
            control=control,
            attack=attack,
            left=left,
            right=right,
            neighbours=neighbours,
            infer=infer,
            known=known,
            tolerance=tolerance,
            attacks=attacks,
            rules=rule,
            records=records,
            reveal=reveal,
            seed=seed,
            **both,
        )
    if charts is not None:
        write_chart(charts, answer.charts())
    print_answer(answer, output)
    raise SystemExit(answer.exit_code)
