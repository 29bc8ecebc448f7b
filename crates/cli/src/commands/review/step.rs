//! A step of a review: the command that its plan stands for, what that would do, and the process of its own that does it.

use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use clap::CommandFactory as _;
use drivelab_block::Nanos;
use drivelab_documents::review::{EndedStep, PlanStep, ReviewRecord, ReviewedTarget, StepRecord};
use drivelab_method::Interrupt;
use drivelab_runner::{
    Ending, Failure, KINDS, MeterOptions, ParentProgress, SafetyOptions, folder_complaint, is_simulated,
    signals, usage,
};

use super::connected::Connected;
use super::{Dispatch, Review, options};
use crate::args::{
    Cli, Command, HideSerialArg, JsonArg, LiveArg, NameArgs, OutputArg, ResultArgs, ReviewArgs, SeedArg,
};
use crate::commands::attended::{AttendedTask, ENDS_WITHIN, StepTask, TaskEnd, TaskProcess};

/// A step on its target as it is connected now.
pub struct ConnectedStep<'a> {
    pub record: &'a ReviewRecord,
    pub step: &'a StepRecord,
    /// What the plan says of it.
    pub planned: &'a PlanStep,
    pub connected: &'a Connected,
}

impl Review {
    /// The step with this place in the record.
    pub fn step(&self, place: usize) -> ConnectedStep<'_> {
        let step = &self.record.steps[place];
        ConnectedStep {
            record: &self.record,
            step,
            planned: &self.plan.steps[step.step],
            connected: &self.connected[step.target],
        }
    }

    /// The folder that a step would write to. It may still hold what the step has left that was cut off, which is removed before
    /// it is run again: a rehearsal is given one that is free.
    fn free_folder(&self, step: &StepRecord) -> PathBuf {
        let own = self.folder.join(&step.folder);
        if own.exists() { self.folder.join(format!("{}-again", step.folder)) } else { own }
    }
}

impl ConnectedStep<'_> {
    /// The arguments of its result, which all are the review's.
    fn result(&self, folder: Option<PathBuf>, json: bool) -> ResultArgs {
        let record = self.record;
        // Results of several drives are told apart by their targets; the label is that of the review.
        let label = record.label.clone().filter(|_| record.targets.len() == 1);
        let hide_serial = HideSerialArg { hide_serial: record.hides_serial };
        ResultArgs {
            seed: SeedArg { number: record.seed },
            output: OutputArg { folder },
            name: NameArgs { label, note: record.note.clone(), hide_serial },
            json: JsonArg { is_asked: json },
            live: LiveArg { file: None },
            parent: None,
        }
    }

    /// Its command: the options of the plan by the parser of every command, and the rest as the review says it.
    fn command(
        &self,
        cli: &mut clap::Command,
        result: ResultArgs,
        safety: SafetyOptions,
    ) -> Result<Command, Failure> {
        let words = self.planned.arguments(&self.connected.target);
        let mut command = options::parse(cli, words).map_err(Failure::Usage)?;
        if let Command::Lifetime(args) = &mut command {
            (args.output, args.hide_serial) = (result.output.clone(), result.name.hide_serial);
        }
        if let Some(test) = command.test() {
            let target = &self.record.targets[self.step.target];
            if let Some(kept) = self.record.meter.as_ref().filter(|_| reads_meter(self.planned, target)) {
                let own = test.options.meter.clone();
                let names_baseline = self.planned.names("baseline");
                let options = MeterOptions {
                    meter: Some(kept.name.parse().map_err(Failure::Usage)?),
                    volts: own.volts.or(kept.volts),
                    baseline: if names_baseline { own.baseline } else { Nanos::new(kept.baseline_ns) },
                    battery: own.battery.or(kept.battery_wh),
                };
                test.options.meter = options;
            }
            (test.options.result, test.options.safety) = (result, safety);
        }
        Ok(command)
    }

    /// What is said before it writes, where `confirmed` confirms its target. A test that only reads takes no such words.
    fn safety(&self, given: &SafetyOptions, confirmed: SafetyOptions) -> SafetyOptions {
        SafetyOptions {
            temperature_limit: given.temperature_limit,
            ignore_health: given.ignore_health && self.connected.identity.is_some(),
            ..if self.planned.writes() { confirmed } else { SafetyOptions::default() }
        }
    }
}

