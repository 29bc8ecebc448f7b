//! `drivelab stream contend`: which mechanism keeps a recorder's bandwidth beside other programs, on this machine.

mod mechanism;
mod part;
mod runs;

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use drivelab_block::ByteCount;
use drivelab_inspect::InspectionDocument;
use drivelab_inspect::contend::{ContendFindings, MechanismFindings, view};
use drivelab_kinds::Outline;
use drivelab_runner::sharing::{Places, abandoned, clear_abandoned};
use drivelab_runner::{
    Ending, Failure, Outputs, PlannedTest, TargetName, check_flags, check_safety, dry_run, environment,
    free_room, lasting_serials, say, signals, usage,
};
use drivelab_safety::{System, Target};
use drivelab_view::Page;
use drivelab_workload::Seed;

use crate::args::StreamContendArgs;
use crate::commands::attended::ContendTask;
use mechanism::{NOTHING, SetUp, add_run, are_enough, recommended};
pub use part::main as do_part;
use runs::CompetitorFile;

/// Two blocks of the recorder.
const RING_LEAST: ByteCount = ByteCount::new(2 << 20);
/// A file of less would be in nobody's way.
const COMPETITOR_LEAST: ByteCount = ByteCount::new(1 << 20);

/// Tries what this machine has to offer.
pub fn main(args: &StreamContendArgs) -> Result<Ending, Failure> {
    let places = Places::live();
    let drive = SharedDrive::open(&args.target, &args.competitor_directory)?;
    check_sizes(args)?;
    // The recorder's own runs write over each other: what stands against the first is asked here, once, of all of them.
    let target = Target::resolve(&System::live(), &args.target)?;
    let name = TargetName::Path(args.target.clone());
    check_flags(&args.safety, &[name], None)?;
    let refused = check_safety(&target, &args.safety, None);
    if args.safety.dry_run {
        say_abandoned(&places, &args.competitor_directory);
        let mechanisms = mechanism::offered(&places, &drive.name);
        return dry_run(&[outline(args, &drive, &mechanisms)], args.json.is_asked, refused.err());
    }
    clear_abandoned(&places)
        .iter()
        .chain(&CompetitorFile::clear_abandoned(&args.competitor_directory))
        .for_each(|undone| say!("a killed run left it: {undone}"));
    let mut tried = mechanism::offered(&places, &drive.name);
    refused?;
    let interrupt = signals::interrupt()?;
    // A run that follows goes on with this drive alone.
    let serials = lasting_serials(&target, &args.safety.serial);
    let made = CompetitorFile::make(args, &interrupt);
    if interrupt.is_raised() {
        say!("{}: nothing was tried", signals::stopped_in_words());
        return Ok(Ending::Interrupted);
    }
    let file = made?;
    for round in 0..u32::from(args.runs) {
        for place in order(args.seed.number, round, tried.len()) {
            let rate = competitor_rate(&tried);
            let mechanism = &mut tried[place];
            say!("run {} of {}: {}", round + 1, args.runs, mechanism.name);
            let record = ContendTask::Record { priority: mechanism.priority, serial: serials.clone() };
            let made = SetUp::of_mechanism(mechanism, &places, (&drive.name, drive.number), rate)
                .and_then(|set_up| runs::run(record, mechanism.contended, &set_up, (&file, &interrupt)));
            // A run that the user cut short is no failure of the run.
            if interrupt.is_raised() {
                let by = signals::stopped_in_words();
                say!("{by}: nothing is recommended from a part of the runs");
                return Ok(Ending::Interrupted);
            }
            add_run(mechanism, made?);
        }
    }
    show(args, &drive, tried)
}

/// Says what killed runs left, which the next run undoes.
fn say_abandoned(places: &Places, folder: &Path) {
    let files = CompetitorFile::abandoned(folder);
    let files = files.iter().map(|file| format!("the competitor's file {}", file.display()));
    for left in abandoned(places).into_iter().chain(files) {
        say!("a killed run left {left}: the next run undoes that");
    }
}

/// Refuses what no run could be made with, before the first one.
fn check_sizes(args: &StreamContendArgs) -> Result<(), Failure> {
    if args.ring < RING_LEAST {
        return Err(usage!("--ring {}: a ring is at least {RING_LEAST} long", args.ring));
    }
    if args.competitor_size < COMPETITOR_LEAST {
        return Err(usage!("--competitor-size {}: give {COMPETITOR_LEAST} or more", args.competitor_size));
    }
    let room = free_room(&args.competitor_directory)?;
    if args.competitor_size > room {
        return Err(usage!(
            "--competitor-size {}: {} has room for {room}: give less",
            args.competitor_size,
            args.competitor_directory.display()
        ));
    }
    Ok(())
}

