//! `--dry-run`: what would be written, for how long, and whether it would be allowed.

use std::fmt::Write as _;
use std::path::Path;

use drivelab_block::{ByteCount, Geometry};
use drivelab_safety::{Confirmation, System, Target, check_for_writing};

use super::super::output;
use super::bench::Bench;
use crate::bench::{TargetName, claim_options, geometry_of, serial_for};
use crate::exit::{Ending, Failure};

/// Shows every plan, then refuses where the first target would be refused.
pub fn show(benches: &[Bench<'_>]) -> Result<Ending, Failure> {
    let mut text = String::new();
    let mut refusal = None;
    for bench in benches {
        let _ = writeln!(text, "{}", bench.label());
        match bench.target {
            TargetName::Simulated(profile) => text += &plan(bench, &profile.geometry())?,
            TargetName::Path(path) => {
                let target = Target::resolve(&System::live(), path)?;
                match geometry_of(&target, bench.args.safety.file_size) {
                    Some(geometry) => text += &plan(bench, &geometry)?,
                    None => text += "  the file is not there: its size has to be given with --file-size\n",
                }
                refusal = refusal.or(check(bench, &target, bench.output).err());
            }
        }
    }
    text += "Nothing was done (--dry-run).\n";
    output::print(&text)?;
    refusal.map_or(Ok(Ending::Passed), Err)
}

fn plan(bench: &Bench<'_>, geometry: &Geometry) -> Result<String, Failure> {
    let plan = bench.plan(geometry)?;
    let (start, end) = plan.written_range();
    let range = ByteCount::new(end.get() - start.get());
    let mut text = String::new();
    if !bench.args.no_purge {
        let _ =
            writeln!(text, "  purge         discard bytes {} to {}", plan.range.0.get(), plan.range.1.get());
    }
    if plan.fill {
        let _ = writeln!(
            text,
            "  fill          write {range} in sequence, bytes {} to {}",
            start.get(),
            end.get()
        );
    }
    let _ = writeln!(
        text,
        "  random write  {} s of {}-byte writes, {} in flight, over {range}",
        plan.duration.as_secs_f64(),
        plan.block_size.get(),
        plan.queue_depth
    );
    let _ = writeln!(text, "  kept in       {}", bench.output.join(bench.folder_name()).display());
    Ok(text)
}

fn check(bench: &Bench<'_>, target: &Target, output: &Path) -> Result<(), Failure> {
    let safety = &bench.args.safety;
    let confirmation = Confirmation {
        serial: serial_for(target, &safety.serial),
        discard_contents: safety.discard_contents,
    };
    check_for_writing(&System::live(), target, &confirmation, &claim_options(safety, Some(output)))?;
    Ok(())
}
