//! What tests at offered loads found, in words.

use drivelab_block::Nanos;
use drivelab_view::format::{capitalised, long_time, nanos, rate};
use drivelab_view::{About, Tone, Verdict};

use super::findings::{ALIKE, ANSWERED_MIN};
use super::plan::phase_of;
use super::settings::share;
use super::{LoadOption, OfferedFindings, OfferedLoad, OfferedLoadFindings, Schedule};
use crate::shown::listed;
use crate::{ComparedResult, Comparison, StoredResult, throttled};

pub(super) fn verdict(kept: &ComparedResult<'_, OfferedLoad>) -> Verdict {
    let found = &kept.findings;
    let what = capitalised(&kept.settings.operation.to_string());
    let limit = kept.settings.limit_ns.map(|limit| within(kept, limit));
    let (mark, limit) = match (limit, found.loads.is_empty()) {
        (_, true) => ("Not shown".to_owned(), String::new()),
        (Some(limit), false) => (limit.mark, limit.sentence + " "),
        (None, false) => ("Measured".to_owned(), String::new()),
    };
    let answer = limit + &times(found, &what, kept.settings.queue_depth);
    let about = if found.peak_iops.is_none_or(|peak| peak <= 0.0) { About::Nothing } else { About::Figures };
    let mut verdict = Verdict::on(kept.place, Tone::Neutral, &mark, answer).about(about);
    verdict.details.extend(beyond_peak(found));
    verdict.details.extend(woken(found));
    verdict.details.extend(within_again(kept));
    verdict.details.extend(not_lasting(kept));
    verdict.details.extend(below_peak(kept));
    verdict.details.extend(late(found));
    verdict.details.extend(unanswered(found));
    verdict.details.extend(of_few(found));
    verdict
}

struct Within {
    mark: String,
    sentence: String,
}

/// A load in I/Os a second, with its share of the peak.
fn load(iops: f64, percent: f64) -> String {
    format!("{} IOPS ({} of the peak)", rate(iops), share(percent))
}

fn within(kept: &StoredResult<OfferedLoad>, limit_ns: u64) -> Within {
    let found = &kept.findings;
    let limit = nanos(limit_ns as f64);
    let within = found.within_limit_iops.zip(found.within_limit_percent);
    let beyond = found.beyond_limit_iops.zip(found.beyond_limit_percent);
    let p99 = "The p99 response time";
    let Some((iops, percent)) = within else {
        return match beyond {
            Some((iops, percent)) => Within {
                mark: "Beyond the limit".to_owned(),
                sentence: format!("{p99} is longer than {limit} at {} already.", load(iops, percent)),
            },
            None => Within {
                mark: "Not shown".to_owned(),
                sentence: format!("Whether the p99 response time is at most {limit} is not shown."),
            },
        };
    };
    let up_to = match (from(found), beyond) {
        (None, None) => format!("at all loads, up to {}", load(iops, percent)),
        (None, Some(_)) => format!("up to {}", load(iops, percent)),
        (Some(from), _) => format!("from {} IOPS up to {}", rate(from), load(iops, percent)),
    };
    let longer: Vec<String> =
        found.beyond_below_iops.iter().copied().chain(beyond.map(|(iops, _)| iops)).map(in_iops).collect();
    let longer =
        if longer.is_empty() { String::new() } else { format!(", and longer at {}", listed(&longer)) };
    let time = offered_for(kept);
    let mark = match (found.is_within_what_lasts(), longer.is_empty()) {
        (false, _) => format!("Up to {} IOPS for {time}", rate(iops)),
        (true, true) => "Within the limit".to_owned(),
        (true, false) => format!("Up to {} IOPS", rate(iops)),
    };
    Within { mark, sentence: format!("{p99} is at most {limit} {up_to}{longer}.") }
}

/// How long each load was offered.
fn offered_for(kept: &StoredResult<OfferedLoad>) -> String {
    long_time(Nanos::new(kept.settings.cell_duration_ns).as_secs_f64())
}

