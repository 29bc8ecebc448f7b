"""The queries over exported results. Each file of the folder sql/ says how to read its columns: `Query.sql` has the text."""

from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

import pyarrow as pa

from drivelab.engines import Engine
from drivelab.errors import DrivelabError

_TEXT, _COUNT, _FLOAT, _BIG = pa.string(), pa.int64(), pa.float64(), pa.decimal128(38, 0)


@dataclass(frozen=True)
class Query:
    """A query of the folder sql/, and the columns of its answer."""

    name: str
    columns: pa.Schema

    @cached_property
    def sql(self) -> str:
        """Its text, which DuckDB, DataFusion and Spark run unchanged."""
        return (files("drivelab") / "sql" / f"{self.name}.sql").read_text(encoding="utf-8")

    def run(self, engine: Engine) -> pa.Table:
        """Give the answer, with columns of the same types on every engine.

        Raises:
            DrivelabError: where the engine cannot read the destination.
        """
        if not isinstance(engine, Engine):
            raise DrivelabError(f"{engine!r} is no engine: take drivelab.DuckDbEngine(destination) or another one")
        try:
            answer = engine.query(self.sql)
        except Exception as error:  # Each engine has errors of its own, and the query is not the caller's.
            raise DrivelabError(
                f"{self.name} cannot be answered: {error}: where a file is damaged, `drivelab fleet report` of the destination "
                "names it"
            ) from error
        return answer.cast(self.columns)


def _query(name: str, **columns: pa.DataType) -> Query:
    return Query(name, pa.schema(list(columns.items())))


QUERIES = {
    query.name: query
    for query in (
        _query(
            "percentiles_by_model",
            drive_model=_TEXT,
            firmware=_TEXT,
            operation=_TEXT,
            drives=_COUNT,
            hosts=_COUNT,
            ios=_COUNT,
            failed_ios=_COUNT,
            bytes=_BIG,
            p50_us=_FLOAT,
            p99_us=_FLOAT,
            p999_us=_FLOAT,
        ),
        _query(
            "slowest_drives",
            drive=_TEXT,
            drive_model=_TEXT,
            host=_TEXT,
            intervals=_COUNT,
            ios=_COUNT,
            slow_ios=_COUNT,
            slow_ppm=_FLOAT,
            standard_error_ppm=_FLOAT,
            lower_bound_ppm=_FLOAT,
        ),
        _query(
            "hours_of_day",
            operation=_TEXT,
            hour_utc=_COUNT,
            ios=_COUNT,
            slow_ios=_COUNT,
            slow_ppm=_FLOAT,
            p99_us=_FLOAT,
        ),
        _query(
            "slower_drives",
            drive=_TEXT,
            drive_model=_TEXT,
            host=_TEXT,
            reads_before=_COUNT,
            reads_last_7_days=_COUNT,
            p99_before_us=_FLOAT,
            p99_last_7_days_us=_FLOAT,
            ratio=_FLOAT,
        ),
        _query(
            "write_amplification",
            drive_model=_TEXT,
            firmware=_TEXT,
            runs=_COUNT,
            hosts=_COUNT,
            host_bytes_written=_BIG,
            flash_bytes_written=_BIG,
            write_amplification=_FLOAT,
            least=_FLOAT,
            most=_FLOAT,
        ),
        _query(
            "outside_peers",
            drive=_TEXT,
            drive_model=_TEXT,
            host=_TEXT,
            operation=_TEXT,
            peers=_COUNT,
            ios=_COUNT,
            mean_us=_FLOAT,
            median_us=_FLOAT,
            mad_us=_FLOAT,
            deviations=_FLOAT,
        ),
        _query(
            "reviews",
            run=_TEXT,
            host=_TEXT,
            drive=_TEXT,
            drive_model=_TEXT,
            firmware=_TEXT,
            kind=_TEXT,
            label=_TEXT,
            started=_TEXT,
            ios=_COUNT,
            bytes=_COUNT,
            iops=_FLOAT,
            mb_s=_FLOAT,
            read_p99_us=_FLOAT,
            write_p99_us=_FLOAT,
            write_amplification=_FLOAT,
        ),
    )
}
"""All queries by their names."""


def percentiles_by_model(engine: Engine) -> pa.Table:
    """Give p50, p99 and p99.9 of each model, firmware and operation.

    A slow drive is in the percentiles of its model: `outside_peers` names it. Simulated drives that were exported are models,
    too.
    """
    return QUERIES["percentiles_by_model"].run(engine)


def slowest_drives(engine: Engine) -> pa.Table:
    """Give the drives with the largest share of slow I/Os, and how sure that is.

    Slow is what takes longer than p99.9 of all drives of the model together. A lower bound just above 1,000 ppm is no finding by
    itself: latencies lie in steps, and a drive is on one side of a step or the other. `outside_peers` compares means.
    """
    return QUERIES["slowest_drives"].run(engine)


def hours_of_day(engine: Engine) -> pa.Table:
    """Give I/Os, the share of slow ones and p99 by hour of the day in UTC."""
    return QUERIES["hours_of_day"].run(engine)


def slower_drives(engine: Engine) -> pa.Table:
    """Give the drives whose p99 of reads is larger in the last 7 days of their data than before.

    A drive with data of 7 days or fewer is in no row: nothing is known of it.
    """
    return QUERIES["slower_drives"].run(engine)


def write_amplification(engine: Engine) -> pa.Table:
    """Give the write amplification by model and firmware."""
    return QUERIES["write_amplification"].run(engine)


def outside_peers(engine: Engine) -> pa.Table:
    """Give the drives whose mean service time is outside of that of the other drives of their model."""
    return QUERIES["outside_peers"].run(engine)


def reviews(engine: Engine) -> pa.Table:
    """Give one row for each run, trace and drive: what was measured, when, and what came out."""
    return QUERIES["reviews"].run(engine)
