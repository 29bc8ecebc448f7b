"""DuckDB, DataFusion and Spark over the tables of exported results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import pyarrow as pa

from drivelab.errors import DrivelabError
from drivelab.location import Location, S3Access
from drivelab.tables import CATALOGUE, DRIVES, PARTITIONS, ROLLUP_FILES, datasets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType, StructType


@runtime_checkable
class Engine(Protocol):
    """Answers SQL over the tables `rollup`, `catalogue` and `drives`."""

    def query(self, sql: str) -> pa.Table:
        """Give the answer as a table."""


class DuckDbEngine:
    """DuckDB in this process. `connection` is its own, for whatever else it can do."""

    def __init__(self, destination: str | Path, *, access: S3Access | None = None) -> None:
        """Open a destination of `drivelab export`: a folder, or `s3://BUCKET/PREFIX`.

        An object store is read through pyarrow, so that no extension of DuckDB has to be installed.

        Raises:
            DrivelabError: where it holds no results, or the package duckdb is not installed.
        """
        try:
            import duckdb
        except ImportError as error:
            raise _missing("duckdb", error) from error
        location = Location.of(destination, access)
        self.connection = duckdb.connect()
        if location.bucket is not None:
            for name, dataset in datasets(location).items():
                self.connection.register(name, dataset)
            return
        files = location.files()
        types = ", ".join(f"{_quoted(field.name)}: VARCHAR" for field in PARTITIONS)
        pattern = _quoted(f"{_literal(files.base)}/date=*/host=*/run=*/rollup.parquet")
        self.connection.execute(
            f"CREATE VIEW rollup AS SELECT * FROM read_parquet({pattern}, hive_partitioning = true, hive_types = {{{types}}})"
        )
        # Rows of an earlier version lack columns, and all rows may be of one: an empty table names the columns first.
        for name, schema in (("catalogue", CATALOGUE), ("drives", DRIVES)):
            columns = ", ".join(f"CAST(NULL AS {_sql_type(field.type)}) AS {field.name}" for field in schema)
            pattern = _quoted(f"{_literal(files.base)}/{name}/*.parquet")
            self.connection.execute(
                f"CREATE VIEW {name} AS SELECT * FROM (SELECT {columns} WHERE false) "
                f"UNION ALL BY NAME SELECT * FROM read_parquet({pattern}, union_by_name = true)"
            )

    def query(self, sql: str) -> pa.Table:
        """Give the answer as a table."""
        return self.connection.sql(sql).to_arrow_table()


class DataFusionEngine:
    """DataFusion in this process. `context` is its own, for whatever else it can do."""

    def __init__(self, destination: str | Path, *, access: S3Access | None = None) -> None:
        """Open a destination of `drivelab export`: a folder, or `s3://BUCKET/PREFIX`.

        Raises:
            DrivelabError: where it holds no results, or the package datafusion is not installed.
        """
        try:
            from datafusion import SessionContext
            from datafusion.object_store import AmazonS3
        except ImportError as error:
            raise _missing("datafusion", error) from error
        location = Location.of(destination, access)
        location.files()
        self.context = SessionContext()
        if location.bucket is not None:
            store = AmazonS3(
                bucket_name=location.bucket,
                region=location.access.region,
                access_key_id=location.access.access_key,
                secret_access_key=location.access.secret_key,
                endpoint=location.access.endpoint,
                allow_http=location.access.is_plain_http,
            )
            self.context.register_object_store("s3://", store, location.bucket)
        # An address, as of a plain path characters such as [ are taken for a pattern.
        base = location.url() if location.bucket is not None else Path(location.path).as_uri()
        self.context.register_parquet(
            "rollup",
            f"{base}/",
            table_partition_cols=[(field.name, field.type) for field in PARTITIONS],
            file_extension="rollup.parquet",
            schema=ROLLUP_FILES,
        )
        for name, schema in (("catalogue", CATALOGUE), ("drives", DRIVES)):
            self.context.register_parquet(name, f"{base}/{name}/", schema=schema)

    def query(self, sql: str) -> pa.Table:
        """Give the answer as a table."""
        return self.context.sql(sql).to_arrow_table()


class SparkEngine:
    """Spark, on this machine or on a cluster that the session belongs to."""

    def __init__(self, destination: str | Path, session: SparkSession, *, access: S3Access | None = None) -> None:
        """Open a destination of `drivelab export`: a folder that all executors see, or `s3://BUCKET/PREFIX`.

        For an object store the session needs Hadoop's S3A file system: `spark_s3_settings` gives what to set.

        Raises:
            DrivelabError: where it holds no results.
        """
        location = Location.of(destination, access)
        location.files()
        self.session = session
        base = location.url("s3a") if location.bucket is not None else f"file://{location.path}"
        # The days and a filter, since Spark starts a job to look at the many paths of a longer pattern.
        files = _hadoop_literal(base)
        rollup = session.read.schema(_spark_schema([*ROLLUP_FILES, *PARTITIONS])).option("basePath", base)
        rollup.option("pathGlobFilter", "rollup.parquet").parquet(f"{files}/date=*").createOrReplaceTempView("rollup")
        for name, schema in (("catalogue", CATALOGUE), ("drives", DRIVES)):
            session.read.schema(_spark_schema(list(schema))).parquet(f"{files}/{name}").createOrReplaceTempView(name)

    def query(self, sql: str) -> pa.Table:
        """Give the answer as a table."""
        return self.session.sql(sql).toArrow()


def spark_s3_settings(access: S3Access) -> dict[str, str]:
    """Give the settings that a session of Spark 4.3 needs to read from an S3 store.

    The AWS SDK comes in parts: the whole of it, which hadoop-aws names, is hundreds of megabytes.
    """
    sdk = [f"software.amazon.awssdk:{part}:2.35.4" for part in ("s3", "s3-transfer-manager", "sts", "apache-client")]
    settings = {
        "spark.jars.packages": ",".join(["org.apache.hadoop:hadoop-aws:3.5.0", *sdk]),
        "spark.jars.excludes": "software.amazon.awssdk:bundle",
    }
    if access.endpoint is not None:
        settings["spark.hadoop.fs.s3a.endpoint"] = access.endpoint
        settings["spark.hadoop.fs.s3a.path.style.access"] = "true"
    if access.region is not None:
        settings["spark.hadoop.fs.s3a.endpoint.region"] = access.region
    if access.access_key is not None and access.secret_key is not None:
        settings["spark.hadoop.fs.s3a.access.key"] = access.access_key
        settings["spark.hadoop.fs.s3a.secret.key"] = access.secret_key
    if access.session_token is not None:
        settings["spark.hadoop.fs.s3a.session.token"] = access.session_token
        provider = "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider"
        settings["spark.hadoop.fs.s3a.aws.credentials.provider"] = provider
    return settings


def _missing(package: str, error: ImportError) -> DrivelabError:
    return DrivelabError(f"{error}: install it with `pip install '{package}'`")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _hadoop_literal(path: str) -> str:
    """Keep characters of a folder's name from being taken for a pattern by Hadoop, whose patterns have more of them."""
    return "".join(f"\\{character}" if character in "*?[]{}\\" else character for character in path)


def _literal(path: str) -> str:
    """Keep characters of a folder's name from being taken for a pattern by DuckDB."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in path)


def _sql_type(kind: pa.DataType) -> str:
    names = {pa.string(): "VARCHAR", pa.int64(): "BIGINT", pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN"}
    return names[kind]


def _spark_schema(fields: list[pa.Field]) -> StructType:
    from pyspark.sql import types

    kinds: dict[pa.DataType, DataType] = {
        pa.string(): types.StringType(),
        pa.int64(): types.LongType(),
        pa.float64(): types.DoubleType(),
        pa.bool_(): types.BooleanType(),
        pa.uint8(): types.ShortType(),
        pa.uint16(): types.IntegerType(),
        pa.timestamp("ms"): types.TimestampNTZType(),
    }
    return types.StructType([types.StructField(field.name, kinds[field.type]) for field in fields])
