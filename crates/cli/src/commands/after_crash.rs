//! `--verify-after-crash` of `stalls` and `load`: is all there that was acknowledged before a crash?

use std::path::Path;

use drivelab_block::{ByteCount, ByteRange, Completion, Instant, Nanos, Op, SameDrive};
use drivelab_documents::Manifest;
use drivelab_kinds::read_back::{
    JudgedAfter, ReadBackPlan, ReadEach, ReadLater, StreamNumber, StreamOnDrive, VerificationFindings,
    VerifiedKind, after_crash,
};
use drivelab_kinds::{Document, StoredResult, not_as_written};
use drivelab_record::{RunFolder, RunReader};
use drivelab_runner::{
    Destination, Ending, Failure, Real, Start, TargetName, begin_real, environment, missing, open_result,
    output, signals, unix_nanos, usage,
};
use drivelab_safety::Identity;
use drivelab_stats::RunAnalysis;
use drivelab_view::Page;
use drivelab_workload::Seed;
use drivelab_workload::verify::{Ledger, SharedVerification, Verification};

use super::identity::KeptDrive;
use crate::args::TestArgs;

/// Records of a killed run lack its last moments: they go to the disk twice a second. A busy machine may need more.
const LATE: Nanos = Nanos::from_secs(2);

/// Reads back what a run had acknowledged.
pub fn main<K: VerifiedKind>(test: &TestArgs, folder: &Path) -> Result<Ending, Failure> {
    let target = test.target.as_str();
    let TargetName::Path(path) = TargetName::parse(target)? else {
        return Err(usage!(
            "--verify-after-crash goes with a drive or a file: a simulated drive is gone with the program that made it"
        ));
    };
    test.options.result.destination().check([target])?;
    let (records, run) = RunFolder::open_ended(folder)?;
    if run.method != K::NAME {
        return Err(usage!(
            "that is a run of drivelab {}, not of drivelab {}: name another folder",
            run.method,
            K::NAME
        ));
    }
    let mut kept = open_result::<K>(folder)?;
    let on_drive = K::on_drive(&kept.settings).filter(|_| !run.drive.simulated);
    let on_drive = on_drive.ok_or_else(|| not_verified::<K>(&run))?;
    let real = Real::open_for_reading(&path)?;
    let plan = plan(&kept, on_drive, &real, target)?;
    let elsewhere = check_drive(&run, real.identity(), test)?;
    let judged_after = K::flush_every(&kept.settings).map(|_| judged_after(K::boot(&kept.settings)));
    let ledger = match judged_after {
        Some(JudgedAfter::PowerCut) => plan.ledger.clone().flushed_at(last_flush(&records)?),
        Some(JudgedAfter::Kill) | None => plan.ledger.clone(),
    };
    let (acknowledged, mut notices) = acknowledged(&records, &run, ledger)?;
    let verification = SharedVerification::new(Verification::new(acknowledged.ledger));
    let unreadable = read(test, &real, &plan, &verification, run)?;
    let found =
        VerificationFindings::from_found(&verification.get(), on_drive.logical_block_bytes, unreadable);
    notices.extend(records_end_early(acknowledged.until, verification.get().latest));
    let complete = notices.is_empty();
    let is_well = complete && found.faulty() == 0;
    // Blocks that are as the run wrote them prove that they are the run's. Others may be anything.
    let may_be_another = elsewhere.is_some() || (found.is_nothing_there() && !is_same_drive(&kept, &real));
    let is_proved = is_well || !may_be_another;
    notices.extend(elsewhere);
    if !is_proved {
        notices.push("Nothing of this is kept with the run: name the target that it wrote to.".to_owned());
    }
    // What shows nothing of the run may be another drive, and says nothing of this one.
    let is_shown = is_proved && !found.is_nothing_there();
    let not_as_written = not_as_written(&verification.get()).filter(|_| is_shown);
    let later = ReadLater {
        target: target.to_owned(),
        complete,
        notices: notices.clone(),
        judged_after,
        not_as_written,
    };
    K::keep_verification(&mut kept.findings, VerificationFindings { later: Some(later), ..found });
    show(test, &kept, is_proved.then_some(folder))?;
    notices.iter().for_each(output::say);
    Ok(if is_well { Ending::Passed } else { Ending::CheckFailed })
}

/// Why a run has nothing to verify.
fn not_verified<K: VerifiedKind>(run: &Manifest) -> Failure {
    if run.drive.simulated {
        let text = "the run was one of a simulated drive, which is gone with the program that made it: name another folder";
        return Failure::Usage(text.to_owned());
    }
    usage!(
        "that run of drivelab {} did not verify what it wrote: run it again with --verify end, or name another folder",
        K::NAME
    )
}

/// Keeps what was found with the run, where it is known to be the run's, and shows it.
fn show<K: VerifiedKind>(
    test: &TestArgs,
    kept: &StoredResult<K>,
    folder: Option<&Path>,
) -> Result<(), Failure> {
    let destination = Destination { folder, ..test.options.result.destination() };
    destination.keep(kept)?;
    destination.write_page(std::slice::from_ref(kept))?;
    if test.options.result.json.is_asked {
        return output::print_json(&Document::from_kept(kept)).map(drop);
    }
    output::print_page(&Page::from_view(after_crash(kept))).map(drop)
}

