"""fio-plot draws from what `drivelab load --fio-json` prints."""

import subprocess
import sys
from pathlib import Path

from conftest import Drivelab


def test_fio_plot_draws_loads(tmp_path: Path, drivelab_program: Drivelab) -> None:
    """One file for each queue depth becomes a chart of IOPS and latency against queue depth."""
    for depth in ("1", "4"):
        load = ["load", "sim:consistent", "--rw", "randread", "--queue-depth", depth, "--duration", "2s", "--fio-json"]
        (tmp_path / f"depth-{depth}.json").write_text(drivelab_program(*load))
    picture = tmp_path / "chart.png"
    chart = ["-T", "consistent", "-l", "-d", "1", "4", "-n", "1", "-r", "randread", "-o", str(picture)]
    # The package has no module to run; its program lies next to the interpreter.
    program = Path(sys.executable).parent / "fio-plot"
    drawn = subprocess.run([program, "-i", str(tmp_path), *chart], capture_output=True, text=True, check=False)
    assert drawn.returncode == 0, drawn.stdout + drawn.stderr
    assert picture.read_bytes().startswith(b"\x89PNG"), drawn.stdout
