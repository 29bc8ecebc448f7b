//! The first view of a review's page.

use std::path::Path;

use drivelab_documents::review::{EndedStep, ReviewRecord, ReviewedTarget, StepRecord};
use drivelab_view::format::{by_number, count, counted, shell_word, things};
use drivelab_view::{
    Block, Cell, Column, KeyFigure, Quantity, Row, Section, Subject, Table, Tone, Verdict, View,
};

use super::answer::{ComparedFigure, ReviewedDrive, answers, best_of};

/// A review with what its results give.
pub struct ReviewPage<'a> {
    /// Its folder, as it was named.
    pub folder: &'a Path,
    /// What is done of it.
    pub record: &'a ReviewRecord,
    /// The step that was cut off, by its place, of which a part of a result is there.
    pub cut_off: Option<usize>,
    /// What its results give of each target, in the order of the targets.
    pub drives: Vec<ReviewedDrive>,
    /// The steps that used a part of each drive.
    pub parts: Vec<PartlyUsed>,
    /// What is wrong with results that cannot be read, or not in whole, each with the name of its folder.
    pub damaged: Vec<String>,
}

/// A step of the plan that used a part of the drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartlyUsed {
    /// Its test.
    pub test: String,
    /// The part, as the plan has it.
    pub range: String,
}

/// The view that says how the review ended, and compares the drives by their key figures.
pub fn view(page: &ReviewPage<'_>) -> View {
    let record = page.record;
    let targets = &record.targets;
    let title = match (&record.label, targets.as_slice()) {
        (Some(label), _) => format!("Review: {label}"),
        (None, [target]) => format!("Review of {}", page.drives[0].name(target)),
        (None, several) => format!("Review of {} drives", counted(several.len())),
    };
    let subject = |(target, drive): (&ReviewedTarget, &ReviewedDrive)| {
        let origin =
            record.started.as_ref().map(|started| format!("Begun {}", started.in_words(&record.version)));
        let what = target.identity.clone().unwrap_or_else(|| "a simulated drive".to_owned());
        let about = drive.called.as_ref().map_or(what.clone(), |_| format!("{}, {what}", target.target));
        let remark = record.note.as_ref().map(|note| format!("Remark: {note}"));
        let origin = origin.into_iter().chain(remark).collect();
        Subject { origin, ..Subject::new(drive.name(target), about) }
    };
    let tables = figures(page);
    let in_all = (targets.len() > 1).then(|| compared(page).into_iter().chain([in_all(record)]));
    let damaged = page.damaged.iter().cloned().map(Block::Text);
    let in_all = in_all.into_iter().flatten().map(Block::Text).chain(damaged);
    let verdict = |target: &usize| Block::Verdict(verdict(page, *target));
    let (lapsed, others): (Vec<usize>, Vec<usize>) =
        (0..targets.len()).partition(|target| page.drives[*target].worst().is_some());
    // What a drive did not do is said before which one is the best for what.
    let first = lapsed.iter().map(verdict);
    let verdicts = others.iter().map(verdict);
    let mut blocks: Vec<Block> = first.chain(in_all).chain(verdicts).chain(not_shown(&page.parts)).collect();
    blocks.extend(tables.into_iter().map(Block::Table));
    let sections =
        vec![Section::summary(None, blocks), Section::full("Steps", vec![Block::Table(steps(page))])];
    View {
        title,
        kind: "review".to_owned(),
        name: "review",
        subjects: targets.iter().zip(&page.drives).map(subject).collect(),
        sections,
    }
}

/// Which drive is the best for what. Before the last test they would be compared in some figures only.
fn compared(page: &ReviewPage<'_>) -> Vec<String> {
    let steps: Vec<&StepRecord> = page.record.steps.iter().collect();
    let open = meant_of(&steps) - ended_of(&steps);
    if !page.damaged.is_empty() {
        let text =
            "Which drive is the better one is not said: not all results can be read, or shown in whole.";
        return vec![text.to_owned()];
    }
    if open == 0 {
        return answers(page.record, &page.drives);
    }
    let tests = if open == 1 { "test is" } else { "tests are" };
    vec![format!(
        "Which drive is the better one is not said before the end: {} {tests} still to be run.",
        counted(open)
    )]
}

