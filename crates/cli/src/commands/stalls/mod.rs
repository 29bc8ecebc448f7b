//! `drivelab stalls`.

mod plan;
mod resume;
mod show;

use std::path::Path;

use drivelab_analysis::StreamWrites;
use drivelab_block::{ByteCount, Engine, Geometry};
use drivelab_method::stalls::{CyclicWrites, ReadBack, ReadEach, StallsPlan};
use drivelab_method::{Beside, PhaseEnd};
use drivelab_record::Severity;
use drivelab_report::{DeviceRecordingDocument, HealthNotAsked, StallsFindings};
use drivelab_runner::{
    Account, Ending, Failure, Real, Session, Start, StreamWatch, StreamWitness, TargetName, Watched,
    begin_real, begin_witnessed, check_flags, check_meter, check_safety, checked, folder_complaint,
    geometry_of, real_conditions, signals, simulated_conditions, simulated_drive, unix_nanos, unix_seconds,
};
use drivelab_safety::{Identity, System, Target};
use drivelab_sim::Profile;
use drivelab_verify::{Described, Ledger, RunId, SharedVerification, Verification};
use drivelab_workload::{Seed, Span};

use crate::args::StallsArgs;
use crate::device_times::BesideStream;
use crate::kept_stream::verified;

/// Writes a stream, reads it back, and says what stood out.
pub fn main(args: &StallsArgs) -> Result<Ending, Failure> {
    let target = TargetName::parse(&args.target)?;
    if let Some(folder) = &args.verify_after_crash {
        return resume::main(args, &target, folder);
    }
    check_flags(&args.safety, std::slice::from_ref(&target), None)?;
    check_meter(&args.meter, std::slice::from_ref(&target))?;
    match target {
        TargetName::Simulated(profile) => simulated(args, &profile),
        TargetName::Path(path) => real(args, &path),
    }
}

fn simulated(args: &StallsArgs, profile: &Profile) -> Result<Ending, Failure> {
    if args.device_times {
        let text = "--device-times goes with a real drive: a simulated one is seen by nobody but the program";
        return Err(Failure::Usage(text.to_owned()));
    }
    let geometry = profile.geometry();
    let planned = plan::of(args, &geometry);
    let (plan, span) = checked(planned, folder(args), || Ok(()))?;
    if args.safety.dry_run {
        return show::dry_run(args, Some(&(plan, span)));
    }
    let conditions = simulated_conditions(profile);
    let run = RunId(Seed::new(args.seed.number()).child("stalls").get());
    let manifest = plan::manifest(args, (&plan, &geometry, run), simulated_drive(profile), conditions, None);
    let verification = SharedVerification::new(Verification::new(Ledger::new(span)));
    let witness = Box::new(StreamWitness::new(verification.clone()));
    let start = Start {
        manifest,
        folder: args.output.folder(),
        interrupt: signals::interrupt()?,
        meter: Some(&args.meter),
    };
    let mut session = begin_witnessed(profile, args.seed.number(), witness, start)?;
    let account = Account::open(&mut session.engines()[0]);
    let watch = StreamWatch::nothing(HealthNotAsked::Simulated);
    let ended = stream(&mut session, &plan, &verification, (&watch, || Ok(())));
    let account = account.close(&mut session)?;
    note(&mut session, &plan, (&geometry, watch, None), &verification);
    show::show(args, session.finish(Some(account)), ended.map(drop))
}

fn real(args: &StallsArgs, path: &Path) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    let early = geometry_of(&target, args.safety.file_size);
    let planned = early.map(|geometry| plan::of(args, &geometry)).transpose();
    let check_target = || check_safety(&target, &args.safety, args.output.folder());
    let early_plan = checked(planned, folder(args), check_target)?;
    if args.safety.dry_run {
        check_safety(&target, &args.safety, args.output.folder())?;
        return show::dry_run(args, early_plan.as_ref());
    }
    let real = Real::open_for_writing(path, &args.safety, args.output.folder())?;
    let geometry = real.geometry();
    let (plan, span) = plan::of(args, &geometry)?;
    let conditions = real_conditions(real.identity());
    // Blocks of an earlier run with the same seed must not pass for this one's.
    let run = RunId(Seed::new(args.seed.number()).numbered(unix_nanos()).get());
    let manifest =
        plan::manifest(args, (&plan, &geometry, run), real.drive(), conditions, Some(unix_seconds()));
    let verification = SharedVerification::new(Verification::new(Ledger::new(span)));
    let clock = real.clock();
    let payload = Described::new(run, verification.clone(), move || clock.now());
    let start = Start {
        manifest,
        folder: args.output.folder(),
        interrupt: signals::interrupt()?,
        meter: Some(&args.meter),
    };
    let engines = vec![real.engine(payload, &[])];
    let mut session = begin_real(&real, engines, start, args.safety.temperature_limit)?;
    session.survive_power_cuts();
    let recording = record_device(args, &real)?;
    let watch = match real.identity() {
        Identity::Drive(drive) => {
            let whole = drive.parent.as_ref().map_or(&drive.kernel_name, |parent| &parent.kernel_name);
            StreamWatch::start(whole, path.to_owned(), real.clock())
        }
        Identity::File(_) => StreamWatch::nothing(HealthNotAsked::File),
    };
    let ended = stream(&mut session, &plan, &verification, (&watch, || real.verify_again()));
    let recorded = recording.map(BesideStream::stop).transpose()?;
    note(&mut session, &plan, (&geometry, watch, recorded), &verification);
    show::show(args, session.finish(None), ended.map(drop))
}

