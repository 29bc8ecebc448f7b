//! What stands against a review before it begins, and which drives it is of.

use std::path::Path;

use drivelab_review::{
    REVIEW_SCHEMA, ReviewPlan, ReviewRecord, ReviewedTarget, ShippedPlan, StepRecord, folder_of, most_alike,
};
use drivelab_runner::{Failure, SafetyOptions, TargetName, folder_complaint, started_now};
use drivelab_safety::{System, Target};

use super::planned::{PlannedReview, Rehearsed, RehearsedSteps};
use super::{Review, options, step};
use crate::args::ReviewArgs;
use crate::commands::identity::{from_anywhere, identity_of};

/// The exit code of a test that the drive or the machine does not allow.
const NOT_ALLOWED: u8 = 3;

/// A new review.
pub fn begun(args: &ReviewArgs) -> Result<PlannedReview, Failure> {
    let (plan, text) = plan_of(&args.plan)?;
    options::check(&args.plan, &plan)?;
    let folder = match args.result.folder() {
        Some(folder) => folder.to_owned(),
        None if args.safety.dry_run => "review".into(),
        None => {
            let text = "a review keeps its results: name a folder for them, such as -o review";
            return Err(Failure::Usage(text.to_owned()));
        }
    };
    let targets = args.targets.iter().map(|target| reviewed(target)).collect::<Result<Vec<_>, _>>()?;
    let targets = numbered(targets)?;
    if !args.safety.dry_run {
        ReviewRecord::clear_unfinished(&folder);
    }
    Failure::all(
        args.result.folder().and_then(|folder| folder_complaint("-o", folder, args.safety.dry_run)),
    )?;
    let name = args.result.destination().name;
    let is_real = targets.iter().any(|target| target.identity.is_some());
    let record = ReviewRecord {
        schema: REVIEW_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: started_now().filter(|_| is_real),
        plan_name: name_of_plan(&args.plan),
        plan: text,
        seed: args.result.seed(),
        label: name.label.map(str::to_owned),
        note: name.note(),
        hides_serial: name.hides_serial,
        steps: ReviewRecord::steps_of(&plan, &targets),
        targets,
    };
    let mut review = Review { folder, record, plan };
    let rehearsed = rehearse(&mut review, &args.safety)?;
    Ok(PlannedReview { review, rehearsed })
}

/// A review that was begun before, on the same drives.
pub fn resumed(args: &ReviewArgs, folder: &Path) -> Result<PlannedReview, Failure> {
    let (record, plan) = ReviewRecord::read(folder).map_err(|error| Failure::Usage(error.to_string()))?;
    for kept in &record.targets {
        let found = reviewed(&kept.target)?.identity;
        if found != kept.identity {
            let named = |identity: &Option<String>| {
                identity.clone().unwrap_or_else(|| "a simulated drive".to_owned())
            };
            return Err(Failure::Refused(format!(
                "--resume: the review was begun on {}, and {} is {} now: connect that drive, or begin a new review",
                named(&kept.identity),
                kept.target,
                named(&found)
            )));
        }
    }
    let mut review = Review { folder: folder.to_owned(), record, plan };
    let rehearsed = rehearse(&mut review, &args.safety)?;
    Ok(PlannedReview { review, rehearsed })
}

/// What a plan is called: a file without its folder.
fn name_of_plan(name: &str) -> String {
    let file = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
    file.unwrap_or_else(|| name.to_owned())
}

