"""The three tables of exported results, as pyarrow sees them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from drivelab.location import Location, S3Access

PARTITIONS = pa.schema([("date", pa.string()), ("host", pa.string()), ("run", pa.string())])
"""What the names of the folders say. All are text, so that a host of the name 007 keeps its name."""

ROLLUP_FILES = pa.schema(
    [
        ("interval_start_utc", pa.timestamp("ms")),
        ("device", pa.string()),
        ("measured", pa.bool_()),
        ("operation", pa.uint8()),
        ("latency_bucket", pa.uint16()),
        ("ios", pa.int64()),
        ("failed_ios", pa.int64()),
        ("bytes", pa.int64()),
        ("service_sum_ns", pa.int64()),
    ]
)
"""The columns in the files of the rollup."""

CATALOGUE = pa.schema(
    [
        ("run", pa.string()),
        ("host", pa.string()),
        ("kind", pa.string()),
        ("label", pa.string()),
        ("drive_model", pa.string()),
        ("firmware", pa.string()),
        ("serial", pa.string()),
        ("capacity_bytes", pa.int64()),
        ("simulated", pa.bool_()),
        ("start", pa.string()),
        ("start_unix_ns", pa.int64()),
        ("start_source", pa.string()),
        ("seconds", pa.float64()),
        ("interrupted", pa.bool_()),
        ("records", pa.int64()),
        ("lost_events", pa.int64()),
        ("settings", pa.string()),
        ("conditions", pa.string()),
        ("version", pa.string()),
        ("format", pa.string()),
        ("host_bytes_written", pa.int64()),
        ("flash_bytes_written", pa.int64()),
        ("machine", pa.string()),
    ]
)
"""One row a run. Columns that an earlier version did not write are absent in its rows."""

DRIVES = pa.schema(
    [
        ("run", pa.string()),
        ("host", pa.string()),
        ("device", pa.string()),
        ("drive", pa.string()),
        ("drive_model", pa.string()),
        ("firmware", pa.string()),
        ("serial", pa.string()),
        ("capacity_bytes", pa.int64()),
        ("simulated", pa.bool_()),
        ("format", pa.string()),
        ("machine", pa.string()),
    ]
)
"""One row for each device of a run or trace; `drive` is the same for one drive in all runs of all hosts."""


def rollup(destination: str | Path, *, access: S3Access | None = None) -> ds.Dataset:
    """Open the rollup with the columns `date`, `host` and `run`, of which `Dataset.to_table` reads what is asked for."""
    return datasets(Location.of(destination, access))["rollup"]


def catalogue(destination: str | Path, *, access: S3Access | None = None) -> pa.Table:
    """Read the catalogue."""
    return datasets(Location.of(destination, access))["catalogue"].to_table()


def drives(destination: str | Path, *, access: S3Access | None = None) -> pa.Table:
    """Read the table of drives."""
    return datasets(Location.of(destination, access))["drives"].to_table()


def datasets(location: Location) -> dict[str, ds.Dataset]:
    """Open all three tables by their names."""
    files, filesystem = location.files(), location.filesystem()
    folders = ds.HivePartitioning(PARTITIONS, segment_encoding="uri")
    return {
        "rollup": ds.dataset(
            files.rollup,
            schema=pa.unify_schemas([ROLLUP_FILES, PARTITIONS]),
            format="parquet",
            filesystem=filesystem,
            partitioning=folders,
            partition_base_dir=files.base,
        ),
        "catalogue": ds.dataset(files.catalogue, schema=CATALOGUE, format="parquet", filesystem=filesystem),
        "drives": ds.dataset(files.drives, schema=DRIVES, format="parquet", filesystem=filesystem),
    }
