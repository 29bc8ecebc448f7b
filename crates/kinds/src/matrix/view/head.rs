//! What matrices come to, in a few sentences.

use drivelab_documents::Notice;
use drivelab_stats::{Axis, CellComparison, IntervalEnds, LEAST_BLOCKS, LeaderFindings, PairVerdict};
use drivelab_view::format::{digits, percent, seconds};
use drivelab_view::{About, Block, Tone, Verdict};

use super::cells::ShownCells;
use crate::matrix::settings::{axis_names, cell_name};
use crate::matrix::view::cells::rate_of;
use crate::matrix::{CellFindings, ControlFindings, Matrix, MatrixFindings};
use crate::{ComparedResult, Comparison, Ended, StoredResult, shown};

/// An interval whose ends are further apart than this says nothing of a drift.
const WIDE: f64 = 1.5;

/// The verdict of each result, what all have to say, and which of several is the faster one.
pub(super) fn head(results: &Comparison<'_, Matrix>, cells: &ShownCells<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> = times_faster(results, cells).into_iter().collect();
    blocks.extend(shown::verdicts(results, |one| {
        let mut verdict = verdict(one, cells);
        verdict.notices.extend(unfinished(one));
        verdict
    }));
    blocks
}

fn verdict(kept: &ComparedResult<'_, Matrix>, cells: &ShownCells<'_>) -> Verdict {
    let found = &kept.findings;
    let (tone, mark, sentence) = answer(kept, cells);
    let about = if found.cells.is_empty() { About::Nothing } else { About::Figures };
    let mut verdict = Verdict::on(kept.place, tone, &mark, sentence).about(about);
    verdict.details.extend(counted(found));
    verdict.details.extend(found.control.as_ref().map(control_sentence));
    verdict.details.push(how(kept));
    verdict
}

/// The answer to the question which combination is the fastest.
fn answer(kept: &StoredResult<Matrix>, cells: &ShownCells<'_>) -> (Tone, String, String) {
    let (found, axis) = (&kept.findings, cells.column_axis());
    if found.cells.is_empty() {
        let sentence = "No cell was measured, so there is nothing to compare.";
        return (Tone::Undecided, "Nothing measured".to_owned(), sentence.to_owned());
    }
    if let Some(contest) = Contest::along(found, axis) {
        let (is_shown, mark) = contest.mark();
        let tone = if is_shown { Tone::Neutral } else { Tone::Undecided };
        return (tone, mark, contest.sentence(cells));
    }
    let is_contest = axis != Axis::Threads && !found.comparisons.is_empty();
    if is_contest {
        let sentence = format!(
            "Which {} is the fastest cannot be shown from so few runs: at least {LEAST_BLOCKS} of each cell are needed.",
            axis_names(axis).0
        );
        return (Tone::Undecided, "Too few runs".to_owned(), sentence);
    }
    (Tone::Neutral, "Measured".to_owned(), best_threads(found).unwrap_or_default())
}

/// How many comparisons show a difference, and how many show nothing for want of runs.
fn counted(found: &MatrixFindings) -> Vec<String> {
    let count = |wanted| found.comparisons.iter().filter(|one| one.verdict == wanted).count();
    let too_few = count(PairVerdict::TooFewRuns);
    let (differ, judged) = (count(PairVerdict::Difference), found.comparisons.len() - too_few);
    let shown = (judged > 0).then(|| {
        format!(
            "{differ} of {judged} comparisons show a difference (paired t on logarithms, Holm over all, 5 %)."
        )
    });
    let needed = format!("at least {LEAST_BLOCKS} runs are needed");
    let not_shown = match too_few {
        0 => None,
        1 => Some(format!("1 comparison is not shown: {needed}.")),
        several => Some(format!("{several} comparisons are not shown: {needed}.")),
    };
    shown.into_iter().chain(not_shown).collect()
}

/// What the control says of the time between the first and the last cell of a block.
fn control_sentence(control: &ControlFindings) -> String {
    let verdict = match control.drifts {
        Some(true) => "a drift, which complete blocks keep out of the comparisons",
        Some(false) if control.interval.is_some_and(|ends| ends.high > WIDE * ends.low) => {
            "the blocks differ too much to show whether there is a drift"
        }
        Some(false) => "no drift is shown",
        None => &format!("a drift is not shown: at least {LEAST_BLOCKS} runs are needed"),
    };
    let ends = interval_in_words(control.interval);
    let name = cell_name(&control.cell);
    format!(
        "The control ({name}) runs before and after each block of runs. Its rate after a block differs by {}{ends} from that \
         before: {verdict}.",
        percent(control.ratio - 1.0)
    )
}

