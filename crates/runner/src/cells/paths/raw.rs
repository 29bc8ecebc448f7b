//! The raw paths: the same loop as every load, with the engine of every load or with the drive's own commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{ByteCount, Engine, Nanos, Payload, Request};
use drivelab_kinds::paths::PathsPlan;
use drivelab_method::{RunRecorder, Workers, conduct};
use drivelab_uring::Clock;
use drivelab_workload::Incompressible;

use super::machine::MachineReading;
use crate::served::Served;
use crate::{Failure, Failures, Quiet};

#[derive(Clone, Copy, Debug)]
pub struct RawSpent {
    /// From the start to the last completion.
    pub elapsed: Nanos,
    pub bytes: ByteCount,
    /// The machine when the first write was about to be asked for; none on a simulated drive.
    pub started: Option<MachineReading>,
}

/// Writes the files of one size, in requests of another, through an engine, and adds to `served` what the drive did.
/// `read` reads the machine, where there is one.
pub fn write<E: Engine + Send + 'static>(
    plan: &PathsPlan,
    (file, request): (ByteCount, ByteCount),
    (stage, served): (&mut Workers<E>, &mut Served),
    read: impl Fn() -> Option<MachineReading>,
) -> Result<RawSpent, Failure> {
    let mut recorder = RunRecorder::new(None, None);
    let mut started = None;
    let mut quiet = Quiet::default();
    quiet.at_begin = Some(Box::new(|| started = read()));
    let phase = plan.phase(file, request);
    let ended = conduct(&phase, stage, vec![plan.writes(file, request)], &mut recorder, &mut quiet);
    drop(quiet);
    let kept = recorder.finish();
    served.add(&phase.name, &kept.analysis);
    // A simulated drive has no machine to be read, and no kernel that logs its errors.
    let is_real = started.is_some();
    ended.map_err(|error| Failure::of_phase(&error, is_real))?;
    let Some(phase) = kept.analysis.phases().last() else {
        return Err(Failure::Environment("the raw path ended before its first write".to_owned()));
    };
    let (failed, lost) = (phase.failed(), kept.lost_in_queues);
    if failed > 0 {
        let mut failures = Failures::default();
        failures.add(&phase.failures);
        let hint = if is_real { ": see the kernel's log, and look at the drive's health" } else { "" };
        return Err(Failure::DriveFailed(format!("{failed} writes failed ({}){hint}", failures.words())));
    }
    if lost > 0 {
        return Err(environment!("{lost} writes were not counted: run it again"));
    }
    Ok(RawSpent { elapsed: phase.span(), bytes: phase.bytes(), started })
}

/// A payload that says how long its data took to make.
pub struct Timed {
    payload: Incompressible,
    clock: Clock,
    spent: Arc<AtomicU64>,
}

impl Timed {
    /// The payload, and where its nanoseconds are counted.
    pub fn new(payload: Incompressible, clock: Clock) -> (Timed, Arc<AtomicU64>) {
        let spent = Arc::new(AtomicU64::new(0));
        (Timed { payload, clock, spent: Arc::clone(&spent) }, spent)
    }
}

impl Payload for Timed {
    fn fill(&mut self, buffer: &mut [u8]) {
        self.payload.fill(buffer);
    }

    fn stamp(&mut self, request: &Request, buffer: &mut [u8]) {
        let before = self.clock.now();
        self.payload.stamp(request, buffer);
        self.spent.fetch_add(self.clock.now().since(before).get(), Ordering::Relaxed);
    }
}
