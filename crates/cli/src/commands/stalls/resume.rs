//! `drivelab stalls --resume`: is all there that was acknowledged before a crash?

use std::path::Path;

use drivelab_block::Engine;
use drivelab_method::stalls::{ReadBack, ReadEach, StallsPlan};
use drivelab_record::{RunFolder, RunReader};
use drivelab_report::verification_terminal;
use drivelab_verify::{Described, Ledger, RunId, SharedVerification, Verification};

use super::output;
use crate::args::StallsArgs;
use crate::bench::{Real, Session, Start, TargetName, begin_real};
use crate::exit::{Ending, Failure};
use crate::kept_stream::{self, Settings, verified};
use crate::signals;

/// What a resumed run found, in its folder.
const DOCUMENT: &str = "resumed.json";

/// Reads back what the run in `folder` had acknowledged.
pub fn main(args: &StallsArgs, target: &TargetName, folder: &Path) -> Result<Ending, Failure> {
    let TargetName::Path(path) = target else {
        let text =
            "--resume goes with a drive or a file: a simulated drive is gone with the program that made it";
        return Err(Failure::Usage(text.to_owned()));
    };
    let (kept, manifest) = RunFolder::open(folder)?;
    let settings = kept_stream::settings(&manifest)?;
    let real = Real::open_for_reading(path)?;
    let plan = settings.plan(ReadBack::End);
    let span = plan
        .check(&real.geometry())
        .map_err(|error| Failure::Usage(format!("{} is not what the run wrote to: {error}", args.target)))?;
    let mut ledger = Ledger::new(span);
    ledger.open_end();
    let mut reader = RunReader::open(&kept.segments())?;
    while let Some(completions) = reader.next_batch() {
        ledger.note(&completions);
    }
    reader.faults().iter().for_each(|fault| output::say(format_args!("{}: {fault}", folder.display())));
    let verification = SharedVerification::new(Verification::new(ledger));
    let found = read(args, &real, (&plan, &settings), manifest, &verification)?;
    let text = serde_json::to_vec_pretty(&found)
        .map_err(|error| Failure::Environment(format!("the JSON document cannot be made: {error}")))?;
    kept.write_file(DOCUMENT, &text)?;
    if args.json {
        output::print_json(&found)?;
    } else {
        output::print(&verification_terminal(&args.target, &found, output::style()))?;
    }
    Ok(if found.faulty() > 0 { Ending::CheckFailed } else { Ending::Passed })
}

fn read(
    args: &StallsArgs,
    real: &Real,
    (plan, settings): (&StallsPlan, &Settings),
    manifest: drivelab_record::Manifest,
    verification: &SharedVerification,
) -> Result<drivelab_report::VerificationDocument, Failure> {
    let clock = real.clock();
    let payload = Described::new(RunId(settings.run), verification.clone(), move || clock.now());
    let start = Start { manifest, folder: None, interrupt: signals::interrupt()? };
    let engines = vec![real.engine(payload, &[])];
    let mut session = begin_real(real, engines, start, args.safety.temperature_limit)?;
    read_all(&mut session, plan, verification)?;
    let unreadable = session.failed_reads();
    session.finish(None);
    Ok(verified(&verification.get(), settings.logical_block, unreadable))
}

fn read_all<E: Engine + Send>(
    session: &mut Session<E>,
    plan: &StallsPlan,
    verification: &SharedVerification,
) -> Result<(), Failure> {
    let reads = ReadEach::new(verification);
    let bytes = reads.bytes();
    let ended = session.phase(&plan.reading(), vec![reads], Some(bytes));
    ended.map(drop).map_err(|error| session.broke(error))
}
