//! Watches a real target while it works: the temperature of a drive, what the kernel says about it, and whether the kernel begins
//! to use a file, each on a thread of its own.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drivelab_method::Interrupt;
use drivelab_probe::{Celsius, Roots, Temperature, TemperatureSource, temperature};
use drivelab_record::{KernelLog, Notice, Severity};
use drivelab_safety::Sentry;

use super::{Failure, KernelWatch, Real};

/// How often the temperature is read. The kernel asks a SATA drive with a command that waits for all others, so
/// that each reading costs a moment of the run: seldom enough not to show, often enough for a heat sink.
const EVERY: Duration = Duration::from_secs(30);
/// How often a file is looked at for loop devices and the like. A look is a few reads of /sys and /proc, and
/// goes to no drive.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is watched of a real target. A drive's temperature is read now and then, and ends the run where it is over the limit.
///
/// Only the kernel's sensor is read: smartctl would put many commands of its own between the I/Os. A drive that
/// hangs keeps this thread waiting and nobody else.
#[derive(Debug)]
pub struct Watch {
    seen: Arc<Mutex<Seen>>,
    kernel: KernelWatch,
    /// The threads end when these are dropped.
    ends: Vec<Sender<()>>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    hottest: Option<Celsius>,
    stopped_at: Option<Celsius>,
    /// Why the target may not be written any more, where another use of it has begun.
    used: Option<String>,
}

impl Watch {
    /// Watches nothing.
    pub fn nothing() -> Watch {
        Watch { seen: Arc::default(), kernel: KernelWatch::nothing(), ends: Vec::new() }
    }

    /// Watches a target until it is dropped. A temperature over `limit`, in degrees Celsius, ends the run, and so does another
    /// use of the target.
    ///
    /// # Errors
    /// Where no thread can be started that looks for other uses: a run that is not looked after is not begun.
    pub fn of(real: &Real, limit: i32, interrupt: &Interrupt) -> Result<Watch, Failure> {
        let drive = real.whole_device();
        let mut watch = drive.map_or_else(Watch::nothing, |drive| Watch::heat(drive, limit, interrupt));
        if let Some(drive) = drive {
            watch.kernel = KernelWatch::start(drive, real.device(), real.clock(), interrupt);
        }
        watch.with_sentry(real.sentry(), interrupt)
    }

    /// Watches the temperature of the drive with this kernel name, where it has a sensor.
    fn heat(drive: &str, limit: i32, interrupt: &Interrupt) -> Watch {
        if read(drive).is_none() {
            return Watch::nothing();
        }
        let drive = drive.to_owned();
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
        if started { Watch { seen, ends: vec![end], ..Watch::nothing() } } else { Watch::nothing() }
    }

    /// Also looks whether the kernel begins to use the target, and ends the run where it does.
    fn with_sentry(mut self, sentry: Option<Sentry>, interrupt: &Interrupt) -> Result<Watch, Failure> {
        let Some(mut sentry) = sentry else { return Ok(self) };
        let (end, ended) = channel();
        let (shared, interrupt) = (Arc::clone(&self.seen), interrupt.clone());
        let watch = move || {
            loop {
                if let Err(refusal) = sentry.look() {
                    let reasons: Vec<String> = refusal.reasons.iter().map(ToString::to_string).collect();
                    let used = format!("{} came into use: {}", refusal.target, reasons.join("; "));
                    // Noted before the run is ended, so that the end is not taken for an interruption by the user.
                    if let Ok(mut seen) = shared.lock() {
                        seen.used = Some(used);
                    }
                    return interrupt.raise();
                }
                if ended.recv_timeout(LOOK_EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let started = std::thread::Builder::new().name("watch-target".to_owned()).spawn(watch);
        started.map_err(|error| Failure::io("the target cannot be looked after", &error))?;
        self.ends.push(end);
        Ok(self)
    }

    /// The temperature that ended the run, in degrees Celsius.
    pub fn stopped_at(&self) -> Option<i32> {
        self.seen.lock().ok()?.stopped_at.map(|degrees| degrees.0)
    }

    /// What the reader of the run has to know of what was watched.
    pub fn notices(&self) -> Vec<Notice> {
        let stopped = |text| Notice::failure(format!("The run was stopped: {text}."));
        let stopped = [self.used(), self.kernel.gone()].into_iter().flatten().map(stopped);
        stopped.chain(self.kernel.notices()).chain(self.temperature_notice()).collect()
    }

    /// What the kernel has said about the drive so far.
    pub fn kernel_log(&self) -> KernelLog {
        self.kernel.log()
    }

    fn temperature_notice(&self) -> Option<Notice> {
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

    /// Whether no other use of the target has begun, and the drive is still there.
    ///
    /// # Errors
    /// Where a use, or the loss of the drive, ended the run.
    pub fn check(&self) -> Result<(), Failure> {
        if let Some(text) = self.used() {
            return Err(Failure::Refused(format!("the run was stopped: {text}")));
        }
        self.kernel.gone().map_or(Ok(()), |text| Err(Failure::DriveFailed(text)))
    }

    fn used(&self) -> Option<String> {
        self.seen.lock().ok()?.used.clone()
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
