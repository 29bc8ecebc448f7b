//! What is said of a run in which the program itself stood still.

use drivelab_documents::{Manifest, Notice, StoodStill};
use drivelab_stats::{DelayedIos, StandstillCause};
use drivelab_view::format::{count, percent, seconds};

/// What becomes of the time in which the program itself stood still, in the figures of a kind of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandstillRule {
    /// I/Os that were in flight then are known one by one: that time is taken off, and those are left out of which nothing else
    /// is left.
    LeaveOut,
    /// Figures include that time.
    Include,
    /// Figures include that time, in which what is measured may have gone on: they are judged however long it was.
    GoOn,
}

/// What the reader of a run has to know of its standstills, and of the I/Os that they delayed. Nothing of a run without any.
pub(crate) fn notice(
    run: &Manifest,
    rule: StandstillRule,
    delayed: impl FnOnce() -> DelayedIos,
) -> Option<Notice> {
    let still = run.stood_still()?;
    let ios = match rule {
        StandstillRule::LeaveOut => delayed_in_words(&delayed()),
        StandstillRule::Include | StandstillRule::GoOn => {
            "; what was measured then includes that time.".to_owned()
        }
    };
    let text = format!("{}{ios}", in_words(&still));
    if let Some(why) = too_much(run).filter(|_| rule != StandstillRule::GoOn) {
        return Some(Notice::failure(format!("{text} {why}.")));
    }
    Some(Notice::warning(text))
}

/// What becomes of the I/Os that a standstill delayed: the end of one sentence, and another one if some count in part.
fn delayed_in_words(delayed: &DelayedIos) -> String {
    let longest = seconds(delayed.longest_left_out.as_secs_f64());
    let left_out = match delayed.left_out {
        0 if delayed.at_least > 0 => ".".to_owned(),
        0 => "; the I/Os that this delayed are left out.".to_owned(),
        1 => format!("; the I/O that this delayed is left out (it was out for {longest})."),
        many => {
            let many = count(many as f64);
            format!("; the {many} I/Os that this delayed are left out (the longest was out for {longest}).")
        }
    };
    let at_least = match delayed.at_least {
        0 => String::new(),
        1 => " One I/O counts without that time: it took at least as long as is counted.".to_owned(),
        many => {
            let many = count(many as f64);
            format!(" {many} I/Os count without that time: they took at least as long as is counted.")
        }
    };
    left_out + &at_least
}

/// Why a run is not judged, in a sentence without its final stop; none where the program ran most of the time.
pub fn too_much(run: &Manifest) -> Option<String> {
    let still = run.stood_still().filter(StoodStill::is_too_much)?;
    Some(format!(
        "The program stood still for {} of the measured time: the run cannot be judged; run it again on a machine that lets it \
         run",
        percent(still.measured_share)
    ))
}

/// How often and how long the program stood still and why, in a sentence without its full stop.
pub fn in_words(still: &StoodStill) -> String {
    let times =
        if still.count == 1 { "once".to_owned() } else { format!("{} times", count(still.count as f64)) };
    let total = seconds(still.total.as_secs_f64());
    let causes: Vec<&str> = still.causes.iter().map(|cause| cause_in_words(*cause)).collect();
    format!("The program itself stood still {times}, {total} in all ({})", causes.join("; "))
}

fn cause_in_words(cause: StandstillCause) -> &'static str {
    match cause {
        StandstillCause::Stopped => "the process was stopped, or its virtual machine paused",
        StandstillCause::Suspended => "the machine was suspended",
        StandstillCause::Stolen => "the hypervisor gave the processor to others",
        StandstillCause::Starved => "the kernel gave the processor to other programs",
        StandstillCause::Unknown => "why is not known",
    }
}
