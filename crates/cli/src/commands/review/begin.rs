//! What stands against a review before it begins, and which drives it is of.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use drivelab_documents::review::{
    REVIEW_SCHEMA, ReviewMeter, ReviewPlan, ReviewRecord, ReviewedTarget, ShippedPlan, StepRecord, folder_of,
    is_review_folder, most_alike,
};
use drivelab_kinds::PlannedTime;
use drivelab_runner::{
    Ending, Failure, MeterOptions, SafetyOptions, TargetName, check_meter, check_serials,
    check_temperature_limit, environment, folder_complaint, refused, started_now, usage,
};
use drivelab_safety::{Access, System};
use drivelab_view::format::shell_word;

use super::connected::{Connected, ConnectedKind};
use super::planned::{PlannedReview, RehearsedSteps, together, without_writing};
use super::step::{Rehearsals, reads_meter};
use super::{Review, options, page};
use crate::args::ReviewArgs;

/// Why nothing can be said of a file that has no size.
const NO_SIZE: &str = "the file is not there: make it first, or give its size with --file-size";
/// The same of one that a test only reads, and whose size was given.
const NOT_MADE: &str = "the file is not there, and no test before this one writes to it: make it first";

/// How long the step of a review that was killed may take to end, such as one whose write is still with the drive.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked whether it has.
const GLANCE: Duration = Duration::from_millis(20);

/// A new review.
pub fn begun(args: &ReviewArgs, rehearsals: &mut Rehearsals<'_>) -> Result<PlannedReview, Failure> {
    let (plan, text) = plan_of(&args.plan)?;
    options::check(&args.plan, &plan, &mut rehearsals.cli)?;
    let connected =
        args.targets.iter().map(|target| Connected::look_up(target)).collect::<Result<Vec<_>, _>>()?;
    let targets = reviewed(&connected)?;
    check_confirmations(args, &connected)?;
    check_meter(&args.options.meter, &names_of(&connected)?)?;
    let meter = meter_of_review(&args.options.meter, &plan, &targets)?;
    let folder = args.options.result.folder().map_or_else(|| "review".into(), Path::to_owned);
    if !args.options.safety.dry_run {
        ReviewRecord::clear_unfinished(&folder);
    }
    let against_folder = args.options.result.folder().and_then(|folder| folder_complaint("-o", folder));
    let (at_once, at_the_end) =
        if args.options.safety.dry_run { (None, against_folder) } else { (against_folder, None) };
    Failure::all(at_once)?;
    let name = args.options.result.destination().name;
    let is_real = targets.iter().any(|target| target.identity.is_some());
    let record = ReviewRecord {
        schema: REVIEW_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: started_now().filter(|_| is_real),
        // A file is called without its folder.
        plan_name: Path::new(&args.plan)
            .file_name()
            .map_or_else(|| args.plan.clone(), |name| name.to_string_lossy().into_owned()),
        plan: text,
        seed: args.options.result.seed.number,
        label: name.label.map(str::to_owned),
        note: name.note(),
        hides_serial: name.hides_serial,
        meter,
        steps: ReviewRecord::steps_of(&plan, &targets),
        targets,
    };
    let mut review = Review { folder, record, plan, connected };
    leave_out_of_files(&mut review);
    check_drives(&review, &args.options.safety)?;
    let rehearsed = rehearse(&mut review, rehearsals)?;
    let allowed = Failure::all(at_the_end.into_iter().chain(allowed(&review, rehearsals).err()));
    if args.options.result.folder().is_none() && !args.options.safety.dry_run {
        // What is wrong with a target matters more.
        let text = "a review keeps its results: name a folder for them, such as -o review";
        return Err(Failure::Usage(text.to_owned()).with(allowed.err()));
    }
    Ok(PlannedReview { review, rehearsed, allowed, lock: None })
}

/// Locks the folder of a review for this program and the steps that it hands the file to, until the last of them has ended.
/// Refused while another review works there; a file system that has no locks of folders (NFS) does not tell.
pub fn locked(folder: &Path) -> Result<File, Failure> {
    let shown = folder.display();
    let file = File::open(folder).map_err(|error| usage!("{shown}: {error}: name the folder of a review"))?;
    let mut waited = Duration::ZERO;
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if waited >= PATIENCE {
            return Err(usage!(
                "another drivelab review works in {shown}: wait for its end, or stop it first"
            ));
        }
        #[expect(clippy::disallowed_methods, reason = "another program is waited for")]
        std::thread::sleep(GLANCE);
        waited += GLANCE;
    }
    Ok(file)
}

