"""The folder of a run: what was asked, what was found, and a table of its I/Os."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from drivelab._json import Fields
from drivelab._segments import read_segments
from drivelab.buckets import Histogram
from drivelab.errors import DrivelabError
from drivelab.operation import Operation, rows_of


@dataclass(frozen=True)
class Drive:
    """The drive of a run. `serial` is as in run.json, also where the run hides it from pages."""

    model: str
    serial: str | None
    firmware: str | None
    size_bytes: int
    simulated: bool


@dataclass(frozen=True)
class Condition:
    """A condition of a run, such as the scheduler."""

    group: str
    name: str
    value: str


@dataclass(frozen=True)
class Notice:
    """What limits a result; `severity` is note, warning or failure."""

    severity: str
    text: str


@dataclass(frozen=True)
class Phase:
    """A phase of a run. Times are in nanoseconds on the clock of the records; no end where the run was killed in it.

    `host_bytes_written` and `flash_bytes_written` are what the drive's own counters went up by, where they were read.
    """

    name: str
    is_open_loop: bool
    started_at_ns: int
    ended_at_ns: int | None
    host_bytes_written: int | None
    flash_bytes_written: int | None


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    The times of `left_out` I/Os in the records are not the drive's, and those of `at_least` not in full: the program stood
    still meanwhile.
    """

    interrupted: bool
    completions: int
    failed: int
    lost_records: int
    left_out: int
    at_least: int


@dataclass(frozen=True)
class Settings:
    """What was asked. The named settings are None where the kind of test has none of the name.

    `everything` has all settings in the form of the kind of test, as run.json has them.
    """

    operation: str | None
    read_percent: int | None
    block_size_bytes: int | None
    queue_depth: int | None
    threads: int | None
    duration_ns: int | None
    everything: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True)
class ServiceTimes:
    """Service times in nanoseconds. Percentiles are None where too few I/Os were measured for them."""

    mean: float | None
    standard_deviation: float | None
    p50: float | None
    p99: float | None
    p99_9: float | None
    p99_99: float | None
    max: float | None


@dataclass(frozen=True)
class Summary:
    """What drivelab itself reports of the measured I/Os of a run; IOPS over whole seconds."""

    iops_mean: float | None
    iops_standard_deviation: float | None
    iops_min: float | None
    iops_median: float | None
    service_ns: ServiceTimes | None


@dataclass(frozen=True)
class Figures:
    """Figures of the measured I/Os of a run, from its records.

    Percentiles are the least values of their buckets, which are at most 0.8 % wide; None where no I/O succeeded.
    """

    ios: int
    failed_ios: int
    bytes: int
    seconds: float
    mean_ns: float | None
    p50_ns: int | None
    p99_ns: int | None
    p999_ns: int | None
    max_ns: int | None

    @property
    def iops(self) -> float | None:
        """I/Os a second; None where the measured phases took no time."""
        return self.ios / self.seconds if self.seconds > 0 else None

    @property
    def mb_s(self) -> float | None:
        """Megabytes (1,000,000 bytes) a second; None where the measured phases took no time."""
        return self.bytes / self.seconds / 1e6 if self.seconds > 0 else None


