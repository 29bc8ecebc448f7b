"""Makes exported results of many hosts, of which it is known what the queries have to find."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from drivelab import least_ns
from drivelab.tables import CATALOGUE, DRIVES, ROLLUP_FILES

START = datetime(2026, 11, 16, tzinfo=UTC)
"""When all data begins but that of hosts with a week before it."""

INTERVALS_PER_DAY = 288
BUCKETS_PER_DOUBLING = 128
SLOW_HOUR = 3

# How the service times of every drive are distributed: by how many buckets they are longer than the drive's shortest, and the
# share of I/Os. The last three are the tail that a slow drive has more of.
_OFFSETS = np.array([0, 6, 12, 18, 24, 32, 40, 48, 60, 76, 96, 128, 170, 220, 280, 360, 480])
_SHARES = np.array([0.05, 0.08, 0.1, 0.12, 0.14, 0.13, 0.11, 0.09, 0.07, 0.05, 0.03, 0.015, 0.009, 0.005, 0.0006, 0.0003, 0.0001])
_TAIL = 3


@dataclass(frozen=True)
class Model:
    """A model of drives: the bucket of its shortest reads, and how much it writes to flash, in hundredths."""

    name: str
    firmwares: tuple[str, ...]
    first_bucket: int
    amplification_hundredths: int


MODELS = (
    Model("Example A100", ("1.0", "1.1"), 1250, 137),
    Model("Example B200", ("B7", "B8"), 1290, 250),
    # The outlier among the models: its times are four times those of the first one.
    Model("Example C300", ("C1", "C2"), 1250 + 2 * BUCKETS_PER_DOUBLING, 412),
)


@dataclass(frozen=True)
class Truth:
    """What was planted, by the names of drives."""

    hosts: int
    rows: int
    slow_drive: str
    slower_drive: str
    outside_drive: str
    moved_drive: str
    slow_hour: int
    slowest_model: str
    amplification: dict[str, float]


def drive_name(number: int) -> str:
    """Give the name of a drive by its number."""
    return f"d{number:016x}"


def host_name(number: int) -> str:
    """Give the name of a host: one with a stroke, which a folder's name escapes, one that looks like a number, and two alike."""
    return {1: "rack/7", 2: "007", 11: "host-00008"}.get(number, f"host-{number:05}")


