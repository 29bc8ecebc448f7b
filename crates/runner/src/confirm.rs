//! The way to a write grant: the health gate, the claim, the serial typed by a person, the audit log.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

use drivelab_probe::{HealthFinding, HealthVerdict, health, judge};
use drivelab_safety::{
    ClaimOptions, Confirmation, Confirming, Decision, Reason, Refusal, SafetyError, System, Target,
    WriteGrant, check_for_writing, claim_for_writing,
};

use crate::Failure;
use crate::SafetyOptions;
use crate::audit::{Audit, note_refused};
use crate::printable::printable;
use crate::slow_drive::{SMARTCTL_PATIENCE, saying_where_slow};
use crate::try_again;

/// Claims a target for writing.
///
/// Every grant is a line of the audit log: where that cannot be written nothing is claimed. With the grant
/// comes what the reader of the run should know. Where nothing but the serial is missing and a person sits at
/// a terminal, the serial is asked for.
pub fn claim(
    target: &Target,
    safety: &SafetyOptions,
    output: Option<&Path>,
) -> Result<(WriteGrant, Vec<String>), Failure> {
    let mut confirmation = confirmation(target, safety);
    let options = &claim_options(safety, output);
    let mut log = match Audit::open() {
        Ok(log) => log,
        // What stands against the target is the better answer.
        Err(no_log) => {
            check_safety(target, safety, output)?;
            return Err(no_log);
        }
    };
    let mut claimed = claim_when_free(target, &confirmation, options);
    if let Err(SafetyError::Refused(refusal)) = &claimed
        && let Some(serial) = ask_for_serial(refusal)?
    {
        confirmation.serial = Some(serial);
        claimed = claim_looking(target, &confirmation, options);
    }
    match claimed {
        Ok(grant) => {
            let doubts = gate_health(target, safety).inspect_err(|failure| {
                note_refused(grant.identity(), &failure.to_string());
            })?;
            log.record(Decision::Granted(&grant)).inspect_err(|_| remove_new(target))?;
            let notes = grant.notes().iter().map(ToString::to_string).chain(doubts).collect();
            Ok((grant, notes))
        }
        Err(error) => {
            if let SafetyError::Refused(refusal) = &error {
                // Nothing was granted: a line less does no harm.
                if let Err(no_line) = log.record(Decision::Refused(refusal)) {
                    say!("drivelab: {no_line}");
                }
            }
            Err(error.into())
        }
    }
}

/// Claims a target, and tries again for a moment where all that stands against it is a claim without an owner:
/// after a program with a ring was killed, the kernel holds its descriptors a little longer than the program.
fn claim_when_free(
    target: &Target,
    confirmation: &Confirmation,
    options: &ClaimOptions,
) -> Result<WriteGrant, SafetyError> {
    let is_claimed = |error: &SafetyError| match error {
        SafetyError::Refused(refusal) => {
            refusal.reasons.iter().all(|reason| matches!(reason, Reason::Claimed(_)))
        }
        _ => false,
    };
    let again = || claim_for_writing(&System::live(), target, confirmation, options);
    let first = claim_looking(target, confirmation, options);
    try_again((10, Duration::from_millis(100)), first, is_claimed, again)
}

/// Claims a target, and says where the look at it takes long.
fn claim_looking(
    target: &Target,
    confirmation: &Confirmation,
    options: &ClaimOptions,
) -> Result<WriteGrant, SafetyError> {
    let claim = || claim_for_writing(&System::live(), target, confirmation, options);
    saying_where_slow(&name_of(target), claim)
}

/// Says what stands against writing to a target, without claiming it.
pub fn check_safety(target: &Target, safety: &SafetyOptions, output: Option<&Path>) -> Result<(), Failure> {
    let confirmation = confirmation(target, safety);
    let options = claim_options(safety, output);
    saying_where_slow(&name_of(target), || {
        check_for_writing(&System::live(), target, &confirmation, &options)
    })?;
    Ok(())
}

/// What a target is called while it is waited for.
fn name_of(target: &Target) -> String {
    let path = match target {
        Target::Drive(drive) => drive.path(),
        Target::File(file) => file.path(),
    };
    path.display().to_string()
}

