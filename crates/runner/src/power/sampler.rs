//! Reads a meter ten times a second, on a thread of its own.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use drivelab_documents::{MeterDocument, WrongReadingsDocument};
use drivelab_meter::{Meter, MeterError, Reading};
use drivelab_stats::{PowerKind, PowerPoint, PowerTrack};

use super::super::conditions::monotonic;
use super::MeterReadings;
use super::file::PowerFile;
use crate::Failure;

/// How often the meter is read.
const PERIOD_NANOS: u64 = 100_000_000;
const READINGS_A_SECOND: usize = 10;
/// How long a meter may say nothing that can be believed before it is given up.
const GIVE_UP_NANOS: u64 = 10_000_000_000;
/// How long the end waits for a reading that is under way. A sensor on a bus that hangs is not waited for longer.
const LAST_READING: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, Default)]
struct Sampled {
    /// What the values are; known with the first.
    kind: Option<PowerKind>,
    /// The readings, on `CLOCK_MONOTONIC`.
    points: Vec<PowerPoint>,
    /// The meter, with the readings that were due and were not tried.
    meter: MeterDocument,
    /// When a reading gave no figure, on `CLOCK_MONOTONIC`, in seconds.
    failures_s: Vec<f64>,
    /// What gave no figure, by its kind.
    wrong: BTreeMap<&'static str, WrongReadingsDocument>,
    /// Why readings could not be written.
    not_kept: Option<String>,
}

/// What the reading thread shares.
#[derive(Debug)]
struct SamplerShared {
    sampled: Sampled,
    file: Option<PowerFile>,
}

#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Mutex<SamplerShared>>,
    end: Sender<()>,
    ended: Receiver<()>,
}

impl Sampler {
    /// Begins to read a meter, which the document names.
    pub fn start(mut meter: Meter, document: MeterDocument) -> Result<Sampler, Failure> {
        let (end, wanted) = channel();
        let (done, ended) = channel();
        let sampled = Sampled { meter: document, ..Sampled::default() };
        let shared = Arc::new(Mutex::new(SamplerShared { sampled, file: None }));
        let used = Arc::clone(&shared);
        let sample = move || {
            run(&mut meter, &used, &wanted);
            let _ = done.send(());
        };
        let started = std::thread::Builder::new().name("meter".to_owned()).spawn(sample);
        started.map_err(|error| Failure::no_thread("the meter cannot be read during the run", &error))?;
        Ok(Sampler { shared, end, ended })
    }

    /// Writes readings into a file from now on.
    pub fn keep_in(&self, file: PowerFile) {
        lock(&self.shared).file = Some(file);
    }

    /// The power in watts by the latest reading, of a counter of energy by the last second; none where that is not known.
    pub fn latest_watts(&self) -> Option<f64> {
        let shared = lock(&self.shared);
        let (latest, before) = shared.sampled.points.split_last()?;
        match shared.sampled.kind? {
            PowerKind::Watts | PowerKind::Gauge => Some(latest.value),
            PowerKind::Joules => {
                let first = before.get(before.len().saturating_sub(READINGS_A_SECOND))?;
                Some((latest.value - first.value) / (latest.at_s - first.at_s))
            }
        }
    }

    /// Whether the meter gave nothing for too long, and is read no further.
    pub fn is_given_up(&self) -> bool {
        lock(&self.shared).sampled.meter.given_up
    }

    /// Ends the reading, and hands out what there is.
    pub fn finish(self) -> MeterReadings {
        drop(self.end);
        let _ = self.ended.recv_timeout(LAST_READING);
        let Sampled { kind, points, mut meter, failures_s, wrong, not_kept } =
            lock(&self.shared).sampled.clone();
        meter.taken = points.len() as u64;
        meter.wrong = wrong.into_values().collect();
        let not_kept = not_kept.map(|why| format!("The power over time is not kept: {why}."));
        let failed = meter.wrong.iter().map(|wrong| {
            format!("The meter failed {} times, the first time so: {}.", wrong.count, wrong.first)
        });
        let notices = not_kept.into_iter().chain(failed).collect();
        let track = PowerTrack::new(kind.unwrap_or(PowerKind::Watts), points);
        MeterReadings { track: track.with_failures(failures_s), meter, notices }
    }
}

fn lock(shared: &Mutex<SamplerShared>) -> MutexGuard<'_, SamplerShared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads on an absolute schedule: a late reading does not push back those after it.
fn run(meter: &mut Meter, shared: &Mutex<SamplerShared>, wanted: &Receiver<()>) {
    let mut due = monotonic();
    let (first, mut last_good) = (due, None);
    loop {
        let begun = monotonic();
        let since = last_good.map_or(Duration::MAX, |last| Duration::from_nanos(begun - last));
        let reading = meter.read(since);
        let now = monotonic();
        let is_good = reading.is_ok();
        {
            let mut shared = lock(shared);
            shared.take(reading, begun, now);
            let sampled = &mut shared.sampled;
            sampled.meter.due += 1;
            if is_good {
                last_good = Some(begun);
            } else if now - last_good.unwrap_or(first) >= GIVE_UP_NANOS {
                sampled.meter.given_up = true;
                let why = sampled.wrong.values().max_by_key(|wrong| wrong.count);
                let why = why.map_or_else(String::new, |wrong| format!(" ({})", wrong.first));
                let name = &sampled.meter.name;
                say!("drivelab: the meter {name} said nothing usable for 10 s{why}: given up");
                return;
            }
            due += PERIOD_NANOS;
            while due + PERIOD_NANOS <= now {
                due += PERIOD_NANOS;
                sampled.meter.due += 1;
                sampled.meter.missed += 1;
            }
        }
        let wait = Duration::from_nanos(due.saturating_sub(monotonic()));
        if wanted.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

impl SamplerShared {
    /// Notes a reading, at the middle of the time that it took; a counter's at its end.
    fn take(&mut self, reading: Result<Reading, MeterError>, begun: u64, now: u64) {
        let (kind, at, value) = match reading {
            Ok(Reading::Watts(watts)) => (PowerKind::Watts, begun + (now - begun) / 2, watts),
            Ok(Reading::Gauge(watts)) => (PowerKind::Gauge, begun + (now - begun) / 2, watts),
            Ok(Reading::Joules(joules)) => (PowerKind::Joules, now, joules),
            Err(error) => {
                self.sampled.failures_s.push(now as f64 / 1e9);
                let (kind, first) = (error.kind(), error.to_string());
                let wrong = WrongReadingsDocument { kind: kind.to_owned(), count: 0, first };
                self.sampled.wrong.entry(kind).or_insert(wrong).count += 1;
                return;
            }
        };
        let point = PowerPoint { at_s: at as f64 / 1e9, value };
        self.sampled.kind = Some(kind);
        self.sampled.points.push(point);
        if let Some(Err(why)) = self.file.as_mut().map(|file| file.read(kind, point)) {
            self.sampled.not_kept = Some(why.to_string());
            self.file = None;
        }
    }
}
