"""Compares answers cell by cell."""

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

from conftest import Drivelab

from drivelab import QUERIES

APPROXIMATE = {"standard_error_ppm": 0.0021, "lower_bound_ppm": 0.0041}
"""Columns that plain Python computes without the roundings of the query, and by how much they may differ, in ppm."""


def differences(found: list[dict[str, Any]], wanted: list[dict[str, Any]], *, approximate: bool = False) -> list[str]:
    """Name the cells that differ, the first ten of them; types count, too."""
    named = [f"{len(found)} rows, not {len(wanted)}"] if len(found) != len(wanted) else []
    for number, (one, other) in enumerate(zip(found, wanted, strict=False)):
        if list(one) != list(other):
            return [*named, f"columns {list(one)}, not {list(other)}"]
        for column, value in one.items():
            if not _is_same(value, other[column], APPROXIMATE.get(column, 0.0) if approximate else 0.0):
                named.append(f"row {number}, {column}: {value!r}, not {other[column]!r}")
    return named[:10]


def differences_of_report(program: Drivelab, destination: Path | str, wanted: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Name the cells in which the program's own report on a fleet differs from the answers of an engine, ten of each query."""
    findings = json.loads(program("fleet", "report", destination, "--json"))["findings"]
    return [f"{name}: {cell}" for name in QUERIES for cell in differences(findings[name], _in_json(wanted[name]))]


def _in_json(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give the rows with sums of bytes, which engines keep as decimals without a fraction, as a document has them."""
    return [{name: int(value) if isinstance(value, Decimal) else value for name, value in row.items()} for row in rows]


def _is_same(one: object, other: object, off: float) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=0, abs_tol=off)
    return one == other
