//! A step of a review as a process of its own: this program with the arguments of a test.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus, Stdio};

use drivelab_block::Nanos;
use drivelab_kinds::PlanDocument;
use drivelab_method::Interrupt;
use drivelab_review::{EndedStep, StepRecord};
use drivelab_runner::signals::StopSignal;
use drivelab_runner::{Failure, SafetyOptions, TemperatureLimit, folder_complaint, nap};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Review, meter, options};

/// How often it is looked whether a step has ended.
const GLANCE: Nanos = Nanos::from_millis(100);
/// The file by which a step says why it failed, in the folder of the review.
const FAILURE: &str = "failure.partial";

/// Why a step would be refused.
#[derive(Clone, Debug)]
pub struct RefusedStep {
    /// The exit code of its test.
    pub exit_code: u8,
    /// What stands against it, a line each.
    pub reasons: Vec<String>,
}

/// What the test of a step says that it would do, a plan for each of its runs; with its exit code and its reasons if it would be
/// refused.
type Rehearsal = Result<Vec<PlanDocument>, RefusedStep>;

/// What the tests of steps say that they would do. Steps with the same arguments are asked once: a plan may have thousands.
#[derive(Default)]
pub struct Rehearsals(HashMap<Vec<String>, Rehearsal>);

impl Rehearsals {
    /// What the test of a step says, where this confirms it.
    pub fn rehearse(
        &mut self,
        review: &Review,
        step: &StepRecord,
        safety: &SafetyOptions,
        confirmed: Vec<String>,
    ) -> Rehearsal {
        let arguments = test_arguments(review, step, safety, confirmed);
        let ask = |arguments: &Vec<String>| rehearse(arguments, &free_folder(review, step));
        self.0.entry(arguments).or_insert_with_key(ask).clone()
    }
}

fn rehearse(arguments: &[String], folder: &Path) -> Rehearsal {
    let failed = |why: String| RefusedStep { exit_code: 3, reasons: vec![why] };
    let mut command = program();
    command.args(arguments).args(["--dry-run", "--json"]);
    if folder_complaint("--output", folder).is_none() {
        // What stands against the folder of the review is said of it, and not of each step.
        command.arg("--output").arg(folder);
    }
    command.stdin(Stdio::null());
    let ended = command.output().map_err(|error| failed(error.to_string()))?;
    if !ended.status.success() {
        let reasons = reasons(&String::from_utf8_lossy(&ended.stderr));
        return Err(RefusedStep { exit_code: exit_code(ended.status), reasons });
    }
    let plans = match serde_json::from_slice(&ended.stdout).unwrap_or_default() {
        Value::Array(plans) => plans,
        one => vec![one],
    };
    let plans: Result<Vec<PlanDocument>, _> = plans.into_iter().map(serde_json::from_value).collect();
    plans.map_err(|error| failed(format!("its plan cannot be read: {error}")))
}

/// Why a test ended, by what it said. Of arguments that do not go together, what is wrong comes before their usage, which is that
/// of another command than the user has typed.
fn reasons(said: &str) -> Vec<String> {
    if said.starts_with("error: ") {
        return vec![options::first_paragraph(said)];
    }
    said.lines().map(|line| line.trim_start_matches("drivelab: ").to_owned()).collect()
}

/// The folder that a step would write to. It may still hold what the step has left that was cut off, which is removed before it
/// is run again: a rehearsal is given one that is free.
fn free_folder(review: &Review, step: &StepRecord) -> PathBuf {
    let own = review.folder.join(&step.folder);
    if own.exists() { review.folder.join(format!("{}-again", step.folder)) } else { own }
}

/// What all steps of a review are run with.
pub struct ReviewSetting<'a> {
    /// What the user has confirmed.
    pub safety: &'a SafetyOptions,
    /// The user's wish to stop.
    pub interrupt: &'a Interrupt,
    /// What keeps other reviews out of the folder.
    pub lock: &'a File,
    /// Where the steps write what they do now, where that was asked for.
    pub live: Option<&'a Path>,
}

