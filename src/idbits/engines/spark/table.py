"""A table that Spark counts, or looks up in another one that it has, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from idbits.command_sources import sources_of_command
from idbits.counts import CodedRows, Histogram, Spectrum, Value
from idbits.engines.backends.explaining import NothingToExplain
from idbits.engines.backends.group_values import GroupValueCounts, GroupValueRequest
from idbits.engines.backends.linking import PairCounter
from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.engines.backends.points import EventRequest, FileStamp, Points
from idbits.engines.backends.sampling import NoSampling
from idbits.engines.backends.treating import NoTreating
from idbits.engines.base import OpenOptions, OrderedRows, PersonRows, PopulationMatch, Table, match_histograms
from idbits.engines.gain_loading import gain_bytes, local_gain_rows
from idbits.engines.local_gains import LocalGainRows
from idbits.engines.local_group_values import local_group_values
from idbits.engines.local_linking import local_linked_rows
from idbits.engines.local_person_subsets import PERSON_SUBSET_BYTES, LocalPersonSubsets
from idbits.engines.local_subsets import SUBSET_BYTES, LocalSubsetCounts
from idbits.engines.sources.files import is_file_source
from idbits.engines.spark.counting import SparkCounting
from idbits.engines.spark.distinct import DistinctFrame, shown_value, single_spectra
from idbits.engines.spark.driver_rows import FEW_ROWS, DriverRows
from idbits.engines.spark.failures import spark_errors
from idbits.engines.spark.gains import SparkGainRows
from idbits.engines.spark.group_values import spark_group_values
from idbits.engines.spark.matching import match_frames, pair_frames
from idbits.engines.spark.person_subsets import SparkPersonSubsets
from idbits.engines.spark.persons import SparkPersonCounting
from idbits.engines.spark.profiles import COLUMNS_AT_ONCE, profiles_of
from idbits.engines.spark.session import ClusterSession, start_session
from idbits.engines.spark.sizes import TableSizes
from idbits.engines.spark.source import (
    FileSource,
    SparkSource,
    check_paths,
    frame_source,
    has_few_bytes,
    path_source,
)
from idbits.engines.spark.subsets import FetchedSubsetCounts, SparkSubsetCounts
from idbits.engines.spark.view_spectra import is_top_of_column, top_spectrum, view_spectra
from idbits.engines.value_pairs import ValuePairCounting
from idbits.engines.view_codes import FetchedViewCodes
from idbits.errors import ColumnNotFoundError, EngineError, InputError
from idbits.kernels.distinct import DistinctRows, distinct_rows
from idbits.kernels.linking import LinkedRows
from idbits.values.attributes import Attribute
from idbits.values.labels import OTHER_VALUES
from idbits.values.profile import Profile

__all__ = ["SparkTable", "open_spark"]

# The driver never fetches more than this.
_MOST_ROWS = 1_000_000
_MEMORY_BYTES = 1_000_000_000


class SparkTable(SparkPersonCounting, FetchedViewCodes, ValuePairCounting, NothingToExplain, NoSampling, NoTreating):
    """Counts on the cluster, which returns only counts and, if requested, labels."""

    names_may_be_data = False
    trials_are_cheap = False
    files = ()

    def __init__(self, session: ClusterSession, source: SparkSource, options: OpenOptions) -> None:
        for name in (*(options.columns or ()), *([options.count] if options.count else [])):
            if name not in source.positions:
                raise ColumnNotFoundError(name, source.names)
        self.session = session
        self.counting = SparkCounting(session, source, options)
        self._source = source
        self._options = options
        shown = set(source.names if options.columns is None else options.columns)
        self.columns = {name: kind for name, kind in source.kinds.items() if name in shown}
        self._spectra: dict[tuple[Attribute, ...], Spectrum] = {}
        self._together: list[tuple[Attribute, ...]] = []
        self._profiles: dict[str, Profile] = {}
        self._sizes = TableSizes(self.counting)
        self._driver = DriverRows(self.counting, self._sizes)

    @property
    def notes(self) -> Sequence[str]:
        return self.counting.notes

    def load(self, columns: Iterable[str], sampled: Iterable[str] = (), spare: Iterable[str] = ()) -> None:  # noqa: ARG002
        """Check what the filter and the counts need; rows stay on the cluster."""
        self._sizes.load(columns)
        _ = self.counting.rows

    def n_people(self) -> int:
        return self._sizes.n_people

    def spectrum(self, attributes: Sequence[Attribute]) -> Spectrum:
        key = tuple(attributes)
        if key not in self._spectra:
            self.counting.decide(key)
            here = self._driver.spectrum(key)
            self._spectra |= {key: here} if here is not None else self._cluster_spectra(key)
        return self._spectra[key]

    def count_ahead(self, views: Sequence[Attribute]) -> None:
        """Count views that are not computed from values on this machine, all of them by one job."""
        new = [view for view in dict.fromkeys(views) if (view,) not in self._spectra]
        counted = view_spectra(self.counting, [view for view in new if not self._driver.counts_view(view)])
        self._spectra |= {(view,): spectrum for view, spectrum in counted.items()}
        if self._options.count is not None:
            return
        for view in filter(is_top_of_column, new):
            column = Attribute(view.column, view.kind)
            most = int(view.transforms[0].argument or 0)
            self._spectra[view,] = top_spectrum(self.spectrum((column,)), self.null_people(column), most)

    def _cluster_spectra(self, key: tuple[Attribute, ...]) -> dict[tuple[Attribute, ...], Spectrum]:
        """Count some attributes on the cluster; single ones in one job with all that were counted together before."""
        if len(key) > 1:
            self._together.append(key)
            named = ", ".join(attribute.name for attribute in key)
            rows = self.session.rows(self.counting.grouped(key).groupBy("people").count(), f"counting {named}")
            return {key: Spectrum.of((int(people), int(sets)) for people, sets in rows)}
        kept = self._driver.kept_frame(key[0])
        together = kept.attributes if kept else next((wider for wider in self._together if key[0] in wider), key)
        if kept is not None:
            spectra = kept.single_spectra()
        else:
            valued = self.counting.valued(together)
            spectra = single_spectra(self.session, valued, len(together), self.counting.people)
        return {(attribute,): spectrum for attribute, spectrum in zip(together, spectra, strict=True)}

    def null_people(self, attribute: Attribute) -> int:
        """Count the people whose value is null, which transforms do not change."""
        self.counting.decide([attribute])
        return self._sizes.null_people(attribute.column)

    def group_spectra(
        self,
        by: Attribute,
        attributes: Sequence[Attribute],
        *,
        at_least: int = 1,  # noqa: ARG002 (categories are identified by their labels)
    ) -> list[tuple[Value, Spectrum]]:
        everything = [by, *attributes]
        counts = self.counting.grouped(everything).groupBy(*self.counting.keys([by]), "people").count()
        sizes: dict[Value, list[tuple[int, int]]] = {}
        counts = self.counting.with_times_as_text(counts, [by])
        for row in self.few(counts, f"counting by {by.name}", f'"{by.name}" has'):
            sizes.setdefault(shown_value(row, 0, by), []).append((int(row["people"]), int(row["count"])))
        spectra = [(shown, Spectrum.of(pairs)) for shown, pairs in sizes.items()]
        return [(shown, spectrum) for shown, spectrum in spectra if spectrum.n_people]

    def few(self, frame: DataFrame, label_text: str, what: str) -> list[Row]:
        """Return the rows of a frame, or refuse if they are too many; ``what`` begins that sentence."""
        rows = self.session.rows(frame.limit(_MOST_ROWS + 1), label_text)
        if len(rows) > _MOST_ROWS:
            raise EngineError(f"{what} more than {_MOST_ROWS:,} values, too many to list; coarsen them")
        return rows

    def histogram(self, attributes: Sequence[Attribute], *, at_least: int = 1, most: int | None = None) -> Histogram:
        frame = self.counting.grouped(attributes).where(F.col("people") >= max(1, at_least))
        if most is not None:
            frame = self._ranked(frame, attributes).limit(most)
        frame = self.counting.with_times_as_text(frame, attributes)
        rows = self.few(frame, "fetching values", "these columns have")
        shown = [
            (
                tuple(shown_value(row, index, attribute) for index, attribute in enumerate(attributes)),
                int(row["people"]),
            )
            for row in rows
        ]
        return Histogram.of(shown, self.spectrum(attributes), ranked=most is not None)

    def _ranked(self, frame: DataFrame, attributes: Sequence[Attribute]) -> DataFrame:
        """Sort values by frequency, least frequent first, then by text."""
        texts: list[tuple[str, Attribute]] = []
        for index, attribute in enumerate(attributes):
            frame = frame.withColumn(f"t{index}", F.col(f"g{index}"))
            texts.append((f"t{index}", attribute))
        frame = self.counting.cells.with_texts(frame, texts)
        order = []
        for index in range(len(attributes)):
            text = F.col(f"t{index}")
            if f"o{index}" in frame.columns:
                text = F.when(F.col(f"o{index}"), F.lit(OTHER_VALUES)).otherwise(text)
            order.append(text.asc_nulls_first())
        return frame.orderBy("people", *order)

    def coded_rows(self, attributes: Sequence[Attribute]) -> CodedRows:
        """Return the distinct rows with their people, or numbered rows in their order, if they fit on this machine."""
        self.counting.decide(attributes)
        return self._driver.required_rows(attributes)

    def distinct_rows(self, attributes: Sequence[Attribute], threads: int) -> DistinctRows:
        """Return the distinct rows, which the cluster has already counted."""
        return distinct_rows(self.coded_rows(attributes), threads=threads)

    def coded_batches(self, attributes: Sequence[Attribute]) -> Iterator[CodedRows]:
        """Yield all distinct rows at once: the cluster has already grouped them."""
        yield self.coded_rows(attributes)

    def group_value_counts(self, request: GroupValueRequest, options: OpenOptions) -> GroupValueCounts:
        """Count people by group and value on the cluster, unless the labels of groups are wanted here."""
        wants_rows = request.with_labels or request.with_rows
        if wants_rows or self._rows_here(request.attributes):
            return local_group_values(self, request, options)
        return spark_group_values(self, request, self._options.memory or _MEMORY_BYTES)

    def labels(self, attribute: Attribute) -> list[Value]:
        return self._driver.labels(attribute)

    def _rows_here(self, attributes: Sequence[Attribute], work_bytes: int = 0) -> CodedRows | None:
        """Return rows that are counted on this machine; None if they do not fit, and the cluster counts them."""
        self.counting.decide(attributes)
        return self._driver.rows(attributes, work_bytes)

    def distinct(self, attributes: Sequence[Attribute]) -> DistinctFrame:
        """Return the distinct rows of some attributes, which stay on the cluster."""
        return self._driver.distinct_frame(attributes)

    def subset_counts(
        self, attributes: Sequence[Attribute], options: OpenOptions
    ) -> LocalSubsetCounts | SparkSubsetCounts:
        """Prepare the distinct rows of some attributes for counting combinations, here or on the cluster."""
        if self._rows_here(attributes, SUBSET_BYTES) is not None:
            return FetchedSubsetCounts(self, attributes, options, self._sizes.n_held_rows)
        return SparkSubsetCounts(self.distinct(attributes), self._sizes.n_held_rows)

    def person_subset_counts(
        self, persons: Persons, attributes: Sequence[Attribute], request: PersonRequest, options: OpenOptions
    ) -> LocalPersonSubsets | SparkPersonSubsets:
        """Count people in combinations of columns of few rows here, or in many at once on the cluster."""
        who = Attribute(persons.column, self.columns[persons.column])
        if self._sizes.n_rows <= FEW_ROWS and self._rows_here([*attributes, who], PERSON_SUBSET_BYTES) is not None:
            return LocalPersonSubsets(self, persons, attributes, request, options)
        rows = self.distinct([*attributes, who])
        return SparkPersonSubsets(self, rows, persons, attributes, request, options)

    def gain_rows(
        self,
        attributes: Sequence[Attribute],
        options: OpenOptions,
        *,
        with_cells: bool = False,
        persons: Persons | None = None,
    ) -> LocalGainRows | SparkGainRows:
        """Return the distinct rows of attributes for information gain, here or on the cluster."""
        if persons is not None:
            who = Attribute(persons.column, self.columns[persons.column])
            return SparkGainRows.of_people(self.counting, attributes, persons, who)
        if self._rows_here(attributes, gain_bytes(len(attributes), with_cells=with_cells)) is not None:
            return local_gain_rows(self, attributes, options, with_cells=with_cells)
        return SparkGainRows(self.distinct(attributes))

    def match(
        self, attributes: Sequence[Attribute], population: Table, population_attributes: Sequence[Attribute]
    ) -> PopulationMatch:
        """Compare the values of the attributes with a population, on the cluster if it has both."""
        if isinstance(population, SparkTable) and population.session.spark is self.session.spark:
            return match_frames(
                self.counting, attributes, population.counting, population_attributes, population.n_people()
            )
        self.counting.note(
            "the distinct values were fetched from Spark to compare them with the population, which is elsewhere"
        )
        return match_histograms(self.histogram(attributes), population.histogram(population_attributes))

    def pair_counter(
        self,
        attributes: Sequence[Attribute],  # noqa: ARG002 (any values can be compared on a cluster)
        other: Table,
        other_attributes: Sequence[Attribute],  # noqa: ARG002
        *,
        null_is_value: bool,
    ) -> PairCounter | None:
        """Count on the cluster if it has both tables."""
        if not (isinstance(other, SparkTable) and other.session.spark is self.session.spark):
            return None
        theirs = other.counting
        return lambda ours, others: pair_frames(self.counting, ours, theirs, others, null_is_value=null_is_value)

    def linked_rows(
        self,
        attributes: Sequence[Attribute],
        other: Table,
        other_attributes: Sequence[Attribute],
        more: Sequence[Attribute] = (),
    ) -> LinkedRows:
        """Fetch the distinct rows of both tables."""
        self.counting.note("the distinct values were fetched from Spark to compare them on this machine")
        return local_linked_rows(self, attributes, other, other_attributes, more)

    def profile(self, column: str) -> Profile:
        if column not in self._profiles:
            others = [name for name in self._sizes.loaded if name in self.columns and name not in self._profiles]
            names = list(dict.fromkeys([column, *others]))[:COLUMNS_AT_ONCE]
            attributes = [Attribute(name, self.columns[name]) for name in names]
            nulls = {attribute.column: self.null_people(attribute) for attribute in attributes}
            self._profiles |= profiles_of(self.counting, attributes, self.n_people(), nulls)
        return self._profiles[column]

    def person_rows(self, column: str) -> PersonRows:
        attribute = Attribute(column, self.columns[column])
        repeated = self.counting.grouped([attribute]).where(F.col("g0").isNotNull() & (F.col("people") > 1))
        (number,) = self.session.only_row(repeated.agg(F.count(F.lit(1))))
        return PersonRows(self.n_people(), int(number), self.null_people(attribute))

    def rows_in_order(self, columns: Sequence[str]) -> OrderedRows:  # noqa: ARG002
        """Refuse: the rows of a cluster have no order, and do not leave it."""
        raise InputError("the rows of a Spark table have no order; name a file and leave out --engine spark")

    def linkable_rows(self, attributes: Sequence[Attribute]) -> CodedRows:  # noqa: ARG002
        """Refuse: the rows stay on the cluster."""
        raise EngineError(
            "two releases are compared person by person, but only counts leave a Spark cluster; name files and leave "
            "out --engine spark"
        )

    def event_points(self, request: EventRequest, options: OpenOptions) -> Points:
        """Return people's points, which stay on the cluster unless they are drawn at random."""
        from idbits.engines import coded_points
        from idbits.engines.spark.events import read_points

        if request.is_drawn:
            return coded_points.load_points(self, request, options)
        return read_points(self.counting, request, coded_points.day_attribute(self, request.time))

    def file_stamps(self) -> list[FileStamp]:
        """Return path, size and modification time of the table's files; it must be opened from files."""
        metadata = [F.col(f"_metadata.{name}") for name in ("file_path", "file_size", "file_modification_time")]
        rows = self.session.rows(self._source.frame.select(*metadata).distinct(), "checking the files")
        stamps = sorted((str(path), int(size), changed) for path, size, changed in rows)
        return [(path, size, str(changed)) for path, size, changed in stamps]

    def check_unchanged(self) -> None:
        """Do nothing: Spark fails if a file has changed."""

    def give_back_memory(self) -> None:
        """Forget the rows on this machine."""
        self._driver.forget()

    def close(self) -> None:
        """Clear the executors' cache, and stop the session if it was started for this table."""
        self.counting.close()
        self.session.close()


