//! `drivelab matrix`.

mod cell;
mod image;
mod kept;
mod plan;
#[cfg(test)]
mod planted;
mod settled;
mod show;
mod simulated;

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use drivelab_block::ByteCount;
use drivelab_method::Interrupt;
use drivelab_method::matrix::{MatrixPlan, Step};
use drivelab_report::{Condition, EnergyDocument, MatrixReport, matrix_cell_name};
use drivelab_runner::{
    CellLine, ENERGY_FILE, Ending, Failure, Real, SafetyOptions, TargetName, Task, Watch, check_flags,
    check_safety, check_task_meter, checked, folder_complaint, output, real_conditions, signals,
    simulated_conditions, unix_seconds,
};
use drivelab_safety::{DriveIdentity, DriveKind, System, Target};
use drivelab_sharing::{Places, Scheduler};
use drivelab_sim::Profile;

use crate::args::MatrixArgs;
use crate::shown::shown_conditions;
use cell::{Measure, scheduled_name, whole_of};
use kept::{Kept, Outcome, plan_in};
use settled::Settled;

/// How a target begins that is an image of a drive.
const IMAGE: &str = "image:";
/// Cells that fail one after the other before the run is given up: nothing is left that works.
const FAILURES_MAX: u32 = 10;
/// What a run that is given up leaves.
const GIVEN_UP: &str = "with -o, the folder holds every cell so far, and --resume goes on";

/// What was asked: a new run, or one that goes on.
struct Job<'a> {
    args: &'a MatrixArgs,
    target: String,
    /// Where the run is kept.
    folder: Option<&'a Path>,
    /// The plan of the run that goes on.
    resumed: Option<Settled>,
}

/// Measures file systems, schedulers, threads and work against each other.
pub fn main(args: &MatrixArgs) -> Result<Ending, Failure> {
    let resumed = args.resume.as_deref().map(plan_in).transpose()?;
    let target = resumed.as_ref().map(|settled| settled.target.clone()).or_else(|| args.target.clone());
    let target =
        target.ok_or_else(|| Failure::Usage("name a target, or a folder with --resume".to_owned()))?;
    let folder = args.resume.as_deref().or(args.output.folder());
    let job = Job { args, target, folder, resumed };
    if let Some(name) = job.target.strip_prefix(IMAGE) {
        check_task_meter(&args.meter, None)?;
        return image::main(&job, name);
    }
    let name = TargetName::parse(&job.target)?;
    check_task_meter(&args.meter, Some(&name))?;
    match name {
        TargetName::Simulated(profile) => on_simulated(&job, &profile),
        TargetName::Path(path) => on_path(&job, &path),
    }
}

impl Job<'_> {
    /// What stands against the folder of a new run.
    fn folder_complaint(&self) -> Option<Failure> {
        let output = self.args.output.folder()?;
        folder_complaint("-o", output, self.args.safety.dry_run)
    }

    /// The flags of the first start, and those of this one.
    fn safety(&self) -> SafetyOptions {
        let now: &SafetyOptions = &self.args.safety;
        self.resumed.as_ref().map_or_else(|| now.clone(), |settled| settled.safety(now))
    }

    /// What is to be said of the energy of a run that was taken up again, with so many measurements left of all.
    fn energy_notice(&self, (left, all): (usize, usize)) -> Option<String> {
        if self.args.meter.meter.is_some() {
            return Some(format!("The energy is of the last start alone, of {left} of {all} measurements."));
        }
        let earlier = self.folder?.join(format!("{}-1.json", ENERGY_FILE.trim_end_matches(".json")));
        earlier.is_file().then(|| {
            format!("The last start was not metered: what an earlier one took is in {}.", earlier.display())
        })
    }

    /// The folder, new or with what it has.
    fn kept(&self, settled: &Settled, steps: &[Step]) -> Result<Kept, Failure> {
        match (&self.resumed, self.folder) {
            (Some(_), Some(folder)) => Kept::resume(folder, steps),
            (_, folder) => Kept::begin(folder, settled),
        }
    }
}