fn in_iops(iops: f64) -> String {
    format!("{} IOPS", rate(iops))
}

/// The lowest load within the limit, where lower ones are beyond it.
fn from(found: &OfferedLoadFindings) -> Option<f64> {
    let highest = found.beyond_below_iops.iter().copied().reduce(f64::max)?;
    let above = found.loads.iter().filter(|one| one.offered_iops > highest && one.p99_ns().is_some());
    above.map(|one| one.offered_iops).reduce(f64::min)
}

/// Why the lowest loads may be beyond the limit.
fn woken(found: &OfferedLoadFindings) -> Option<String> {
    (!found.beyond_below_iops.is_empty()).then(|| {
        "A drive that enters a power state between I/Os has to leave it for each, which low loads see most; drivelab wake \
         measures how long that takes."
            .to_owned()
    })
}

/// That the highest load within the limit is more than the drive answers in the long run.
fn not_lasting(kept: &StoredResult<OfferedLoad>) -> Option<String> {
    let (found, within) = (&kept.findings, kept.findings.within_limit_iops?);
    let time = offered_for(kept);
    let overloaded = found.overloaded_iops.filter(|_| !found.is_within_what_lasts())?;
    let when = if is_hot_when_overloaded(kept) { "overloaded and throttled" } else { "overloaded" };
    Some(format!(
        "{} IOPS were offered for {time}, and are not shown to last: {when}, the drive answered {} IOPS.",
        rate(within),
        rate(overloaded)
    ))
}

/// Whether the drive may have been slowed by heat while it was overloaded.
fn is_hot_when_overloaded(kept: &StoredResult<OfferedLoad>) -> bool {
    let mut overloaded = kept.findings.loads.iter().filter(|one| one.schedule == Schedule::Overloaded);
    overloaded.any(|one| throttled::may_have_slowed(kept, &phase_of(one.asked)))
}

/// That loads above the first one beyond the limit are within it.
fn within_again(kept: &StoredResult<OfferedLoad>) -> Option<String> {
    let (found, limit) = (&kept.findings, kept.settings.limit_ns?);
    let (_, beyond) = (found.within_limit_iops?, found.beyond_limit_iops?);
    let is_within =
        |one: &OfferedFindings| one.offered_iops > beyond && one.p99_ns().is_some_and(|p99| p99 <= limit);
    let again = named(found, is_within);
    (!again.is_empty()).then(|| {
        format!(
            "At {again} it is at most {} again: a single slow moment counts as much as a drive that is too slow, and a longer \
             --cell-duration tells them apart.",
            nanos(limit as f64)
        )
    })
}

/// The response times at the lowest and at the highest load.
fn times(found: &OfferedLoadFindings, what: &str, in_flight: u32) -> String {
    let Some(peak) = found.peak_iops else {
        return "The peak was not measured: the test ended before.".to_owned();
    };
    let peak = format!("{what} run at {} IOPS with {in_flight} in flight, the peak", rate(peak));
    let p99 = |one: &OfferedFindings| {
        let (p99, iops) = (one.p99_ns()?, rate(one.offered_iops));
        let is_bound = one.response_ns.as_ref().is_some_and(|times| times.is_percentile_bound(p99));
        let least = if one.schedule.is_full() || is_bound { "at least " } else { "" };
        let p99 = nanos(p99 as f64);
        Some(format!("{least}{p99} at {iops} IOPS ({})", share(one.percent)))
    };
    let known: Vec<String> = found.loads.iter().filter_map(p99).collect();
    match known.as_slice() {
        [] => format!("{peak}."),
        [one] => format!("{peak}; the p99 response time is {one}."),
        [first, .., last] => format!("{peak}; the p99 response time is {first} and {last}."),
    }
}

/// Whether the drive answers more than the peak that was measured.
fn beyond_peak(found: &OfferedLoadFindings) -> Option<String> {
    let peak = found.peak_iops?;
    let most = found.loads.iter().map(|one| one.answered_iops).fold(0.0, f64::max);
    (most > ALIKE * peak).then(|| {
        format!(
            "The drive answered {} IOPS with more in flight: the peak is that of --queue-depth alone.",
            rate(most)
        )
    })
}