/// What steps would do, as they say themselves.
pub struct Rehearsals<'a> {
    /// The parser of every command, which is made once: a plan may have thousands of steps.
    pub cli: clap::Command,
    pub dispatch: Dispatch,
    /// What the user has confirmed.
    pub safety: &'a SafetyOptions,
    pub interrupt: &'a Interrupt,
}

impl Rehearsals<'_> {
    /// What a step would do where this confirms its target: [`Ending::Planned`], unless the user ends it.
    pub fn rehearse(
        &mut self,
        review: &Review,
        place: usize,
        confirmed: SafetyOptions,
    ) -> Result<Ending, Failure> {
        let step = review.step(place);
        // What stands against the folder of the review is said of it, and not of each step.
        let folder = Some(review.free_folder(step.step))
            .filter(|folder| folder_complaint("--output", folder).is_none());
        let safety = SafetyOptions { dry_run: true, ..step.safety(self.safety, confirmed) };
        let command = step.command(&mut self.cli, step.result(folder, true), safety)?;
        (self.dispatch)(command)
    }
}

/// Runs a step to its end, in a process of its own: where that crashes, is killed or hangs in the kernel, the review goes on.
/// Where the user ends the review, the step is ended first. `lock` keeps other reviews out of the folder.
pub fn run(
    review: &Review,
    place: usize,
    parent: ParentProgress,
    lock: &File,
    interrupt: &Interrupt,
) -> Result<EndedStep, Failure> {
    let failed = |error| Failure::io("the step cannot be run", &error);
    let target = review.step(place).connected.target.clone();
    // Where this program is killed, the step ends a moment later: until then it holds the lock, by its standard input, which it
    // does not read.
    let lock = lock.try_clone().map_err(failed)?;
    let mut process = TaskProcess::start(
        AttendedTask::Step(StepTask { place, target: target.clone(), parent }),
        |process| {
            process.stdin(lock).stdout(Stdio::null());
        },
    )
    .map_err(failed)?;
    // A simulated drive keeps no process in the kernel, and may have much memory to give back before the next one is made.
    let ends_within = if is_simulated(&target) { Duration::MAX } else { ENDS_WITHIN };
    let waited = process.wait(Some(interrupt), ends_within);
    Ok(match waited.map_err(|error| Failure::io("the step cannot be waited for", &error))? {
        TaskEnd::Told(ended) => EndedStep {
            exit_code: ended.code,
            why: ended.failure.map(|why| why.to_string().lines().collect::<Vec<_>>().join("; ")),
        },
        TaskEnd::Silent(status) => {
            let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
            EndedStep {
                exit_code: code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX),
                why: status.signal().map(|signal| format!("it was ended by signal {signal}")),
            }
        }
    })
}

/// Does a step of the review of these arguments, in the process that was started for it.
pub fn main(args: &ReviewArgs, task: &StepTask, dispatch: Dispatch) -> Result<Ending, Failure> {
    let folder = args.folder().unwrap_or(Path::new("."));
    let (record, plan) = ReviewRecord::read(folder).map_err(|error| usage!("{error}"))?;
    let connected = &Connected::look_up(&task.target)?;
    let step = &record.steps[task.place];
    let step = ConnectedStep { record: &record, step, planned: &plan.steps[step.step], connected };
    let result = ResultArgs {
        parent: Some(task.parent.clone()),
        live: args.options.result.live.clone(),
        ..step.result(Some(folder.join(&step.step.folder)), false)
    };
    let safety = step.safety(&args.options.safety, connected.confirmed(&args.options.safety));
    let command = step.command(&mut Cli::command(), result, safety)?;
    signals::interrupt_of_part()?;
    dispatch(command)
}

/// Whether the meter of a review is read during a step on a target: its test takes one, and the step has none of its own. On a
/// simulated drive it has to show that drive's own account as well.
pub fn reads_meter(step: &PlanStep, target: &ReviewedTarget) -> bool {
    let is_simulated = target.identity.is_none();
    let shows_account =
        || KINDS.iter().any(|kind| kind.name == step.test.word() && kind.shows_simulated_energy);
    step.test.is_run() && !step.names("meter") && (!is_simulated || shows_account())
}