fn on_simulated(job: &Job<'_>, profile: &Profile) -> Result<Ending, Failure> {
    check_flags(&job.args.safety, &[], None)?;
    let identity = format!("{} with parameters {:016x}", profile.model(), profile.fingerprint());
    let fresh = || {
        let settled = plan::of_simulated(job.args, &profile.geometry())?;
        Ok(Settled { identity: Some(identity.clone()), ..settled })
    };
    job.resumed.as_ref().map_or(Ok(()), |resumed| resumed.check_identity(&identity))?;
    let settled = checked(job.resumed.clone().map_or_else(fresh, Ok), job.folder_complaint(), || Ok(()))?;
    let plan = settled.plan()?;
    if job.args.safety.dry_run {
        return show::dry_run(&settled, &plan);
    }
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let conditions = shown_conditions(&simulated_conditions(profile), None);
    let begin = Begin { settled: &settled, plan: &plan, notices: Vec::new(), conditions };
    let conducted = conduct(job, begin, &interrupt, |step| {
        let measured = simulated::measure(profile, &settled, step, &interrupt)?;
        Ok(measured.map(Ok))
    });
    conducted?.show(job, None)
}

fn on_path(job: &Job<'_>, path: &Path) -> Result<Ending, Failure> {
    if path.is_file() {
        let text = format!("{} is a file: write {IMAGE}{}", path.display(), path.display());
        return Err(Failure::Usage(text));
    }
    if job.resumed.is_none() {
        check_flags(&job.args.safety, &[TargetName::Path(path.to_path_buf())], None)?;
    }
    let target = Target::resolve(&System::live(), path)?;
    let identity = match &target {
        Target::Drive(drive) => identity_of(drive.identity()),
        Target::File(_) => String::new(),
    };
    on_drive(job, path, &identity, &job.safety())
}

/// Which drive it is: its size, and what tells it from others. A kernel's name may name another drive tomorrow, so one without
/// a serial number is known by a name of its own, or else by the file behind it too, or, where it is gone with the machine's
/// memory, by its place among all drives that have appeared since the machine started.
fn identity_of(drive: &DriveIdentity) -> String {
    let model = drive.model.as_deref().unwrap_or("a drive without a name");
    let size = drive.geometry().capacity.get();
    let kernel_name = &drive.kernel_name;
    // Namespaces of one drive share its serial number.
    let own: Vec<&str> = [&drive.serial, &drive.wwn].into_iter().flatten().map(String::as_str).collect();
    let own = if own.is_empty() { drive.by_id.first().cloned() } else { Some(own.join(" ")) };
    let which = match (own, &drive.backing_file) {
        (Some(own), _) => {
            let whole = drive.parent.as_ref().and_then(|whole| kernel_name.strip_prefix(&whole.kernel_name));
            own + &whole.map_or_else(String::new, |number| format!(" part {number}"))
        }
        (None, Some(file)) => {
            let inode = std::fs::metadata(file).map_or(0, |found| found.ino());
            format!("{kernel_name}, {} (inode {inode})", file.display())
        }
        (None, None) if drive.kind == DriveKind::Zram => match drive.disk_sequence {
            Some(number) => format!("{kernel_name}, disk {number} of this start"),
            None => kernel_name.clone(),
        },
        (None, None) => kernel_name.clone(),
    };
    format!("{model}, {which}, of {size} bytes")
}

/// The target as it is named from every folder, for a run that goes on from another.
fn from_anywhere(target: &str) -> String {
    let (kind, path) = target.strip_prefix(IMAGE).map_or(("", target), |path| (IMAGE, path));
    let absolute = std::path::absolute(path).ok();
    absolute.and_then(|path| Some(format!("{kind}{}", path.to_str()?))).unwrap_or_else(|| target.to_owned())
}

