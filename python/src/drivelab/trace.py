"""The folder of a trace: where it comes from, and a table of its I/Os."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from drivelab._json import Fields
from drivelab._segments import read_segments
from drivelab.buckets import Histogram, bucket_of
from drivelab.errors import DrivelabError
from drivelab.operation import Operation, rows_of


@dataclass(frozen=True)
class Device:
    """A device of a trace. `measured` is what its service times span: D2C (the device alone), Q2C, or nothing."""

    name: str
    measured: str


@dataclass(frozen=True)
class Account:
    """What came of the source: I/Os in the trace, those that could not be believed or paired, by reason, and lost events."""

    requests: int
    rejected: Mapping[str, int]
    unpaired: Mapping[str, int]
    lost_events: int


@dataclass(frozen=True)
class Trace:
    """A trace in a folder. `started_unix_ns` is its first instant in nanoseconds since 1970, where the source knows it."""

    folder: Path
    source: str
    origins: tuple[str, ...]
    version: str
    started_unix_ns: int | None
    machine: str | None
    devices: tuple[Device, ...]
    processes: tuple[str, ...]
    account: Account | None
    notices: tuple[str, ...]

    @property
    def started(self) -> datetime | None:
        """Its first instant in UTC, to the microsecond, where the source knows it."""
        if self.started_unix_ns is None:
            return None
        return datetime.fromtimestamp(self.started_unix_ns // 1_000_000_000, UTC).replace(
            microsecond=self.started_unix_ns % 1_000_000_000 // 1000
        )

    def table(
        self,
        columns: Sequence[str] | None = None,
        *,
        operation: Operation | None = None,
        device: str | None = None,
    ) -> pa.Table:
        """Give the I/Os, a row for each, in the order in which they became known.

        docs/scripts-and-data.md of drivelab describes the columns; `device` and `process` are places in `devices` and
        `processes`. Of a recording that goes on, these are the rows of its whole segments.

        Args:
            columns: those that are read; all where it is None.
            operation: only I/Os of this operation.
            device: only I/Os of the device of this name.

        Raises:
            DrivelabError: where no device has the name, or the records are damaged.
        """
        rows: ds.Expression | None = None
        if operation is not None:
            rows = rows_of(operation)
        if device is not None:
            names = [one.name for one in self.devices]
            if device not in names:
                raise DrivelabError(f"{self.folder} has no device {device}, but {', '.join(names)}")
            same = ds.field("device") == names.index(device)
            rows = same if rows is None else rows & same
        return read_segments(self.folder, columns, rows)

    def histogram(self, operation: Operation | None = None, device: str | None = None) -> Histogram:
        """Count the I/Os that succeeded and whose service time is known, by bucket of that."""
        rows = self.table(["service_ns", "status"], operation=operation, device=device)
        served = rows.filter(pc.and_(pc.equal(rows["status"], 0), pc.is_valid(rows["service_ns"])))
        counts: dict[int, int] = {}
        for value in pc.value_counts(served["service_ns"].combine_chunks()).to_pylist():
            bucket = bucket_of(value["values"])
            counts[bucket] = counts.get(bucket, 0) + value["counts"]
        return Histogram(counts)


def open_trace(folder: str | Path) -> Trace:
    """Open the folder of a trace, a recorded or an imported one.

    Raises:
        DrivelabError: where it is no folder of a trace, or is damaged.
    """
    path = Path(folder)
    if not (path / "trace.json").is_file():
        hint = "open_run opens the folder of a run" if (path / "run.json").is_file() else "name the folder that -o named"
        raise DrivelabError(f"{path} holds no trace.json: {hint}")
    trace = Fields.read(path / "trace.json", "drivelab.trace-folder/")
    started = trace.object_or_none("started")
    account = trace.object_or_none("account")
    return Trace(
        folder=path,
        source=trace.text("source"),
        origins=trace.texts("origins"),
        version=trace.text("version"),
        started_unix_ns=trace.integer_or_none("started_unix_ns"),
        machine=started.text("machine") if started else None,
        devices=tuple(Device(one.text("name"), one.text("measured")) for one in trace.objects("devices")),
        processes=trace.texts("processes"),
        account=_account(account) if account else None,
        notices=trace.texts("notices"),
    )


def _account(account: Fields) -> Account:
    def counts(name: str) -> dict[str, int]:
        reasons = account.object(name)
        return {reason: reasons.integer(reason) for reason in reasons.values}

    return Account(
        requests=account.integer("requests"),
        rejected=counts("rejected"),
        unpaired=counts("unpaired"),
        lost_events=account.integer("lost_events"),
    )