/// What tests of a part of a drive cannot show.
fn not_shown(parts: &[PartlyUsed]) -> Option<Block> {
    let used: Vec<String> = parts.iter().map(|part| format!("{} used {}", part.test, part.range)).collect();
    (!used.is_empty()).then(|| {
        Block::Text(format!(
            "A part of the drive was tested: {}. Delays that begin only when about the whole capacity of a drive has been \
             written were not shown: for them, test the whole drive.",
            used.join(", ")
        ))
    })
}

/// How much of the review is done, and how many tests failed.
fn in_all(record: &ReviewRecord) -> String {
    let steps: Vec<&StepRecord> = record.steps.iter().collect();
    let none = if failed_of(&steps).is_empty() { ", none failed" } else { "" };
    format!("{}{none}.", done_of(record, &steps))
}

/// How many of these steps are done.
fn done_of(record: &ReviewRecord, steps: &[&StepRecord]) -> String {
    let (all, left_out, failed) = (steps.len(), steps.len() - meant_of(steps), failed_of(steps));
    let done = ended_of(steps) - failed.len();
    let counted = |number: usize| count(number as f64);
    let which = match (done == all, all) {
        (true, 1) => "The only test".to_owned(),
        (true, _) => format!("All {} tests", counted(all)),
        (false, _) => format!("{} of {}", counted(done), things(all as u64, "test")),
    };
    let are = by_number(done as u64, "is", "are");
    let mut sentence = format!("{which} of the plan {} {are} done", record.plan_name);
    if left_out > 0 {
        let were = by_number(left_out as u64, "was", "were");
        sentence = format!("{sentence}, {} {were} left out", counted(left_out));
    }
    if !failed.is_empty() {
        sentence = format!("{sentence}, {} failed ({})", counted(failed.len()), failed.join(", "));
    }
    sentence
}

fn meant_of(steps: &[&StepRecord]) -> usize {
    steps.iter().filter(|step| step.left_out.is_none()).count()
}

fn ended_of(steps: &[&StepRecord]) -> usize {
    steps.iter().filter(|step| step.ended.is_some()).count()
}

fn failed_of<'a>(steps: &[&'a StepRecord]) -> Vec<&'a str> {
    let has_failed = |step: &&&StepRecord| step.ended.as_ref().is_some_and(|ended| ended.exit_code != 0);
    steps.iter().filter(has_failed).map(|step| step.test.as_str()).collect()
}

/// What of the review of a target is done, and what it came to.
fn verdict(page: &ReviewPage<'_>, target: usize) -> Verdict {
    let steps: Vec<&StepRecord> = page.record.steps.iter().filter(|step| step.target == target).collect();
    let failed = failed_of(&steps);
    let is_finished = ended_of(&steps) == meant_of(&steps);
    let worst = page.drives[target].worst();
    let (tone, mark) = match (is_finished, failed.is_empty()) {
        (_, false) => (Tone::Bad, "Failed"),
        (true, true) if worst.is_some() => (Tone::Bad, "No answer"),
        (true, true) => (Tone::Neutral, "Done"),
        (false, true) => (Tone::Undecided, "Not finished"),
    };
    let done = format!("{}.", done_of(page.record, &steps));
    let mut verdict = match worst {
        Some(worst) => Verdict {
            details: vec![done],
            ..Verdict::on(target, tone, mark, format!("{} ({}.)", worst.found.sentence, worst.kind))
        },
        None => Verdict::on(target, tone, mark, done),
    };
    let answers = page.drives[target].answers.iter();
    verdict.details.extend(answers.map(|(kind, answer)| format!("{kind}: {answer}")));
    let why = steps.iter().filter_map(|step| {
        let why = step.ended.as_ref()?.why.as_ref()?;
        Some(format!("{}: {why}.", step.test))
    });
    verdict.details.extend(why);
    let has_stopped = |step: &&StepRecord| step.ended.as_ref().is_some_and(EndedStep::has_stopped);
    let resume = format!("drivelab review --resume {}", shell_word(&page.folder.to_string_lossy()));
    // What confirms a drive or a file is typed anew.
    let confirmed = if page.record.targets[target].identity.is_some() {
        ", with the same --serial and --destroy-data as before,"
    } else {
        ""
    };
    if !is_finished {
        verdict.details.push(format!("`{resume}`{confirmed} goes on."));
    } else if steps.iter().any(has_stopped) {
        verdict.details.push(format!("`{resume}`{confirmed} repeats what did not come to its end."));
    }
    verdict
}

