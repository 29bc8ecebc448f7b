//! Watches a real drive while it works: its temperature, on a thread of its own.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::Failure;
use drivelab_method::Interrupt;
use drivelab_probe::{Celsius, Roots, Temperature, TemperatureSource, temperature};
use drivelab_record::{Notice, Severity};

/// How often the temperature is read. The kernel asks a SATA drive with a command that waits for all others, so
/// that each reading costs a moment of the run: seldom enough not to show, often enough for a heat sink.
const EVERY: Duration = Duration::from_secs(30);

/// Reads a drive's temperature now and then, and ends the run where it is over the limit.
///
/// Only the kernel's sensor is read: smartctl would put many commands of its own between the I/Os. A drive that
/// hangs keeps this thread waiting and nobody else.
#[derive(Debug)]
pub struct Watch {
    seen: Arc<Mutex<Seen>>,
    /// The thread ends when this is dropped.
    _end: Option<Sender<()>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    hottest: Option<Celsius>,
    stopped_at: Option<Celsius>,
}

impl Watch {
    /// Watches nothing.
    pub fn nothing() -> Watch {
        Watch { seen: Arc::default(), _end: None }
    }

    /// Watches the drive with this kernel name, where it has a sensor.
    pub fn start(drive: Option<String>, limit: i32, interrupt: &Interrupt) -> Watch {
        let Some(drive) = drive.filter(|drive| read(drive).is_some()) else { return Watch::nothing() };
        let (end, ended) = channel();
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let (shared, interrupt, limit) = (Arc::clone(&seen), interrupt.clone(), Celsius(limit));
        let watch = move || {
            loop {
                note(&shared, read(&drive), limit, &interrupt);
                if ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        // Without the thread the run goes on unwatched, as on a drive without a sensor.
        let started = std::thread::Builder::new().name("watch".to_owned()).spawn(watch).is_ok();
        if started { Watch { seen, _end: Some(end) } } else { Watch::nothing() }
    }

    /// The temperature that ended the run, in degrees Celsius.
    pub fn stopped_at(&self) -> Option<i32> {
        self.seen.lock().ok()?.stopped_at.map(|degrees| degrees.0)
    }

    /// What the reader of the run has to know of the drive's temperature, where it was read.
    pub fn notice(&self) -> Option<Notice> {
        let stopped = self.stopped_at().map(|degrees| Notice {
            severity: Severity::Failure,
            text: format!("The run was stopped: the drive was at {degrees} C, over --temperature-limit."),
        });
        stopped.or_else(|| {
            self.hottest().map(|degrees| Notice {
                severity: Severity::Note,
                text: format!("The drive's highest temperature was {degrees} degrees Celsius."),
            })
        })
    }

    /// Whether the drive is still within its limit.
    ///
    /// # Errors
    /// Where its temperature ended the run.
    pub fn check(&self) -> Result<(), Failure> {
        self.stopped_at().map_or(Ok(()), |degrees| {
            let text = format!("the run was stopped: the drive was at {degrees} C, over --temperature-limit");
            Err(Failure::Environment(text))
        })
    }

    /// The highest temperature seen, in degrees Celsius.
    pub fn hottest(&self) -> Option<i32> {
        self.seen.lock().ok()?.hottest.map(|degrees| degrees.0)
    }
}

fn read(drive: &str) -> Option<Celsius> {
    match temperature(&Roots::live(), drive, Duration::ZERO) {
        Temperature::Known(degrees, TemperatureSource::Sensor) => Some(degrees),
        _ => None,
    }
}

fn note(seen: &Mutex<Seen>, degrees: Option<Celsius>, limit: Celsius, interrupt: &Interrupt) {
    let (Some(degrees), Ok(mut seen)) = (degrees, seen.lock()) else { return };
    seen.hottest = seen.hottest.max(Some(degrees));
    if degrees > limit && seen.stopped_at.is_none() {
        seen.stopped_at = Some(degrees);
        interrupt.raise();
    }
}
