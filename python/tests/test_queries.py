"""The queries on DuckDB and DataFusion, compared with what was planted and with plain Python."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import duckdb
import pyarrow.compute as pc
import pytest
from compared import differences, differences_of_report
from conftest import Drivelab
from fleet_data import Truth, write_fleet
from fleet_fixture import make_fleet
from naive import Naive

import drivelab
from drivelab import QUERIES, DataFusionEngine, DrivelabError, DuckDbEngine


class Fleet(NamedTuple):
    """A destination and what it holds."""

    destination: Path
    truth: Truth


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, results: Path, drivelab_program: Drivelab) -> Fleet:
    """Make 16 hosts."""
    # A character that has a meaning in patterns: an engine must not take the folder for one.
    destination = tmp_path_factory.mktemp("fleet [1]") / "exported"
    return Fleet(destination, make_fleet(destination, 16, results, drivelab_program))


@pytest.fixture(scope="module")
def naive(fleet: Fleet) -> Naive:
    """Compute all answers by plain Python."""
    return Naive(fleet.destination)


@pytest.mark.parametrize("name", QUERIES)
def test_engines_agree_with_plain_python(name: str, fleet: Fleet, naive: Naive) -> None:
    """Every cell is equal."""
    wanted = getattr(naive, name)()
    assert wanted
    for engine in (DuckDbEngine(fleet.destination), DataFusionEngine(fleet.destination)):
        found = QUERIES[name].run(engine).to_pylist()
        assert differences(found, wanted, approximate=True) == [], type(engine).__name__


def test_the_report_of_the_program_has_the_same_cells(fleet: Fleet, drivelab_program: Drivelab) -> None:
    """`drivelab fleet report` reads the files by itself, and gives the answers that DuckDB gives."""
    engine = DuckDbEngine(fleet.destination)
    wanted = {name: query.run(engine).to_pylist() for name, query in QUERIES.items()}
    assert differences_of_report(drivelab_program, fleet.destination, wanted) == []


def test_the_query_of_the_document_names_the_drives_of_traces(tmp_path: Path) -> None:
    """The SQL in docs/exporting.md gives each model the p99 that plain Python gives it, also where only traces have the model."""
    destination = tmp_path / "fleet"
    write_fleet(destination, 16)
    text = (Path(__file__).parents[2] / "docs" / "exporting.md").read_text(encoding="utf-8")
    query = text.split("## A query of your own")[1].split('duckdb -c "')[1].split('"')[0]
    rows = duckdb.execute(query.replace("'fleet/", f"'{destination}/")).fetchall()
    found = {(model, firmware): p99 for model, firmware, _, p99 in rows}
    wanted = Naive(destination).percentiles_by_model()
    reads = {(row["drive_model"], row["firmware"]): row["p99_us"] for row in wanted if row["operation"] == "read"}
    assert found == pytest.approx(reads)
    assert len(found) > 1


def test_what_was_planted_is_found(fleet: Fleet) -> None:
    """The drives, the model and the hour that the generator made different come first."""
    engine, truth = DuckDbEngine(fleet.destination), fleet.truth
    slowest = drivelab.slowest_drives(engine).to_pylist()
    assert slowest[0]["drive"] == truth.slow_drive
    assert slowest[0]["lower_bound_ppm"] > 2 * slowest[1]["lower_bound_ppm"]
    assert [row["drive"] for row in drivelab.slower_drives(engine).to_pylist()] == [truth.slower_drive]
    outside = drivelab.outside_peers(engine).to_pylist()
    assert truth.outside_drive in {row["drive"] for row in outside if row["deviations"] > 10}
    hours = [row for row in drivelab.hours_of_day(engine).to_pylist() if row["operation"] == "read"]
    assert max(hours, key=lambda row: row["slow_ppm"])["hour_utc"] == truth.slow_hour
    amplification = {row["drive_model"]: row["write_amplification"] for row in drivelab.write_amplification(engine).to_pylist()}
    assert {model: amplification[model] for model in truth.amplification} == truth.amplification
    models = drivelab.percentiles_by_model(engine).to_pylist()
    generated = [row for row in models if row["operation"] == "read" and row["drive_model"] in truth.amplification]
    assert max(generated, key=lambda row: row["p50_us"])["drive_model"] == truth.slowest_model


def test_tables_have_every_run_and_name_hosts_as_they_are(fleet: Fleet) -> None:
    """Hosts whose names are escaped in folders, or look like numbers, are in all three tables by their own names."""
    hosts = {*drivelab.catalogue(fleet.destination)["host"].to_pylist()}
    assert {"rack/7", "007", "lab/1"} <= hosts
    assert {*drivelab.rollup(fleet.destination).to_table(columns=["host"])["host"].to_pylist()} == hosts
    for engine in (DuckDbEngine(fleet.destination), DataFusionEngine(fleet.destination)):
        assert {*engine.query("SELECT DISTINCT host FROM rollup")["host"].to_pylist()} == hosts
    reviews = drivelab.reviews(DuckDbEngine(fleet.destination))
    # What was exported as of two hosts is in the tables twice, and in the answer once.
    devices = {(row["run"], row["device"]) for row in drivelab.drives(fleet.destination).to_pylist()}
    assert reviews.num_rows == len(devices) < drivelab.drives(fleet.destination).num_rows


def test_destinations_that_hold_no_results_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to name or to run instead."""
    with pytest.raises(DrivelabError, match="holds no catalogue: name the destination"):
        DuckDbEngine(tmp_path)
    with pytest.raises(DrivelabError, match="such as s3://bucket/fleet"):
        DataFusionEngine("gs://bucket/fleet")
    with pytest.raises(DrivelabError, match="missing is not there: name the destination"):
        DuckDbEngine(tmp_path / "missing")
    (tmp_path / "catalogue").mkdir()
    (tmp_path / "catalogue" / "r1.lab.parquet").write_bytes(b"")
    with pytest.raises(DrivelabError, match="no table of drives"):
        DuckDbEngine(tmp_path)
    (tmp_path / "date=2026-11-24").mkdir()
    with pytest.raises(DrivelabError, match="is a part of"):
        DuckDbEngine(tmp_path / "date=2026-11-24")
    # A destination next to the catalogue of another one.
    (tmp_path / "other" / "catalogue").mkdir(parents=True)
    (tmp_path / "other" / "catalogue" / "r1.lab.parquet").write_bytes(b"")
    with pytest.raises(DrivelabError, match="no table of drives"):
        DuckDbEngine(tmp_path / "other")
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with pytest.raises(DrivelabError, match=r"s3://bucket/fleet cannot be listed.*AWS_REGION"):
        DuckDbEngine("s3://bucket/fleet")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(DrivelabError, match=r"cannot be opened.*AWS_SECRET_ACCESS_KEY"):
        DuckDbEngine("s3://bucket/fleet")


