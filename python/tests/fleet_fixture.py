"""The destination that the queries are tested on: a generated fleet, and real exports of simulated drives."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from conftest import Drivelab
from fleet_data import Truth, write_fleet

from drivelab.tables import DRIVES


def make_fleet(destination: Path, hosts: int, results: Path, program: Drivelab) -> Truth:
    """Generate the fleet, and export runs and a trace to the same destination, as two hosts would."""
    truth = write_fleet(destination, hosts)
    started = "2026-11-20T23:55:00Z"
    for host, folders in (("lab/1", ["load", "filled", "long", "hdd", "trace"]), ("lab-2", ["load", "hdd"])):
        sources = [results / folder for folder in folders]
        program("export", *sources, "--destination", destination, "--host", host, "--started", started)
    _add_missing_drives(destination)
    return truth


def _add_missing_drives(destination: Path) -> None:
    """Write the rows of the table of drives that a program did not write which exports no such table yet."""
    for path in sorted((destination / "catalogue").glob("*.parquet")):
        target = destination / "drives" / path.name
        if target.exists():
            continue
        (run,) = pq.read_table(path, partitioning=None).to_pylist()
        devices: set[str] = set()
        for rollup in destination.glob(f"date=*/host=*/run={run['run']}/rollup.parquet"):
            devices.update(pq.read_table(rollup, columns=["device"], partitioning=None)["device"].to_pylist())
        shared = {name: run[name] for name in DRIVES.names if name in run}
        rows = [
            {
                **shared,
                "device": device,
                "drive": "d" + hashlib.sha256(f"{run['host']} {device}".encode()).hexdigest()[:16],
                "format": "drivelab.drives/1",
            }
            for device in sorted(devices)
        ]
        pq.write_table(pa.Table.from_pylist(rows, DRIVES), target, compression="zstd", store_schema=False)