def write_fleet(destination: Path, hosts: int, seed: int = 1) -> Truth:
    """Write the three tables of hosts with a drive each, for a week; a tenth of them have the week before it, too.

    Args:
        destination: a folder, which need not be there.
        hosts: how many. With 16 or more, each model has five drives and all that is planted is there.
        seed: of all draws.
    """
    rows = 0
    # Numbers of drives; of each, number modulo 3 is the model.
    slow, slower, outside, moved, unnamed = 3, 10, 4, 6, 12
    for number in range(hosts):
        model = MODELS[number % len(MODELS)]
        random = np.random.default_rng([seed, number])
        drive = _Drive(
            number=number,
            model=model,
            firmware=model.firmwares[number // len(MODELS) % len(model.firmwares)],
            first_bucket=model.first_bucket + int(random.integers(-4, 5)) + (75 if number == outside else 0),
            tail=30 if number == slow else 1,
            late_buckets=48 if number == slower else 0,
        )
        days = 14 if number % 10 == 0 else 7
        halves = [(host_name(number), START + timedelta(days=7 - days), days)]
        if number == moved:
            # The drive is put into another machine for the last two days.
            halves = [(host_name(number), START, 5), (f"spare-{number:05}", START + timedelta(days=5), 2)]
        if number == unnamed:
            # An earlier recording of the drive does not name its model.
            rows += _write_run(destination, replace(drive, is_named=False), host_name(number), START, 3, random)
            halves = [(host_name(number), START + timedelta(days=3), 4)]
        for host, begin, lasted in halves:
            rows += _write_run(destination, drive, host, begin, lasted, random)
    return Truth(
        hosts=hosts,
        rows=rows,
        slow_drive=drive_name(slow),
        slower_drive=drive_name(slower),
        outside_drive=drive_name(outside),
        moved_drive=drive_name(moved),
        slow_hour=SLOW_HOUR,
        slowest_model="Example C300",
        amplification={model.name: model.amplification_hundredths / 100 for model in MODELS},
    )


@dataclass(frozen=True)
class _Drive:
    number: int
    model: Model
    firmware: str
    first_bucket: int
    tail: int
    """How many times as many I/Os are in the tail."""
    late_buckets: int
    """By how many buckets reads are longer from START on."""
    is_named: bool = True
    """Whether results name its model and firmware."""


def _write_run(destination: Path, drive: _Drive, host: str, begin: datetime, days: int, random: np.random.Generator) -> int:
    run = f"r{drive.number:08x}{int(begin.timestamp()):08x}"
    rows = 0
    for day in range(days):
        date = begin + timedelta(days=day)
        table = _day(drive, date, is_first=day == 0, random=random)
        # As Hive escapes it; the generator uses none of the other characters that have a meaning.
        folder = destination / f"date={date:%Y-%m-%d}" / f"host={quote(host, safe='')}" / f"run={run}"
        folder.mkdir(parents=True)
        pq.write_table(table, folder / "rollup.parquet", compression="zstd", store_schema=False)
        rows += table.num_rows
    _write_rows(destination, drive, host, run, begin, days)
    return rows


def _day(drive: _Drive, date: datetime, *, is_first: bool, random: np.random.Generator) -> pa.Table:
    parts = [_operation(drive, date, operation, is_first=is_first, random=random) for operation in (0, 1)]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    has_bucket = columns.pop("has_bucket")
    order = np.lexsort((columns["operation"], columns["interval"]))
    columns = {name: values[order] for name, values in columns.items()}
    start = np.datetime64(date.replace(tzinfo=None), "ms")
    arrays = {
        "interval_start_utc": pa.array(start + columns["interval"] * np.timedelta64(300_000, "ms")),
        "device": pa.array(["nvme0n1"] * len(order)),
        "measured": pa.array(columns["measured"]),
        "operation": pa.array(columns["operation"].astype(np.uint8)),
        "latency_bucket": pa.array(columns["bucket"].astype(np.uint16), mask=~has_bucket[order]),
        **{name: pa.array(columns[name]) for name in ("ios", "failed_ios", "bytes", "service_sum_ns")},
    }
    return pa.Table.from_pydict(arrays).select(ROLLUP_FILES.names).cast(ROLLUP_FILES)


def _operation(
    drive: _Drive, date: datetime, operation: int, *, is_first: bool, random: np.random.Generator
) -> dict[str, np.ndarray]:
    """Count the I/Os of one operation of a day."""
    hours = np.arange(INTERVALS_PER_DAY) // 12
    # More is done in the afternoon, and more is read than written.
    mean_ios = (1500 + 1000 * np.sin((hours - 8) / 24 * 2 * np.pi)) * (1.0 if operation == 0 else 0.6)
    ios = random.poisson(mean_ios)
    counts = np.zeros((INTERVALS_PER_DAY, len(_OFFSETS)), dtype=np.int64)
    for is_slow_hour in (False, True):
        rows = (hours == SLOW_HOUR) == is_slow_hour
        counts[rows] = random.multinomial(ios[rows], _shares(drive.tail * (3 if is_slow_hour else 1)))
    # Writes take a quarter of the time of reads, so that they have other buckets.
    buckets = drive.first_bucket - 2 * BUCKETS_PER_DOUBLING * operation + _OFFSETS
    if operation == 0 and date >= START:
        buckets = buckets + drive.late_buckets
    least = np.array([least_ns(int(bucket)) for bucket in buckets])
    widths = np.array([least_ns(int(bucket) + 1) for bucket in buckets]) - least
    interval, place = np.nonzero(counts)
    found = counts[interval, place]
    measured = np.ones(len(found), dtype=bool)
    # The first hour prepares the drive: if it were counted, all figures would be wrong.
    prepared = is_first & (interval < 12)
    measured[prepared] = False
    taken = buckets[place] + np.where(prepared, 4 * BUCKETS_PER_DOUBLING, 0)
    times = found * (least[place] * np.where(prepared, 16, 1)) + random.integers(0, found * widths[place])
    part = {
        "interval": interval,
        "operation": np.full(len(found), operation),
        "measured": measured,
        "bucket": taken,
        "has_bucket": np.ones(len(found), dtype=bool),
        "ios": found,
        "failed_ios": np.zeros(len(found), dtype=np.int64),
        "bytes": found * 4096,
        "service_sum_ns": times,
    }
    return _with_failures(part, operation, random)


def _with_failures(part: dict[str, np.ndarray], operation: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Add a row without a bucket to some intervals: I/Os that failed, and others whose service time is not known."""
    at = np.flatnonzero(random.random(INTERVALS_PER_DAY) < 0.01)
    unknown = random.integers(0, 3, len(at))
    rows = {
        "interval": at,
        "operation": np.full(len(at), operation),
        "measured": np.ones(len(at), dtype=bool),
        "bucket": np.zeros(len(at), dtype=np.int64),
        "has_bucket": np.zeros(len(at), dtype=bool),
        "ios": unknown,
        "failed_ios": random.integers(1, 4, len(at)),
        "bytes": unknown * 4096,
        "service_sum_ns": np.zeros(len(at), dtype=np.int64),
    }
    return {name: np.concatenate([values, rows[name]]) for name, values in part.items()}


def _shares(tail: int) -> np.ndarray:
    shares: np.ndarray = _SHARES.copy()
    shares[-_TAIL:] *= tail
    shares /= shares.sum()
    return shares


def _write_rows(destination: Path, drive: _Drive, host: str, run: str, begin: datetime, days: int) -> None:
    written = (drive.number + 1) * 1_000_000_007
    # The drives of every other host are of a recorder that kept which machine it was.
    machine = f"m{drive.number:016x}" if drive.number % 2 == 0 or drive.number == 11 else None
    shared = {
        "run": run,
        "host": host,
        "drive_model": drive.model.name if drive.is_named else None,
        "firmware": drive.firmware if drive.is_named else None,
        "serial": f"S{drive.number:08}",
        "capacity_bytes": 1_000_204_886_016,
        "simulated": False,
    }
    catalogue = {
        **shared,
        "kind": "trace",
        "label": None,
        "start": begin.isoformat(),
        "start_unix_ns": int(begin.timestamp()) * 1_000_000_000,
        "start_source": "clock",
        "seconds": days * 86_400.0,
        "interrupted": False,
        "records": None,
        "lost_events": 0,
        "settings": "{}",
        "conditions": "[]",
        "version": "0.1.0",
        "format": "drivelab.catalogue/1",
        "machine": machine,
        "host_bytes_written": written,
        "flash_bytes_written": written * drive.model.amplification_hundredths // 100,
    }
    drives = {
        **shared,
        "device": "nvme0n1",
        "drive": drive_name(drive.number),
        "format": "drivelab.drives/1",
        "machine": machine,
    }
    schema = CATALOGUE
    if drive.number % 8 == 7:
        # An earlier version of drivelab wrote this row: it has no counters, and does not tell machines of one name apart.
        later = ("host_bytes_written", "flash_bytes_written", "machine")
        schema = pa.schema([field for field in CATALOGUE if field.name not in later])
    for name, row, columns in (("catalogue", catalogue, schema), ("drives", drives, DRIVES)):
        path = destination / name / f"{run}.{quote(host, safe='')}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist([row], columns), path, compression="zstd", store_schema=False)
