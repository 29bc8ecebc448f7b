//! What is shown of consistency tests.

use drivelab_stats::{Mode, ROUNDS_NEEDED};
use drivelab_view::format::{bytes, nanos, percent, percent_beside, rate, seconds, things};
use drivelab_view::{About, Block, Section, Subject, Tone, Verdict, View};

use super::{Consistency, ConsistencyPrecondition};
use crate::ios::{IoFindings, LatencyFindings, SteadyFindings};
use crate::kind::MeasuredPhase;
use crate::shown::ComparedFigures;
use crate::{ComparedResult, Comparison, Ended, StoredResult, ios, machine_limit, shown, throttled};

/// What a cliff is, for a reader of figures; the analysis has it in full.
const CLIFF: &str = "A cliff is where the rate first falls by a quarter of the fresh level or more, as the median of a \
                     twentieth of the run (5 s to 30 s); the fresh level is the median of the first twentieth \
                     (5 s to 30 s), or of what came before the cliff where that is shorter. Steady state is looked for \
                     in the windows that begin after the cliff.";
/// What is compared in a sentence.
const WORK: &str = "steady random writes";
/// Above this number of results a sentence that compares them is longer than it helps.
const IN_A_SENTENCE: usize = 4;

pub(super) fn view(compared: &Comparison<'_, Consistency>) -> View {
    let mut head = comparing(compared);
    head.extend(shown::verdicts(compared, |one| verdict(one).unwrap_or_else(|no_figures| no_figures)));
    let mut sections = vec![Section::summary(None, head)];
    sections.extend(ios::rate(compared));
    sections.push(figures(compared));
    View { subjects: subjects(compared), ..ios::view(compared, title(compared), sections) }
}

/// The runs of one drive differ in their over-provisioning, which the page says below.
fn title(compared: &Comparison<'_, Consistency>) -> String {
    if compared.len() == 1 || compared.drives() > 1 {
        return shown::title(compared);
    }
    let targets = compared.iter().map(|one| one.run.target.clone());
    let drive = compared.drives_called(targets.collect()).swap_remove(0);
    format!("Performance consistency of {drive}")
}

/// The results, which a page switches by drive and by over-provisioning. A drive is called as the user calls it, or else by its
/// model and serial number.
fn subjects(compared: &Comparison<'_, Consistency>) -> Vec<Subject> {
    let name = |one: &ComparedResult<'_, Consistency>| match (&one.run.drive.serial, &*one.run.drive.model) {
        (Some(serial), model) if !model.is_empty() => format!("{model} ({serial})"),
        _ => one.run.target.clone(),
    };
    let drives = compared.drives_called(compared.iter().map(name).collect());
    let with_facets = compared.iter().zip(drives).map(|(one, drive)| {
        let share = format!("{} %", one.settings.over_provisioning_percent);
        one.subject.clone().with_facet("Drive", drive).with_facet("Over-provisioning", share)
    });
    with_facets.collect()
}

/// A result with what a sentence calls it.
type Labelled<'a> = (&'a ComparedResult<'a, Consistency>, &'a str);

/// Drives against each other with equal over-provisioning, a sentence for each share of it; of a single drive, its shares.
fn comparing(compared: &Comparison<'_, Consistency>) -> Vec<Block> {
    if compared.len() < 2 || !compared.is_ranked() {
        return Vec::new();
    }
    let drives = compared.names_of_drives();
    let alike = asked_alike(compared, &drives);
    if alike.iter().any(|(_, results)| results.len() > IN_A_SENTENCE) {
        return Vec::new();
    }
    let sentence = |(work, results): (String, Vec<Labelled<'_>>)| {
        let rates = results.into_iter().filter_map(|(one, name)| Some((steady_rate(&one.findings)?, name)));
        drivelab_view::times_as_fast(&work, rates)
    };
    alike.into_iter().filter_map(sentence).chain(not_compared(compared)).map(Block::Text).collect()
}

/// The results that are compared with each other, and in what: of several drives, which are called so, those with equal
/// over-provisioning.
fn asked_alike<'a>(
    compared: &'a Comparison<'_, Consistency>,
    drives: &'a [String],
) -> Vec<(String, Vec<Labelled<'a>>)> {
    let share_of = |one: &ComparedResult<'_, Consistency>| one.settings.over_provisioning_percent;
    let mut shares: Vec<f64> = compared.iter().map(share_of).collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    if compared.drives() < 2 || shares.len() < 2 {
        return vec![(WORK.to_owned(), compared.iter().map(|one| (one, one.label())).collect())];
    }
    let of_share = |share: f64| {
        let alike = || compared.iter().filter(move |one| share_of(one).total_cmp(&share).is_eq());
        // The label says the over-provisioning again, and is needed only where a drive has two results with it.
        let is_alone = |one: &ComparedResult<'_, Consistency>| {
            alike().filter(|other| other.run.target == one.run.target).count() == 1
        };
        let name = |one: &'a ComparedResult<'_, Consistency>| {
            if is_alone(one) { &*drives[one.place] } else { one.label() }
        };
        let named = alike().map(|one| (one, name(one))).collect();
        (format!("{WORK} with {share} % over-provisioning"), named)
    };
    shares.into_iter().map(of_share).collect()
}