/// Which part of a review a step is, for its line of progress.
pub struct StepPart {
    /// Its name, such as `step 2 of 5`.
    pub name: String,
    /// From which per cent of the time of the review to which it goes, where that is known.
    pub spans: Option<(f64, f64)>,
}

/// Runs a step to its end; where the user ends the review, the step is ended first.
pub fn run(
    review: &Review,
    step: &StepRecord,
    part: &StepPart,
    setting: &ReviewSetting<'_>,
) -> Result<EndedStep, Failure> {
    let failed = |error| Failure::io("the step cannot be run", &error);
    let failure = review.folder.join(FAILURE);
    let _ = fs::remove_file(&failure);
    let mut command = program();
    command.args(["--end-with-parent", &process::id().to_string(), "--part-of", &part.name]);
    command.args(part.spans.map(|(start, end)| format!("--part-spans={start:.3},{end:.3}")));
    command.arg("--failure-to").arg(&failure);
    let confirmed = review.connected[step.target].confirmed(setting.safety);
    command.args(test_arguments(review, step, setting.safety, confirmed)).args(name_arguments(review, step));
    command.arg("--output").arg(review.folder.join(&step.folder));
    if let Some(live) = setting.live.filter(|_| review.plan.steps[step.step].test.is_run()) {
        command.arg("--openmetrics").arg(live);
    }
    // Where this program is killed, the step ends a moment later: until then it holds the lock, by its standard input, which it
    // does not read.
    command.stdin(setting.lock.try_clone().map_err(failed)?).stdout(Stdio::null());
    let child = command.spawn().map_err(failed)?;
    let status = wait(child, setting.interrupt)?;
    let why =
        said(&failure).or_else(|| status.signal().map(|signal| format!("it was ended by signal {signal}")));
    Ok(EndedStep { exit_code: exit_code(status), why })
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

/// The test on its target, with the seed and what confirms that it may write.
fn test_arguments(
    review: &Review,
    step: &StepRecord,
    safety: &SafetyOptions,
    confirmed: Vec<String>,
) -> Vec<String> {
    let planned = &review.plan.steps[step.step];
    let connected = &review.connected[step.target];
    let mut arguments = planned.arguments(&connected.target);
    if !planned.test.is_run() {
        return arguments;
    }
    arguments.push(format!("--seed={}", review.record.seed));
    arguments.extend(meter::arguments(review, planned, step.target));
    if safety.temperature_limit != TemperatureLimit::Suggested {
        arguments.push(format!("--temperature-limit={}", safety.temperature_limit));
    }
    if safety.ignore_health && connected.identity.is_some() {
        arguments.push("--ignore-health".to_owned());
    }
    if planned.writes() {
        arguments.extend(confirmed);
    }
    arguments
}

/// What the result is called.
fn name_arguments(review: &Review, step: &StepRecord) -> Vec<String> {
    let (record, planned) = (&review.record, &review.plan.steps[step.step]);
    let hidden = record.hides_serial.then(|| "--hide-serial".to_owned());
    if !planned.test.is_run() {
        return hidden.into_iter().collect();
    }
    // Results of several drives are told apart by these; the label is that of the review.
    let label = record.label.as_ref().filter(|_| record.targets.len() == 1);
    let label = label.map(|label| format!("--label={label}"));
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
                let _ = kill_process(pid, passed_on());
            }
        }
        // A raised interrupt would end the nap at once.
        nap(GLANCE, if is_told { &never } else { interrupt });
    }
}

/// The signal that the review itself got, so that the result of the step names it.
fn passed_on() -> Signal {
    match StopSignal::caught() {
        Some(StopSignal::Terminate) => Signal::TERM,
        Some(StopSignal::HangUp) => Signal::HUP,
        Some(StopSignal::Interrupt) | None => Signal::INT,
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