/// What the competitor reached by itself so far, in bytes a second.
fn competitor_rate(tried: &[MechanismFindings]) -> f64 {
    let nothing = tried.iter().find(|one| one.name == NOTHING);
    let rates = nothing.into_iter().flat_map(|one| &one.runs).filter_map(|run| run.competitor_mb_s);
    rates.fold(0.0, f64::max) * 1e6
}

/// The order of a round: alone and without a mechanism first, since the others need what these say, the rest shuffled.
fn order(seed: u64, round: u32, count: usize) -> Vec<usize> {
    let mut draw = Seed::new(seed).numbered(u64::from(round)).draw();
    let mut places: Vec<usize> = (0..count).collect();
    for place in (3..count).rev() {
        let other = 2 + usize::try_from(draw.below(place as u64 - 1)).unwrap_or(0);
        places.swap(place, other);
    }
    places
}

fn show(
    args: &StreamContendArgs,
    drive: &SharedDrive,
    tried: Vec<MechanismFindings>,
) -> Result<Ending, Failure> {
    let best = recommended(&tried);
    let found = ContendFindings {
        target: args.target.display().to_string(),
        beside: args.competitor_directory.display().to_string(),
        drive: drive.name.clone(),
        stream_mb_s: args.bytes_per_second() / 1e6,
        recommended: best.map(|(one, _)| one.name.clone()),
        stall_factor: best.map(|(_, factor)| factor),
        has_enough_runs: are_enough(u32::from(args.runs), tried.len().saturating_sub(2)),
        mechanisms: tried,
    };
    let page = Page::from_view(view(&found));
    let outputs = Outputs { json: args.json.is_asked, ..Outputs::default() };
    outputs.make(&page, &[InspectionDocument::new(found)])?;
    Ok(Ending::Passed)
}

fn outline(args: &StreamContendArgs, drive: &SharedDrive, mechanisms: &[MechanismFindings]) -> PlannedTest {
    let names: Vec<&str> = mechanisms.iter().map(|mechanism| mechanism.name.as_str()).collect();
    let sentence = format!(
        "{} runs of {} each would be made, and what {} holds would be lost: {}",
        mechanisms.len() as u64 * u64::from(args.runs),
        args.cell_duration,
        args.target.display(),
        names.join("; ")
    );
    let outline = Outline { sentences: vec![sentence], written: None, time: None };
    PlannedTest {
        label: drive.name.clone(),
        ..PlannedTest::new(&args.target.display().to_string(), Some(outline))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SharedDrive {
    name: String,
    /// Its number: major and minor.
    number: (u32, u32),
}

impl SharedDrive {
    /// The drive of a target and of a folder beside it. Refused where they do not lie on one drive: there would be nothing to
    /// share.
    fn open(target: &Path, beside: &Path) -> Result<SharedDrive, Failure> {
        if !beside.is_dir() {
            return Err(usage!(
                "--competitor-directory {} is no folder: name one on the drive",
                beside.display()
            ));
        }
        let (recorder, competitor) = (under(target)?, under(beside)?);
        if recorder != competitor {
            return Err(usage!(
                "{} is on {}, --competitor-directory {} on {}: name a folder on the recorder's drive",
                target.display(),
                recorder.name,
                beside.display(),
                competitor.name
            ));
        }
        Ok(recorder)
    }
}

/// The whole drive under a device node, a file or a folder; a file that is not there yet lies where its folder does.
fn under(path: &Path) -> Result<SharedDrive, Failure> {
    let there = if path.exists() { path } else { path.parent().unwrap_or(path) };
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let known = fs::metadata(there).map_err(|error| Failure::io(&there.display().to_string(), &error))?;
    let number = if known.file_type().is_block_device() { known.rdev() } else { known.dev() };
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let link = format!("/sys/dev/block/{major}:{minor}");
    let place = fs::canonicalize(&link)
        .map_err(|_| usage!("{} lies on no block device: there is no drive to share", path.display()))?;
    let whole = if place.join("partition").exists() { place.parent().unwrap_or(&place) } else { &place };
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = fs::read_to_string(whole.join("dev")).unwrap_or_default();
    let number = text
        .trim()
        .split_once(':')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let number = number.ok_or_else(|| environment!("{} has no number", whole.display()))?;
    Ok(SharedDrive { name, number })
}