/// Locks the folder of a new review, in which no other one may have begun meanwhile.
pub fn first_in(folder: &Path) -> Result<File, Failure> {
    let lock = locked(folder)?;
    if is_review_folder(folder) {
        return Err(usage!(
            "another review has begun in {} meanwhile: name another folder",
            folder.display()
        ));
    }
    Ok(lock)
}

/// A review that was begun before, on the same drives. Tests that failed for another reason than what they found are run again.
pub fn resumed(
    args: &ReviewArgs,
    folder: &Path,
    rehearsals: &mut Rehearsals<'_>,
) -> Result<PlannedReview, Failure> {
    let lock = locked(folder)?;
    let (mut record, plan) = ReviewRecord::read(folder).map_err(|error| usage!("{error}"))?;
    let connected = record
        .targets
        .iter()
        .map(|kept| Connected::again(kept, &args.options.safety.serial))
        .collect::<Result<Vec<_>, _>>()?;
    check_confirmations(args, &connected)?;
    page::forget_what_is_gone(folder, &mut record);
    record.forget_what_failed();
    check_files(&record, &connected)?;
    let mut review = Review { folder: folder.to_owned(), record, plan, connected };
    check_drives(&review, &args.options.safety)?;
    let rehearsed = rehearse(&mut review, rehearsals)?;
    let allowed = allowed(&review, rehearsals);
    Ok(PlannedReview { review, rehearsed, allowed, lock: Some(lock) })
}

/// Refuses one serial number for several drives, and one that is that of no target.
fn check_confirmations(args: &ReviewArgs, connected: &[Connected]) -> Result<(), Failure> {
    check_serials(&args.options.safety.serial, &names_of(connected)?)
}

fn names_of(connected: &[Connected]) -> Result<Vec<TargetName>, Failure> {
    connected.iter().map(|one| TargetName::parse(&one.target)).collect()
}

/// Refuses files that took the place of those that still have a test before them.
fn check_files(record: &ReviewRecord, connected: &[Connected]) -> Result<(), Failure> {
    let is_open = |target: usize| record.steps.iter().any(|step| step.target == target && step.is_open());
    let open = record.targets.iter().zip(connected).enumerate().filter(|(target, _)| is_open(*target));
    Failure::all(open.filter_map(|(_, (kept, now))| now.check_file(kept).err()))
}

/// Refuses a limit that cannot be watched on one of the targets, for which every step would be left out, and drives that do not
/// answer, before each of their steps waits for them and says the same.
fn check_drives(review: &Review, safety: &SafetyOptions) -> Result<(), Failure> {
    let limit = safety.temperature_limit();
    check_temperature_limit(limit, &names_of(&review.connected)?)?;
    let system = System::live();
    let check = |(target, connected): (usize, &Connected)| {
        let ConnectedKind::Drive(drive) = &connected.kind else { return None };
        let steps = review.record.steps.iter();
        let open: Vec<&StepRecord> = steps.filter(|step| step.is_open() && step.target == target).collect();
        let writes = open.iter().any(|step| review.plan.steps[step.step].writes());
        let access = if writes { Access::Write } else { Access::Read };
        open.first()?;
        drivelab_safety::check_answers(&system, drive, access).err().map(Failure::from)
    };
    Failure::all(review.connected.iter().enumerate().filter_map(check))
}

/// A file has no counters of its own.
fn leave_out_of_files(review: &mut Review) {
    for step in &mut review.record.steps {
        let is_file = matches!(review.connected[step.target].kind, ConnectedKind::File);
        if is_file && !review.plan.steps[step.step].test.is_run() {
            step.left_out = Some("a file has no counters of what was written to it".to_owned());
        }
    }
}

