//! The commands of a purge.

use std::time::Duration;

use drivelab_block::Nanos;
use drivelab_method::Interrupt;
use drivelab_purge::ata::{EraseMode, Journal, PASSWORD, secure_erase};
use drivelab_purge::nvme::{self, FormatError, NvmeFormat, SanitizeLog, Sanitized, awaited, sanitize};
use drivelab_purge::{Method, Planned};
use drivelab_safety::{Decision, Identity, WriteGrant};
use drivelab_uring::{Access, AtaDrive, NvmeAdmin, discard_range};

use super::password::note_gone;
use crate::audit::Audit;
use crate::slow_drive::saying_meanwhile;
use crate::{Failure, nap, output, signals};

/// Bytes of one discard. Between two of them the program looks whether the user wants to stop.
const DISCARD_BYTES: u64 = 1 << 30;
/// How often a drive that erases itself, and cannot say how far it is, is said to do so.
const STILL_ERASING: Duration = Duration::from_secs(60);

/// Carries a purge out, which `planned` becomes where it was another one; returns the end of a sanitize.
pub fn carry_out(
    access: &Access,
    grant: &WriteGrant,
    planned: &mut Planned,
    audit: &mut Audit,
    interrupt: &Interrupt,
) -> Result<Option<Sanitized>, Failure> {
    let admin = || NvmeAdmin::open(access).map_err(|error| failed(&error));
    let mut steps = Steps::default();
    if !matches!(planned.method, Method::Format(_)) {
        note(audit, grant, planned.method)?;
    }
    match planned.method {
        Method::Discard => discard_all(grant, &mut steps, interrupt).map(|()| None),
        Method::SecureErase(mode) => erase_securely(access, grant, mode, audit, interrupt).map(|()| None),
        Method::Format(first) => {
            let noted = |format| note(audit, grant, Method::Format(format));
            format(&mut admin()?, first, planned, noted).map(|()| None)
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

/// The audit log has it before the drive does.
fn note(audit: &mut Audit, grant: &WriteGrant, method: Method) -> Result<(), Failure> {
    audit.record(Decision::Purging(grant, &method.to_string()))
}

fn format(
    admin: &mut NvmeAdmin<'_>,
    first: NvmeFormat,
    planned: &mut Planned,
    noted: impl FnMut(NvmeFormat) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (done, refused) = nvme::format(admin, first, noted).map_err(|error| match error {
        FormatError::NotBegun(failure) => failure,
        FormatError::Refused(errors) => {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            let errors = errors.join("; then ");
            let hint = "look at the kernel's log (dmesg), or try --purge discard";
            environment!("the drive refused the format ({errors}): {hint}")
        }
    })?;
    planned.method = Method::Format(done);
    if let Some(error) = refused {
        planned.why.push(format!("the drive refused a {} ({error}), and has a {}", first.erase, done.erase));
    }
    Ok(())
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Failure::Environment(error.to_string())
}

fn erase_securely(
    access: &Access,
    grant: &WriteGrant,
    mode: EraseMode,
    audit: &mut Audit,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let mut drive = AtaDrive::open(access).map_err(|error| failed(&error))?;
    let journal = |entry: Journal| match entry {
        Journal::PasswordSet => audit.write(Decision::PasswordSet(grant.identity(), PASSWORD)),
        Journal::PasswordGone => {
            note_gone(audit, grant.identity());
            Ok(())
        }
    };
    // What would give the program up now would leave the password in the drive.
    let _kept =
        signals::keep_running("the drive erases itself, which cannot be stopped: waiting for its end");
    say!(
        "  the erase cannot be stopped; where the power is cut, the drive stays locked with the password \
         \"{PASSWORD}\" until the next drivelab purge"
    );
    let say = |minutes| say!("  the drive has been erasing itself for {minutes} min");
    saying_meanwhile(STILL_ERASING, say, || secure_erase(&mut drive, mode, journal, || interrupt.is_raised()))
        .map_err(|error| failed(&error))
}

fn discard_all(grant: &WriteGrant, steps: &mut Steps, interrupt: &Interrupt) -> Result<(), Failure> {
    let capacity = match grant.identity() {
        Identity::Drive(drive) => drive.size.get(),
        Identity::File(_) => grant.geometry().capacity.get(),
    };
    for offset in (0..capacity).step_by(usize::try_from(DISCARD_BYTES).unwrap_or(usize::MAX)) {
        if interrupt.is_raised() {
            let by = signals::stopped_in_words();
            return Err(environment!("{by}: a part of the target was discarded; run drivelab purge again"));
        }
        discard_range(grant, offset, DISCARD_BYTES.min(capacity - offset)).map_err(|error| {
            environment!("the discard at byte {offset} failed ({error}): look at the kernel's log (dmesg)")
        })?;
        steps.show(u32::try_from(u128::from(offset) * 100 / u128::from(capacity)).unwrap_or(100));
    }
    Ok(())
}

/// How long is waited between two looks at the log.
const BETWEEN_LOOKS: Nanos = Nanos::from_secs(1);

/// What was shown last.
#[derive(Debug, Default)]
struct Steps {
    tenths: Option<u32>,
    is_silent: bool,
}

impl Steps {
    /// Shows how much is done, in per cent, where that is another tenth than before.
    fn show(&mut self, percent: u32) {
        let tenths = percent / 10;
        if self.tenths.replace(tenths) != Some(tenths) {
            say!("  {percent} % done");
        }
    }

    /// Shows the log and waits; `false` where the user does not want to wait any more. There is none while the
    /// controller does not answer.
    fn wait(&mut self, log: Option<SanitizeLog>, interrupt: &Interrupt) -> bool {
        match log {
            Some(log) => self.show(log.percent()),
            None if self.is_silent => {}
            None => output::say("  the drive does not answer at the moment: waiting for it"),
        }
        self.is_silent = log.is_none();
        nap(BETWEEN_LOOKS, interrupt);
        !interrupt.is_raised()
    }
}
