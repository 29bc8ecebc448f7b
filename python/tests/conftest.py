"""Results that the tests read, made by the program `drivelab` on simulated drives."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Drivelab = Callable[..., str]


@pytest.fixture(scope="session")
def drivelab_program() -> Drivelab:
    """Run the program that DRIVELAB names."""
    program = os.environ.get("DRIVELAB")
    if not program:
        pytest.fail("DRIVELAB names the program to test with, such as DRIVELAB=target/debug/drivelab; `make python` sets it")

    def run(*arguments: str | Path) -> str:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"drivelab {arguments}: {done.stderr}"
        return done.stdout

    return run


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory, drivelab_program: Drivelab) -> Path:
    """Make runs and a trace: `load`, `filled` (with I/Os that prepare the drive), `long`, `hdd`, `trace`."""
    folder = tmp_path_factory.mktemp("results")
    drivelab_program("load", "sim:consistent", "--rw", "randrw", "--duration", "1s", "-o", folder / "load", "--seed", "5")
    drivelab_program("consistency", "sim:hdd-7200?size=64MiB", "--duration", "1000s", "-o", folder / "filled")
    drivelab_program("load", "sim:consistent", "--rw", "randread", "--rate", "40/s", "--duration", "1000s", "-o", folder / "long")
    drivelab_program("load", "sim:hdd-7200", "--rw", "randrw", "--duration", "3s", "-o", folder / "hdd")
    drivelab_program("trace", "export", folder / "load", folder / "load.csv", "--format", "csv")
    drivelab_program("trace", "import", folder / "load.csv", "-o", folder / "trace")
    return folder
