//! The rollup of a recording that goes on: equal to that of its I/Os, whatever the destination does meanwhile.

mod fake;

use std::path::Path;
use std::sync::Arc;

use drivelab_block::{DeviceId, Extent, Instant, Nanos, Op, Sector, SectorCount, Status, TracedIo};
use drivelab_export::rollup::{IoOutcome, Rollup, RollupInterval, RollupRow, visit_rollup};
use drivelab_export::{DroppedDay, ExportError, LiveRollup, NotWritten, RecordingSums, SourceOptions};
use drivelab_trace::{TraceFolder, TraceManifest};
use fake::Fake;

/// 2026-11-24T08:01:40Z.
const BEGAN: u64 = 1_795_507_300_000_000_000;
const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

fn manifest() -> TraceManifest {
    let device = |name: &str| serde_json::json!({ "name": name, "measured": "D2C" });
    serde_json::from_value(serde_json::json!({
        "schema": "drivelab.trace-folder/1",
        "version": "0",
        "source": "recorded",
        "origins": ["sda", "sdb"],
        "started_unix_ns": BEGAN,
        "started": { "at": "2026-11-24T08:01:40+00:00", "machine": "lab" },
        // The second is not the second by its name.
        "devices": [device("sdb"), device("sda")],
        "processes": [],
        "notices": [],
    }))
    .expect("a manifest")
}

fn io(at_ns: u64, number: u64) -> TracedIo {
    let op = Op::ALL[usize::try_from(number % 4).expect("small")];
    let extent = Extent { start: Sector::new(number * 8), length: SectorCount::new(8) };
    let service = (!number.is_multiple_of(7)).then(|| Nanos::new(50_000 + number * 7_919 % 900_000));
    let status = if number.is_multiple_of(11) { Status::errno(5) } else { Status::OK };
    let device = DeviceId(u16::from(number.is_multiple_of(3)));
    TracedIo { service, status, device, ..TracedIo::new(Instant::from_nanos(at_ns), op, extent) }
}

/// What an export counts.
fn rollup_of(ios: &[TracedIo]) -> Rollup {
    let names: [Arc<str>; 2] = [Arc::from("sdb"), Arc::from("sda")];
    let mut rollup = Rollup::default();
    for io in ios {
        let outcome = match io.service {
            _ if !io.status.is_ok() => IoOutcome::Failed,
            Some(service) => IoOutcome::Served(service),
            None => IoOutcome::ServedWithoutTime,
        };
        let (bucket, sums) = outcome.counted(io.bytes());
        rollup.add(RollupRow {
            interval: RollupInterval::of_unix_nanos(BEGAN + io.issued_at.as_nanos()),
            device: Arc::clone(&names[usize::from(io.device.0)]),
            is_measured: true,
            op: io.op,
            bucket,
            sums,
        });
    }
    rollup
}

fn held(fake: &Fake) -> Rollup {
    let mut sum = Rollup::default();
    for (_, bytes) in fake.named("rollup.parquet") {
        visit_rollup(bytes, &mut |row| sum.add(row.clone())).expect("a whole file");
    }
    sum
}

/// Writes until nothing is left, or something cannot be written.
fn write_all(live: &mut LiveRollup, fake: &Fake) -> Result<(), ExportError> {
    while let Some(step) = live.next_step() {
        live.written(step.write(fake)?);
    }
    Ok(())
}

fn end(live: &mut LiveRollup, sums: &mut RecordingSums, folder: &Path) {
    let (_, trace) = (TraceFolder::create(folder, &manifest()).expect("room"), manifest());
    let (folder, _) = TraceFolder::open(folder).expect("a trace");
    live.end(sums.close(), &trace, folder.sum_of_segments().ok());
}