/// The interval of a ratio behind it, as a difference; nothing where there is none.
fn interval_in_words(ends: Option<IntervalEnds>) -> String {
    ends.map_or_else(String::new, |ends| {
        format!(" (95 % interval: {} to {})", percent(ends.low - 1.0), percent(ends.high - 1.0))
    })
}

fn how(kept: &StoredResult<Matrix>) -> String {
    let (found, settings) = (&kept.findings, &kept.settings);
    let fresh = if settings.file_system_bytes.is_some() {
        "each on a file system made for it, its files out of the cache"
    } else {
        "each on a simulated drive of its own, written once before"
    };
    let runs = if settings.runs == 1 { "1 run".to_owned() } else { format!("{} runs", settings.runs) };
    format!(
        "{} of {} measurements: {runs} of cells that begin no new work after {}, {fresh}; random order in complete blocks.",
        found.measured,
        found.planned,
        seconds(settings.cell_duration().as_secs_f64())
    )
}

/// What is to be done with a run that was killed.
fn unfinished(kept: &StoredResult<Matrix>) -> Option<Notice> {
    let text = "The run was killed, or is still under way: what it had until then is shown, and \
                `drivelab matrix` with its target and --resume goes on where it was.";
    (kept.ended() == Ended::Killed).then(|| Notice::warning(text))
}

/// How many times as fast as each other result the fastest one is, over the cells that all of them have.
fn times_faster(results: &Comparison<'_, Matrix>, cells: &ShownCells<'_>) -> Option<Block> {
    let (first, others) = cells.0.split_first().filter(|(_, others)| !others.is_empty())?;
    if !results.is_ranked() {
        return None;
    }
    let mut logs = vec![0.0; results.len()];
    let mut count = 0;
    for one in *first {
        let same = |other: &&[CellFindings]| {
            other.iter().find(|shown| shown.cell == one.cell).map(|shown| shown.rate.mean)
        };
        let Some(found) = others.iter().map(same).collect::<Option<Vec<f64>>>() else { continue };
        let rates: Vec<f64> = std::iter::once(one.rate.mean).chain(found).collect();
        if rates.iter().all(|rate| *rate > 0.0) {
            logs.iter_mut().zip(&rates).for_each(|(sum, rate)| *sum += rate.ln());
            count += 1;
        }
    }
    let label = |place: usize| results[place].label();
    let fastest = (0..logs.len()).max_by(|one, other| logs[*one].total_cmp(&logs[*other]))?;
    let times = |other: usize| {
        let ratio = ((logs[fastest] - logs[other]) / f64::from(count)).exp();
        format!("{} times as fast as {}", digits(ratio), label(other))
    };
    let slower: Vec<String> = (0..logs.len()).filter(|other| *other != fastest).map(times).collect();
    let over = if count == 1 { "the one cell".to_owned() } else { format!("the {count} cells") };
    (count > 0).then(|| {
        Block::Text(format!(
            "Over {over} that all of them have, {} is {} (geometric mean of the ratios of rates).",
            label(fastest),
            slower.join(" and ")
        ))
    })
}

/// The groups of cells that differ in what lies along the columns, and who leads in them.
pub(super) struct Contest<'a> {
    found: &'a MatrixFindings,
    axis: Axis,
    leaders: Vec<&'a LeaderFindings>,
}

impl<'a> Contest<'a> {
    /// The contest along an axis; none where nothing could be compared along it.
    pub fn along(found: &'a MatrixFindings, axis: Axis) -> Option<Contest<'a>> {
        let leaders: Vec<&LeaderFindings> = found.leaders.iter().filter(|one| one.axis == axis).collect();
        (!leaders.is_empty()).then_some(Contest { found, axis, leaders })
    }

    /// Those that win, each with how often, the most frequent one first.
    fn wins(&self) -> Vec<(String, usize)> {
        let mut wins: Vec<(String, usize)> = Vec::new();
        for leader in self.leaders.iter().filter(|leader| leader.wins) {
            let Some(best) = self.found.cells.get(leader.best) else { continue };
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
        let ahead = leader.ahead_of.and_then(|ahead| Some((ahead, self.found.cells.get(ahead.slower)?)));
        ahead.map_or_else(String::new, |(ahead, slower)| {
            let (next, ends) = (self.axis.value(&slower.cell), interval_in_words(ahead.interval));
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
        let threads = crate::matrix::settings::threads_name(found.cell.threads);
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
