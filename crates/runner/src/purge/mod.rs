//! A purge of a real target: which one, its commands, and what is read back afterwards.

mod read_back;
mod steps;

use std::path::Path;
use std::time::Instant;

use drivelab_block::Nanos;
use drivelab_method::Interrupt;
use drivelab_purge::{Asked, Method, Offer, Planned, Sanitized, awaited, facts, plan, sanitize};
use drivelab_purge::{Drive as _, Erasure};
use drivelab_safety::{Identity, Target, WriteGrant};
use drivelab_uring::{Access, NvmeAdmin, discard_range};

use crate::{Failure, Real, output};
use read_back::Places;
pub use read_back::ReadBack;
use steps::Steps;

/// Bytes of one discard. Between two of them the program looks whether the user wants to stop.
const DISCARD_BYTES: u64 = 1 << 30;

/// What a purge has done.
#[derive(Clone, Debug)]
pub struct Purged {
    /// How it was done, and why so.
    pub planned: Planned,
    /// The end of a sanitize in the words of the drive's log; none of other methods.
    pub log: Option<String>,
    /// How long it took.
    pub took: Nanos,
    /// What the sampled places return now.
    pub read_back: ReadBack,
}

impl Purged {
    /// Whether a place still returns what it held, which only discards are free to let happen.
    pub fn failed(&self) -> bool {
        self.read_back.unchanged > 0 && self.planned.method != Method::Discard
    }
}

/// Chooses the purge of a target that is open, by what its drive says. Nothing is changed.
pub fn plan_purge(access: &Access, target: &Target, asked: Asked) -> Result<Planned, Failure> {
    let offer = match NvmeAdmin::of(access) {
        Ok(mut admin) => {
            let own = admin.namespace();
            let known = facts(&mut admin, own);
            known.map_or_else(
                |error| Offer::None(format!("the drive does not identify itself: {error}")),
                Offer::Nvme,
            )
        }
        Err(why) => Offer::None(why.to_string()),
    };
    let discards = target.no_discards().map(|why| why.to_string());
    plan(asked, &offer, discards.as_deref()).map_err(|error| Failure::Environment(error.to_string()))
}

/// Purges a claimed target as planned, and reads sampled places back. Progress goes to stderr.
pub fn purge(real: &Real, path: &Path, planned: Planned, interrupt: &Interrupt) -> Result<Purged, Failure> {
    let Access::Write(grant) = &real.access else {
        return Err(Failure::Environment("the target is not open for writing".to_owned()));
    };
    let places = Places::of(real.geometry())?;
    // A drive that sanitizes refuses every read.
    let before = match planned.method {
        Method::AwaitSanitize => places.unread(),
        _ => places.read(&real.access)?,
    };
    real.verify_again()?;
    output::say(format_args!("{}: {}", path.display(), planned.method));
    let began = now();
    let log = carry_out(&real.access, grant, planned.method, interrupt)?;
    let took = Nanos::new(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
    let after = places.read(&real.access)?;
    let log = log.map(|sanitized| {
        let again = if sanitized.was_in_progress { "it was in progress already; " } else { "" };
        format!("{again}{}", sanitized.log)
    });
    Ok(Purged { planned, log, took, read_back: ReadBack::of(&before, &after) })
}

/// Carries a purge out; returns the end of a sanitize.
fn carry_out(
    access: &Access,
    grant: &WriteGrant,
    method: Method,
    interrupt: &Interrupt,
) -> Result<Option<Sanitized>, Failure> {
    let admin = || NvmeAdmin::of(access).map_err(|error| Failure::Environment(error.to_string()));
    let mut steps = Steps::default();
    let failed = |error: &dyn std::fmt::Display| Failure::Environment(error.to_string());
    match method {
        Method::Discard => discard_all(grant, &mut steps, interrupt).map(|()| None),
        Method::Format(formatted) => {
            let erased = admin()?.erase(Erasure::Format(formatted));
            erased.map(|()| None).map_err(|error| {
                let hint = "look at the kernel's log (dmesg), or try --purge discard";
                Failure::Environment(format!("the drive refused the format ({error}): {hint}"))
            })
        }
        Method::Sanitize(action) => {
            let ended = sanitize(&mut admin()?, action, |log| steps.wait(log, interrupt));
            ended.map(Some).map_err(|error| failed(&error))
        }
        Method::AwaitSanitize => {
            let ended = awaited(&mut admin()?, |log| steps.wait(log, interrupt));
            ended.map(|log| Some(Sanitized { was_in_progress: true, log })).map_err(|error| failed(&error))
        }
    }
}

fn discard_all(grant: &WriteGrant, steps: &mut Steps, interrupt: &Interrupt) -> Result<(), Failure> {
    let capacity = match grant.identity() {
        Identity::Drive(drive) => drive.size.get(),
        Identity::File(_) => grant.geometry().capacity.get(),
    };
    for offset in (0..capacity).step_by(usize::try_from(DISCARD_BYTES).unwrap_or(usize::MAX)) {
        if interrupt.is_raised() {
            let text = "interrupted: a part of the target was discarded; run drivelab purge again";
            return Err(Failure::Environment(text.to_owned()));
        }
        discard_range(grant, offset, DISCARD_BYTES.min(capacity - offset)).map_err(|error| {
            Failure::Environment(format!(
                "the discard at byte {offset} failed ({error}): look at the kernel's log (dmesg)"
            ))
        })?;
        steps.show(u32::try_from(u128::from(offset) * 100 / u128::from(capacity)).unwrap_or(100));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the runner reads the clock")]
fn now() -> Instant {
    Instant::now()
}
