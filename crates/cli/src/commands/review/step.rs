//! A step of a review as a process of its own: this program with the arguments of a test.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use drivelab_block::Nanos;
use drivelab_method::Interrupt;
use drivelab_review::{EndedStep, ReviewedTarget, StepRecord};
use drivelab_runner::{Failure, SafetyOptions, nap};
use drivelab_tests::PlanDocument;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::Review;

/// How often it is looked whether a step has ended.
const GLANCE: Nanos = Nanos::from_millis(100);
/// The file by which a step says why it failed, in the folder of the review.
const FAILURE: &str = "failure.partial";

/// What the test of a step says that it would do, a plan for each of its runs.
///
/// # Errors
/// With its exit code and its reason, where it would be refused.
pub fn rehearse(
    review: &Review,
    step: &StepRecord,
    safety: &SafetyOptions,
) -> Result<Vec<PlanDocument>, EndedStep> {
    let failed = |why: String| EndedStep { exit_code: 3, why: Some(why) };
    let mut command = program();
    command.args(test_arguments(review, step, safety)).args(["--dry-run", "--json"]).stdin(Stdio::null());
    let ended = command.output().map_err(|error| failed(error.to_string()))?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        let lines: Vec<&str> = said.lines().map(|line| line.trim_start_matches("drivelab: ")).collect();
        return Err(EndedStep { exit_code: exit_code(ended.status), why: Some(lines.join("; ")) });
    }
    let plans = match serde_json::from_slice(&ended.stdout).unwrap_or_default() {
        Value::Array(plans) => plans,
        one => vec![one],
    };
    let plans: Result<Vec<PlanDocument>, _> = plans.into_iter().map(serde_json::from_value).collect();
    plans.map_err(|error| failed(format!("its plan cannot be read: {error}")))
}

/// Runs a step to its end; where the user ends the review, the step is ended first. `part_of` begins its line of progress.
pub fn run(
    review: &Review,
    step: &StepRecord,
    safety: &SafetyOptions,
    (part_of, interrupt): (&str, &Interrupt),
) -> Result<EndedStep, Failure> {
    let failure = review.folder.join(FAILURE);
    let _ = fs::remove_file(&failure);
    let mut command = program();
    command.arg("--end-with-parent").arg("--failure-to").arg(&failure).args(["--part-of", part_of]);
    command.args(test_arguments(review, step, safety)).args(name_arguments(review, step));
    command.arg("--output").arg(review.folder.join(&step.folder));
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let child = command.spawn().map_err(|error| Failure::io("the step cannot be run", &error))?;
    let exit_code = exit_code(wait(child, interrupt)?);
    Ok(EndedStep { exit_code, why: said(&failure) })
}

/// What a step said of its failure.
fn said(path: &Path) -> Option<String> {
    let text = drivelab_files::read(path, drivelab_files::SMALL).ok()?;
    let _ = fs::remove_file(path);
    Some(String::from_utf8_lossy(&text).lines().collect::<Vec<_>>().join("; "))
}

/// This very program, also where another version was installed in its place since the review began.
fn program() -> Command {
    Command::new("/proc/self/exe")
}

/// The test on its target, with the seed and what the user confirms.
fn test_arguments(review: &Review, step: &StepRecord, safety: &SafetyOptions) -> Vec<String> {
    let planned = &review.plan.steps[step.step];
    let target = &review.record.targets[step.target];
    let mut arguments = planned.arguments(&target.target);
    if !planned.test.is_run() {
        return arguments;
    }
    arguments.push(format!("--seed={}", review.record.seed));
    arguments.push(format!("--temperature-limit={}", safety.temperature_limit));
    if target.identity.is_none() {
        return arguments;
    }
    if safety.ignore_health {
        arguments.push("--ignore-health".to_owned());
    }
    if !planned.writes() {
        return arguments;
    }
    let flags = [("--destroy-data", safety.destroy_data), ("--assume-unused", safety.assume_unused)];
    arguments.extend(flags.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag.to_owned()));
    arguments.extend(serial_of(target, safety).map(|serial| format!("--serial={serial}")));
    arguments.extend(safety.file_size.map(|size| format!("--file-size={}B", size.get())));
    arguments
}

/// The serial number that the user gave for this target: the one that its identity has, or the only one.
fn serial_of(target: &ReviewedTarget, safety: &SafetyOptions) -> Option<String> {
    let identity = target.identity.as_deref().unwrap_or_default();
    let is_own = |serial: &&String| identity.split([' ', ',']).any(|word| word == serial.as_str());
    let own = safety.serial.iter().find(is_own);
    own.or_else(|| safety.serial.first().filter(|_| safety.serial.len() == 1)).cloned()
}

/// What the result is called.
fn name_arguments(review: &Review, step: &StepRecord) -> Vec<String> {
    let (record, planned) = (&review.record, &review.plan.steps[step.step]);
    let hidden = record.hides_serial.then(|| "--hide-serial".to_owned());
    if !planned.test.is_run() {
        return hidden.into_iter().collect();
    }
    let target = &record.targets[step.target].target;
    let label = record.label.as_ref().map(|label| match record.targets.len() {
        1 => format!("--label={label}"),
        _ => format!("--label={label}, {target}"),
    });
    let note = record.note.as_ref().map(|note| format!("--note={note}"));
    [label, note, hidden].into_iter().flatten().collect()
}

/// Waits for a step. The user's wish to stop is passed on: a terminal sends it to both, other programs to this one alone.
fn wait(mut child: Child, interrupt: &Interrupt) -> Result<ExitStatus, Failure> {
    let failed = |error| Failure::io("the step cannot be waited for", &error);
    let (mut is_told, never) = (false, Interrupt::default());
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        if interrupt.is_raised() && !is_told {
            is_told = true;
            if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                // It may have ended just now, and is found so by the next look.
                let _ = kill_process(pid, Signal::INT);
            }
        }
        // A raised interrupt would end the nap at once.
        nap(GLANCE, if is_told { &never } else { interrupt });
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
