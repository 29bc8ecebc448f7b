//! What the machine does beside a run: its processors, what tasks wait for, the device's own counters.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_block::{Instant, Nanos};
use drivelab_method::Interrupt;
use drivelab_probe::{
    BlockCounters, Pressure, ProcessorTime, Roots, block_counters, pressure, processor_time,
};
use drivelab_record::{Gauge, GaugeWriter, Readings, RecordError};
use drivelab_safety::DeviceNumber;
use drivelab_uring::Clock;

use super::marks::{Mark, Marks};
use super::nap;
use crate::heat::{DEVICE_BUSY, DEVICE_READ, DEVICE_WRITTEN, HeatGauges, HeatSeconds};

/// The name of its file in a run's folder.
pub const MACHINE: &str = "machine.csv";
/// How often it is read.
const EVERY: Nanos = Nanos::from_secs(1);
/// The shortest interval that is kept: of a few ticks of the kernel nothing can be said.
const SHORTEST: Nanos = Nanos::from_millis(100);
/// How long the machine is watched before the first phase and after the last.
const QUIET: Nanos = Nanos::from_secs(2);

/// The gauges, in the order of [`values`]. Those of the drive's temperature follow.
const GAUGES: [(&str, &str); 12] = [
    ("processors user", "%"),
    ("processors system", "%"),
    ("processors I/O wait", "%"),
    ("processors stolen", "%"),
    ("pressure I/O some", "%"),
    ("pressure I/O full", "%"),
    ("pressure processors some", "%"),
    ("pressure memory some", "%"),
    DEVICE_READ,
    DEVICE_WRITTEN,
    DEVICE_BUSY,
    ("device in flight", "requests"),
];

/// What is read of the drive, in addition to the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct DriveGauges {
    /// The device whose counters are read, where it is known.
    pub device: Option<DeviceNumber>,
    pub heat: HeatGauges,
}

impl DriveGauges {
    /// All gauges that are read of the machine and of this drive.
    pub fn all(&self) -> Vec<Gauge> {
        let gauge = |(name, unit): (&str, &str)| Gauge { name: name.to_owned(), unit: unit.to_owned() };
        GAUGES.into_iter().map(gauge).chain(self.heat.gauges()).collect()
    }
}

/// Reads the machine once a second on a thread of its own, until it is ended. By default nothing is watched: nothing is kept, or
/// time is virtual.
#[derive(Default)]
pub struct MachineWatch {
    thread: Option<(Marks, Watching)>,
    /// How long it is watched after the last phase.
    quiet: Nanos,
}

type Watching = JoinHandle<Result<(), RecordError>>;

impl MachineWatch {
    /// Watches the machine and its drive, for a run in a folder and for the drive's temperature, as far as there are these. Where
    /// there is a folder, this waits until the machine has been watched for a while.
    pub(crate) fn start(
        (folder, seconds): (Option<&Path>, Option<HeatSeconds>),
        drive: DriveGauges,
        clock: Clock,
        interrupt: &Interrupt,
    ) -> Result<MachineWatch, RecordError> {
        let create = |folder: &Path| GaugeWriter::create(&folder.join(MACHINE), &drive.all());
        let mut writer = folder.map(create).transpose()?;
        let mut keep = move |readings: &Readings| {
            seconds.iter().for_each(|seconds| seconds.keep(readings));
            writer.as_mut().map_or(Ok(()), |writer| writer.append(readings))
        };
        let (marks, marked) = Marks::new();
        let watch = move || watch(&mut keep, &drive, clock, &marked);
        // Without the thread the run goes on unwatched.
        let thread = std::thread::Builder::new().name("watch-machine".to_owned()).spawn(watch).ok();
        let quiet = if folder.is_some() { QUIET } else { Nanos::ZERO };
        nap(quiet, interrupt);
        Ok(MachineWatch { thread: thread.map(|thread| (marks, thread)), quiet })
    }

    /// Takes a reading now, so that no interval reaches over this moment; returns when it was taken.
    pub fn mark(&self) {
        if let Some((marks, _)) = &self.thread {
            marks.ask();
        }
    }

    /// Watches for a while longer, unless the user wants to go, and ends; or why readings could not be written.
    pub fn finish(self, interrupt: &Interrupt) -> Result<(), RecordError> {
        let Some((marks, thread)) = self.thread else { return Ok(()) };
        nap(self.quiet, interrupt);
        drop(marks);
        thread.join().unwrap_or(Ok(()))
    }

