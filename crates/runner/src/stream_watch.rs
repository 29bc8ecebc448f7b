//! What is watched of a drive during a stream: its health after each delay, and its temperature.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_block::{Instant, Nanos};
use drivelab_kinds::WatchedDrive;
use drivelab_kinds::watched::{HealthFindings, HealthNotAsked, HealthSource};
use drivelab_probe::{Health, Roots, Temperature, TemperatureSource, health, temperature};
use drivelab_sim::HealthReadings;
use drivelab_uring::Clock;

use crate::seen_health::SeenHealth;
use crate::slow_drive::SMARTCTL_PATIENCE;

/// How often a suspicion is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// The least time between two readings of a drive's health: each puts commands of its own between the writes.
const HEALTH_EVERY: Nanos = Nanos::from_secs(30);
/// How often the temperature is noted.
const TEMPERATURE_EVERY: Nanos = Nanos::from_secs(30);

/// Watches a drive until it is asked what it saw.
pub struct StreamWatch {
    suspicions: Arc<AtomicU64>,
    thread: Option<(Sender<()>, JoinHandle<SeenHealth>)>,
    health: HealthSource,
}

impl StreamWatch {
    pub fn nothing(why: HealthNotAsked) -> StreamWatch {
        let health = HealthSource::NotAsked { why };
        StreamWatch { suspicions: Arc::default(), thread: None, health }
    }

    /// A simulated drive reads its own health in its own time, wherever this count has grown.
    pub fn of_simulated(suspicions: Arc<AtomicU64>) -> StreamWatch {
        StreamWatch { suspicions, thread: None, health: HealthSource::Asked }
    }

    /// Watches a real drive on a thread of its own: reads its health once, before anything is written, and watches it from
    /// then on.
    pub fn start(drive: &str, node: PathBuf, clock: Clock) -> StreamWatch {
        let suspicions: Arc<AtomicU64> = Arc::default();
        let (seen, source) = match health(&node, SMARTCTL_PATIENCE) {
            Health::Known(report) => (SeenHealth::after(report), HealthSource::Asked),
            Health::NotAvailable(why) => {
                (SeenHealth::default(), HealthSource::Unreadable { why: why.to_string() })
            }
        };
        let watcher = Watcher {
            drive: drive.to_owned(),
            node,
            clock,
            looked_at: None,
            suspicions: Arc::clone(&suspicions),
            answered: 0,
            seen,
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

    /// What was seen of a stream that started then. `simulated` is what a simulated drive read of its own health.
    pub fn finish(self, started_at: Instant, simulated: &HealthReadings) -> WatchedDrive {
        let seen = SeenHealth::of_simulated(simulated).or_else(|| {
            self.thread.and_then(|(end, thread)| {
                drop(end);
                thread.join().ok()
            })
        });
        let source = match (&self.health, &seen) {
            (HealthSource::Asked, None) => {
                let why = "the thread that reads it could not be started".to_owned();
                HealthSource::Unreadable { why }
            }
            _ => self.health,
        };
        let watched = seen.map(|seen| seen.watched(started_at)).unwrap_or_default();
        WatchedDrive { health: HealthFindings { source, ..watched.health }, ..watched }
    }
}

struct Watcher {
    drive: String,
    node: PathBuf,
    clock: Clock,
    /// When the health was read last, the reading before the stream apart.
    looked_at: Option<Instant>,
    suspicions: Arc<AtomicU64>,
    answered: u64,
    seen: SeenHealth,
}

impl Watcher {
    fn watch(mut self, ended: &Receiver<()>) -> SeenHealth {
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
            self.seen.note_temperature(now, degrees.0);
        }
    }

    /// Reads the drive's health where it reported any before the stream began, and notes what moved, or why it could not be
    /// read.
    fn look(&mut self) {
        if !self.seen.is_asked() {
            return;
        }
        let found = health(&self.node, SMARTCTL_PATIENCE);
        let now = self.clock.now();
        self.looked_at = Some(now);
        self.seen.note(now, found);
    }
}