/// Of which results the steady rate is not compared, and why, in sentences.
fn not_compared(compared: &Comparison<'_, Consistency>) -> Vec<String> {
    type IsReason = fn(&SteadyFindings) -> bool;
    let sentence = |(why, is_reason): (&str, IsReason)| {
        let is_meant = |one: &&ComparedResult<'_, Consistency>| {
            steady_rate(&one.findings).is_none() && is_reason(&one.findings.summary.steady_state)
        };
        let names: Vec<String> = compared.iter().filter(is_meant).map(|one| one.label().to_owned()).collect();
        (!names.is_empty())
            .then(|| format!("No steady rate is compared of {}: {why}.", shown::listed(&names)))
    };
    let reasons: [(&str, IsReason); 3] = [
        ("the run was too short to judge steady state", |steady| {
            steady.drift.is_none() && steady.windows < steady.windows_needed
        }),
        ("the rate drifts", |steady| steady.drift.is_some()),
        ("no steady state was reached", |steady| {
            steady.drift.is_none() && steady.windows >= steady.windows_needed
        }),
    ];
    reasons.into_iter().filter_map(sentence).collect()
}

fn steady_rate(found: &IoFindings) -> Option<f64> {
    found.summary.iops_mean.filter(|_| found.summary.steady_state.reached)
}

fn figures(compared: &Comparison<'_, Consistency>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    ios::add_all(&mut figures);
    if compared.iter().any(|one| one.findings.summary.iops_mean.is_some()) {
        figures.figures.notes.push(CLIFF.to_owned());
    }
    figures.section("Figures")
}

/// The share of seconds within 10 % of their median from which on a steady drive is called consistent: a convention of this test.
const EVEN: f64 = 0.9;
/// The share of the capacity that is written before a cliff from which on the cliff is put down to free blocks. They are the
/// over-provisioning that a pass did not know of, and less than one hundredth of the capacity changes little in steady state.
const FREE_SHARE_MIN: f64 = 0.01;
/// Two events are taken for one that are this many seconds apart at most: temperatures are read once a second, and a drive may
/// count late.
const SAME_TIME_S: f64 = 3.0;

/// The answer for a result that has figures; else why it has none.
fn verdict(one: &ComparedResult<'_, Consistency>) -> Result<Verdict, Verdict> {
    let measured = &ios::with_figures(one)?.measured;
    let ended = one.ended();
    if !measured.has_rate() {
        let (ios, lasted) = (things(measured.completed(), "I/O"), nanos(measured.duration.get() as f64));
        let sentence = format!("Too short for figures of whole seconds: {ios} succeeded in {lasted}.");
        return Err(Verdict::on(one.place, Tone::Neutral, "No figures", sentence).about(About::Findings));
    }
    let part = measured.figures.steady_part;
    if !part.reached {
        let mark = match part.drift {
            Some(_) => "Drifts",
            None if part.is_too_short() => "Not shown",
            None => "Not steady",
        };
        let mut verdict =
            Verdict::on(one.place, Tone::Undecided, mark, ios::steady_in_words(measured, ended));
        if part.is_too_short() {
            verdict.details.push(least_time(measured));
        } else if let Some(words) = throttled::slowed_in_words(one) {
            let text = format!("The rates are those of a drive that gets hot and cools down again, {words}.");
            verdict.details.push(text);
        } else if is_one_pass(one) {
            let text = "One-pass preconditioning did not bring the drive to its steady state in this time: a longer \
                        --duration, its true over-provisioning (one-pass:PERCENT), or --precondition fill may.";
            verdict.details.push(text.to_owned());
        } else if part.drift.is_some() {
            let text = "Any five windows in a row are steady, and all of them together are not; a longer --duration shows \
                        where the rate settles.";
            verdict.details.push(text.to_owned());
        }
        verdict.details.extend(latency(measured));
        return Ok(verdict);
    }
    let is_even = measured.figures.steady.evenness.near_median_share >= EVEN;
    let (tone, mark) = match is_even {
        _ if throttled::slowed(one).is_some() => (Tone::Undecided, "Throttled"),
        true => (Tone::Good, "Consistent"),
        false if machine_limit::may_make_uneven(measured.phase) => (Tone::Undecided, "Steady, uneven"),
        false => (Tone::Bad, "Steady, uneven"),
    };
    let mut verdict = Verdict::on(one.place, tone, mark, settles(one, measured));
    verdict.details.push(if is_one_pass(one) {
        after_one_pass(one, measured)
    } else {
        course(measured, ended)
    });
    if !is_even && machine_limit::may_make_uneven(measured.phase) {
        let text = "The program had no processor for a tenth of the time or more: that the seconds differ may be the \
                    machine's.";
        verdict.details.push(text.to_owned());
    }
    verdict.details.extend(cliff_of_heat(one, measured).filter(|_| !is_one_pass(one)));
    verdict.details.extend(latency(measured));
    Ok(verdict)
}