/// Records the device's own times beside the stream, where that is asked for.
fn record_device(args: &StallsArgs, real: &Real) -> Result<Option<BesideStream>, Failure> {
    match (args.output.folder().filter(|_| args.device_times), real.identity()) {
        (None, _) => Ok(None),
        (Some(run), Identity::Drive(drive)) => BesideStream::start(run, drive, real.clock()).map(Some),
        (Some(_), Identity::File(_)) => {
            let text = "--device-times goes with a drive: what a file's device does is not only the stream's";
            Err(Failure::Usage(text.to_owned()))
        }
    }
}

/// What stands against the folder of the run.
fn folder(args: &StallsArgs) -> Option<Failure> {
    folder_complaint("-o", args.output.folder()?, args.safety.dry_run)
}

/// Writes the stream, and reads it back where that was asked for.
fn stream<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &StallsPlan,
    verification: &SharedVerification,
    (watch, verify_target): (&StreamWatch, impl Fn() -> Result<(), Failure>),
) -> Result<PhaseEnd, Failure> {
    verify_target()?;
    session.add_beside(|phase| Beside::Stream(StreamWrites::new(phase, plan.block_size.get())));
    let writes = CyclicWrites::new(plan, verification.clone()).counting_suspicions(watch.suspicions());
    let ends_after = plan.blocks().map(|blocks| ByteCount::new(blocks * plan.block_size.get()));
    let end =
        session.phase(&plan.writing(), vec![writes], ends_after).map_err(|error| session.broke(error))?;
    late(session, plan, &end);
    if plan.read_back != ReadBack::No && !session.is_interrupted() {
        read_back(session, plan, verification)?;
    }
    Ok(end)
}

/// Reads what was written and not read back yet.
fn read_back<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &StallsPlan,
    verification: &SharedVerification,
) -> Result<(), Failure> {
    let reads = ReadEach::new(verification);
    let bytes = reads.bytes();
    let ended = session.phase(&plan.reading(), vec![reads], Some(bytes));
    ended.map(drop).map_err(|error| session.broke(error))
}

/// Says where a paced stream was not written at its pace.
fn late<E: Engine + Send>(session: &mut Session<E>, plan: &StallsPlan, end: &PhaseEnd) {
    if plan.rate.is_some() && end.delayed_sends > 0 {
        let text = format!(
            "{} writes were due while {} were in flight, and were sent late.",
            end.delayed_sends, plan.queue_depth
        );
        session.notice(Severity::Note, text);
    }
}

/// Keeps what was found with the run.
fn note<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &StallsPlan,
    (geometry, watch, device_recording): (&Geometry, StreamWatch, Option<DeviceRecordingDocument>),
    verification: &SharedVerification,
) {
    let unreadable = session.failed_reads();
    let verification = verification.get();
    let found =
        (plan.read_back != ReadBack::No).then(|| verified(&verification, geometry.logical_block, unreadable));
    if let Some(found) = found.as_ref().filter(|found| found.faulty() > 0) {
        let text = format!("{} blocks are not as they were written.", found.faulty());
        session.notice(Severity::Failure, text);
    }
    let left = found.as_ref().map_or(0, |found| found.left);
    if session.is_interrupted() && left > 0 {
        let text = format!("{left} blocks were written and not read back: the run was interrupted.");
        session.notice(Severity::Warning, text);
    }
    let Watched { health, kernel_log, worsened } = watch.finish(session.first_phase_at());
    if !worsened.is_empty() {
        let text = format!("The drive's health got worse during the run: {}.", worsened.join("; "));
        session.notice(Severity::Warning, text);
    }
    session.found(&StallsFindings { verification: found, health, device_recording, kernel_log });
}

/// The blocks that a plan writes.
type Planned = (StallsPlan, Span);