/// Whether the drive answers less than was offered below the peak, which it then does not keep up.
fn below_peak(kept: &StoredResult<OfferedLoad>) -> Option<String> {
    let found = &kept.findings;
    let peak = found.peak_iops?;
    let is_below = |one: &&OfferedFindings| {
        one.schedule == Schedule::Overloaded && one.answered_iops * ALIKE < one.offered_iops.min(peak)
    };
    let least = found.loads.iter().filter(is_below);
    let least = least.min_by(|one, other| one.percent.total_cmp(&other.percent))?;
    let why = if is_hot_when_overloaded(kept) {
        "the drive throttled, and a cooler one may answer more.".to_owned()
    } else {
        let instead = if kept.settings.fill {
            "A longer --cell-duration measures"
        } else {
            "--precondition and a longer --cell-duration measure"
        };
        format!(
            "the peak is not one that lasts on this drive, or, where the processors do the work of the target (a file in memory, \
             zram), on this machine. {instead} one that does."
        )
    };
    Some(format!(
        "At {} of the peak {} of {} IOPS were answered, as all slots of the queue were taken: {why}",
        share(least.percent),
        rate(least.answered_iops),
        rate(least.offered_iops)
    ))
}

/// The loads of which this holds, as they were asked for.
fn named(found: &OfferedLoadFindings, is_named: impl Fn(&OfferedFindings) -> bool) -> String {
    let loads = found.loads.iter().filter(|one| is_named(one));
    loads.map(|one| one.asked.to_string()).collect::<Vec<String>>().join(", ")
}

/// Which loads the machine could not offer, and which it may not have.
fn late(found: &OfferedLoadFindings) -> Option<String> {
    let of = |schedule| named(found, |one| one.schedule == schedule);
    let (late, unclear) = (of(Schedule::MachineLate), of(Schedule::Unclear));
    let unclear = if unclear.is_empty() {
        String::new()
    } else {
        format!(" Whether the drive or the machine is overloaded at {unclear} is not shown.")
    };
    (!late.is_empty()).then(|| {
        format!(
            "The machine could not offer {late}: I/Os were sent late although the drive could have taken them. Their times say \
             nothing of the drive.{unclear} The peak may be the machine's, too: try again while it does nothing else."
        )
    })
}

/// Loads in whose time no I/O was answered.
fn unanswered(found: &OfferedLoadFindings) -> Option<String> {
    // What failed is said first.
    let none = named(found, |one| one.response_ns.is_none() && one.failed == 0);
    (!none.is_empty()).then(|| {
        format!("No I/O was answered at {none}: write a longer --cell-duration, in which some are due.")
    })
}

/// Loads of too few I/Os for a p99, and how long they have to be offered.
fn of_few(found: &OfferedLoadFindings) -> Option<String> {
    let is_few = |one: &OfferedFindings| one.response_ns.is_some() && one.is_of_few();
    let few = named(found, is_few);
    let rates =
        found.loads.iter().filter(|one| is_few(one)).map(|one| one.offered_iops.min(one.answered_iops));
    let slowest = rates.reduce(f64::min).filter(|rate| *rate > 0.0)?;
    Some(format!(
        "Fewer than {ANSWERED_MIN} I/Os were answered at {few}, too few for a p99: --cell-duration {:.0}s has more of them.",
        (2.0 * ANSWERED_MIN as f64 / slowest).max(1.0).ceil()
    ))
}

type One<'a> = ComparedResult<'a, OfferedLoad>;

/// Up to which load each drive is within the limit, or what the peaks are and the response times at one load.
pub(super) fn compared(results: &Comparison<'_, OfferedLoad>) -> String {
    let has_limit = results.iter().all(|one| one.settings.limit_ns.is_some());
    let results = results.best_first(|one| {
        let found = &one.findings;
        if has_limit { found.within_limit_iops } else { found.peak_iops }.unwrap_or(0.0)
    });
    let sentences = [has_limit.then(|| limits(&results)), peaks(&results), at_one_load(&results)];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    if sentences.is_empty() {
        return "They have no load in common by which they could be compared.".to_owned();
    }
    sentences.join(" ")
}

