"""The destination that the queries are tested on: a generated fleet, and real exports of simulated drives."""

from pathlib import Path

from conftest import Drivelab
from fleet_data import Truth, write_fleet


def make_fleet(destination: Path, hosts: int, results: Path, program: Drivelab) -> Truth:
    """Generate the fleet, and export runs and a trace to the same destination, as two hosts would."""
    truth = write_fleet(destination, hosts)
    export_results(destination, results, program)
    return truth


def export_results(destination: Path | str, results: Path, program: Drivelab) -> None:
    """Export the runs and the trace of two hosts to a folder or an address."""
    started = "2026-11-20T23:55:00Z"
    for host, folders in (("lab/1", ["load", "filled", "long", "hdd", "trace"]), ("lab-2", ["load", "hdd"])):
        sources = [results / folder for folder in folders]
        program("export", *sources, "--destination", destination, "--host", host, "--started", started)