fn confirmation(target: &Target, safety: &SafetyOptions) -> Confirmation {
    Confirmation { serial: serial_for(target, &safety.serial), destroy_data: safety.destroy_data }
}

fn claim_options(safety: &SafetyOptions, output: Option<&Path>) -> ClaimOptions {
    ClaimOptions {
        create_size: safety.file_size,
        output_folders: output.map(Path::to_path_buf).into_iter().collect(),
        sample_seed: 0,
        assume_unused: safety.assume_unused,
    }
}

/// Whether all that a person has to say before this target is written was said.
pub fn is_confirmed(target: &Target, safety: &SafetyOptions) -> bool {
    let said = confirmation(target, safety);
    let is_met = |confirming: Confirming| said.serial.is_some_and(|serial| confirming.is_met_by(&serial));
    said.destroy_data && confirming(target).is_none_or(is_met)
}

/// What confirms a drive; none for a file.
pub(crate) fn confirming(target: &Target) -> Option<Confirming> {
    let Target::Drive(drive) = target else { return None };
    Some(Confirming::list(&System::live(), drive.identity()))
}

/// The serial that was given for this target; with several, the one that fits.
fn serial_for(target: &Target, given: &[String]) -> Option<String> {
    let confirming = confirming(target)?;
    given.iter().find(|serial| confirming.is_met_by(serial)).or_else(|| given.first()).cloned()
}

/// The same serials, each that confirms the target with what names it alone: it still does where another drive of its serial
/// number appears.
pub fn lasting_serials(target: &Target, given: &[String]) -> Vec<String> {
    let Some(confirming) = confirming(target) else { return given.to_vec() };
    let lasting = |serial: &String| {
        if confirming.is_met_by(serial) { confirming.whole() } else { serial.clone() }
    };
    given.iter().map(lasting).collect()
}

/// The serial typed by a person, where only that is missing.
fn ask_for_serial(refusal: &Refusal) -> Result<Option<String>, Failure> {
    let only_unconfirmed = refusal.reasons.iter().all(|reason| matches!(reason, Reason::Unconfirmed(_)));
    let expected = refusal.reasons.iter().find_map(|reason| match reason {
        Reason::Unconfirmed(expected) => Some(expected),
        _ => None,
    });
    let (true, Some(expected)) = (only_unconfirmed, expected) else { return Ok(None) };
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Ok(None);
    }
    let shared = expected.shared.as_ref();
    let mut stderr = std::io::stderr();
    let _ = write!(
        stderr,
        "{}\n{}Everything on it will be lost. Type its serial number{} to go on: ",
        printable(&refusal.target),
        shared.map_or_else(String::new, |shared| format!("{}.\n", printable(&shared.to_string()))),
        shared.map_or_else(String::new, |_| format!(" in full ({})", printable(&expected.confirmation)))
    );
    let _ = stderr.flush();
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::io("the serial number could not be read", &error))?;
    let typed = line.trim();
    Ok((!typed.is_empty()).then(|| typed.to_owned()))
}

/// Refuses a failing drive; what else its health has to say goes into the run.
fn gate_health(target: &Target, safety: &SafetyOptions) -> Result<Vec<String>, Failure> {
    let Target::Drive(drive) = target else { return Ok(Vec::new()) };
    // What the kernel makes of files and memory has no health to tell, and nobody has to be told so.
    if ["loop", "zram", "ram"].iter().any(|kind| drive.identity().kernel_name.starts_with(kind)) {
        return Ok(Vec::new());
    }
    match judge(&health(drive.path(), SMARTCTL_PATIENCE)) {
        HealthVerdict::Well => Ok(Vec::new()),
        HealthVerdict::Doubtful(doubts) => Ok(in_words(&doubts)),
        HealthVerdict::Failing(why) if safety.ignore_health => Ok(in_words(&why)),
        HealthVerdict::Failing(why) => {
            let why = in_words(&why).join("; ");
            Err(refused!(
                "refused to test a failing drive ({why}): add --ignore-health to test it all the same"
            ))
        }
    }
}

fn in_words(found: &[HealthFinding]) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}

/// Removes a file that was not there before its claim.
fn remove_new(target: &Target) {
    if let Target::File(file) = target
        && file.existing().is_none()
    {
        let _ = std::fs::remove_file(file.path());
    }
}
