"""Every query on DuckDB, DataFusion and a Spark cluster, from a folder and from an object store: every cell is equal.

DRIVELAB_FLEET_HOSTS is the number of hosts, 200 where it is not set.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.fs as pafs
import pytest
from compared import differences, differences_of_report
from conftest import Drivelab
from fleet_data import Truth, write_fleet
from fleet_fixture import export_results
from naive import Naive

from drivelab import QUERIES, DataFusionEngine, DuckDbEngine, Engine, S3Access, SparkEngine, spark_s3_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.fleet

BUCKET = "fleet"


class Fleet(NamedTuple):
    """A fleet in a folder, and the same one in an object store."""

    folder: Path
    address: str
    access: S3Access
    truth: Truth


@pytest.fixture(scope="module")
def store() -> Iterator[S3Access]:
    """Start moto's server as an S3 store."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield S3Access(endpoint=f"http://{host}:{port}", region="us-east-1", access_key="key", secret_key="secret")
    server.stop()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, results: Path, drivelab_program: Drivelab, store: S3Access) -> Fleet:
    """Make the fleet in a folder and in the store: what is generated is copied there, and the program exports to both places."""
    # Characters that have a meaning in patterns: an engine must not take the folder for one.
    folder = tmp_path_factory.mktemp("fleet [1] {a,b}") / "exported"
    truth = write_fleet(folder, int(os.environ.get("DRIVELAB_FLEET_HOSTS", "200")))
    remote = pafs.S3FileSystem(
        access_key=store.access_key,
        secret_key=store.secret_key,
        region=store.region,
        endpoint_override=store.endpoint,
        scheme="http",
        allow_bucket_creation=True,
    )
    remote.create_dir(BUCKET)
    pafs.copy_files(str(folder), f"{BUCKET}/one/year", destination_filesystem=remote, source_filesystem=pafs.LocalFileSystem())
    address = f"s3://{BUCKET}/one/year"
    with pytest.MonkeyPatch.context() as patch:
        set_environment(patch, store)
        for destination in (folder, address):
            export_results(destination, results, drivelab_program)
    return Fleet(folder, address, store, truth)


def set_environment(patch: pytest.MonkeyPatch, store: S3Access) -> None:
    """Set the variables from which the program takes how to reach the store."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": store.access_key,
        "AWS_SECRET_ACCESS_KEY": store.secret_key,
        "AWS_REGION": store.region,
        "AWS_ENDPOINT_URL": store.endpoint,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        patch.setenv(name, str(value))


@pytest.fixture(scope="module")
def spark(store: S3Access) -> "Iterator[SparkSession]":
    """Start Spark with a master and two executors, each a process of its own."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("drivelab")
    settings = {
        **spark_s3_settings(store),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        # No answer may depend on where it is asked.
        "spark.sql.session.timeZone": "Asia/Kathmandu",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def wanted(fleet: Fleet) -> dict[str, list[dict[str, Any]]]:
    """Compute the answers by plain Python."""
    naive = Naive(fleet.folder)
    return {name: getattr(naive, name)() for name in QUERIES}


@pytest.fixture(scope="module")
def by_duckdb(fleet: Fleet) -> dict[str, list[dict[str, Any]]]:
    """Give the answers of DuckDB from the folder, which those of all others are compared with."""
    engine = DuckDbEngine(fleet.folder)
    return {name: query.run(engine).to_pylist() for name, query in QUERIES.items()}


def engine_of(kind: str, store_kind: str, fleet: Fleet, spark: "SparkSession") -> Engine:
    """Open an engine on the folder or on the object store."""
    destination = fleet.folder if store_kind == "folder" else fleet.address
    if kind == "spark":
        return SparkEngine(destination, spark, access=fleet.access)
    if kind == "datafusion":
        return DataFusionEngine(destination, access=fleet.access)
    return DuckDbEngine(destination, access=fleet.access)


@pytest.mark.parametrize("store_kind", ["folder", "s3"])
@pytest.mark.parametrize("kind", ["duckdb", "datafusion", "spark"])
def test_every_cell_is_equal(
    kind: str,
    store_kind: str,
    fleet: Fleet,
    spark: "SparkSession",
    wanted: dict[str, list[dict[str, Any]]],
    by_duckdb: dict[str, list[dict[str, Any]]],
) -> None:
    """Engines and stores agree in every digit, and with plain Python."""
    engine = engine_of(kind, store_kind, fleet, spark)
    for name, query in QUERIES.items():
        found = query.run(engine).to_pylist()
        assert found, name
        assert differences(found, by_duckdb[name]) == [], name
        assert differences(found, wanted[name], approximate=True) == [], name


def test_the_report_of_the_program_has_the_same_cells(
    fleet: Fleet, by_duckdb: dict[str, list[dict[str, Any]]], drivelab_program: Drivelab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`drivelab fleet report` reads the files by itself, and gives the answers that the engines give, also from the store."""
    set_environment(monkeypatch, fleet.access)
    for destination in (fleet.folder, fleet.address):
        assert differences_of_report(drivelab_program, destination, by_duckdb) == []


def test_spark_runs_on_two_executors(spark: "SparkSession") -> None:
    """The cluster is one: two processes take part, and neither is the driver's."""
    tasks = spark.sparkContext.parallelize(range(8), 8)

    def executor(_: int) -> int:
        import os
        import time

        # Long enough that one executor cannot take all of them.
        time.sleep(0.5)
        # Each executor has one process that starts its workers.
        return os.getppid()

    assert len(set(tasks.map(executor).collect())) == 2


def test_what_was_planted_is_found(fleet: Fleet, by_duckdb: dict[str, list[dict[str, Any]]]) -> None:
    """At any number of hosts, the planted drives are where the queries look for them."""
    truth = fleet.truth
    assert by_duckdb["slowest_drives"][0]["drive"] == truth.slow_drive
    assert [row["drive"] for row in by_duckdb["slower_drives"]] == [truth.slower_drive]
    assert truth.outside_drive in {row["drive"] for row in by_duckdb["outside_peers"]}
    models = {row["drive_model"]: row["write_amplification"] for row in by_duckdb["write_amplification"]}
    assert {model: models[model] for model in truth.amplification} == truth.amplification
    moved = [row for row in by_duckdb["reviews"] if row["drive"] == truth.moved_drive]
    assert len({row["host"] for row in moved}) == 2