def test_what_cannot_be_answered_names_the_command_that_finds_out_why(fleet: Fleet, tmp_path: Path) -> None:
    """Damaged files, and what is no engine."""
    with pytest.raises(DrivelabError, match="is no engine"):
        drivelab.percentiles_by_model("fleet")  # type: ignore[arg-type]
    damaged = tmp_path / "damaged"
    shutil.copytree(fleet.destination, damaged)
    rollup = next(damaged.glob("date=*/host=*/run=*/rollup.parquet"))
    rollup.write_bytes(rollup.read_bytes()[:-20])
    for kind in (DuckDbEngine, DataFusionEngine):
        with pytest.raises(DrivelabError, match="`drivelab fleet report`"):
            drivelab.percentiles_by_model(kind(damaged))


def test_a_question_of_your_own_has_the_percentiles_of_the_query(fleet: Fleet) -> None:
    """Sums of engines, whatever their type, make histograms."""
    sql = """SELECT d.drive_model, d.firmware, r.latency_bucket, sum(r.ios) AS ios
        FROM rollup r JOIN drives d ON r.run = d.run AND r.host = d.host AND r.device = d.device
        WHERE r.measured AND r.operation = 0 GROUP BY d.drive_model, d.firmware, r.latency_bucket"""
    for engine in (DuckDbEngine(fleet.destination), DataFusionEngine(fleet.destination)):
        rows = engine.query(sql)
        for row in drivelab.percentiles_by_model(engine).to_pylist():
            if row["operation"] != "read" or row["drive_model"] is None or row["firmware"] is None:
                continue
            is_of = (pc.field("drive_model") == row["drive_model"]) & (pc.field("firmware") == row["firmware"])
            p999_ns = drivelab.Histogram.of_table(rows.filter(is_of)).percentile_ns(99.9)
            assert p999_ns is not None
            assert p999_ns / 1000 == pytest.approx(row["p999_us"], abs=1e-3), row
