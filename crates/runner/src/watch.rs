//! Watches a real target while it works: the temperature of a drive, what the kernel says about it, and whether the kernel begins
//! to use it, each on a thread of its own.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drivelab_documents::{HeatDocument, KernelLog, Notice};
use drivelab_method::Interrupt;
use drivelab_safety::UsageMonitor;

use super::{Failure, KernelWatch, Real, TemperatureLimit};
use crate::heat::{HeatGauges, HeatWatch};
use crate::kernel_watch::DriveAnswers;
use crate::nvme_paths::PathWatch;

/// How often a target is looked at for loop devices and the like. A look is a few reads of /sys and /proc, and
/// goes to no drive.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Looks once whether the kernel uses the target, and says how, as a sentence without its full stop.
pub fn look_once(monitor: &mut UsageMonitor) -> Option<String> {
    let refusal = monitor.look().err()?;
    let reasons: Vec<String> = refusal.reasons.iter().map(ToString::to_string).collect();
    Some(format!("{} came into use: {}", refusal.target, reasons.join("; ")))
}

/// What is watched of a real target. A drive's temperature ends the run where it is over the limit.
///
/// Only the kernel's sensor is read: smartctl would put many commands of its own between the I/Os.
///
/// By default nothing is watched.
#[derive(Debug, Default)]
pub struct Watch {
    /// Why the target may not be written any more, where another use of it has begun.
    used: Arc<Mutex<Option<String>>>,
    heat: HeatWatch,
    kernel: KernelWatch,
    paths: PathWatch,
    /// The thread that looks for other uses ends when this is dropped.
    end: Option<Sender<()>>,
}

impl Watch {
    /// Watches a target until it is dropped. A temperature over the limit ends the run, and so does another use of the target.
    ///
    /// # Errors
    /// Where the limit was given and the temperature is not known, where the drive is warmer already, and where no thread can be
    /// started that looks for other uses: a run that is not looked after is not begun.
    pub fn start(real: &Real, limit: TemperatureLimit, interrupt: &Interrupt) -> Result<Watch, Failure> {
        Watch::with_answers(real, limit, interrupt, Some(DriveAnswers::default()))
    }

    /// The same of a run that knows by its own I/Os whether the drive answers.
    pub fn of_own_ios(real: &Real, limit: TemperatureLimit, interrupt: &Interrupt) -> Result<Watch, Failure> {
        Watch::with_answers(real, limit, interrupt, None)
    }

    /// Only looks whether the kernel begins to use the target, until it is dropped: for what is ended by no temperature.
    pub fn of_uses(real: &Real, interrupt: &Interrupt) -> Result<Watch, Failure> {
        Watch::default().with_usage_monitor(real.usage_monitor(), interrupt)
    }

    fn with_answers(
        real: &Real,
        limit: TemperatureLimit,
        interrupt: &Interrupt,
        answers: Option<DriveAnswers>,
    ) -> Result<Watch, Failure> {
        let heat = HeatWatch::start(real, limit, interrupt)?;
        let mut watch = Watch::of_heat(heat);
        if let Some(drive) = real.whole_device() {
            watch.paths = PathWatch::start(drive, real.clock);
            watch.kernel = KernelWatch::start((drive, real.device()), real.clock, interrupt, answers);
        }
        watch.with_usage_monitor(real.usage_monitor(), interrupt)
    }

    /// Watches how warm the drive is, and nothing else.
    pub(crate) fn of_heat(heat: HeatWatch) -> Watch {
        Watch { heat, ..Watch::default() }
    }

    /// Also looks whether the kernel begins to use the target, and ends the run where it does.
    fn with_usage_monitor(
        mut self,
        monitor: Option<UsageMonitor>,
        interrupt: &Interrupt,
    ) -> Result<Watch, Failure> {
        let Some(mut monitor) = monitor else { return Ok(self) };
        let (shared, interrupt) = (Arc::clone(&self.used), interrupt.clone());
        let (end, ended) = channel();
        // The first look is at once, and on the thread: a scan of all processes takes a while.
        let watch = move || {
            loop {
                if let Some(used) = look_once(&mut monitor) {
                    // Noted before the run is ended, so that the end is not taken for an interruption by the user.
                    if let Ok(mut known) = shared.lock() {
                        *known = Some(used);
                    }
                    return interrupt.raise();
                }
                if ended.recv_timeout(LOOK_EVERY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let started = std::thread::Builder::new().name("watch-target".to_owned()).spawn(watch);
        started.map_err(|error| Failure::no_thread("the target cannot be looked after", &error))?;
        self.end = Some(end);
        Ok(self)
    }

    /// The temperature that ended the run, in degrees Celsius.
    pub fn stopped_at(&self) -> Option<i32> {
        self.heat.stopped_at().map(|degrees| degrees.0)
    }

    /// What the reader of the run has to know of what was watched.
    pub fn notices(&self) -> Vec<Notice> {
        let stopped = |text| Notice::failure(format!("The run was stopped: {text}."));
        let stopped = [self.used(), self.kernel.gone()].into_iter().flatten().map(stopped);
        let of_drive = self.kernel.notices().into_iter().chain(self.paths.notices());
        stopped.chain(of_drive).chain(self.temperature_notices()).collect()
    }

    /// What the kernel has said about the drive so far.
    pub fn kernel_log(&self) -> KernelLog {
        self.kernel.log()
    }

    /// That no temperature ends a run which writes.
    pub fn temperature_notice(&self) -> Option<Notice> {
        self.heat.notice.clone()
    }

    fn temperature_notices(&self) -> impl Iterator<Item = Notice> {
        let stopped = self.stopped_at().map(|degrees| {
            Notice::failure(format!(
                "The run was stopped: the drive was at {degrees} °C, over the limit of the run \
                 (--temperature-limit sets it)."
            ))
        });
        let reached = stopped.or_else(|| {
            let hottest = self.heat.hottest()?;
            Some(Notice::note(format!("The drive's highest temperature was {hottest}.")))
        });
        reached.into_iter().chain(self.temperature_notice()).chain(self.heat.unread())
    }

    /// Whether no other use of the target has begun, and the drive is still there.
    ///
    /// # Errors
    /// Where a use, or the loss of the drive, ended the run.
    pub fn check(&self) -> Result<(), Failure> {
        if let Some(text) = self.used() {
            return Err(refused!("the run was stopped: {text}"));
        }
        self.kernel.gone().map_or(Ok(()), |text| Err(Failure::DriveFailed(text)))
    }

    /// Which other use of the target has begun, as a sentence without its full stop; none if none has.
    pub fn used(&self) -> Option<String> {
        self.used.lock().ok()?.clone()
    }

    /// The sensors of the drive, to be read with the machine.
    pub(crate) fn heat_gauges(&self) -> HeatGauges {
        self.heat.gauges.clone()
    }

    /// How warm the drive has been so far. A drive that is gone is not asked.
    pub(crate) fn heat(&self) -> Option<HeatDocument> {
        if self.kernel.gone().is_some() { None } else { self.heat.document() }
    }
}
