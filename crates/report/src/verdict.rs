//! A run in one sentence.

use std::fmt::Write as _;

use drivelab_analysis::ROUNDS_NEEDED;
use drivelab_block::Op;

use crate::format::{bytes, nanos, percent, rate, seconds, whole};
use crate::names::judged_part;
use crate::replay::ReplayDocument;
use crate::run::{Ended, RunReport, Withheld};

/// What a run comes to, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How the run ended, for a mark beside the sentence.
    pub tone: Tone,
    /// The sentence, without its final stop.
    pub text: String,
}

/// What kind of verdict it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Steady state was found.
    Steady,
    /// There are figures, but steady state was not found.
    Unsteady,
    /// There are figures of too few rounds to say whether the run was steady.
    Short,
    /// The rate is the one that an open loop asked for, and so says nothing of steady state.
    Asked,
    /// The rate is that of a trace.
    Replayed,
    /// There are no figures.
    Nothing,
}

impl Tone {
    /// One word for a mark or a style.
    pub fn word(self) -> &'static str {
        match self {
            Tone::Steady => "steady",
            Tone::Unsteady => "unsteady",
            Tone::Short => "short",
            Tone::Asked | Tone::Replayed => "asked",
            Tone::Nothing => "nothing",
        }
    }
}

/// The verdict over a run.
pub fn verdict(run: &RunReport) -> Verdict {
    if let Some(withheld) = &run.withheld {
        return Verdict { tone: Tone::Nothing, text: withheld_in_words(withheld) };
    }
    if !run.was_measured {
        return Verdict { tone: Tone::Nothing, text: never_measured_in_words(run) };
    }
    let lasted = nanos(run.duration.get() as f64);
    if run.is_empty() {
        let failed = run.measured.failed();
        let text = match failed {
            0 => format!("No I/O ended within {lasted}: nothing to judge"),
            _ => format!("Every I/O failed ({} in {lasted}): nothing to judge", whole(failed)),
        };
        return Verdict { tone: Tone::Nothing, text };
    }
    if run.is_replay() {
        return replay_in_words(run);
    }
    if run.figures.steady.seconds == 0 {
        let ended = whole(run.measured.completed());
        let text = format!("Too short for figures of whole seconds: {ended} I/Os ended well in {lasted}");
        return Verdict { tone: Tone::Nothing, text };
    }
    figures_in_words(run)
}

fn never_measured_in_words(run: &RunReport) -> String {
    let ended = match run.ended {
        Ended::Interrupted => "Interrupted",
        Ended::Killed | Ended::Whole => "Ended",
    };
    let phase = run.phases.last().map(|phase| format!(" (in its phase \"{}\")", phase.name));
    format!("{ended} before the measured phase began{}: no figures", phase.unwrap_or_default())
}

/// That there was no cliff: of a run that did not end as planned, only for as long as it lasted.
pub(crate) fn no_cliff(run: &RunReport) -> String {
    match run.ended {
        Ended::Whole => "no cliff".to_owned(),
        Ended::Interrupted | Ended::Killed => {
            format!("no cliff in its {}", seconds(run.duration.as_secs_f64()))
        }
    }
}

/// What a drive made of a trace.
fn replay_in_words(run: &RunReport) -> Verdict {
    let service = run.measured.service();
    let time = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), nanos);
    let replay = run.replay.as_ref();
    let how = replay.map(|replay| format!(" {}", manner_in_words(replay))).unwrap_or_default();
    let steady = &run.figures.steady;
    let achieved = replay.and_then(|replay| replay.iops.achieved);
    let achieved = achieved.or((steady.seconds > 0).then_some(steady.mean));
    let apart = directions_in_words(run);
    let text = format!(
        "Replayed{how}: {} requests a second, which are not judged; service time {} on average{apart}, {} at the 99th \
         percentile, {} at most",
        achieved.map_or_else(|| "-".to_owned(), rate),
        time(service.moments().mean()),
        time(service.quantile(0.99).map(|value| value as f64)),
        time(service.moments().max().map(|value| value as f64))
    );
    Verdict { tone: Tone::Replayed, text }
}

