//! What tests at offered loads of several drives found, in a sentence.

use drivelab_view::format::{capitalised, nanos, rate};

use super::{LoadOption, OfferedFindings, OfferedLoad, OfferedLoadFindings};
use crate::shown::listed;
use crate::{ComparedResult, Comparison};

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
