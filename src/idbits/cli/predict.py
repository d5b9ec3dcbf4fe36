"""``idbits predict``: how unique will people be in data that is not yet collected?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, cast, runtime_checkable

import typer

from idbits.cli import options
from idbits.cli.help import HelpCommand, new_app
from idbits.cli.output import Printable, keep_sources, print_answer, write_chart
from idbits.cli.progress import progress_on_stderr
from idbits.cli.repository_options import Address, Insecure, opened

if TYPE_CHECKING:
    from idbits.studies.predict.known import Given

__all__ = ["predict_app"]

predict_app = new_app("predict", "How unique will people be in data that is not yet collected?")

People = Annotated[int | None, typer.Option("--k", help="The number of people.", metavar="K")]
Values = Annotated[int | None, typer.Option(help="The number of possible values.", metavar="N")]
Kappa = Annotated[
    float | None,
    typer.Option(help="The KL distance to equally likely values, in nats, if only that is known.", metavar="X"),
]
Distribution = Annotated[
    str | None, typer.Option(help="Take the distribution from this table, e.g. ages.csv:age.", metavar="FILE:COL")
]
Probabilities = Annotated[
    str | None, typer.Option(help="The probabilities themselves, e.g. 0.5,0.3,0.2.", metavar="P,P,..")
]
EntryOption = Annotated[
    str | None, typer.Option("--entry", help="Use the distribution of this entry of a repository.", metavar="REF")
]
TargetOption = Annotated[str | None, typer.Option(help='The goal, e.g. "singletons<=1%".', metavar="TARGET")]
Chart = Annotated[
    Path | None, typer.Option(help="Write the chart (Vega-Lite) to this file.", metavar="FILE"), options.WRITTEN
]


@predict_app.command("uniqueness", cls=HelpCommand)
@options.sharing
def uniqueness_command(
    reading: options.Reading,
    output: options.Output,
    k: People = None,
    values: Values = None,
    kappa: Kappa = None,
    distribution: Distribution = None,
    probabilities: Probabilities = None,
    entry: EntryOption = None,
    repository: Address = None,
    insecure: Insecure = False,
    target: TargetOption = None,
    chart: Chart = None,
    seed: options.Seed = 0,
) -> None:
    """How likely is it that all of k people are unique?

    Examples:
        idbits predict uniqueness --k 29 --values 95
        idbits predict uniqueness --k 10 --distribution ages.csv:age --count n
        idbits predict uniqueness --k 10 --values 95 --target 'uniqueness<=1%'
    """
    from idbits.studies.predict.study import uniqueness

    given = _drawn_from(values, kappa, distribution, probabilities, entry, repository, insecure=insecure)
    _answer(uniqueness, reading, output, chart, distribution, k=k, target=target, seed=seed, **given)


@predict_app.command("singletons", cls=HelpCommand)
@options.sharing
def singletons_command(
    reading: options.Reading,
    output: options.Output,
    k: People = None,
    values: Values = None,
    kappa: Kappa = None,
    distribution: Distribution = None,
    probabilities: Probabilities = None,
    entry: EntryOption = None,
    repository: Address = None,
    insecure: Insecure = False,
    sizes: Annotated[int, typer.Option(help="Count groups of up to J people.", metavar="J")] = 5,
    target: TargetOption = None,
    chart: Chart = None,
    seed: options.Seed = 0,
) -> None:
    """How many of k people will be unique, or in groups of 2, 3, ...?

    Examples:
        idbits predict singletons --k 60 --values 95
        idbits predict singletons --k 60 --distribution ages.csv:age --count n
        idbits predict singletons --k 60 --values 95 --target 'singletons<=1%'
    """
    from idbits.studies.predict.study import singletons

    given = _drawn_from(values, kappa, distribution, probabilities, entry, repository, insecure=insecure)
    _answer(singletons, reading, output, chart, distribution, k=k, sizes=sizes, target=target, seed=seed, **given)


@predict_app.command("width", cls=HelpCommand)
@options.sharing
def width_command(
    reading: options.Reading,
    output: options.Output,
    distribution: Annotated[
        str | None,
        typer.Option(help="A density, e.g. normal:sd=5, or a column, e.g. people.csv:weight.", metavar="WHAT"),
    ] = None,
    width: Annotated[str | None, typer.Option(help="Interval widths, e.g. 0.5,1,2.", metavar="D,D,..")] = None,
    k: People = None,
    target: TargetOption = None,
    chart: Chart = None,
    seed: options.Seed = 0,
) -> None:
    """How much does rounding a number to intervals help?

    Examples:
        idbits predict width --distribution normal:sd=5.289 --width 0.5,1,2,5 --k 10
        idbits predict width --distribution people.csv:weight --width 1,2,5 --k 10
        idbits predict width --distribution normal:sd=5.289 --k 10 --target 'singletons<=1%'
    """
    from idbits.errors import InputError
    from idbits.studies.predict.study import width as study

    if distribution is None:
        raise InputError("name the number to round, for example --distribution normal:sd=5.289 or people.csv:weight")
    _answer(
        study,
        reading,
        output,
        chart,
        distribution,
        distribution=distribution,
        width=width,
        k=k,
        target=target,
        seed=seed,
    )


@predict_app.command("correlated", cls=HelpCommand)
@options.sharing
def correlated_command(
    output: options.Output,
    sd: Annotated[str | None, typer.Option(help="Both standard deviations, e.g. 5.3,4.8.", metavar="S,S")] = None,
    rho: Annotated[float | None, typer.Option(help="Their correlation.", metavar="R")] = None,
    width: Annotated[
        list[str] | None, typer.Option(help="Both interval widths, e.g. 1,1 (repeatable).", metavar="D,D")
    ] = None,
    k: People = None,
    mean: Annotated[str | None, typer.Option(help="Both means, e.g. 60,170.", metavar="M,M")] = None,
    chart: Chart = None,
    memory: options.Memory = None,  # noqa: ARG001 (every command accepts it; this one reads no table)
    threads: options.Threads = None,  # noqa: ARG001
    seed: options.Seed = 0,
) -> None:
    """How much does rounding two correlated numbers help?

    Examples:
        idbits predict correlated --sd 5.289,4.83 --rho 0.5028 --width 1,1 --k 10
        idbits predict correlated --sd 5.289,4.83 --rho 0.5028 --width 1,1 --width 2,2
        idbits predict correlated --sd 5.3,4.8 --rho 0.5 --width 1,1 --mean 60,170
    """
    from idbits.errors import InputError
    from idbits.studies.predict.study import correlated

    if sd is None or rho is None or not width:
        raise InputError("give --sd, --rho and --width, for example --sd 5.3,4.8 --rho 0.5 --width 1,1")
    _answer(correlated, {}, output, chart, None, sd=sd, rho=rho, width=list(width), k=k, mean=mean, seed=seed)


@predict_app.command("group", cls=HelpCommand)
@options.sharing
def group_command(
    reading: options.Reading,
    output: options.Output,
    cost: Annotated[float | None, typer.Option(help="The cost of a sample, in unique people.", metavar="C")] = None,
    values: Values = None,
    kappa: Kappa = None,
    distribution: Distribution = None,
    probabilities: Probabilities = None,
    entry: EntryOption = None,
    repository: Address = None,
    insecure: Insecure = False,
    seed: options.Seed = 0,
) -> None:
    """Which sample size makes most people unique for its cost?

    Examples:
        idbits predict group --cost 10 --values 95
        idbits predict group --cost 10 --distribution ages.csv:age --count n
        idbits predict group --cost 5 --probabilities 0.5,0.3,0.2
    """
    from idbits.errors import InputError
    from idbits.studies.predict.study import group

    if cost is None:
        raise InputError("give the cost of a sample in unique people, for example --cost 10")
    given = _drawn_from(values, kappa, distribution, probabilities, entry, repository, insecure=insecure)
    _answer(group, reading, output, None, distribution, cost=cost, seed=seed, **given)


@predict_app.command("suspects", cls=HelpCommand)
@options.sharing
def suspects_command(
    reading: options.Reading,
    output: options.Output,
    probabilities: Annotated[
        str | None,
        typer.Option(help="The attacker's probability for each suspect, e.g. 0.5,0.3,0.2.", metavar="P,P,.."),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Relative likelihoods of the suspects, e.g. 9,1,1.", metavar="W,W,..")
    ] = None,
    distribution: Distribution = None,
    values: Annotated[int | None, typer.Option(help="The number of suspects.", metavar="N")] = None,
    seed: options.Seed = 0,
) -> None:
    """How anonymous is a person among suspects?

    Takes the probabilities that an attacker gives to each suspect.

    Examples:
        idbits predict suspects --weights 9,1,1,1,1,1,1,1,1,1
        idbits predict suspects --probabilities 0.5,0.3,0.2
        idbits predict suspects --values 100
    """
    from idbits.studies.predict.study import suspects

    given = {"values": values, "distribution": distribution, "probabilities": probabilities}
    _answer(suspects, reading, output, None, distribution, weights=weights, seed=seed, **given)


def _drawn_from(
    values: int | None,
    kappa: float | None,
    distribution: str | None,
    probabilities: str | None,
    entry: str | None,
    repository: str | None,
    *,
    insecure: bool,
) -> Given:
    """Return the distribution of the values: the one given, or the one of an entry of a repository."""
    from idbits.errors import InputError

    given: Given = {"values": values, "kappa": kappa, "distribution": distribution, "probabilities": probabilities}
    if entry is None:
        return given
    if any(value is not None for value in given.values()):
        raise InputError(
            "--entry already gives the distribution; leave out --values, --kappa, --distribution and --probabilities"
        )
    with opened(repository, insecure=insecure) as store:
        return cast("Given", store.entry(entry).drawn_from())


@runtime_checkable
class _ChartedAnswer(Protocol):
    def chart(self) -> object:
        """Return a Vega-Lite specification."""


def _answer(
    study: Callable[..., Printable],
    reading: options.Reading,
    output: options.Output,
    chart: Path | None,
    source: str | None,
    **asked: object,
) -> None:
    """Run a study, print its answer and write its chart."""
    from idbits.studies.shared.column_source import split_source

    file = split_source(source)[0] if source is not None and source.strip() else None
    keep_sources(file)
    if chart is not None:
        asked["chart"] = True
    with progress_on_stderr(quiet=output.quiet) as progress:
        if reading:
            reading["progress"] = progress
        answer = study(**asked, **reading)
    if chart is not None and isinstance(answer, _ChartedAnswer):
        write_chart(chart, answer.chart())
    print_answer(answer, output)