@dataclass(frozen=True)
class Run:
    """A run in a folder."""

    folder: Path
    method: str
    label: str
    note: str | None
    target: str
    version: str
    seed: int
    started: str | None
    machine: str | None
    drive: Drive
    settings: Settings
    conditions: tuple[Condition, ...]
    notices: tuple[Notice, ...]
    phases: tuple[Phase, ...]
    measured: frozenset[int]
    outcome: Outcome | None
    findings: Mapping[str, object] = field(repr=False)
    summary: Summary | None

    def table(
        self,
        columns: Sequence[str] | None = None,
        *,
        operation: Operation | None = None,
        all_phases: bool = False,
    ) -> pa.Table:
        """Give the records of the measured I/Os, a row for each.

        docs/scripts-and-data.md of drivelab describes the columns. Rows are in the order in which I/Os completed. Of a killed
        run, these are the rows of its whole segments.

        Args:
            columns: those that are read; all where it is None.
            operation: only I/Os of this operation.
            all_phases: also the I/Os that prepare the drive or verify what was written.

        Raises:
            DrivelabError: where the run keeps no records, or they are damaged.
        """
        rows: ds.Expression | None = None
        if not all_phases:
            rows = ds.field("phase").isin(sorted(self.measured))
        if operation is not None:
            same = rows_of(operation)
            rows = same if rows is None else rows & same
        return read_segments(self.folder, columns, rows)

    def histogram(self, operation: Operation | None = None) -> Histogram:
        """Count the measured I/Os that succeeded, by bucket of the service time.

        Raises:
            DrivelabError: where the records do not hold every I/O, or hold times that are not the drive's.
        """
        self._check_records()
        records = self.table(["latency_bucket", "status"], operation=operation)
        return Histogram.of_table(records.filter(pc.equal(records["status"], 0)))

    def figures(self, operation: Operation | None = None) -> Figures:
        """Compute figures from the records of the measured I/Os, of one operation or of all.

        Raises:
            DrivelabError: where the records do not hold every I/O, or hold times that are not the drive's.
        """
        self._check_records()
        records = self.table(["latency_ns", "latency_bucket", "status", "sectors"], operation=operation)
        served = records.filter(pc.equal(records["status"], 0))
        buckets = Histogram.of_table(served)
        phases = [self.phases[number] for number in self.measured]
        lasted_ns = sum(phase.ended_at_ns - phase.started_at_ns for phase in phases if phase.ended_at_ns is not None)
        return Figures(
            ios=served.num_rows,
            failed_ios=records.num_rows - served.num_rows,
            bytes=512 * int(pc.sum(served["sectors"].cast(pa.int64())).as_py() or 0),
            seconds=lasted_ns / 1e9,
            mean_ns=pc.mean(served["latency_ns"]).as_py(),
            p50_ns=buckets.percentile_ns(50),
            p99_ns=buckets.percentile_ns(99),
            p999_ns=buckets.percentile_ns("99.9"),
            max_ns=pc.max(served["latency_ns"]).as_py(),
        )

    def _check_records(self) -> None:
        if self.outcome is None:
            raise DrivelabError(f"{self.folder} has no end: `drivelab report {self.folder}` shows what a killed run left")
        if self.outcome.lost_records > 0:
            raise DrivelabError(f"{self.folder} lost {self.outcome.lost_records} records: figures need all of them")
        delayed = self.outcome.left_out + self.outcome.at_least
        if delayed > 0:
            raise DrivelabError(
                f"{self.folder} has {delayed} I/Os whose times are not the drive's, as the program stood still: "
                "take `summary`, or the rollup of `drivelab export`, which take that time off"
            )


def open_run(folder: str | Path) -> Run:
    """Open the folder of a run.

    Args:
        folder: what `-o` of a test named; of `consistency` and of reviews one of the folders in it that hold `run.json`.

    Raises:
        DrivelabError: where it is no folder of a run, or is damaged.
    """
    path = Path(folder)
    if not (path / "run.json").is_file():
        if (path / "trace.json").is_file():
            hint = "open_trace opens the folder of a trace"
        elif (path / "catalogue").is_dir():
            hint = "it is a destination of `drivelab export`, which an engine opens, such as DuckDbEngine"
        elif found := sorted(str(inner.parent) for inner in path.glob("*/**/run.json")):
            hint = f"open one of the runs in it, such as {found[0]}"
        else:
            hint = "name a folder that a test kept its result in (-o)"
        raise DrivelabError(f"{path} holds no run.json: {hint}")
    run = Fields.read(path / "run.json", "drivelab.run/")
    started = run.object_or_none("started")
    phases = tuple(_phase(one) for one in run.objects("phases"))
    outcome = run.object_or_none("outcome")
    findings = _findings(path)
    return Run(
        folder=path,
        method=run.text("method"),
        label=run.text("label"),
        note=run.text_or_none("note"),
        target=run.text("target"),
        version=run.text("version"),
        seed=run.integer("seed"),
        started=started.text("at") if started else None,
        machine=started.text("machine") if started else None,
        drive=_drive(run.object("drive")),
        settings=_settings(run.object("settings")),
        conditions=tuple(Condition(c.text("group"), c.text("name"), c.text("value")) for c in run.objects("conditions")),
        notices=tuple(Notice(n.text("severity"), n.text("text")) for n in run.objects("notices")),
        phases=phases,
        measured=frozenset(number for number, phase in enumerate(phases) if _is_measured(run, phase.name)),
        outcome=_outcome(outcome) if outcome else None,
        findings=findings.values if findings else {},
        summary=_summary(findings) if findings else None,
    )