/// How long a run has to be for its steady state to be judged.
fn least_time(measured: &MeasuredPhase<'_>) -> String {
    let window_s = measured.figures.steady_part.round_s.max(1);
    // Windows begin at multiples of their length, and none within the fall.
    let before = measured.cliff().map_or(0, |cliff| cliff.end_s.div_ceil(window_s));
    let least = ((before + ROUNDS_NEEDED) * window_s) as f64;
    let after = if before > 0 { " after the cliff" } else { "" };
    format!(
        "The run was too short to judge whether there is a steady state: that takes {ROUNDS_NEEDED} windows of {}{after}, at \
         least {} in all (--duration {least:.0}s), or shorter windows (--window).",
        seconds(window_s as f64),
        seconds(least)
    )
}

/// What the drive comes to in the long run.
fn settles(kept: &StoredResult<Consistency>, measured: &MeasuredPhase<'_>) -> String {
    let throttled = throttled::slowed_in_words(kept).map_or_else(String::new, |words| format!(", {words}"));
    let (steady, part) = (&measured.figures.steady, measured.figures.steady_part);
    format!(
        "Random writes run at {} IOPS from {} on{throttled}, with {} of the seconds within 10 % of the median; {}the slowest \
         second has {} IOPS.",
        rate(steady.mean),
        seconds(part.from_s as f64),
        percent_beside(steady.evenness.near_median_share, EVEN),
        steady.evenness.modes.map_or_else(String::new, in_two_modes),
        rate(steady.min)
    )
}

/// That the seconds are of two kinds.
fn in_two_modes([slow, fast]: [Mode; 2]) -> String {
    format!(
        "they alternate between two rates, {} IOPS in {} of the seconds and {} IOPS in {}; ",
        rate(slow.median),
        percent(slow.share),
        rate(fast.median),
        percent(fast.share)
    )
}

fn is_one_pass(kept: &StoredResult<Consistency>) -> bool {
    kept.settings.precondition == ConsistencyPrecondition::OnePass
}

/// How a drive came there that begins in its steady state: a cliff is what one pass is to have left behind.
fn after_one_pass(kept: &StoredResult<Consistency>, measured: &MeasuredPhase<'_>) -> String {
    if let Some(text) = cliff_of_heat(kept, measured) {
        return text;
    }
    let Some(cliff) = measured.cliff() else {
        return "The drive was preconditioned by one pass, so that neither the fresh drive nor its cliff is seen."
            .to_owned();
    };
    let (written, at) = (bytes(cliff.written_bytes as f64), seconds(cliff.at_s as f64));
    let share = cliff.written_bytes as f64 / kept.run.drive.size_bytes.max(1) as f64;
    if share < FREE_SHARE_MIN {
        return format!(
            "After one-pass preconditioning the drive is faster until {written} are written, at {at}. That is {} of its \
             capacity: a write buffer takes as much, and more over-provisioning than the pass began from would have left more \
             free.",
            percent(share)
        );
    }
    format!(
        "There is a cliff after {written} written, at {at}: one-pass preconditioning left free blocks, as the drive has more \
         over-provisioning than the pass began from (give it with --precondition one-pass:PERCENT), or it has a cache of that \
         size."
    )
}

/// That the cliff is none of flash that has to be collected, where the drive began to throttle in the same seconds.
fn cliff_of_heat(kept: &StoredResult<Consistency>, measured: &MeasuredPhase<'_>) -> Option<String> {
    let (cliff, throttled) = (measured.cliff()?, throttled::slowed(kept)?);
    let fall = cliff.at_s as f64 - SAME_TIME_S..=cliff.end_s as f64 + SAME_TIME_S;
    fall.contains(&throttled.began_s).then(|| {
        format!(
            "The cliff, at {}, is where the drive began to throttle: a drive that is kept cooler shows the cliff of its flash, \
             if it has one.",
            seconds(cliff.at_s as f64)
        )
    })
}

/// How the drive came there.
fn course(measured: &MeasuredPhase<'_>, ended: Ended) -> String {
    let fresh = measured.figures.fresh.iops;
    match measured.cliff() {
        Some(cliff) => format!(
            "The fresh drive begins at {} IOPS; the cliff comes after {} written, at {}.",
            rate(fresh),
            bytes(cliff.written_bytes as f64),
            seconds(cliff.at_s as f64)
        ),
        None if fresh > 0.0 => {
            format!("The drive begins at {} IOPS; {}.", rate(fresh), ios::cliff_in_words(measured, ended))
        }
        None => format!("There is {}.", ios::cliff_in_words(measured, ended)),
    }
}

fn latency(measured: &MeasuredPhase<'_>) -> Option<String> {
    let service = LatencyFindings::from_distribution(&measured.service())?;
    // What a bound of a percentile says is how long it is at least.
    let most = if service.is_percentile_bound(service.p99) {
        format!("1 % of the writes take {}", service.percentile_value(service.p99).in_words())
    } else {
        format!("99 % of the writes take at most {}", nanos(service.p99 as f64))
    };
    let doubt = machine_limit::doubt_of_longest(measured.phase, service.max, service.p50);
    Some(format!("Over the whole run, {most}, the longest takes {}{doubt}.", service.max_value().in_words()))
}