/// The plan with this name, or in this file, and its text.
fn plan_of(name: &str) -> Result<(ReviewPlan, String), Failure> {
    if let Some(shipped) = ShippedPlan::of_word(name) {
        return Ok((shipped.plan(), shipped.text().to_owned()));
    }
    let path = Path::new(name);
    let is_path = name.contains(['.', '/']) || path.exists();
    if !is_path {
        let names = ShippedPlan::ALL.map(ShippedPlan::word);
        let hint = most_alike(name, names).map_or_else(
            || "`drivelab review --print-plan standard > mine.toml` begins one of your own".to_owned(),
            |alike| format!("did you mean {alike}?"),
        );
        return Err(usage!("--plan {name} is none of short, standard and full, and no file: {hint}"));
    }
    let text = drivelab_files::read(path, drivelab_files::SMALL).map_err(|error| not_read(name, &error))?;
    let text = String::from_utf8(text).map_err(|_| usage!("--plan {name} is no text"))?;
    let plan = ReviewPlan::parse(&text).map_err(|error| usage!("{name}: {error}"))?;
    Ok((plan, text))
}

/// Why the file of a plan cannot be read, and what to type.
fn not_read(name: &str, error: &io::Error) -> Failure {
    let text = match error.kind() {
        io::ErrorKind::NotFound => {
            let file = shell_word(name);
            format!(
                "--plan {name} is not there: `drivelab review --print-plan standard > {file}` begins one of your own"
            )
        }
        _ => format!("--plan {name} cannot be read: {error}"),
    };
    Failure::Usage(text)
}

/// The targets with their folders; one that is named twice is refused.
fn reviewed(connected: &[Connected]) -> Result<Vec<ReviewedTarget>, Failure> {
    for (place, one) in connected.iter().enumerate() {
        if connected[..place].iter().any(|earlier| earlier.is_same(one)) {
            return Err(usage!("{} is named twice: name each drive once", one.target));
        }
    }
    let target = |(number, one): (usize, &Connected)| ReviewedTarget {
        target: one.target.clone(),
        identity: one.identity.clone(),
        drive: one.drive(),
        profile: one.profile.clone(),
        file_made_ns: one.file_made_ns(),
        folder: folder_of(number, &one.target),
    };
    Ok((1..).zip(connected).map(target).collect())
}

/// Asks each step what it would do if everything were confirmed. A test that a drive does not allow is left out on it; whatever
/// else stands against a step ends the review before anything is done. Steps with the same words on the same target are asked
/// once, and none any more where the user ends the review.
fn rehearse(review: &mut Review, rehearsals: &mut Rehearsals<'_>) -> Result<RehearsedSteps, Failure> {
    let (mut rehearsed, mut complaints) = (Vec::new(), Complaints::default());
    let mut known: HashMap<Vec<String>, Result<Ending, Failure>> = HashMap::new();
    let safety = rehearsals.safety;
    for place in 0..review.record.steps.len() {
        if rehearsals.interrupt.is_raised() {
            break;
        }
        let one = review.step(place);
        let open = one.step.is_open().then(|| without_writing(Some(PlannedTime::default())));
        if !one.step.is_open() || !one.planned.test.is_run() {
            rehearsed.push(open);
            continue;
        }
        let said = match known.entry(one.planned.arguments(&one.connected.target)) {
            Entry::Occupied(said) => said.into_mut(),
            Entry::Vacant(free) => {
                free.insert(rehearsals.rehearse(review, place, one.connected.as_if_confirmed(safety)))
            }
        };
        rehearsed.push(match said {
            Ok(Ending::Planned(plans)) if !plans.is_empty() => Some(together(plans)),
            Ok(Ending::Planned(_)) if is_made_before(review, place, safety) => Some(without_writing(None)),
            Ok(Ending::Planned(_)) => {
                let why = if safety.file_size.is_some() { NOT_MADE } else { NO_SIZE };
                complaints.add(one.step, &Failure::Usage(why.to_owned()));
                None
            }
            Ok(_) => None,
            Err(Failure::Environment(why)) => {
                let why = why.lines().collect::<Vec<_>>().join("; ");
                review.record.steps[place].left_out = Some(why);
                None
            }
            Err(failure) => {
                complaints.add(one.step, failure);
                None
            }
        });
    }
    Failure::all(complaints.failures(review))?;
    if review.record.next().is_none() && review.record.steps.iter().all(|step| step.ended.is_none()) {
        let why = review.record.steps.iter().find_map(|step| step.left_out.clone()).unwrap_or_default();
        return Err(environment!("no step of the plan can be done: {why}"));
    }
    Ok(RehearsedSteps(rehearsed))
}