/// How a trace was replayed: only what was done in the same manner can be compared.
fn manner_in_words(replay: &ReplayDocument) -> String {
    let mut words = match replay.timing.as_str() {
        "unpaced" => "unpaced".to_owned(),
        timing => format!("with {timing} timing"),
    };
    if (replay.speed - 1.0).abs() > f64::EPSILON {
        let _ = write!(words, " at {} times the speed", rate(replay.speed));
    }
    if let Some(cut) = replay.span_ns.idle_cut.filter(|cut| *cut > 0) {
        let _ = write!(words, ", {} of idle time cut", nanos(cut as f64));
    }
    if replay.map.kind == "compact" {
        words.push_str(", addresses moved together");
    }
    if replay.filled_bytes.is_some() {
        words.push_str(", after a fill");
    }
    words
}

/// The means of reads and of writes, where there are both.
fn directions_in_words(run: &RunReport) -> String {
    match [Op::Read, Op::Write].map(|op| run.mean_service(op)) {
        [Some(read), Some(write)] => format!(" (reads {}, writes {})", nanos(read), nanos(write)),
        _ => String::new(),
    }
}

/// What is missing, and what the run came to while nothing was.
fn withheld_in_words(withheld: &Withheld) -> String {
    let kept = withheld.kept.as_ref().and_then(|kept| Some((kept, kept.iops_mean?)));
    let Some((kept, mean)) = kept else { return withheld.reason.clone() };
    let state = match kept.steady_state.at_s {
        Some(from) => format!("steady from {}", seconds(from as f64)),
        None if kept.steady_state.as_asked => "the rate that was asked for".to_owned(),
        None if kept.steady_state.rounds < kept.steady_state.rounds_needed => {
            "too short to judge steady state".to_owned()
        }
        None => "no steady state".to_owned(),
    };
    format!("{}. Kept in summary.json when the run ended: {} IOPS, {state}", withheld.reason, rate(mean))
}

fn figures_in_words(run: &RunReport) -> Verdict {
    let steady = &run.figures.steady;
    let (mean, min) = (mean_in_words(run), rate(steady.min));
    let deviation = deviation_share(run).map_or_else(
        || format!("{} s only", steady.seconds),
        |share| format!("deviation {}", percent(share)),
    );
    let (tone, lead) = if run.kept_up() {
        let lead = "Kept up with the schedule of its open loop, which is no steady state of the drive";
        (Tone::Asked, format!("{lead}: {mean} over {}", judged_part(run)))
    } else if run.figures.steady_part.reached {
        let from = seconds(run.figures.steady_part.from_s as f64);
        (Tone::Steady, format!("Steady from {from} at {mean}"))
    } else if run.figures.steady_part.is_too_short() {
        let short = too_short(run);
        (Tone::Short, format!("Too short to judge ({short}): {mean} over {}", judged_part(run)))
    } else {
        (Tone::Unsteady, format!("No steady state: {mean} over {}", judged_part(run)))
    };
    let cliff = match run.cliff() {
        Some(cliff) => format!("cliff after {}", bytes(cliff.written_bytes)),
        None if run.kept_up() => "no cliff at this rate".to_owned(),
        None => no_cliff(run),
    };
    let text = format!("{lead} ({deviation}), slowest second {min}; {cliff}");
    Verdict { tone, text }
}

/// The mean rate, and of an open loop what was asked for.
fn mean_in_words(run: &RunReport) -> String {
    let mean = rate(run.figures.steady.mean);
    match run.figures.asked {
        Some(asked) => format!("{mean} of {} IOPS asked for", rate(asked)),
        None => format!("{mean} IOPS"),
    }
}

/// What it would have taken to judge a run.
fn too_short(run: &RunReport) -> String {
    let part = &run.figures.steady_part;
    let round = seconds(part.round_s as f64);
    let count = match part.rounds {
        0 => "none".to_owned(),
        rounds => rounds.to_string(),
    };
    let what = match (run.cliff(), part.rounds) {
        (Some(_), 0 | 1) => "begins after the cliff",
        (Some(_), _) => "begin after the cliff",
        (None, 0 | 1) => "was run",
        (None, _) => "were run",
    };
    format!("{ROUNDS_NEEDED} rounds of {round} needed, {count} {what}")
}

/// The deviation of the steady part as a share of its mean; `None` of a single second, and where the mean is zero.
pub(crate) fn deviation_share(run: &RunReport) -> Option<f64> {
    let steady = &run.figures.steady;
    steady.stddev.filter(|_| steady.mean > 0.0).map(|stddev| stddev / steady.mean)
}
