"""Compares answers cell by cell."""

import math
from typing import Any

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


def _is_same(one: object, other: object, off: float) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isclose(one, other, rel_tol=0, abs_tol=off)
    return one == other