/// Figures of one table: more do not stand next to each other on a page.
const FIGURES_WIDE: usize = 5;

/// The drives in rows, their key figures in columns, in as many tables as that takes.
fn figures(page: &ReviewPage<'_>) -> Vec<Table> {
    let columns = KeyFigure::each_once(page.drives.iter().flat_map(|drive| &drive.figures));
    let parts = columns.chunks(FIGURES_WIDE);
    let several = parts.len() > 1;
    let mut tables: Vec<Table> = Vec::new();
    for (number, columns) in parts.enumerate() {
        let (id, caption) = match (number, several) {
            (0, false) => ("drives".to_owned(), "Figures of each drive".to_owned()),
            (0, true) => ("drives".to_owned(), "Figures of each drive, in the order of the tests".to_owned()),
            (more, _) => (format!("drives-{}", more + 1), "Further figures of each drive".to_owned()),
        };
        tables.push(figures_of(page, (&id, &caption), columns));
    }
    if let Some(last) = tables.last_mut().filter(|_| page.record.targets.len() > 1) {
        let note = "The best value of a column is marked where every drive has one. Rates that are not steady, and those of \
                    fewer bytes than the drive holds, which may be its cache's, are not compared.";
        last.notes.push(note.to_owned());
    }
    tables
}

fn figures_of(page: &ReviewPage<'_>, (id, caption): (&str, &str), columns: &[&KeyFigure]) -> Table {
    let column = |figure: &&KeyFigure| Column::new(&figure.name, figure.value.quantity).judged(figure.better);
    let mut table = Table::new(id, caption, "Drive", columns.iter().map(column).collect());
    for (place, (target, drive)) in page.record.targets.iter().zip(&page.drives).enumerate() {
        // The value of a figure is marked where it is the best of all drives.
        let cell = |column: &&KeyFigure| match column.among(&drive.figures) {
            Some(figure) if best_of(&figure.name, &page.drives) == ComparedFigure::Best(place) => {
                Cell::Best(figure.value)
            }
            figure => figure.map_or(Cell::Nothing, |figure| Cell::Value(figure.value)),
        };
        let (head, cells) = (drive.name(target).to_owned(), columns.iter().map(cell).collect());
        table.rows.push(Row { head, subject: Some(place), group: None, cells });
    }
    table
}

fn steps(page: &ReviewPage<'_>) -> Table {
    let columns = vec![Column::new("Outcome", Quantity::Number), Column::new("Folder", Quantity::Number)];
    let mut table = Table::new("steps", "What was done", "Test", columns);
    for (place, step) in page.record.steps.iter().enumerate() {
        let drive = page.drives[step.target].name(&page.record.targets[step.target]);
        let outcome = match (&step.ended, &step.left_out) {
            (Some(ended), _) => outcome(ended.exit_code),
            (None, Some(why)) => Cell::Text(format!("left out: {why}")),
            (None, None) if page.cut_off == Some(place) => Cell::text("cut off, and run again by --resume"),
            (None, None) => Cell::text("not done yet"),
        };
        let folder = if step.ended.is_some() { Cell::text(step.folder.clone()) } else { Cell::Nothing };
        table.rows.push(Row {
            head: step.test.clone(),
            subject: None,
            group: Some(drive.to_owned()),
            cells: vec![outcome, folder],
        });
    }
    table
}

fn outcome(exit_code: u8) -> Cell {
    let words = match exit_code {
        0 => return Cell::text("done"),
        1 => "its check failed",
        2 => "could not be asked for so",
        3 => "the device or the machine does not allow it",
        4 => "refused for safety",
        _ => "ended by a signal",
    };
    Cell::Verdict(Tone::Bad, words.to_owned())
}
