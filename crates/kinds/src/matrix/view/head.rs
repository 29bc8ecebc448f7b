//! What matrices come to, in a few sentences.

use drivelab_record::{Notice, Severity};
use drivelab_stats::{LEAST_BLOCKS, PairVerdict};
use drivelab_view::format::{digits, percent, seconds};
use drivelab_view::{About, Block, Tone, Verdict};

use super::cells::{ShownCell, ShownCells};
use super::contest::{Contest, best_threads};
use crate::matrix::names::{axis_names, cell_name};
use crate::matrix::{ControlFindings, Matrix, MatrixFindings};
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
    let is_contest = axis != drivelab_stats::Axis::Threads && !found.comparisons.is_empty();
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
    let ends = control.interval.map_or_else(String::new, |ends| {
        format!(" (95 % interval: {} to {})", percent(ends.low - 1.0), percent(ends.high - 1.0))
    });
    let name = cell_name(&control.cell);
    format!(
        "The control ({name}) runs before and after each block of runs. Its rate after a block differs by {}{ends} from that \
         before: {verdict}.",
        percent(control.ratio - 1.0)
    )
}

/// How it was measured.
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
fn unfinished(kept: &StoredResult<Matrix>) -> Vec<Notice> {
    let text = "The run was killed, or is still under way: what it had until then is shown, and \
                `drivelab matrix` with its target and --resume goes on where it was.";
    let notice = Notice { severity: Severity::Warning, text: text.to_owned() };
    (kept.ended() == Ended::Killed).then_some(notice).into_iter().collect()
}

/// How many times as fast as each other result the fastest one is, over the cells that all of them have.
fn times_faster(results: &Comparison<'_, Matrix>, cells: &ShownCells<'_>) -> Option<Block> {
    let (first, others) = cells.results().split_first().filter(|(_, others)| !others.is_empty())?;
    if !results.is_ranked() {
        return None;
    }
    let mut logs = vec![0.0; results.len()];
    let mut count = 0;
    for one in first {
        let same = |other: &Vec<ShownCell<'_>>| {
            other.iter().find(|shown| shown.cell == one.cell).map(|shown| shown.found.rate.mean)
        };
        let Some(found) = others.iter().map(same).collect::<Option<Vec<f64>>>() else { continue };
        let rates: Vec<f64> = std::iter::once(one.found.rate.mean).chain(found).collect();
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
