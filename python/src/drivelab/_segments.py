"""Records of I/Os: the files segments/*.parquet of a folder."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from drivelab._checksum import check
from drivelab.errors import DrivelabError


def read_segments(folder: Path, columns: Sequence[str] | None, rows: ds.Expression | None) -> pa.Table:
    """Read the columns of all whole segments in their order, those rows that are asked for."""
    files = sorted((folder / "segments").glob("*.parquet"))
    if not files:
        raise DrivelabError(f"{folder} has no records of I/Os: not every kind of test keeps them")
    try:
        records = ds.dataset([str(file) for file in files], format="parquet")
        unknown = [name for name in columns or () if name not in records.schema.names]
        if unknown:
            raise DrivelabError(f"records have no column {unknown[0]}, but {', '.join(records.schema.names)}")
        for file in files:
            check(file)
        return records.to_table(columns=list(columns) if columns is not None else None, filter=rows)
    except (pa.ArrowInvalid, OSError) as error:
        raise DrivelabError(f"the records in {folder / 'segments'} cannot be read: {error}") from error