/// The plan by which the run wrote, on the target that is read.
fn plan<K: VerifiedKind>(
    kept: &StoredResult<K>,
    on_drive: StreamOnDrive,
    real: &Real,
    target: &str,
) -> Result<ReadBackPlan, Failure> {
    let [start, end] = on_drive.range_bytes.map(ByteCount::new);
    K::read_back(&kept.settings, ByteRange::new(start, end), real.geometry()).map_err(|error| {
        let (has, wrote) = (real.geometry().capacity.get(), end.get());
        let why =
            if has < wrote { "it is another one, or was cut off".to_owned() } else { error.to_string() };
        environment!("{target} has {has} bytes, and the run wrote up to byte {wrote}: {why}")
    })
}

/// What may have happened since a run of this boot of a machine: in the same boot no power cut of the machine.
fn judged_after(boot: Option<&str>) -> JudgedAfter {
    match (boot, this_boot()) {
        (Some(then), Some(now)) if then == now => JudgedAfter::Kill,
        _ => JudgedAfter::PowerCut,
    }
}

/// This boot of the machine, as the kernel names it; none where it names none.
pub fn this_boot() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|id| !id.is_empty())
}

/// What tells the blocks of a run with this seed from those of every other.
pub fn number_of_run(target: &TargetName, seed: u64, kind: &'static str) -> StreamNumber {
    let seed = Seed::new(seed);
    let number = match target {
        TargetName::Simulated(_) => seed.child(kind),
        // Blocks of an earlier run with the same seed must not pass for this one's.
        TargetName::Path(_) => seed.numbered(unix_nanos()),
    };
    StreamNumber(number.get())
}

/// When the last flush was submitted that was completed; none where there was none.
fn last_flush(records: &RunFolder) -> Result<Option<Instant>, Failure> {
    let mut last = None;
    let mut reader = RunReader::open(&records.segments())?;
    while let Some(completions) = reader.next_batch() {
        let is_flush = |one: &&Completion| one.op == Op::Flush && one.status.is_ok();
        last = completions.iter().filter(is_flush).map(|one| Some(one.submitted_at)).fold(last, Option::max);
    }
    Ok(last)
}

/// Refuses a drive that is not the one that the run wrote to, or may be another one and was not named. What is to be known where
/// something else is read than the run wrote to, or may be: a copy, the drive under another name, or a mistake.
fn check_drive(manifest: &Manifest, identity: &Identity, test: &TestArgs) -> Result<Option<String>, Failure> {
    let (wrote, target) = (&manifest.target, test.target.as_str());
    let was_drive = manifest.drive.serial.is_some()
        || manifest.drive.wwn.is_some()
        || manifest.drive.kernel_name.is_some();
    match identity {
        Identity::Drive(drive) if was_drive => {
            let kept = KeptDrive { drive: &manifest.drive, target: wrote };
            kept.check(
                (target, drive),
                &test.options.safety.serial,
                ("the run wrote to", "name the drive that it wrote to"),
            )
        }
        _ if wrote == target => Ok(None),
        _ => Ok(Some(format!("The run wrote to {wrote}; {target} was read in its place."))),
    }
}

/// Whether it is proved that the target is the drive that the run wrote to, and not only that nothing speaks against it.
fn is_same_drive<K: VerifiedKind>(kept: &StoredResult<K>, real: &Real) -> bool {
    match real.identity() {
        Identity::Drive(drive) => kept.run.drive.which().compare(&drive.which()) == SameDrive::Same,
        Identity::File(_) => kept.run.drive.kernel_name.is_none(),
    }
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
        analysis.begin_phase(Instant::from_nanos(phase.started_at_ns), phase.loop_label);
    }
    let mut reader = RunReader::open(&records.segments())?;
    while let Some(completions) = reader.next_batch() {
        ledger.note(completions);
        until = completions.iter().map(|completion| Some(completion.completed_at)).fold(until, Option::max);
        analysis.accept(completions);
    }
    let withheld = missing::withheld(manifest, &analysis, reader.faults());
    // Writes that were in flight when a run was killed may be there or not, and so may those whose records are missing; a run
    // that ended by itself has all records.
    if manifest.outcome.is_none() || withheld.is_some() {
        ledger.open_end();
    }
    if let Some(withheld) = withheld {
        notices.push(format!("{withheld}. What they say was acknowledged could not be verified."));
    } else if ledger.unread().next().is_none() {
        notices.push("The run has no record of a write: nothing could be verified.".to_owned());
    }
    Ok((Acknowledged { ledger, until }, notices))
}

/// Reads every place that was written; how many reads failed.
fn read(
    test: &TestArgs,
    real: &Real,
    plan: &ReadBackPlan,
    verification: &SharedVerification,
    manifest: Manifest,
) -> Result<u64, Failure> {
    let payload = real.self_describing(plan.run, verification.clone());
    let temperature_limit = test.options.safety.temperature_limit();
    let start = Start {
        manifest,
        folder: None,
        live: test.options.result.live.file.as_deref(),
        parent: None,
        interrupt: signals::interrupt()?,
        meter: None,
        temperature_limit,
        writes: false,
    };
    let engines = vec![real.engine(payload, &[])];
    let mut session = begin_real(real, engines, start)?;
    let reads = ReadEach::new(verification, plan.reading.limits.max_transfer);
    let bytes = reads.bytes();
    let ended = session.phase(&plan.reading, vec![reads], Some(bytes));
    ended.map_err(|error| session.broke(Failure::of_phase(&error, true)))?;
    let unreadable = verification.get().unreadable;
    session.finish(None, None);
    Ok(unreadable)
}
