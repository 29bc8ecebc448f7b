//! What is watched of a real drive during a stream: its health after each delay, and its temperature.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_block::{Instant, Nanos};
use drivelab_probe::{
    Health, HealthReport, HealthVerdict, Roots, Temperature, TemperatureSource, health, judge, temperature,
};
use drivelab_tests::WatchedDrive;
use drivelab_tests::watched::{
    HealthFindings, HealthNotAsked, HealthOutcome, HealthReading, HealthSource, MovedCounters,
};
use drivelab_uring::Clock;

/// How often a suspicion is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// The least time between two readings of a drive's health: each puts commands of its own between the writes.
const HEALTH_EVERY: Nanos = Nanos::from_secs(30);
/// How often the temperature is noted.
const TEMPERATURE_EVERY: Nanos = Nanos::from_secs(30);
/// How long smartctl may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Watches a drive on a thread of its own, until it is asked what it saw.
pub struct StreamWatch {
    suspicions: Arc<AtomicU64>,
    thread: Option<(Sender<()>, JoinHandle<Seen>)>,
    health: HealthSource,
}

/// What was seen, on the clock of the run.
struct Seen {
    readings: Vec<(Instant, HealthReading)>,
    temperatures: Vec<(Instant, i32)>,
    worsened: Vec<String>,
}

impl StreamWatch {
    /// Watches nothing, for this reason.
    pub fn nothing(why: HealthNotAsked) -> StreamWatch {
        let health = HealthSource::NotAsked { why };
        StreamWatch { suspicions: Arc::default(), thread: None, health }
    }

    /// Reads the drive's health once, before anything is written, and watches it from then on.
    pub fn start(drive: &str, node: PathBuf, clock: Clock) -> StreamWatch {
        let suspicions: Arc<AtomicU64> = Arc::default();
        let (first, source) = match health(&node, PATIENCE) {
            Health::Known(report) => (Some(report), HealthSource::Asked),
            Health::NotAvailable(why) => (None, HealthSource::Unreadable { why: why.to_string() }),
        };
        let watcher = Watcher {
            drive: drive.to_owned(),
            node,
            clock,
            first: first.as_deref().map(verdict),
            health: first,
            looked_at: None,
            suspicions: Arc::clone(&suspicions),
            answered: 0,
            seen: Seen { readings: Vec::new(), temperatures: Vec::new(), worsened: Vec::new() },
        };
        let (end, ended) = channel();
        let watch = move || watcher.watch(&ended);
        // Without the thread the stream goes on unwatched.
        let thread = std::thread::Builder::new().name("watch-stream".to_owned()).spawn(watch).ok();
        StreamWatch { suspicions, thread: thread.map(|thread| (end, thread)), health: source }
    }

    /// Where the stream counts writes that may be delays.
    pub fn suspicions(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.suspicions)
    }

    /// What was seen of a stream that started then.
    pub fn finish(self, started_at: Instant) -> WatchedDrive {
        let mut health = HealthFindings { source: self.health, ..HealthFindings::default() };
        let seen = self.thread.and_then(|(end, thread)| {
            drop(end);
            thread.join().ok()
        });
        let Some(seen) = seen else {
            if health.source == HealthSource::Asked {
                let why = "the thread that reads it could not be started".to_owned();
                health.source = HealthSource::Unreadable { why };
            }
            return WatchedDrive { health, ..WatchedDrive::default() };
        };
        let at_s = |at: Instant| {
            let since = i128::from(at.as_nanos()) - i128::from(started_at.as_nanos());
            since as f64 / 1e9
        };
        health.readings = seen
            .readings
            .into_iter()
            .map(|(at, reading)| HealthReading { at_s: at_s(at), ..reading })
            .collect();
        health.temperature_celsius =
            seen.temperatures.into_iter().map(|(at, degrees)| (at_s(at), degrees)).collect();
        WatchedDrive { health, worsened: seen.worsened }
    }
}

/// What a report of health comes to.
fn verdict(report: &HealthReport) -> HealthVerdict {
    judge(&Health::Known(Box::new(report.clone())))
}

struct Watcher {
    drive: String,
    node: PathBuf,
    clock: Clock,
    health: Option<Box<HealthReport>>,
    /// What the first reading came to.
    first: Option<HealthVerdict>,
    /// When the health was read last, the reading before the stream apart.
    looked_at: Option<Instant>,
    suspicions: Arc<AtomicU64>,
    answered: u64,
    seen: Seen,
}

impl Watcher {
    fn watch(mut self, ended: &std::sync::mpsc::Receiver<()>) -> Seen {
        let mut next_temperature = self.clock.now();
        loop {
            let is_over = ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout);
            let now = self.clock.now();
            if now >= next_temperature {
                next_temperature = now + TEMPERATURE_EVERY;
                self.note_temperature(now);
            }
            let suspicions = self.suspicions.load(Ordering::Relaxed);
            let is_time = self.looked_at.is_none_or(|at| now.since(at) >= HEALTH_EVERY);
            let is_due = suspicions > self.answered && is_time;
            if is_due || is_over {
                self.answered = suspicions;
                self.look();
            }
            if is_over {
                return self.seen;
            }
        }
    }

    fn note_temperature(&mut self, now: Instant) {
        let found = temperature(&Roots::live(), &self.drive, Duration::ZERO);
        if let Temperature::Known(degrees, TemperatureSource::Sensor) = found {
            self.seen.temperatures.push((now, degrees.0));
        }
    }

    /// Reads the drive's health where it told any before the stream began, and notes what moved, or why it could not be
    /// read.
    fn look(&mut self) {
        let Some(before) = &self.health else { return };
        let found = health(&self.node, PATIENCE);
        let now = self.clock.now();
        self.looked_at = Some(now);
        let mut note = |outcome| self.seen.readings.push((now, HealthReading { at_s: 0.0, outcome }));
        let after = match found {
            Health::Known(after) => after,
            Health::NotAvailable(why) => return note(HealthOutcome::Unreadable { why: why.to_string() }),
        };
        let moved = before.changes(&after).into_iter();
        let changed: MovedCounters =
            moved.map(|change| (change.name, (change.before, change.after))).collect();
        note(HealthOutcome::Read { changed });
        if let Some(degrees) = after.temperature_celsius {
            self.seen.temperatures.push((now, degrees));
        }
        if let Some(first) = &self.first {
            self.seen.worsened = verdict(&after).news(first);
        }
        self.health = Some(after);
    }
}