def _drive(drive: Fields) -> Drive:
    return Drive(
        model=drive.text("model"),
        serial=drive.text_or_none("serial"),
        firmware=drive.text_or_none("firmware"),
        size_bytes=drive.integer("size_bytes"),
        simulated=drive.flag("simulated"),
    )


def _phase(phase: Fields) -> Phase:
    written = phase.object_or_none("written")
    host, flash = (written.object_or_none(side) if written else None for side in ("host", "flash"))
    return Phase(
        name=phase.text("name"),
        is_open_loop=phase.text("loop") == "open",
        started_at_ns=phase.integer("started_at_ns"),
        ended_at_ns=phase.integer_or_none("ended_at_ns"),
        host_bytes_written=host.integer_or_none("amount") if host else None,
        flash_bytes_written=flash.integer_or_none("amount") if flash else None,
    )


def _outcome(outcome: Fields) -> Outcome:
    return Outcome(
        interrupted=outcome.flag("interrupted"),
        completions=outcome.integer("completions"),
        failed=outcome.integer("failed"),
        lost_records=outcome.integer("lost_records"),
        left_out=outcome.integer("left_out", 0),
        at_least=outcome.integer("at_least", 0),
    )


def _is_measured(run: Fields, name: str) -> bool:
    if run.values.get("measured") == "every":
        return True
    which = run.object("measured")
    if "phase" in which.values:
        return which.text("phase") == name
    if "phases" in which.values:
        return name in which.texts("phases")
    return which.text("every_but") != name


def _settings(settings: Fields) -> Settings:
    operation, read_percent = settings.values.get("operation"), None
    if isinstance(operation, dict) and operation:
        operation, mix = next(iter(operation.items()))
        read_percent = mix.get("read_percent") if isinstance(mix, dict) else None

    # A setting of the same name may have another form in another kind of test: what is no whole number is in `everything`.
    def whole(name: str) -> int | None:
        value = settings.values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    return Settings(
        operation=operation if isinstance(operation, str) else None,
        read_percent=read_percent,
        block_size_bytes=whole("block_size_bytes"),
        queue_depth=whole("queue_depth"),
        threads=whole("threads"),
        duration_ns=whole("duration_ns"),
        everything=settings.values,
    )


def _findings(folder: Path) -> Fields | None:
    path = folder / "findings.json"
    return Fields.read(path, "drivelab.").object("findings") if path.is_file() else None


def _summary(findings: Fields) -> Summary | None:
    holder = findings.object_or_none("ios") or findings
    if not isinstance(holder.values.get("summary"), dict):
        return None
    summary = holder.object("summary")
    times = summary.object_or_none("service_ns")
    names = ("mean", "standard_deviation", "p50", "p99", "p99_9", "p99_99", "max")
    return Summary(
        iops_mean=summary.number_or_none("iops_mean"),
        iops_standard_deviation=summary.number_or_none("iops_standard_deviation"),
        iops_min=summary.number_or_none("iops_min"),
        iops_median=summary.number_or_none("iops_median"),
        service_ns=ServiceTimes(*(times.number_or_none(name) for name in names)) if times else None,
    )
