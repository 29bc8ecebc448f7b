//! Who leads how often.

use drivelab_stats::{Axis, PairVerdict};

use super::cells::ShownCells;
use crate::matrix::names::{axis_names, cell_name};
use crate::matrix::view::cells::rate_of;
use crate::matrix::{CellComparison, CellFindings, LeaderFindings, MatrixFindings};
use drivelab_view::format::percent;

/// The groups of cells that differ in what lies along the columns, and who leads in them.
pub(super) struct Contest<'a> {
    found: &'a MatrixFindings,
    axis: Axis,
    leaders: Vec<&'a LeaderFindings>,
}

impl<'a> Contest<'a> {
    /// The contest along an axis; none where nothing could be compared along it.
    pub fn along(found: &'a MatrixFindings, axis: Axis) -> Option<Contest<'a>> {
        let own = axis;
        let leaders: Vec<&LeaderFindings> = found.leaders.iter().filter(|one| one.axis == own).collect();
        (!leaders.is_empty()).then_some(Contest { found, axis, leaders })
    }

    /// Those that win, each with how often, the most frequent one first.
    fn wins(&self) -> Vec<(String, usize)> {
        let mut wins: Vec<(String, usize)> = Vec::new();
        for leader in self.leaders.iter().filter(|leader| leader.wins) {
            let Some(best) = self.found.cell(leader.best) else { continue };
            let name = self.axis.value(&best.cell);
            match wins.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => wins.push((name, 1)),
            }
        }
        wins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        wins
    }

    /// The answer in a few words, and whether there is one.
    pub fn mark(&self) -> (bool, String) {
        match self.wins().first() {
            None => (false, format!("No fastest {} shown", axis_names(self.axis).0)),
            Some((name, _)) if self.leaders.len() == 1 => (true, format!("{name} is the fastest")),
            Some((name, _)) => (true, format!("{name} leads most often")),
        }
    }

    /// The answer in a sentence.
    pub fn sentence(&self, cells: &ShownCells<'_>) -> String {
        let what = axis_names(self.axis).0;
        let wins = self.wins();
        if let ([leader], Some((name, _))) = (self.leaders.as_slice(), wins.first()) {
            return format!("{name} is shown to be the fastest {what}{}.", self.ahead(leader));
        }
        let (count, among) = (self.leaders.len(), self.among(cells));
        let Some(((first, times), others)) = wins.split_first() else {
            return format!("No {what} is shown to be the fastest at any of {count} {among}.");
        };
        let mut text = format!("{first} is shown to be the fastest {what} at {times} of {count} {among}");
        for (name, times) in others {
            text = format!("{text}, {name} at {times}");
        }
        match count - wins.iter().map(|(_, count)| count).sum::<usize>() {
            0 => text + ".",
            left => format!("{text}; at {left} no single {what} is."),
        }
    }

    /// By how much a leader is ahead of the next one.
    fn ahead(&self, leader: &LeaderFindings) -> String {
        let ahead = leader.ahead_of.and_then(|ahead| Some((ahead, self.found.cell(ahead.slower)?)));
        ahead.map_or_else(String::new, |(ahead, slower)| {
            let next = self.axis.value(&slower.cell);
            let ends = ahead.interval.map_or_else(String::new, |ends| {
                format!(" (95 % interval: {} to {})", percent(ends.low - 1.0), percent(ends.high - 1.0))
            });
            format!(", by {}{ends} ahead of {next}", percent(ahead.ratio - 1.0))
        })
    }

    /// What the groups are combinations of.
    fn among(&self, cells: &ShownCells<'_>) -> String {
        let works = cells
            .rests(Axis::Threads)
            .iter()
            .map(|cell| cell.work)
            .collect::<std::collections::BTreeSet<_>>();
        let axes =
            [(Axis::Caching, "caching"), (Axis::Scheduler, "I/O scheduler"), (Axis::Threads, "threads")];
        let mut named: Vec<&str> = (works.len() > 1).then_some("work").into_iter().collect();
        let differ = axes.iter().filter(|(axis, _)| *axis != self.axis && cells.columns(*axis).len() > 1);
        named.extend(differ.map(|(_, name)| *name));
        match named.as_slice() {
            [] => "groups".to_owned(),
            ["work"] => "kinds of work".to_owned(),
            ["threads"] => "numbers of threads".to_owned(),
            [one] => format!("values of {one}"),
            [first @ .., last] => format!("combinations of {} and {last}", first.join(", ")),
        }
    }
}

