//! `drivelab stalls --verify-after-crash`: is all there that was acknowledged before a crash?

use std::path::Path;

use drivelab_analysis::RunAnalysis;
use drivelab_block::{Instant, Nanos};
use drivelab_method::stalls::{ReadBack, StallsPlan};
use drivelab_record::{Drive, Manifest, RunFolder, RunReader};
use drivelab_report::verification_terminal;
use drivelab_runner::{Ending, Failure, Real, Start, TargetName, begin_real, missing, output, signals};
use drivelab_settings::StallsSettings;
use drivelab_verify::{Described, Ledger, RunId, SharedVerification, Verification};

use crate::args::StallsArgs;
use crate::kept;
use crate::kept_stream::{self, RESUMED, ResumedDocument, verified};

/// Records of a killed run lack its last moments: they go to the disk twice a second. A busy machine may need more.
const LATE: Nanos = Nanos::from_secs(2);

/// Reads back what the run in `folder` had acknowledged.
pub fn main(args: &StallsArgs, target: &TargetName, folder: &Path) -> Result<Ending, Failure> {
    let TargetName::Path(path) = target else {
        let text = "--verify-after-crash goes with a drive or a file: a simulated drive is gone with the program that made it";
        return Err(Failure::Usage(text.to_owned()));
    };
    let (kept, manifest) = RunFolder::open(folder)?;
    let settings = kept_stream::settings(&manifest)?;
    let real = Real::open_for_reading(path)?;
    let plan = kept_stream::plan_of(&settings, ReadBack::End);
    let span = plan.check(&real.geometry()).map_err(|error| {
        let (has, wrote) = (real.geometry().capacity.get(), plan.range.1.get());
        let why =
            if has < wrote { "it is another one, or was cut off".to_owned() } else { error.to_string() };
        Failure::Environment(format!(
            "{} has {has} bytes, and the run wrote up to byte {wrote}: {why}",
            args.target
        ))
    })?;
    check_drive(&manifest, &real.drive(), &args.target)?;
    let (acknowledged, mut notices) = acknowledged(&kept, &manifest, Ledger::new(span))?;
    let elsewhere = elsewhere(&manifest, &args.target);
    let verification = SharedVerification::new(Verification::new(acknowledged.ledger));
    let found = read(args, &real, (&plan, &settings), manifest, &verification)?;
    notices.extend(records_end_early(acknowledged.until, verification.get().latest()));
    let complete = notices.is_empty();
    let is_well = complete && found.faulty() == 0;
    // Blocks that are as the run wrote them prove that they are the run's. Others may be anything.
    let is_proved = is_well || elsewhere.is_none();
    notices.extend(elsewhere);
    if !is_proved {
        notices.push("Nothing of this is kept with the run: name the target that it wrote to.".to_owned());
    }
    let document = ResumedDocument {
        schema: "drivelab.verification/1".to_owned(),
        target: args.target.clone(),
        logical_block_bytes: settings.logical_block_bytes,
        complete,
        notices,
        verification: found,
    };
    let text = output::pretty(&document)?;
    if is_proved {
        kept.write_file(RESUMED, &text)?;
    }
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else {
        let found = &document.verification;
        output::print(&verification_terminal(
            &args.target,
            found,
            settings.logical_block_bytes,
            output::style(),
        ))?;
    }
    document.notices.iter().for_each(output::say);
    Ok(if is_well { Ending::Passed } else { Ending::CheckFailed })
}

/// Refuses a drive that is surely not the one that the run wrote to.
fn check_drive(manifest: &Manifest, drive: &Drive, target: &str) -> Result<(), Failure> {
    match (&manifest.drive.serial, &drive.serial) {
        (Some(wrote), Some(is)) if wrote != is => Err(Failure::Usage(format!(
            "the run wrote to {} (serial {wrote}), and {target} is another drive (serial {is}): name that one",
            manifest.target
        ))),
        _ => Ok(()),
    }
}

/// Says that something else was named than the run wrote to: a copy of it, or its drive under another name, or a mistake.
fn elsewhere(manifest: &Manifest, target: &str) -> Option<String> {
    let is_known = manifest.drive.serial.is_some() || manifest.target == target;
    (!is_known).then(|| format!("The run wrote to {}; {target} was read in its place.", manifest.target))
}

/// Says that writes are there which were made long after the last one that the records tell of: what they were written over
/// is judged, they themselves are not.
fn records_end_early(until: Option<Instant>, latest: Option<Instant>) -> Option<String> {
    let late = latest?.since(until.unwrap_or(Instant::ORIGIN));
    (late > LATE).then(|| {
        format!(
            "Records are missing: the target holds writes that were made up to {late} after the last one that was \
             recorded. What they had acknowledged could not be verified."
        )
    })
}

/// What the records of a run tell.
struct Acknowledged {
    ledger: Ledger,
    /// When the last recorded I/O ended; none where nothing was recorded.
    until: Option<Instant>,
}

/// What the run had acknowledged, and what of its records is missing, a sentence each.
fn acknowledged(
    kept: &RunFolder,
    manifest: &Manifest,
    mut ledger: Ledger,
) -> Result<(Acknowledged, Vec<String>), Failure> {
    let (mut notices, mut until) = (Vec::new(), None);
    let mut analysis = RunAnalysis::default();
    for phase in &manifest.phases {
        analysis.begin_phase(Instant::from_nanos(phase.started_at_ns), kept::loop_kind(phase.loop_label));
    }
    let mut reader = RunReader::open(&kept.segments())?;
    while let Some(completions) = reader.next_batch() {
        ledger.note(completions);
        until = completions.iter().map(|completion| Some(completion.completed_at)).fold(until, Option::max);
        analysis.accept(completions);
    }
    if let Some(withheld) = missing::withheld(manifest, &analysis, reader.faults()) {
        notices.push(format!("{withheld}. What they say was acknowledged could not be verified."));
    } else if ledger.unread().next().is_none() {
        notices.push("The run has no record of a write: nothing could be verified.".to_owned());
    }
    // Writes that were in flight when a run was killed may be there or not; one that ended by itself has all records.
    if manifest.outcome.is_none() {
        ledger.open_end();
    }
    Ok((Acknowledged { ledger, until }, notices))
}

fn read(
    args: &StallsArgs,
    real: &Real,
    (plan, settings): (&StallsPlan, &StallsSettings),
    manifest: Manifest,
    verification: &SharedVerification,
) -> Result<drivelab_report::VerificationDocument, Failure> {
    let clock = real.clock();
    let payload = Described::new(RunId(settings.run), verification.clone(), move || clock.now());
    let start = Start { manifest, folder: None, interrupt: signals::interrupt()?, meter: None };
    let engines = vec![real.engine(payload, &[])];
    let mut session = begin_real(real, engines, start, args.safety.temperature_limit)?;
    super::read_back(&mut session, plan, verification)?;
    let unreadable = session.failed_reads();
    session.finish(None);
    Ok(verified(&verification.get(), settings.logical_block_bytes, unreadable))
}