def open_spark(source: object, options: OpenOptions, beside: Table | None = None) -> SparkTable:
    """Open a Spark frame in its session, or Parquet files in the active session or a new one."""
    if not is_file_source(source) and type(source).__module__.startswith("pyspark."):
        if options.query is not None or options.master is not None:
            raise InputError("a Spark frame already has a session; leave out --master and --query")
        with spark_errors():
            opened = frame_source(source, in_order=options.in_order)
            spark = opened.frame.sparkSession
        session = _shared(beside, spark) or ClusterSession(spark, options.progress, started_here=False)
        return SparkTable(session, opened, options)
    if not is_file_source(source):
        raise InputError("--engine spark reads Parquet files and Spark frames; name one of these")
    check_paths(source, options)
    session = _session(source, options, beside)
    try:
        return SparkTable(session, path_source(session, source, in_order=options.in_order), options)
    except BaseException:
        session.close()
        raise


def _shared(beside: Table | None, spark: SparkSession) -> ClusterSession | None:
    if isinstance(beside, SparkTable) and beside.session.spark is spark:
        return beside.session.shared()
    return None


def _session(source: FileSource, options: OpenOptions, beside: Table | None) -> ClusterSession:
    if isinstance(beside, SparkTable):
        return beside.session.shared()
    spark = SparkSession.getActiveSession()
    if spark is not None:
        if options.master is not None and options.master != spark.sparkContext.master:
            raise InputError("a Spark session with another master is already running; leave out --master")
        return ClusterSession(spark, options.progress, started_here=False)
    # In a program, the same JVM counts later tables, which may be large.
    named = sources_of_command()
    is_short = bool(named) and all(map(has_few_bytes, (source, *named)))
    return start_session(options.master, options.memory, options.threads, options.progress, is_short=is_short)