/// Whether a test before a step makes the file that it reads.
fn is_made_before(review: &Review, place: usize, safety: &SafetyOptions) -> bool {
    let steps = &review.record.steps;
    let makes = |earlier: &StepRecord| {
        earlier.target == steps[place].target
            && earlier.left_out.is_none()
            && review.plan.steps[earlier.step].writes()
    };
    safety.file_size.is_some() && steps[..place].iter().any(makes)
}

/// What stands against the targets, by what the user has confirmed: what does so against the first test that writes to each.
fn allowed(review: &Review, rehearsals: &mut Rehearsals<'_>) -> Result<(), Failure> {
    let (mut complaints, mut unconfirmed) = (Complaints::default(), Vec::new());
    for (target, connected) in review.connected.iter().enumerate() {
        let is_own = |place: &usize| {
            let one = review.step(*place);
            one.step.target == target && one.step.is_open() && one.planned.writes()
        };
        let Some(first) = (0..review.record.steps.len()).find(is_own) else { continue };
        let confirmed = connected.confirmed(rehearsals.safety);
        if let Err(failure) = rehearsals.rehearse(review, first, confirmed) {
            complaints.add(review.step(first).step, &failure);
        }
        if connected.identity.is_some() && !rehearsals.safety.destroy_data {
            unconfirmed.push(refused!(
                "{}: the tests of a review write to it one after the other, over what the ones before have written: add \
                 --destroy-data",
                connected.target
            ));
        }
    }
    Failure::all(complaints.failures(review).into_iter().chain(unconfirmed))
}

/// The meter that is kept in the record of a review; none where none was named. Refused where no step takes one.
fn meter_of_review(
    options: &MeterOptions,
    plan: &ReviewPlan,
    targets: &[ReviewedTarget],
) -> Result<Option<ReviewMeter>, Failure> {
    let Some(spec) = &options.meter else { return Ok(None) };
    if !plan.steps.iter().any(|step| targets.iter().any(|target| reads_meter(step, target))) {
        return Err(usage!(
            "--meter {spec}: no step of the plan would read it on these targets: leave it out"
        ));
    }
    Ok(Some(ReviewMeter {
        name: spec.to_string(),
        volts: options.volts,
        baseline_ns: options.baseline.get(),
        battery_wh: options.battery,
    }))
}

#[derive(Default)]
struct Complaints(Vec<Complaint>);

/// A reason, and the steps that it stands against.
struct Complaint {
    target: usize,
    /// Whether it is one of safety, which names the drive.
    is_refusal: bool,
    why: String,
    /// The place of the first of them in the plan, from 0, and its test.
    first: (usize, String),
    steps: usize,
}

impl Complaints {
    /// Adds the reasons of a test, a line each. One that stands against several steps on a target is one complaint.
    fn add(&mut self, step: &StepRecord, failure: &Failure) {
        let (target, is_refusal) = (step.target, matches!(failure, Failure::Refused(_)));
        for why in failure.to_string().lines() {
            let is_same = |known: &&mut Complaint| {
                (known.target, known.is_refusal, known.why.as_str()) == (target, is_refusal, why)
            };
            match self.0.iter_mut().find(is_same) {
                Some(known) => known.steps += 1,
                None => self.0.push(Complaint {
                    target,
                    is_refusal,
                    why: why.to_owned(),
                    first: (step.step, step.test.clone()),
                    steps: 1,
                }),
            }
        }
    }

    fn failures(self, review: &Review) -> Vec<Failure> {
        let failure = |complaint: Complaint| {
            let Complaint { target, is_refusal, why, first: (place, test), steps } = complaint;
            if is_refusal {
                return Failure::Refused(why);
            }
            let target = &review.record.targets[target].target;
            Failure::Usage(match steps {
                1 if why.contains(target.as_str()) => format!("step {} ({test}): {why}", place + 1),
                1 => format!("step {} ({test}) on {target}: {why}", place + 1),
                _ if why.contains(target.as_str()) => why,
                _ => format!("{target}: {why}"),
            })
        };
        self.0.into_iter().map(failure).collect()
    }
}