#[test]
fn every_io_is_counted_once_however_late_it_came_and_however_often_writing_failed() {
    let (fake, folder) = (Fake::default(), tempfile::tempdir().expect("a folder"));
    let mut live = LiveRollup::new(&manifest(), SourceOptions::default()).expect("a machine with a name");
    let mut sums = RecordingSums::new(live.began_unix_ns());
    let (mut all, mut failures) = (Vec::new(), 0);
    // 40 hours from the morning of a day on, an I/O every 40 s or so; each tenth becomes known 20 minutes late.
    let mut late = Vec::new();
    for number in 0..3_600 {
        let at = number * 40 * SECOND + number * 104_729;
        all.push(io(at, number));
        if number % 10 == 0 {
            late.push(io(at, number));
        } else {
            sums.add(&[io(at, number)]);
        }
        if number % 30 == 0 {
            sums.add(&std::mem::take(&mut late));
        }
        if let Some(closed) = sums.close_until(at) {
            assert_eq!(live.add(closed, &manifest()), []);
            fake.takes(u32::try_from(number % 3).expect("small"));
            failures += usize::from(write_all(&mut live, &fake).is_err());
        }
    }
    assert!(failures > 100, "{failures}");
    sums.add(&late);
    end(&mut live, &mut sums, &folder.path().join("trace"));
    fake.is_there();
    write_all(&mut live, &fake).expect("it is there");
    assert!(held(&fake) == rollup_of(&all), "each cell");
    assert_eq!(live.not_written(), NotWritten::default());
    let days: Vec<String> =
        fake.named("rollup.parquet").iter().map(|(path, _)| path.display().to_string()).collect();
    let day = |date: &str| format!("date={date}/host=lab/run={}/rollup.parquet", live.run());
    assert_eq!(days, ["2026-11-24", "2026-11-25", "2026-11-26"].map(day));
}

#[test]
fn what_is_over_is_there_before_the_recording_ends_and_a_later_write_takes_its_place() {
    let fake = Fake::default();
    let mut live = LiveRollup::new(&manifest(), SourceOptions::default()).expect("a machine with a name");
    let mut sums = RecordingSums::new(BEGAN);
    let ios: Vec<TracedIo> = (0..900).map(|number| io(number * SECOND, number)).collect();
    sums.add(&ios[..400]);
    assert!(sums.close_until(199 * SECOND).is_none(), "the first five minutes end after 200 s");
    let closed = sums.close_until(401 * SECOND).expect("five minutes");
    live.add(closed, &manifest());
    assert!(sums.close_until(402 * SECOND).is_none());
    write_all(&mut live, &fake).expect("it is there");
    assert!(held(&fake) == rollup_of(&ios[..200]));
    assert_eq!(fake.named("").len(), 3, "the day, the drives, the row");
    assert!(live.next_step().is_none(), "nothing new");
    sums.add(&ios[400..]);
    live.add(sums.close_until(800 * SECOND).expect("five minutes"), &manifest());
    write_all(&mut live, &fake).expect("it is there");
    assert!(held(&fake) == rollup_of(&ios[..800]));
    assert_eq!(fake.named("").len(), 3);
}

#[test]
fn a_long_outage_costs_the_oldest_days_and_is_counted() {
    let (fake, folder) = (Fake::default(), tempfile::tempdir().expect("a folder"));
    fake.takes(0);
    let one_day = {
        let mut sums = RecordingSums::new(BEGAN);
        sums.add(&[io(0, 1)]);
        sums.close()
    };
    // Room for three closed days, as one takes less than this and more than half of it.
    let bound = 3 * one_day.bytes();
    let mut live =
        LiveRollup::with_bound(&manifest(), SourceOptions::default(), bound).expect("a machine with a name");
    let mut sums = RecordingSums::new(BEGAN);
    let mut dropped = Vec::new();
    for day in 0..7 {
        sums.add(&[io(day * DAY, 1)]);
        let closed = sums.close_until(day * DAY + 600 * SECOND).expect("five minutes");
        dropped.extend(live.add(closed, &manifest()));
        write_all(&mut live, &fake).expect_err("it is away");
    }
    let first = BEGAN / DAY;
    let expected = [0, 1, 2].map(|day| DroppedDay { day: first + day, ios: 1 });
    assert_eq!(dropped, expected, "the last day and three before are held");
    // One of a day that is not held any more becomes known at the end.
    sums.add(&[io(DAY, 2)]);
    end(&mut live, &mut sums, &folder.path().join("trace"));
    fake.is_there();
    write_all(&mut live, &fake).expect("it is there");
    assert_eq!(live.not_written(), NotWritten { days: 3, dropped_ios: 3, late_ios: 1 });
    let kept: Vec<TracedIo> = (3..7).map(|day| io(day * DAY, 1)).collect();
    assert!(held(&fake) == rollup_of(&kept));
}
