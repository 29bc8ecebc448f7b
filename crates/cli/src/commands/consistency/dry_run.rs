//! `--dry-run`: what would be written, for how long, and whether it would be allowed.

use std::fmt::Write as _;

use drivelab_block::{ByteCount, Geometry};
use drivelab_runner::{Ending, Failure, TargetName, geometry_of};
use drivelab_safety::{System, Target};

use super::bench::Bench;
use drivelab_runner::output::{self, NOTHING_DONE};

/// Shows every plan, then says of every target that would be refused why.
pub fn show(benches: &[Bench<'_>]) -> Result<Ending, Failure> {
    let mut text = String::new();
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
            }
        }
    }
    output::print(&text)?;
    Failure::all(benches.iter().filter_map(|bench| bench.check_safety().err()))?;
    output::print(NOTHING_DONE)
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
    let _ = writeln!(text, "  kept in       {}", bench.folder().display());
    Ok(text)
}
