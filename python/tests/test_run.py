"""Folders of runs and traces."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from drivelab import DrivelabError, Histogram, Operation, bucket_of, open_run, open_trace


def test_a_run_has_the_figures_that_drivelab_reports(results: Path) -> None:
    """Counts and the mean are those of findings.json, percentiles lie in the same buckets."""
    run = open_run(results / "load")
    figures = run.figures()
    assert (run.method, run.drive.model, run.drive.simulated) == ("load", "simulated consistent", True)
    assert (run.settings.operation, run.settings.read_percent, run.settings.block_size_bytes) == ("randrw", 50, 4096)
    assert run.outcome is not None
    assert figures.ios == run.outcome.completions > 50_000
    assert figures.bytes == figures.ios * 4096
    assert run.figures(Operation.READ).ios + run.figures(Operation.WRITE).ios == figures.ios
    assert run.summary is not None
    assert run.summary.service_ns is not None
    found = json.loads((results / "load" / "findings.json").read_text())["findings"]["ios"]["summary"]["service_ns"]
    assert figures.mean_ns == pytest.approx(found["mean"], rel=1e-9)
    assert run.summary.service_ns.p99 == found["p99"]
    assert figures.p99_ns is not None
    assert bucket_of(figures.p99_ns) == bucket_of(found["p99"])
    assert figures.max_ns == found["max"]


def test_only_measured_phases_are_in_tables(results: Path) -> None:
    """I/Os that fill the drive are left out unless they are asked for."""
    (folder,) = (path.parent for path in (results / "filled").glob("*/run.json"))
    run = open_run(folder)
    names = [phase.name for phase in run.phases]
    assert [names[number] for number in run.measured] == ["random write"]
    measured, everything = run.table(["phase", "latency_bucket"]), run.table(["phase"], all_phases=True)
    assert pc.unique(measured["phase"]).to_pylist() == [names.index("random write")]
    assert everything.num_rows > measured.num_rows > 0
    assert run.histogram() == Histogram.of_table(measured)
    assert run.figures().seconds == pytest.approx(1000, rel=1e-3)


def test_a_trace_gives_the_ios_of_the_run_that_it_was_made_of(results: Path) -> None:
    """Counts by operation and bucket are those of the run."""
    trace, run = open_trace(results / "trace"), open_run(results / "load")
    assert trace.devices[0].name == "sim:consistent"
    assert trace.started is None
    for operation in (Operation.READ, Operation.WRITE):
        assert trace.histogram(operation) == run.histogram(operation)
    assert trace.table(["sector"], device="sim:consistent").num_rows == run.table(["sector"]).num_rows
    with pytest.raises(DrivelabError, match="no device sdz, but sim:consistent"):
        trace.table(device="sdz")


def test_what_cannot_be_opened_says_what_to_do(results: Path, tmp_path: Path) -> None:
    """Folders of several runs, of other kinds, damaged and killed ones."""
    with pytest.raises(DrivelabError, match=r"holds no run\.json: open one of the runs in it, such as .*filled/00-"):
        open_run(results / "filled")
    with pytest.raises(DrivelabError, match=r"holds no run\.json: name a folder that a test"):
        open_run(tmp_path)
    with pytest.raises(DrivelabError, match="open_trace opens"):
        open_run(results / "trace")
    with pytest.raises(DrivelabError, match="'read' is no operation"):
        open_run(results / "load").figures("read")  # type: ignore[arg-type]
    with pytest.raises(DrivelabError, match="open_run opens"):
        open_trace(results / "load")
    with pytest.raises(DrivelabError, match="no column speed, but submit_time_ns"):
        open_run(results / "load").table(["speed"])

    killed = tmp_path / "killed"
    shutil.copytree(results / "load", killed)
    manifest = json.loads((killed / "run.json").read_text())
    del manifest["outcome"]
    (killed / "run.json").write_text(json.dumps(manifest))
    assert open_run(killed).table(["latency_ns"]).num_rows > 50_000
    with pytest.raises(DrivelabError, match="has no end"):
        open_run(killed).figures()
    manifest["phases"][0]["started_at_ns"] = "0"
    (killed / "run.json").write_text(json.dumps(manifest))
    with pytest.raises(DrivelabError, match=r"phases\[0\]\.started_at_ns is a whole number, not '0'"):
        open_run(killed)
    segment = next((killed / "segments").iterdir())
    segment.write_bytes(segment.read_bytes()[:1000])
    (killed / "run.json").write_text(json.dumps({**manifest, "phases": []}))
    with pytest.raises(DrivelabError, match="cannot be read"):
        open_run(killed).table(all_phases=True)
    assert isinstance(open_run(results / "hdd").table(["latency_ns"]), pa.Table)


def test_records_whose_bytes_have_changed_are_refused(results: Path, tmp_path: Path) -> None:
    """Also where the file can be read: each of some bytes over all of it, one after the other."""
    damaged = tmp_path / "damaged"
    shutil.copytree(results / "load", damaged)
    segment = next((damaged / "segments").iterdir())
    whole = segment.read_bytes()
    assert open_run(damaged).figures() == open_run(results / "load").figures()
    for place in range(4, len(whole), len(whole) // 20):
        segment.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DrivelabError, match=r"is damaged|cannot be read"):
            open_run(damaged).figures()
