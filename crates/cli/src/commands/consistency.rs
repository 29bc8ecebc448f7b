//! `drivelab consistency`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use drivelab_block::Nanos;
use drivelab_kinds::FlashOverProvisioning;
use drivelab_kinds::consistency::{ConsistencyPrecondition, ConsistencySettings};
use drivelab_runner::{
    Destination, Ending, Failure, ParentProgress, ResultName, TestRequest, TestSeries, run_consistency_tests,
    usage,
};

use super::drive_tests::find_flash_over_provisioning;
use super::folders::{named_twice, path_named_twice};
use crate::args::{ConsistencyArgs, Precondition};

const SECOND: u64 = 1_000_000_000;

/// Tests every target with every over-provisioning and compares them.
pub fn main(args: &ConsistencyArgs) -> Result<Ending, Failure> {
    let output = args.options.result.folder().map_or_else(default_folder, Path::to_owned);
    if !args.window.get().is_multiple_of(SECOND) {
        return Err(usage!("--window has to be whole seconds, such as 60s"));
    }
    check_named_once(args)?;
    let found =
        args.targets.iter().map(|target| find_flash_over_provisioning(Some(args.precondition), target));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let each = args
        .targets
        .iter()
        .zip(found)
        .flat_map(|target| args.over_provisioning.iter().map(move |share| (target, *share)));
    let asked: Vec<(&String, ConsistencySettings, PathBuf)> = each
        .enumerate()
        .map(|(number, ((target, found), share))| {
            (target, settings(args, share, found), output.join(folder_name(number, target, share)))
        })
        .collect();
    let destination = Destination { folder: Some(&output), ..args.options.result.destination() };
    let name = ResultName { is_shared: asked.len() > 1, ..destination.name };
    let parent = |number| destination.parent.map(|parent| parent.part(number, asked.len()));
    let parents: Vec<Option<ParentProgress>> = (0..asked.len()).map(parent).collect();
    let requests = asked.iter().zip(&parents).map(|((target, settings, folder), parent)| TestRequest {
        destination: Destination { folder: Some(folder), name, parent: parent.as_ref(), ..destination },
        ..args.options.request(target, settings.clone(), ())
    });
    run_consistency_tests(&TestSeries { requests: requests.collect(), destination })
}

fn settings(
    args: &ConsistencyArgs,
    over_provisioning_percent: f64,
    flash_over_provisioning: Option<FlashOverProvisioning>,
) -> ConsistencySettings {
    ConsistencySettings {
        over_provisioning_percent,
        range: args.range.typed,
        block_size_bytes: args.block_size.size.get(),
        queue_depth: args.queue_depth.depth,
        duration_ns: args.duration.get(),
        window_s: args.window.get() / SECOND,
        purge: args.purge.asked,
        precondition: match args.precondition {
            Precondition::OnePass(_) => ConsistencyPrecondition::OnePass,
            Precondition::Fill => ConsistencyPrecondition::Fill,
            Precondition::None | Precondition::FillAll | Precondition::Random(_) => {
                ConsistencyPrecondition::None
            }
        },
        flash_over_provisioning,
        compressibility_percent: args.compressibility.percent,
        until_warm_ns: args.until_warm.at_most.map(Nanos::get),
    }
}

/// Refuses a target that is named twice, by whatever path: its second test would begin on what the first one left. Tests of a
/// share that is named twice would have one name, and be one result seen twice.
fn check_named_once(args: &ConsistencyArgs) -> Result<(), Failure> {
    if let Some(twice) = path_named_twice(&args.targets) {
        return Err(usage!("{} is a target that was named before: name each target once", twice.display()));
    }
    if let Some(twice) = named_twice(&args.over_provisioning) {
        let share = args.over_provisioning[twice];
        return Err(usage!("--over-provisioning names {share}% twice: name each share once"));
    }
    Ok(())
}

/// The name of a test's folder: its number, its target, its over-provisioning.
fn folder_name(number: usize, target: &str, share: f64) -> String {
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || ".-_".contains(sign) { sign } else { '-' };
    let name: String = target.trim_start_matches("/dev/").chars().map(plain).collect();
    let name: String = name.trim_matches(['-', '.']).chars().take(60).collect();
    format!("{number:02}-{name}-over-provisioning-{share}")
}

#[expect(clippy::disallowed_methods, reason = "a folder that the user did not name is named by its time")]
fn default_folder() -> PathBuf {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let digits: String = now.chars().filter(|sign| sign.is_ascii_digit() || *sign == 'T').collect();
    let name = format!("consistency-{}", digits.replace('T', "-"));
    let (mut folder, mut number) = (PathBuf::from(&name), 1);
    // A test of a simulated drive may be over within the second in which it began.
    while folder.symlink_metadata().is_ok() {
        number += 1;
        folder = PathBuf::from(format!("{name}-{number}"));
    }
    folder
}