/// Up to which load each drive is within its limit.
fn limits(results: &[&One<'_>]) -> String {
    let part = |one: &&One<'_>| {
        let found = &one.findings;
        let limit = one.settings.limit_ns.map_or_else(String::new, |limit| nanos(limit as f64));
        let label = one.label();
        match (found.within_limit_iops, found.beyond_limit_iops) {
            (Some(within), beyond) => {
                let (at, within) = (at_which(found, beyond), rate(within));
                let lasts = if found.is_within_what_lasts() { "" } else { ", which is not shown to last" };
                format!("{label} has a p99 of at most {limit} {at} {within} IOPS{lasts}")
            }
            (None, Some(beyond)) => {
                format!("{label} has a longer p99 than {limit} at {} IOPS already", rate(beyond))
            }
            (None, None) => format!("{label} does not show whether its p99 is at most {limit}"),
        }
    };
    format!("{}.", results.iter().map(part).collect::<Vec<_>>().join("; "))
}

/// At which loads the limit is kept, before the highest of them.
fn at_which(found: &OfferedLoadFindings, beyond: Option<f64>) -> &'static str {
    match (found.beyond_below_iops.is_empty(), beyond) {
        (true, Some(_)) => "up to",
        (true, None) => "at all loads, up to",
        (false, _) => "but for its lowest loads, up to",
    }
}

/// The peak of each drive; nothing where one was not measured.
fn peaks(results: &[&One<'_>]) -> Option<String> {
    let part = |one: &&One<'_>| {
        let peak = one.findings.peak_iops?;
        let (what, depth) = (one.settings.operation.to_string(), one.settings.queue_depth);
        Some((what, depth, format!("{} IOPS on {}", rate(peak), one.label())))
    };
    let parts: Vec<(String, u32, String)> = results.iter().map(part).collect::<Option<_>>()?;
    let (what, depth, _) = parts.first()?;
    // Peaks of different operations or depths are not those of one thing.
    let is_same = parts.iter().all(|part| (&part.0, part.1) == (what, *depth));
    let peaks: Vec<String> = parts.iter().map(|part| part.2.clone()).collect();
    is_same.then(|| format!("The peak of {what} with {depth} in flight is {}.", listed(&peaks)))
}

/// The p99 of each drive at a load that all were asked for: the highest in I/Os a second, or else the first from half of the
/// peak on; nothing where there is no such load.
fn at_one_load(results: &[&One<'_>]) -> Option<String> {
    let (first, others) = results.split_first()?;
    let known = |one: &One<'_>, load: LoadOption| {
        let found = one.findings.loads.iter().find(|found| found.asked == load);
        found.and_then(OfferedFindings::p99_ns)
    };
    let in_all = |load: &LoadOption| others.iter().all(|other| known(other, *load).is_some());
    let loads: Vec<LoadOption> = first
        .findings
        .loads
        .iter()
        .filter(|one| one.p99_ns().is_some())
        .map(|one| one.asked)
        .filter(in_all)
        .collect();
    let of_rate = loads.iter().rev().find(|load| matches!(load, LoadOption::Iops(_)));
    let of_share =
        || loads.iter().find(|load| matches!(load, LoadOption::Percent(percent) if *percent >= 50.0));
    let load = *of_rate.or_else(of_share)?;
    let at = match load {
        LoadOption::Iops(_) => format!("at {load}"),
        LoadOption::Percent(_) => format!("at {load} of the peak of each drive"),
    };
    let times =
        results.iter().map(|one| Some(format!("{} on {}", nanos(known(one, load)? as f64), one.label())));
    let times: Vec<String> = times.collect::<Option<_>>()?;
    Some(format!("{}, the p99 response time is {}.", capitalised(&at), listed(&times)))
}
