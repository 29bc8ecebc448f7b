//! `drivelab stalls --verify-after-crash`: is all there that was acknowledged before a crash?

use std::path::Path;

use drivelab_analysis::RunAnalysis;
use drivelab_block::{ByteCount, Instant, Nanos};
use drivelab_record::{Drive, Manifest, RunFolder, RunReader};
use drivelab_runner::{
    Destination, Ending, Failure, Real, Start, TargetName, begin_real, missing, open_result, output, signals,
};
use drivelab_tests::stalls::{
    ReadEach, ReadLater, Stalls, StallsPlan, StreamOnDrive, VerificationFindings, after_crash,
};
use drivelab_tests::{Document, Kept, ResultKind as _};
use drivelab_verify::{Described, Ledger};
use drivelab_view::Page;

use crate::args::StallsArgs;

/// Records of a killed run lack its last moments: they go to the disk twice a second. A busy machine may need more.
const LATE: Nanos = Nanos::from_secs(2);

/// Reads back what the run in `folder` had acknowledged.
pub fn main(args: &StallsArgs, target: &TargetName, folder: &Path) -> Result<Ending, Failure> {
    let TargetName::Path(path) = target else {
        let text = "--verify-after-crash goes with a drive or a file: a simulated drive is gone with the program that made it";
        return Err(Failure::Usage(text.to_owned()));
    };
    let (records, run) = stream_in(folder)?;
    let mut kept = open_result::<Stalls>(folder)?;
    let real = Real::open_for_reading(path)?;
    let plan = plan(&kept, &real, &args.target)?;
    check_drive(&run, &real.drive(), &args.target)?;
    let (acknowledged, mut notices) = acknowledged(&records, &run, Ledger::new(plan.span()))?;
    let elsewhere = elsewhere(&run, &args.target);
    let plan = plan.knowing(acknowledged.ledger);
    let found = read(args, &real, &plan, run)?;
    notices.extend(records_end_early(acknowledged.until, plan.verification().get().latest()));
    let complete = notices.is_empty();
    let is_well = complete && found.faulty() == 0;
    // Blocks that are as the run wrote them prove that they are the run's. Others may be anything.
    let is_proved = is_well || elsewhere.is_none();
    notices.extend(elsewhere);
    if !is_proved {
        notices.push("Nothing of this is kept with the run: name the target that it wrote to.".to_owned());
    }
    let later = ReadLater { target: args.target.clone(), complete, notices: notices.clone() };
    kept.findings.verification = Some(VerificationFindings { later: Some(later), ..found });
    show(args, &kept, is_proved.then_some(folder))?;
    notices.iter().for_each(output::say);
    Ok(if is_well { Ending::Passed } else { Ending::CheckFailed })
}

/// The folder of a run, which has to be one of a stream, and its manifest.
fn stream_in(folder: &Path) -> Result<(RunFolder, Manifest), Failure> {
    let (records, run) = RunFolder::open(folder)?;
    if run.method == Stalls::NAME {
        return Ok((records, run));
    }
    let text =
        format!("that is a run of drivelab {}, not of drivelab stalls: name another folder", run.method);
    Err(Failure::Usage(text))
}

/// Keeps what was found with the run, where it is known to be the run's, and shows it.
fn show(args: &StallsArgs, kept: &Kept<Stalls>, folder: Option<&Path>) -> Result<(), Failure> {
    let destination = Destination { folder, ..args.result.destination() };
    destination.keep(kept)?;
    destination.write_page(std::slice::from_ref(kept))?;
    if args.result.is_json() {
        return output::print_json(&Document::of(kept)).map(drop);
    }
    output::print_page(&Page::of(after_crash(kept))).map(drop)
}

/// The plan by which the run wrote, on the target that is read.
fn plan(kept: &Kept<Stalls>, real: &Real, target: &str) -> Result<StallsPlan, Failure> {
    let Some(StreamOnDrive { range_bytes, .. }) = kept.settings.on_drive else {
        let text = "run.json does not hold what was written: put back a whole copy of the folder";
        return Err(Failure::Environment(text.to_owned()));
    };
    let [start, end] = range_bytes.map(ByteCount::new);
    StallsPlan::over(&kept.settings, (start, end), real.geometry()).map_err(|error| {
        let (has, wrote) = (real.geometry().capacity.get(), end.get());
        let why =
            if has < wrote { "it is another one, or was cut off".to_owned() } else { error.to_string() };
        Failure::Environment(format!("{target} has {has} bytes, and the run wrote up to byte {wrote}: {why}"))
    })
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

/// What is to be known where something else was named than the run wrote to: a copy of it, or its drive under another name, or
/// a mistake.
fn elsewhere(manifest: &Manifest, target: &str) -> Option<String> {
    let is_known = manifest.drive.serial.is_some() || manifest.target == target;
    (!is_known).then(|| format!("The run wrote to {}; {target} was read in its place.", manifest.target))
}

/// What is to be known where writes are there which were made long after the last one that was recorded: what they were
/// written over is judged, they themselves are not.
fn records_end_early(until: Option<Instant>, latest: Option<Instant>) -> Option<String> {
    let late = latest?.since(until.unwrap_or(Instant::ORIGIN));
    (late > LATE).then(|| {
        format!(
            "Records are missing: the target holds writes that were made up to {late} after the last one that was \
             recorded. What they had acknowledged could not be verified."
        )
    })
}

/// What the records of a run hold.
struct Acknowledged {
    ledger: Ledger,
    /// When the last recorded I/O ended; none where nothing was recorded.
    until: Option<Instant>,
}

/// What the run had acknowledged, and what of its records is missing, a sentence each.
fn acknowledged(
    records: &RunFolder,
    manifest: &Manifest,
    mut ledger: Ledger,
) -> Result<(Acknowledged, Vec<String>), Failure> {
    let (mut notices, mut until) = (Vec::new(), None);
    let mut analysis = RunAnalysis::default();
    for phase in &manifest.phases {
        analysis.begin_phase(Instant::from_nanos(phase.started_at_ns), phase.loop_label.into());
    }
    let mut reader = RunReader::open(&records.segments())?;
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
    plan: &StallsPlan,
    manifest: Manifest,
) -> Result<VerificationFindings, Failure> {
    let clock = real.clock();
    let payload = Described::new(plan.run(), plan.verification().clone(), move || clock.now());
    let start = Start { manifest, folder: None, interrupt: signals::interrupt()?, meter: None };
    let engines = vec![real.engine(payload, &[])];
    let mut session = begin_real(real, engines, start, args.safety.temperature_limit)?;
    let reads = ReadEach::new(plan.verification());
    let bytes = reads.bytes();
    let ended = session.phase(&plan.reading(), vec![reads], Some(bytes));
    ended.map_err(|error| session.broke(error))?;
    let unreadable = session.failed_reads();
    session.finish(None);
    let logical_block = plan.on_drive().logical_block_bytes;
    Ok(VerificationFindings::of(&plan.verification().get(), logical_block, unreadable))
}
