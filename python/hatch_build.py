"""Takes the queries of the source's folder sql/ into the package."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class QueryFiles(BuildHookInterface):  # type: ignore[misc]
    """Adds sql/, from the tree or, where a wheel is built from a source archive, from there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names the folder as a part of what is built."""
        if version == "editable":
            raise RuntimeError("install this package without -e: the queries of sql/ are copied into it when it is built")
        root = Path(self.root)
        packed = root / "sql"
        source = packed if packed.is_dir() else root.parent / "sql"
        target = "sql" if self.target_name == "sdist" else "drivelab/sql"
        build_data.setdefault("force_include", {})[str(source)] = target