/// Runs on a block device, which `safety` confirms; `identity` tells it from any other.
fn on_drive(job: &Job<'_>, path: &Path, identity: &str, safety: &SafetyOptions) -> Result<Ending, Failure> {
    let target = Target::resolve(&System::live(), path)?;
    let Target::Drive(drive) = &target else {
        let text = format!("{} is not there: name a drive, a partition, or {IMAGE}FILE", path.display());
        return Err(Failure::Environment(text));
    };
    let places = Places::live();
    let geometry = drive.identity().geometry();
    let fresh = || {
        let offered = Scheduler::offered(&places, whole_of(drive.identity())).unwrap_or_default();
        let settled = plan::of_drive(job.args, &geometry, &offered)?;
        Ok(Settled { target: from_anywhere(&settled.target), identity: Some(identity.to_owned()), ..settled })
    };
    job.resumed.as_ref().map_or(Ok(()), |resumed| resumed.check_identity(identity))?;
    let check = || check_safety(&target, safety, job.folder);
    let settled = checked(job.resumed.clone().map_or_else(fresh, Ok), job.folder_complaint(), check)?;
    let plan = settled.plan()?;
    if settled.fs_bytes.is_some_and(|size| size > geometry.capacity.get()) {
        let text = format!("{} is smaller than the run's file systems: it is another one", path.display());
        return Err(Failure::Environment(text));
    }
    if safety.dry_run {
        check()?;
        return show::dry_run(&settled, &plan);
    }
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let real = Real::open_for_writing(path, safety, job.folder)?;
    let watch = Watch::start(scheduled_name(real.identity()), safety.temperature_limit, &interrupt);
    let conditions = shown_conditions(&real_conditions(real.identity()), Some(unix_seconds()));
    let notices = show::notices_of_drive(&settled, &real);
    let begin = Begin { settled: &settled, plan: &plan, notices, conditions };
    let (device, clock) = (Some(real.device()), real.clock());
    let mut measure = Measure { settled: &settled, real: Some(real), interrupt: &interrupt };
    let task = Task {
        meter: &job.args.meter,
        command: "matrix",
        target: &job.target,
        folder: job.folder,
        device,
        clock,
        json: job.args.json.is_asked(),
    };
    let measure = |step: &Step| {
        let measured = measure.run(step)?;
        watch.check()?;
        Ok(measured)
    };
    let conduct = || conduct(job, begin, &interrupt, measure);
    task.run(&interrupt, conduct, |conducted, energy| conducted?.show(job, energy))
}

/// What a run begins with.
struct Begin<'a> {
    settled: &'a Settled,
    plan: &'a MatrixPlan,
    /// What the reader has to know.
    notices: Vec<String>,
    /// Under what it was made, of this start.
    conditions: Vec<Condition>,
}

/// What there is of a run, and how it ended.
struct Conducted {
    kept: Kept,
    report: MatrixReport,
    ended: Result<(), Failure>,
}

impl Conducted {
    fn show(self, job: &Job<'_>, energy: Option<EnergyDocument>) -> Result<Ending, Failure> {
        let Conducted { kept, report, ended } = self;
        show::show(job.args, &kept, &MatrixReport { energy, ..report }, ended)
    }
}

/// Runs every cell that is not there yet, and keeps each at once.
fn conduct(
    job: &Job<'_>,
    begin: Begin<'_>,
    interrupt: &Interrupt,
    mut measure: impl FnMut(&Step) -> Result<Option<Outcome>, Failure>,
) -> Result<Conducted, Failure> {
    let Begin { settled, plan, mut notices, conditions } = begin;
    let steps = plan.steps();
    let mut kept = job.kept(settled, &steps)?;
    let left: Vec<&Step> = steps.iter().filter(|step| !kept.has(step)).collect();
    if job.resumed.is_some() {
        output::say(format_args!(
            "drivelab: {} of {} cells are there",
            steps.len() - left.len(),
            steps.len()
        ));
        if left.len() < steps.len() && settled.fs_bytes.is_some() {
            notices.push(
                "The conditions are those of the last start; earlier cells may have had others.".to_owned(),
            );
            notices.extend(job.energy_notice((left.len(), steps.len())));
        }
    }
    let prepared = show::prepared(settled, left.iter().copied());
    if prepared > ByteCount::new(0) {
        output::say(format_args!(
            "drivelab: {prepared} of files to work on are written before the measurements, besides what mkfs writes"
        ));
    }
    let line = CellLine::new(&job.target, steps.len(), steps.len() - left.len());
    let mut failures = 0;
    let ended = left.iter().try_for_each(|step| {
        if interrupt.is_raised() {
            return Ok(());
        }
        line.show(matrix_cell_name(&step.cell));
        let Some(outcome) = measure(step)? else { return Ok(()) };
        failures = if outcome.is_err() { failures + 1 } else { 0 };
        let why = outcome.as_ref().err().cloned();
        kept.add(step, outcome)?;
        match why {
            Some(why) if failures == FAILURES_MAX => Err(Failure::Environment(format!(
                "{failures} cells failed one after the other, the last one: {why}"
            ))),
            _ => Ok(()),
        }
    });
    line.clear();
    let report = show::report(settled, &steps, &kept, interrupt, (conditions, notices));
    Ok(Conducted { kept, report, ended })
}
