//! What a matrix says in sentences, on the terminal and on the page.

use drivelab_analysis::{Axis, LEAST_BLOCKS, MatrixCell, Verdict};

use super::document::{ComparisonOfCells, EndsDocument, LeaderDocument, MatrixDocument};
use super::ratios::{interval_text, ratio_text};
use super::words::name_over_threads;
use crate::format::seconds;

/// How it was measured.
pub(super) fn how(document: &MatrixDocument) -> String {
    let fresh = if document.fs_bytes.is_some() {
        "each on a file system made for it, its files out of the cache"
    } else {
        "each on a simulated drive of its own, written once before"
    };
    let runs =
        if document.runs_asked == 1 { "1 run".to_owned() } else { format!("{} runs", document.runs_asked) };
    format!(
        "{} of {} measurements: {runs} of cells that begin no new work after {}, {fresh}; random order in complete blocks.",
        document.measured,
        document.planned,
        seconds(document.cell_s)
    )
}

/// How many comparisons show a difference, who wins where, what does not differ, and what the control says.
pub(super) fn verdict_lines(document: &MatrixDocument) -> Vec<String> {
    let mut lines = Vec::new();
    let judged = document.comparisons.iter().filter(|one| one.p.is_some()).count();
    let differ = document.comparisons.iter().filter(|one| one.verdict == Verdict::Difference).count();
    if judged > 0 {
        lines.push(format!(
            "{differ} of {judged} comparisons show a difference (paired t on logarithms, Holm over all, 5 %)."
        ));
    }
    match document.comparisons.len() - judged {
        0 => {}
        1 => lines.push(format!("1 comparison is {}.", verdict_text(Verdict::TooFewRuns))),
        several => lines.push(format!("{several} comparisons are {}.", verdict_text(Verdict::TooFewRuns))),
    }
    lines.extend(document.winners.iter().filter_map(winner_line));
    lines.extend(document.winners.iter().filter_map(apart_line));
    for axis in ["fs", "scheduler", "caching"] {
        lines.extend(level_line(axis, &document.winners));
    }
    // Threads are no contest, so what differs is told pair by pair.
    let threads = document.comparisons.iter().filter(|one| one.axis == "threads" && one.p.is_some());
    lines.extend(threads.map(threads_line));
    lines.extend(control_line(document));
    lines
}

/// Who leads where somebody is behind.
fn winner_line(leader: &LeaderDocument) -> Option<String> {
    let (next, times) = (leader.ahead_of.as_ref()?, times(leader.ratio.unwrap_or(1.0), leader.interval));
    let (at, best) = (&leader.at, &leader.best);
    let untold = match leader.untold.join(", ") {
        none if none.is_empty() => String::new(),
        some => format!("; too few runs to compare it with {some}"),
    };
    Some(if leader.wins {
        format!("{at}: {best} wins, {times} of {next}.")
    } else if leader.level_with.is_empty() {
        format!("{at}: {best} has {times} of {next}{untold}.")
    } else {
        let level = leader.level_with.join(", ");
        format!("{at}: no difference shown between {best} and {level}; {best} has {times} of {next}{untold}.")
    })
}

/// Where nobody is behind the best, and some of the others differ.
fn apart_line(leader: &LeaderDocument) -> Option<String> {
    let pairs = leader
        .apart
        .iter()
        .map(|pair| format!("{} has {} of {}", pair.faster, times(pair.ratio, pair.interval), pair.slower));
    let pairs: Vec<String> = pairs.collect();
    (!pairs.is_empty()).then(|| {
        format!("{}: {}; {} varies too much to be told from any.", leader.at, pairs.join(", "), leader.best)
    })
}

/// Where nobody is behind, all such groups of an axis in one sentence.
fn level_line(axis: &str, winners: &[LeaderDocument]) -> Option<String> {
    let is_level =
        |one: &&LeaderDocument| one.ahead_of.is_none() && one.untold.is_empty() && one.apart.is_empty();
    let level = winners.iter().filter(|one| one.axis == axis).filter(is_level);
    let groups = with_threads_together(level.map(|one| &one.common));
    let what = match axis {
        "fs" => "file systems",
        "scheduler" => "schedulers",
        _ => "ways of caching",
    };
    (!groups.is_empty()).then(|| format!("No difference shown between {what} at: {}.", groups.join("; ")))
}

/// The names of these groups, those that differ in threads alone under one name.
fn with_threads_together<'a>(groups: impl Iterator<Item = &'a MatrixCell>) -> Vec<String> {
    let mut together: Vec<(MatrixCell, Vec<u16>)> = Vec::new();
    for group in groups {
        let rest = Axis::Threads.rest(group);
        match together.iter_mut().find(|(cell, _)| *cell == rest) {
            Some((_, threads)) => threads.push(group.threads),
            None => together.push((rest, vec![group.threads])),
        }
    }
    together.iter().map(|(cell, threads)| name_over_threads(cell, threads)).collect()
}

fn threads_line(one: &ComparisonOfCells) -> String {
    let times = times(one.ratio, one.interval);
    format!("{}: {} to {} threads {times}: {}.", one.at, one.first, one.second, verdict_text(one.verdict))
}

/// What is said of two cells.
pub(super) fn verdict_text(verdict: Verdict) -> String {
    match verdict {
        Verdict::TooFewRuns => format!("not shown: at least {LEAST_BLOCKS} runs are needed"),
        told => told.words().to_owned(),
    }
}

/// An interval whose ends are further apart than this says nothing of a drift.
const WIDE: f64 = 1.5;

/// What the control says of the time between the first and the last cell of a block.
fn control_line(document: &MatrixDocument) -> Option<String> {
    let control = document.control.as_ref()?;
    let verdict = match control.drifts {
        Some(true) => "a drift, which complete blocks keep out of the comparisons",
        Some(false) if control.interval.is_some_and(|ends| ends.high > WIDE * ends.low) => {
            "the blocks differ too much to tell a drift"
        }
        Some(false) => "no drift detected",
        None => &format!("a drift is {}", verdict_text(Verdict::TooFewRuns)),
    };
    let times = times(control.ratio, control.interval);
    Some(format!("Control ({}): after a block {times} of before: {verdict}.", control.cell))
}

/// A ratio, and its interval where it has one.
fn times(ratio: f64, interval: Option<EndsDocument>) -> String {
    let ends = interval.map_or_else(String::new, |ends| format!(" ({})", interval_text(ends)));
    format!("x {}{ends}", ratio_text(ratio, interval))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::Work;

    #[test]
    fn groups_that_differ_in_threads_alone_are_named_once() {
        let group = |work: Work, threads: u16, scheduler: Option<&str>| MatrixCell {
            work,
            caching: None,
            scheduler: scheduler.map(str::to_owned),
            threads,
            fs: None,
        };
        let groups = [
            group(Work::Stat, 1, None),
            group(Work::Delete, 1, Some("bfq")),
            group(Work::Stat, 8, None),
            group(Work::Create, 0, None),
        ];
        let found = with_threads_together(groups.iter());
        assert_eq!(found, ["stat, 1, 8 threads", "delete, bfq, 1 thread", "create"]);
    }
}
