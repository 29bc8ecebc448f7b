"""The notebook, executed over the folder that `make demo` makes."""

from pathlib import Path

import nbformat
import pytest
from conftest import Drivelab
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "demo.ipynb"


def test_the_notebook_draws_three_pictures(tmp_path: Path, drivelab_program: Drivelab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell runs, and what is committed has no outputs."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs of the notebook before it is committed"
    demo = tmp_path / "demo"
    drivelab_program("review", "sim:sm2246en", "sim:consistent", "--plan", "short", "-o", demo)
    monkeypatch.setenv("DRIVELAB_DEMO", str(demo))
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 3
    printed = "".join(output.get("text", "") for output in outputs)
    assert printed.count("simulated sm2246en") == printed.count("simulated consistent") == 4  # consistency, quick, stalls, load
