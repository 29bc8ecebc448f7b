//! What is said of a run in which the program itself stood still.

use drivelab_record::{Manifest, Notice, Severity, StandstillCauseLabel, StoodStill};
use drivelab_view::format::{count, percent, seconds};

/// What becomes of the time in which the program itself stood still, in the figures of a kind of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandstillRule {
    /// I/Os that were in flight then are known one by one, and left out.
    LeaveOut,
    /// Figures include that time.
    Include,
    /// Figures include that time, in which what is measured may have gone on: they are judged however long it was.
    GoOn,
}

/// What the reader of a run has to know of its standstills; `left_out` I/Os were delayed by them. Nothing of a run without any.
pub(crate) fn notice(run: &Manifest, rule: StandstillRule, left_out: impl FnOnce() -> u64) -> Option<Notice> {
    let still = run.stood_still()?;
    let left_out = (rule == StandstillRule::LeaveOut).then(left_out);
    let ios = match left_out {
        None => "; what was measured then includes that time".to_owned(),
        Some(0) => "; the I/Os that this delayed are left out".to_owned(),
        Some(1) => "; the I/O that this delayed is left out".to_owned(),
        Some(many) => format!("; the {} I/Os that this delayed are left out", count(many as f64)),
    };
    let text = format!("{}{ios}.", in_words(&still));
    if let Some(why) = too_much(run).filter(|_| rule != StandstillRule::GoOn) {
        return Some(Notice { severity: Severity::Failure, text: format!("{text} {why}.") });
    }
    Some(Notice { severity: Severity::Warning, text })
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

fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        many => format!("{} times", count(many as f64)),
    }
}

/// How often and how long the program stood still and why, in a sentence without its full stop.
pub fn in_words(still: &StoodStill) -> String {
    let (times, total) = (times(still.count), seconds(still.total.as_secs_f64()));
    let causes: Vec<&str> = still.causes.iter().map(|cause| cause_in_words(*cause)).collect();
    format!("The program itself stood still {times}, {total} in all ({})", causes.join("; "))
}

fn cause_in_words(cause: StandstillCauseLabel) -> &'static str {
    match cause {
        StandstillCauseLabel::Stopped => "the process was stopped, or its virtual machine paused",
        StandstillCauseLabel::Suspended => "the machine was suspended",
        StandstillCauseLabel::Stolen => "the hypervisor gave the processor to others",
        StandstillCauseLabel::Starved => "the kernel gave the processor to other programs",
        StandstillCauseLabel::Unknown => "why is not known",
    }
}
