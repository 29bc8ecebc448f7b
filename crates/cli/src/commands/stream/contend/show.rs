//! What a contention prints.

use std::fmt::Write as _;

use drivelab_block::Nanos;
use drivelab_runner::{Ending, Failure, output};
use serde::Serialize;

use super::drive::SharedDrive;
use super::mechanism::{Hold, Mechanism};
use super::runs::Run;
use super::verdict::{Tried, are_enough, recommended};
use crate::args::StreamContendArgs;

/// A contention: `drivelab.contend/1`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    target: String,
    beside: String,
    drive: &'a str,
    stream_mb_s: f64,
    mechanisms: Vec<MechanismDocument<'a>>,
    recommended: Option<&'a str>,
    stall_factor: Option<f64>,
}

#[derive(Serialize)]
struct MechanismDocument<'a> {
    name: &'a str,
    contended: bool,
    scheduler: Option<&'a str>,
    priority: bool,
    competitor_held_by: Option<Hold>,
    longest_write_ns: u64,
    dropped: u64,
    runs: &'a [Run],
}

/// Prints what was found.
pub fn show(args: &StreamContendArgs, drive: &SharedDrive, tried: &[Tried]) -> Result<Ending, Failure> {
    let best = recommended(tried);
    if args.json.is_asked() {
        let mechanisms = tried.iter().map(|one| MechanismDocument {
            name: &one.mechanism.name,
            contended: one.mechanism.contended,
            scheduler: one.mechanism.scheduler.as_deref(),
            priority: one.mechanism.priority,
            competitor_held_by: one.mechanism.hold,
            longest_write_ns: one.longest(),
            dropped: one.dropped(),
            runs: &one.runs,
        });
        return output::print_json(&Document {
            schema: "drivelab.contend/1",
            target: args.target.display().to_string(),
            beside: args.competitor_directory.display().to_string(),
            drive: &drive.name,
            stream_mb_s: args.bytes_per_second() / 1e6,
            mechanisms: mechanisms.collect(),
            recommended: best.map(|(one, _)| one.mechanism.name.as_str()),
            stall_factor: best.map(|(_, factor)| factor),
        });
    }
    output::print(&summary(args, drive, tried, best))
}

fn summary(
    args: &StreamContendArgs,
    drive: &SharedDrive,
    tried: &[Tried],
    best: Option<(&Tried, f64)>,
) -> String {
    let mut text = format!(
        "{}: a stream of {:.0} MB/s to {} beside {}, medians of {}\n\n{:<36}{:>14}{:>10}{:>12}{:>14}\n",
        drive.name,
        args.bytes_per_second() / 1e6,
        args.target.display(),
        args.competitor_directory.display(),
        args.runs,
        "",
        "longest write",
        "dropped",
        "recorded",
        "competitor"
    );
    for one in tried {
        let mean = |of: &dyn Fn(&Run) -> Option<f64>| {
            let values: Vec<f64> = one.runs.iter().filter_map(of).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let recorded = mean(&|run| Some(run.mb_s)).unwrap_or(0.0);
        let competitor = mean(&|run| run.competitor_mb_s);
        let _ = writeln!(
            text,
            "{:<36}{:>14}{:>10}{:>7.0} MB/s{:>14}",
            one.mechanism.name,
            Nanos::new(one.longest()).to_string(),
            one.dropped(),
            recorded,
            competitor.map_or("-".to_owned(), |rate| format!("{rate:.1} MB/s"))
        );
    }
    let _ = match best {
        Some((one, factor)) => writeln!(
            text,
            "\n{} helps on this machine: the longest write is {factor:.1} times shorter, {} frames dropped.",
            one.mechanism.name,
            one.dropped()
        ),
        None if !are_enough(u32::from(args.runs), tried.len().saturating_sub(2)) => {
            writeln!(text, "\nToo few runs to recommend any: chance alone could. Use --runs 5 or more.")
        }
        None => writeln!(text, "\nNo mechanism helps here: none was better in each of its runs."),
    };
    text
}

/// Says what would be done.
pub fn dry_run(
    args: &StreamContendArgs,
    drive: &SharedDrive,
    mechanisms: &[Mechanism],
) -> Result<Ending, Failure> {
    let names: Vec<&str> = mechanisms.iter().map(|mechanism| mechanism.name.as_str()).collect();
    output::print(&format!(
        "{}: {} runs of {} each would be made, and what {} holds would be lost: {}\n",
        drive.name,
        mechanisms.len() as u64 * u64::from(args.runs),
        args.cell_duration,
        args.target.display(),
        names.join("; ")
    ))
}