/// The plan with this name, or in this file, and its text.
fn plan_of(name: &str) -> Result<(ReviewPlan, String), Failure> {
    if let Some(shipped) = ShippedPlan::named(name) {
        return Ok((shipped.plan(), shipped.text().to_owned()));
    }
    let path = Path::new(name);
    let is_path = name.contains(['.', '/']) || path.exists();
    if !is_path {
        let names = ShippedPlan::ALL.map(ShippedPlan::name);
        let hint = most_alike(name, names).map_or_else(
            || "`drivelab review --print-plan standard > mine.toml` begins one of your own".to_owned(),
            |alike| format!("did you mean {alike}?"),
        );
        let text = format!("--plan {name} is none of short, standard and full, and no file: {hint}");
        return Err(Failure::Usage(text));
    }
    let text = drivelab_files::read(path, drivelab_files::SMALL)
        .map_err(|error| Failure::Usage(format!("--plan {name} cannot be read: {error}")))?;
    let text = String::from_utf8(text).map_err(|_| Failure::Usage(format!("--plan {name} is no text")))?;
    let plan = ReviewPlan::parse(&text).map_err(|error| Failure::Usage(format!("{name}: {error}")))?;
    Ok((plan, text))
}

/// A target, and which drive or file it is. It has no folder yet.
fn reviewed(target: &str) -> Result<ReviewedTarget, Failure> {
    let identity = match TargetName::parse(target)? {
        TargetName::Simulated(_) => None,
        TargetName::Path(path) => Some(match Target::resolve(&System::live(), path.as_path())? {
            Target::Drive(drive) => identity_of(drive.identity()),
            Target::File(_) => format!("the file {}", from_anywhere(target)),
        }),
    };
    Ok(ReviewedTarget { target: target.to_owned(), identity, folder: String::new() })
}

/// The targets with their folders; one that is named twice is refused.
fn numbered(targets: Vec<ReviewedTarget>) -> Result<Vec<ReviewedTarget>, Failure> {
    for (place, target) in targets.iter().enumerate() {
        let is_same = |earlier: &&ReviewedTarget| {
            earlier.target == target.target
                || (target.identity.is_some() && earlier.identity == target.identity)
        };
        if targets[..place].iter().any(|earlier| is_same(&earlier)) {
            let text = format!("{} is named twice: name each drive once", target.target);
            return Err(Failure::Usage(text));
        }
    }
    let numbered = (1..).zip(targets);
    Ok(numbered
        .map(|(number, target)| ReviewedTarget { folder: folder_of(number, &target.target), ..target })
        .collect())
}

/// Asks each step what it would do. A test that a drive does not allow is left out on it; whatever else stands against a step
/// ends the review before anything is done.
fn rehearse(review: &mut Review, safety: &SafetyOptions) -> Result<RehearsedSteps, Failure> {
    let (mut rehearsed, mut complaints) = (Vec::new(), Vec::new());
    for place in 0..review.record.steps.len() {
        let one = review.record.steps[place].clone();
        let is_open = one.left_out.is_none() && one.ended.is_none();
        if !is_open {
            rehearsed.push(None);
            continue;
        }
        if !review.plan.steps[one.step].test.is_run() {
            rehearsed.push(Some(Rehearsed::LOOK));
            continue;
        }
        match step::rehearse(review, &one, safety) {
            Ok(plans) => rehearsed.push(Some(Rehearsed::of(&plans))),
            Err(ended) if ended.exit_code == NOT_ALLOWED => {
                review.record.steps[place].left_out = ended.why;
                rehearsed.push(None);
            }
            Err(ended) => {
                complaints.push(complaint(review, &one, ended.exit_code, &ended.why.unwrap_or_default()));
                rehearsed.push(None);
            }
        }
    }
    Failure::all(complaints)?;
    if review.record.next().is_none() && review.record.steps.iter().all(|step| step.ended.is_none()) {
        let why = review.record.steps.iter().find_map(|step| step.left_out.clone()).unwrap_or_default();
        return Err(Failure::Environment(format!("no step of the plan can be done: {why}")));
    }
    Ok(RehearsedSteps(rehearsed))
}

fn complaint(review: &Review, step: &StepRecord, exit_code: u8, why: &str) -> Failure {
    // What stands against a drive is the same for all tests, and is said once.
    if exit_code == 4 {
        return Failure::Refused(why.to_owned());
    }
    let target = &review.record.targets[step.target].target;
    Failure::Usage(format!("step {} ({}) on {target}: {why}", step.step + 1, step.test))
}