    /// Ends at once: the drive hangs, and a reading of its temperature may hang with it. The thread is left then.
    pub fn leave(self) -> Result<(), RecordError> {
        let Some((marks, thread)) = self.thread else { return Ok(()) };
        drop(marks);
        for _ in 0..LEFT_AFTER {
            if thread.is_finished() {
                return thread.join().unwrap_or(Ok(()));
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "a thread that reads files ends within some milliseconds"
            )]
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

/// How many hundredths of a second the thread may take for its end where the drive hangs.
const LEFT_AFTER: u32 = 20;

fn watch(
    keep: &mut impl FnMut(&Readings) -> Result<(), RecordError>,
    drive: &DriveGauges,
    clock: Clock,
    marked: &Receiver<Mark>,
) -> Result<(), RecordError> {
    let device = drive.device;
    let (mut before, mut due) = (Counters::now(device, clock), clock.now() + EVERY);
    loop {
        let asked = marked.recv_timeout(Duration::from_nanos(due.since(clock.now()).get()));
        let now = Counters::now(device, clock);
        if now.at.since(before.at) >= SHORTEST {
            let mut values = values(&before, &now);
            values.extend(drive.heat.at(now.at));
            keep(&Readings { from: before.at, until: now.at, values })?;
        }
        match asked {
            Err(RecvTimeoutError::Timeout) => due += EVERY,
            Ok(_) => due = now.at + EVERY,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        before = now;
    }
}

struct Counters {
    at: Instant,
    processors: Option<ProcessorTime>,
    pressure: Option<Pressure>,
    device: Option<BlockCounters>,
}

impl Counters {
    fn now(device: Option<DeviceNumber>, clock: Clock) -> Counters {
        let roots = Roots::live();
        Counters {
            at: clock.now(),
            processors: processor_time(&roots),
            pressure: pressure(&roots),
            device: device.and_then(|device| block_counters(&roots, device.major, device.minor)),
        }
    }
}

/// What each gauge showed from one reading to the next.
fn values(before: &Counters, now: &Counters) -> Vec<Option<f64>> {
    let nanos = now.at.since(before.at).get().max(1) as f64;
    let processors = now.processors.zip(before.processors).map(|(now, before)| now.since(&before));
    let processor_share = |part: fn(&ProcessorTime) -> u64| {
        let ticks = processors.as_ref()?;
        let all = ticks.user + ticks.system + ticks.iowait + ticks.idle + ticks.steal;
        (all > 0).then(|| part(ticks) as f64 / all as f64 * 100.0)
    };
    let stalled = |part: fn(&Pressure) -> u64| {
        let (now, before) = now.pressure.as_ref().zip(before.pressure.as_ref())?;
        Some(part(now).saturating_sub(part(before)) as f64 * 1e3 / nanos * 100.0)
    };
    let device = |part: fn(&BlockCounters) -> u64| {
        let (now, before) = now.device.as_ref().zip(before.device.as_ref())?;
        Some(part(now).saturating_sub(part(before)) as f64)
    };
    let mb_s = |bytes: f64| bytes / 1e6 / (nanos / 1e9);
    vec![
        processor_share(|ticks| ticks.user),
        processor_share(|ticks| ticks.system),
        processor_share(|ticks| ticks.iowait),
        processor_share(|ticks| ticks.steal),
        stalled(|all| all.io_some),
        stalled(|all| all.io_full),
        stalled(|all| all.processors_some),
        stalled(|all| all.memory_some),
        device(|all| all.read_bytes).map(mb_s),
        device(|all| all.written_bytes).map(mb_s),
        // Counted in ticks of the kernel: a second of them can be one too long.
        device(|all| all.busy_ms).map(|busy| (busy * 1e6 / nanos * 100.0).min(100.0)),
        device(|all| all.queued_ms).map(|queued| queued * 1e6 / nanos),
    ]
}

#[cfg(test)]
mod tests {
    use drivelab_record::GaugeReader;

    use super::*;

    #[test]
    fn what_lies_between_two_marks_is_read_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let (clock, interrupt) = (Clock::start(), Interrupt::default());
        let (kept_in, drive) = ((Some(folder.path()), None), DriveGauges::default());
        let watch = MachineWatch::start(kept_in, drive, clock, &interrupt).expect("a file");
        let from = clock.now();
        watch.mark();
        nap(Nanos::from_millis(200), &interrupt);
        watch.mark();
        let until = clock.now();
        watch.finish(&interrupt).expect("readings");
        let reader = GaugeReader::open(&folder.path().join(MACHINE)).expect("a file").expect("readings");
        let within = reader.filter(|one| one.from >= from && one.until <= until);
        let covered: f64 = within.map(|one| one.until.since(one.from).as_secs_f64()).sum();
        assert!(covered >= 0.2, "{covered} s between the marks are covered");
    }

    #[test]
    fn counters_become_shares_and_rates() {
        let none = Counters { at: Instant::ORIGIN, processors: None, pressure: None, device: None };
        let ticks = |user, idle| ProcessorTime { user, idle, ..ProcessorTime::default() };
        let zero = Counters {
            at: Instant::ORIGIN,
            processors: Some(ticks(10, 10)),
            pressure: Some(Pressure::default()),
            device: Some(BlockCounters::default()),
        };
        let later = Counters {
            at: Instant::from_nanos(2_000_000_000),
            processors: Some(ticks(60, 160)),
            pressure: Some(Pressure { io_some: 500_000, ..Pressure::default() }),
            device: Some(BlockCounters {
                read_bytes: 0,
                written_bytes: 400_000_000,
                busy_ms: 2_010,
                queued_ms: 64_000,
                ..BlockCounters::default()
            }),
        };
        let found = values(&zero, &later);
        assert_eq!(found.len(), GAUGES.len());
        let of = |name: &str| found[GAUGES.iter().position(|gauge| gauge.0 == name).expect("a gauge")];
        assert_eq!(of("processors user"), Some(25.0));
        assert_eq!(of("processors stolen"), Some(0.0));
        assert_eq!(of("pressure I/O some"), Some(25.0));
        assert_eq!(of("device written"), Some(200.0));
        assert_eq!(of("device busy"), Some(100.0));
        assert_eq!(of("device in flight"), Some(32.0));
        assert!(values(&none, &later).iter().all(Option::is_none));
    }
}