/// Of cells that differ in threads alone, by their places in the order of their threads, the one that all others are shown to be
/// slower than. Each is compared with its neighbours alone, so rates have to rise on every step up to it, and to fall on every
/// one behind it.
pub(super) fn fastest_threads(found: &MatrixFindings, places: &[usize]) -> Option<usize> {
    let rises = |pair: &[usize]| {
        let is_theirs = |one: &&CellComparison| {
            one.axis == Axis::Threads && (one.first, one.second) == (pair[0], pair[1])
        };
        let shown = found.comparisons.iter().find(is_theirs)?;
        (shown.verdict == PairVerdict::Difference).then_some(shown.ratio > 1.0)
    };
    let steps = places.windows(2).map(rises).collect::<Option<Vec<bool>>>()?;
    let rising = steps.iter().take_while(|rises| **rises).count();
    let falls_behind = steps[rising..].iter().all(|rises| !rises);
    (!steps.is_empty() && falls_behind).then(|| places[rising])
}

/// At which number of threads each kind of work is the fastest, for a matrix in which nothing else is compared.
pub(super) fn best_threads(found: &MatrixFindings) -> Option<String> {
    let mut best: Vec<(drivelab_stats::MatrixCell, &CellFindings)> = Vec::new();
    for one in &found.cells {
        let rest = Axis::Threads.rest(&one.cell);
        match best.iter_mut().find(|(known, _)| *known == rest) {
            Some((_, highest)) if one.rate.mean > highest.rate.mean => *highest = one,
            Some(_) => {}
            None => best.push((rest, one)),
        }
    }
    let one = |(rest, found): &(drivelab_stats::MatrixCell, &CellFindings)| {
        let threads = crate::matrix::names::threads_name(found.cell.threads);
        format!("{} with {threads} ({})", cell_name(rest), rate_of(found).text())
    };
    let named: Vec<String> = best.iter().take(NAMED).map(one).collect();
    (!named.is_empty()).then(|| format!("The highest mean rates: {}.", named.join("; ")))
}

/// As many kinds of work are named in a sentence; the others are in the table.
const NAMED: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    /// A comparison of the cells at a place and at the next one.
    fn step(first: usize, ratio: f64, verdict: PairVerdict) -> CellComparison {
        CellComparison {
            axis: Axis::Threads,
            first,
            second: first + 1,
            blocks: 5,
            ratio,
            interval: None,
            p: None,
            p_holm: None,
            verdict,
        }
    }

    #[test]
    fn a_number_of_threads_is_the_fastest_where_rates_rise_to_it_and_fall_behind_it() {
        let found = |ratios: &[f64]| {
            let steps = ratios.iter().enumerate();
            let comparisons =
                steps.map(|(first, ratio)| step(first, *ratio, PairVerdict::Difference)).collect();
            MatrixFindings { comparisons, ..MatrixFindings::default() }
        };
        assert_eq!(fastest_threads(&found(&[2.0, 1.5, 0.8]), &[0, 1, 2, 3]), Some(2));
        assert_eq!(fastest_threads(&found(&[2.0, 1.5, 1.2]), &[0, 1, 2, 3]), Some(3));
        assert_eq!(fastest_threads(&found(&[0.5, 0.9]), &[0, 1, 2]), Some(0));
        assert_eq!(fastest_threads(&found(&[0.5, 1.9]), &[0, 1, 2]), None, "two ends");
        let mut level = found(&[2.0, 1.5, 1.01]);
        level.comparisons[2].verdict = PairVerdict::NoDifference;
        assert_eq!(fastest_threads(&level, &[0, 1, 2, 3]), None, "the last two may be alike");
        assert_eq!(fastest_threads(&found(&[]), &[0]), None, "one number of threads");
    }
}
