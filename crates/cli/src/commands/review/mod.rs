//! `drivelab review`: the tests of a plan, one after the other, on each target.

mod begin;
mod connected;
mod label;
mod options;
mod page;
pub mod planned;
mod run;
mod step;

use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use drivelab_documents::review::{ReviewPlan, ReviewRecord};
use drivelab_runner::{
    CommandPath, Ending, Failure, Outputs, SafetyOptions, check_live_file, environment, output, say, signals,
    usage,
};
use drivelab_view::format::shell_word;

use crate::args::{Cli, Command, ReviewArgs};
use connected::Connected;
pub use label::{label, label_drive};
pub use page::{all_results, results_of};
use planned::PlannedReview;
use step::Rehearsals;
pub use step::main as do_step;

pub type Dispatch = fn(Command) -> Result<Ending, Failure>;

pub struct Review {
    folder: PathBuf,
    record: ReviewRecord,
    plan: ReviewPlan,
    /// Its targets as they are connected now, in their order.
    connected: Vec<Connected>,
}

pub fn report(folder: &Path, outputs: &Outputs<'_>) -> Result<Ending, Failure> {
    let (mut record, _) = ReviewRecord::read(folder).map_err(|error| usage!("{error}"))?;
    page::forget_what_is_gone(folder, &mut record);
    let pages = page::page_of(folder, &record);
    let is_better = outputs.own_page.is_some_and(|own| page::is_better_left(own, pages.is_whole));
    let page = outputs.page.filter(|page| !is_better || Some(*page) != outputs.own_page);
    Outputs { page, ..*outputs }.make(&pages.page, &[&pages.record])?;
    outputs.own_page.filter(|_| page.is_none() && is_better).into_iter().for_each(page::say_left);
    Ok(if pages.is_whole { run::ending(&record) } else { Ending::CheckFailed })
}

impl Review {
    /// The command that goes on with it, with what confirms its targets as the user did.
    fn resume_command(&self, safety: &SafetyOptions) -> String {
        let folder = shell_word(&self.folder.display().to_string());
        let mut words = vec![format!("drivelab review --resume {folder}")];
        let open = |place: usize| self.record.steps.iter().any(|step| step.target == place && step.is_open());
        let confirmed = self.connected.iter().enumerate().filter(|(place, _)| open(*place));
        for safety in confirmed.map(|(_, connected)| connected.confirmed(safety)) {
            let typed = [
                safety.destroy_data.then(|| "--destroy-data".to_owned()),
                safety.serial.first().map(|serial| format!("--serial={serial}")),
                safety.assume_unused.then(|| "--assume-unused".to_owned()),
                safety.file_size.map(|size| format!("--file-size={}B", size.get())),
            ];
            for word in typed.into_iter().flatten().map(|word| shell_word(&word)) {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        words.join(" ")
    }

    fn keep(&self) -> Result<(), Failure> {
        self.record.write(&self.folder).map_err(|error| environment!("{error}"))
    }
}

/// Does a review, or goes on with one. `dispatch` does the command that each step stands for.
pub fn main(args: &ReviewArgs, dispatch: Dispatch) -> Result<Ending, Failure> {
    if let Some(plan) = args.print_plan {
        return output::print(plan.text());
    }
    if let Some(file) = args.options.result.live.file.as_deref() {
        let targets = args.targets.iter().filter_map(|target| CommandPath::target(target));
        check_live_file(file, targets.chain(CommandPath::output(args.folder())))?;
    }
    let interrupt =
        signals::interrupt_leaving("drivelab review --resume goes on with the step that is cut off")?;
    let (safety, interrupt) = (&args.options.safety, &interrupt);
    let mut rehearsals = Rehearsals { cli: Cli::command(), dispatch, safety, interrupt };
    let PlannedReview { mut review, rehearsed, allowed, lock } = match &args.resume {
        Some(folder) => begin::resumed(args, folder, &mut rehearsals)?,
        None => begin::begun(args, &mut rehearsals)?,
    };
    if interrupt.is_raised() {
        return Ok(Ending::Interrupted);
    }
    if args.options.safety.dry_run {
        planned::say_steps(&rehearsed, &review, args.rated_tbw);
        allowed?;
        if args.options.result.json.is_asked {
            return output::print_json(&planned::document(&rehearsed, &review));
        }
        return output::print(output::NOTHING_DONE);
    }
    allowed?;
    planned::say_steps(&rehearsed, &review, args.rated_tbw);
    if review.record.next().is_none() {
        output::say("Nothing is left to do: every step has come to its end.");
    }
    output::make_folder(&review.folder)?;
    let lock = match lock {
        Some(lock) => lock,
        None => begin::first_in(&review.folder)?,
    };
    review.keep()?;
    let mut ended = run::all(&mut review, &rehearsed, &lock, interrupt)?;
    match ended {
        Ending::Interrupted => page::leave(&review, args.options.result.json.is_asked)?,
        _ if page::show(&review, args.options.result.json.is_asked)? => {}
        _ => ended = Ending::CheckFailed,
    }
    if review.record.next().is_some() {
        say!("{} goes on", review.resume_command(&args.options.safety));
    }
    Ok(ended)
}
