"""The answers of the queries by plain Python: row by row, with whole numbers and fractions, and no SQL."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow.parquet as pq

from drivelab import least_ns

OPERATIONS = ("read", "write", "discard", "flush")
Row = dict[str, Any]
# A drive and its model: what does not name the model of a drive is compared by itself.
Key = tuple[str, str | None]
# The name of a machine, and what tells it from others of its name.
Machine = tuple[str, str | None]


class RollupRow(NamedTuple):
    """A row of the rollup."""

    run: str
    host: str
    device: str
    interval: datetime
    measured: bool
    op: int
    bucket: int | None
    ios: int
    failed_ios: int
    bytes: int
    service_ns: int


def percentile(counts: dict[int, int], thousandths: int) -> int:
    """Give the bucket that holds rank ceil(p * n), by walking along the ranks."""
    rank = -(-thousandths * sum(counts.values()) // 1000)
    for bucket in sorted(counts):
        rank -= counts[bucket]
        if rank <= 0:
            return bucket
    raise ValueError("no I/Os")


def machines(found: set[Machine]) -> int:
    """Count machines: of each name as many as are told apart, and at least one."""
    known: dict[str, set[str]] = defaultdict(set)
    for name, machine in found:
        known[name].update({machine} if machine else set())
    return sum(max(1, len(ids)) for ids in known.values())


def us(bucket: int | None) -> float | None:
    """Give the least value of a bucket in microseconds."""
    return None if bucket is None else least_ns(bucket) / 1000


def rounded(value: Fraction, digits: int) -> float:
    """Round half up."""
    scale: int = 10**digits
    return math.floor(value * scale + Fraction(1, 2)) / scale


class Naive:
    """Reads the tables twice: first what limits and ends are, then what lies above and behind them."""

    def __init__(self, destination: Path) -> None:
        """Read what is below a destination."""
        self.destination = destination
        self.catalogue = self._once("catalogue")
        self.drives = self._once("drives")
        self.kept = {(row["run"], row["host"]) for row in self.drives}
        self.by_device = {(row["run"], row["host"], row["device"]): row for row in self.drives}
        self._first_pass()
        self.limits = {key: percentile(counts, 999) for key, counts in self._of_peers().items()}
        self._second_pass()

    def _rows(self, table: str) -> list[Row]:
        rows: list[Row] = []
        for path in sorted((self.destination / table).glob("*.parquet")):
            rows.extend(pq.read_table(path, partitioning=None).to_pylist())
        return rows

    def _once(self, table: str) -> list[Row]:
        """Give the rows of each run for the first of its hosts alone."""
        hosts: dict[str, str] = {}
        for row in (rows := self._rows(table)):
            hosts[row["run"]] = min(row["host"], hosts.get(row["run"], row["host"]))
        return [row for row in rows if row["host"] == hosts[row["run"]]]

    def _rollup(self) -> Iterator[RollupRow]:
        for path in sorted(self.destination.glob("date=*/host=*/run=*/rollup.parquet")):
            host = unquote(path.parent.parent.name.removeprefix("host="))
            run = path.parent.name.removeprefix("run=")
            if (run, host) not in self.kept:
                continue
            columns = pq.read_table(path, partitioning=None).to_pydict()
            for interval, device, measured, op, bucket, ios, failed, count, service in zip(*columns.values(), strict=True):
                yield RollupRow(run, host, device, interval, measured, op, bucket, ios, failed, count, service)

    def _first_pass(self) -> None:
        # By drive and operation: counts by bucket, service times.
        self.counts: dict[tuple[Key, int], Counter[int]] = defaultdict(Counter)
        self.service: Counter[tuple[Key, int]] = Counter()
        self.hosts: dict[tuple[Key, int], set[str]] = defaultdict(set)
        self.last_read: dict[Key, datetime] = {}
        # By model, firmware and operation: all I/Os, counts by bucket, and what they are of.
        self.groups: dict[tuple[str, str, int], Counter[str]] = defaultdict(Counter)
        self.group_counts: dict[tuple[str, str, int], Counter[int]] = defaultdict(Counter)
        self.group_of: dict[tuple[str, str, int], tuple[set[str], set[Machine]]] = defaultdict(lambda: (set(), set()))
        # By run, host and device, each five minutes: measured I/Os and bytes, others, whether there are measured ones.
        self.runs: dict[tuple[str, str, str], dict[datetime, list[int]]] = defaultdict(dict)
        self.run_counts: dict[tuple[str, str, str, int], Counter[int]] = defaultdict(Counter)
        for row in self._rollup():
            place = (row.run, row.host, row.device)
            if row.op in (0, 1):
                interval = self.runs[place].setdefault(row.interval, [0, 0, 0, 0])
                if row.measured:
                    interval[0] += row.ios
                    interval[1] += row.bytes
                    interval[3] = 1
                else:
                    interval[2] += row.ios + row.failed_ios
            if not row.measured:
                continue
            drive = self.by_device[place]
            group = (drive["drive_model"] or "", drive["firmware"] or "", row.op)
            self.groups[group].update(ios=row.ios, failed_ios=row.failed_ios, bytes=row.bytes)
            self.group_of[group][0].add(drive["drive"])
            self.group_of[group][1].add((row.host, drive.get("machine")))
            if row.bucket is None:
                continue
            self.group_counts[group][row.bucket] += row.ios
            self.run_counts[(*place, row.op)][row.bucket] += row.ios
            name = (drive["drive"], drive["drive_model"])
            key = (name, row.op)
            self.counts[key][row.bucket] += row.ios
            self.service[key] += row.service_ns
            self.hosts[key].add(row.host)
            if row.op == 0:
                self.last_read[name] = max(row.interval, self.last_read.get(name, row.interval))

    def _of_peers(self) -> dict[tuple[str, int], Counter[int]]:
        peers: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        for (drive, op), counts in self.counts.items():
            peers[(drive[1] or drive[0], op)].update(counts)
        return peers

    def _second_pass(self) -> None:
        self.intervals: dict[Key, dict[datetime, list[int]]] = defaultdict(dict)
        self.hours: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        self.hour_counts: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
        self.reads: dict[tuple[Key, bool], Counter[int]] = defaultdict(Counter)
        for row in self._rollup():
            if not row.measured or row.bucket is None:
                continue
            found = self.by_device[(row.run, row.host, row.device)]
            drive = (found["drive"], found["drive_model"])
            slow = row.ios if row.bucket > self.limits[(drive[1] or drive[0], row.op)] else 0
            interval = self.intervals[drive].setdefault(row.interval, [0, 0])
            for sums in (interval, self.hours[(row.op, row.interval.hour)]):
                sums[0] += row.ios
                sums[1] += slow
            self.hour_counts[(row.op, row.interval.hour)][row.bucket] += row.ios
            if row.op == 0:
                is_late = row.interval > self.last_read[drive] - timedelta(days=7)
                self.reads[(drive, is_late)][row.bucket] += row.ios

    def _host(self, drive: Key) -> str:
        return min(host for (name, _), hosts in self.hosts.items() if name == drive for host in hosts)

    def percentiles_by_model(self) -> list[Row]:
        """Answer percentiles_by_model.sql."""
        rows: list[Row] = []
        for group in sorted(self.groups):
            sums, (drives, hosts), counts = self.groups[group], self.group_of[group], self.group_counts[group]
            at = {p: us(percentile(counts, p)) if counts else None for p in (500, 990, 999)}
            rows.append(
                {
                    "drive_model": group[0] or None,
                    "firmware": group[1] or None,
                    "operation": OPERATIONS[group[2]],
                    "drives": len(drives),
                    "hosts": machines(hosts),
                    "ios": sums["ios"],
                    "failed_ios": sums["failed_ios"],
                    "bytes": Decimal(sums["bytes"]),
                    "p50_us": at[500],
                    "p99_us": at[990],
                    "p999_us": at[999],
                }
            )
        return rows

    def slowest_drives(self) -> list[Row]:
        """Answer slowest_drives.sql."""
        rows: list[Row] = []
        for drive, intervals in self.intervals.items():
            ios = sum(one[0] for one in intervals.values())
            slow = sum(one[1] for one in intervals.values())
            share, units = Fraction(slow, ios), len(intervals)
            error = bound = None
            if units >= 30:
                squares = sum((s * ios - slow * n) ** 2 for n, s in intervals.values())
                error = math.sqrt(units / (units - 1) * squares / ios**2) / ios
                bound = max(0.0, float(share) - 1.645 * error)
            rows.append(
                {
                    "drive": drive[0],
                    "drive_model": drive[1],
                    "host": self._host(drive),
                    "intervals": units,
                    "ios": ios,
                    "slow_ios": slow,
                    "slow_ppm": rounded(share * 1_000_000, 3),
                    "standard_error_ppm": None if error is None else rounded(Fraction(error) * 1_000_000, 3),
                    "lower_bound_ppm": None if bound is None else rounded(Fraction(bound) * 1_000_000, 3),
                }
            )
        rows.sort(key=lambda r: (-1 if r["lower_bound_ppm"] is None else r["lower_bound_ppm"], r["slow_ppm"]), reverse=True)
        return rows[:100]

    def hours_of_day(self) -> list[Row]:
        """Answer hours_of_day.sql."""
        return [
            {
                "operation": OPERATIONS[op],
                "hour_utc": hour,
                "ios": self.hours[(op, hour)][0],
                "slow_ios": self.hours[(op, hour)][1],
                "slow_ppm": rounded(Fraction(self.hours[(op, hour)][1], self.hours[(op, hour)][0]) * 1_000_000, 3),
                "p99_us": us(percentile(self.hour_counts[(op, hour)], 990)),
            }
            for op, hour in sorted(self.hours)
        ]

    def slower_drives(self) -> list[Row]:
        """Answer slower_drives.sql."""
        rows: list[Row] = []
        for drive in self.last_read:
            before, late = self.reads[(drive, False)], self.reads[(drive, True)]
            if min(sum(before.values()), sum(late.values())) < 10_000:
                continue
            before_ns, late_ns = (least_ns(percentile(counts, 990)) for counts in (before, late))
            if before_ns == 0 or Fraction(late_ns, before_ns) <= Fraction(11, 10):
                continue
            rows.append(
                {
                    "drive": drive[0],
                    "drive_model": drive[1],
                    "host": min(self.hosts[(drive, 0)]),
                    "reads_before": sum(before.values()),
                    "reads_last_7_days": sum(late.values()),
                    "p99_before_us": before_ns / 1000,
                    "p99_last_7_days_us": late_ns / 1000,
                    "ratio": math.floor(Fraction(late_ns, before_ns) * 1000) / 1000,
                }
            )
        return sorted(rows, key=lambda row: (-row["ratio"], row["drive"], row["drive_model"] or "~"))

    def write_amplification(self) -> list[Row]:
        """Answer write_amplification.sql."""
        groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in self.catalogue:
            if (row.get("host_bytes_written") or 0) > 0 and row["flash_bytes_written"] is not None:
                groups[(row["drive_model"] or "", row["firmware"] or "")].append(row)
        rows: list[Row] = []
        for (model, firmware), runs in sorted(groups.items()):
            host = sum(run["host_bytes_written"] for run in runs)
            flash = sum(run["flash_bytes_written"] for run in runs)
            each = [Fraction(run["flash_bytes_written"], run["host_bytes_written"]) for run in runs]
            rows.append(
                {
                    "drive_model": model or None,
                    "firmware": firmware or None,
                    "runs": len(runs),
                    "hosts": machines({(run["host"], run.get("machine")) for run in runs}),
                    "host_bytes_written": Decimal(host),
                    "flash_bytes_written": Decimal(flash),
                    "write_amplification": rounded(Fraction(flash, host), 3),
                    "least": rounded(min(each), 3),
                    "most": rounded(max(each), 3),
                }
            )
        return rows

    def outside_peers(self) -> list[Row]:
        """Answer outside_peers.sql."""
        models: dict[tuple[str, int], list[tuple[Key, int]]] = defaultdict(list)
        for (drive, op), counts in self.counts.items():
            model, ios = drive[1], sum(counts.values())
            if model is not None and ios >= 1000:
                models[(model, op)].append((drive, self.service[(drive, op)] // ios))
        rows: list[tuple[tuple[Any, ...], Row]] = []
        for (model, op), means in models.items():
            if len(means) < 5:
                continue
            middle = (len(means) - 1) // 2
            median = sorted(mean for _, mean in means)[middle]
            mad = sorted(abs(mean - median) for _, mean in means)[middle]
            for drive, mean in means:
                distance = abs(mean - median)
                if distance <= Fraction(35, 10) * Fraction(14826, 10_000) * mad or distance * 10 <= median:
                    continue
                row = {
                    "drive": drive[0],
                    "drive_model": model,
                    "host": min(self.hosts[(drive, op)]),
                    "operation": OPERATIONS[op],
                    "peers": len(means),
                    "ios": sum(self.counts[(drive, op)].values()),
                    "mean_us": mean / 1000,
                    "median_us": median / 1000,
                    "mad_us": mad / 1000,
                    "deviations": rounded(Fraction(mean - median) / (Fraction(14826, 10_000) * mad), 2) if mad else None,
                }
                rows.append(((model, op, -distance, drive), row))
        return [row for _, row in sorted(rows, key=lambda keyed: keyed[0])]

    def reviews(self) -> list[Row]:
        """Answer reviews.sql."""
        rows: list[tuple[tuple[Any, ...], Row]] = []
        for run in self.catalogue:
            devices: list[Row | None] = [row for row in self.drives if (row["run"], row["host"]) == (run["run"], run["host"])]
            for drive in devices or [None]:
                rows.append(self._review(run, drive))
        return [row for _, row in sorted(rows, key=lambda keyed: keyed[0])]

    def _review(self, run: Row, drive: Row | None) -> tuple[tuple[Any, ...], Row]:
        place = (run["run"], run["host"], drive["device"] if drive else "")
        intervals = self.runs.get(place, {})
        measured = [at for at, one in intervals.items() if one[3]]
        ios = count = iops = mb_s = None
        if measured:
            ios, count = (sum(one[field] for one in intervals.values()) for field in (0, 1))
            rate_ios, rate_bytes, seconds = ios, count, Fraction(run["seconds"])
            if any(one[2] for one in intervals.values()):
                inner = [one for at, one in intervals.items() if min(measured) < at < max(measured) and one[3] and not one[2]]
                rate_ios, rate_bytes = (sum(one[field] for one in inner) for field in (0, 1))
                seconds = Fraction(300 * len(inner))
            if seconds > 0:
                iops, mb_s = rounded(rate_ios / seconds, 1), rounded(rate_bytes / seconds / 1_000_000, 1)
        p99 = [us(percentile(counts, 990)) if (counts := self.run_counts.get((*place, op))) else None for op in (0, 1)]
        host_bytes, flash = run.get("host_bytes_written"), run.get("flash_bytes_written")
        row = {
            "run": run["run"],
            "host": run["host"],
            "drive": drive["drive"] if drive else None,
            "drive_model": (drive["drive_model"] if drive else None) or run["drive_model"],
            "firmware": (drive["firmware"] if drive else None) or run["firmware"],
            "kind": run["kind"],
            "label": run["label"],
            "started": run["start"],
            "ios": ios,
            "bytes": count,
            "iops": iops,
            "mb_s": mb_s,
            "read_p99_us": p99[0],
            "write_p99_us": p99[1],
            "write_amplification": rounded(Fraction(flash, host_bytes), 3) if host_bytes and flash is not None else None,
        }
        return (run["start_unix_ns"], run["run"], run["host"], drive["drive"] if drive else "~"), row
