//! The page of a review: how it ended, then what each kind of test found.

use std::path::{Path, PathBuf};

use drivelab_documents::review::{PlanStep, ReviewPlan, ReviewRecord, StepRecord};
use drivelab_documents::{Drive, HiddenSerials, one_name};
use drivelab_inspect::InspectionDocument;
use drivelab_inspect::lifetime::{DriveLifetime, LifetimeFindings, view as view_of_lifetimes};
use drivelab_inspect::review::{PartlyUsed, ReviewPage, ReviewedDrive, ReviewedLapses, view};
use drivelab_record::{RunFolder, is_run_folder};
use drivelab_runner::{
    Failure, KindEntry, Opened, REREAD_MAX, kind_of, open_by_kind, output, records_of, say, usage,
};
use drivelab_view::format::capitalised;
use drivelab_view::{Block, Page, View, html};

use super::Review;
use crate::args;
use crate::commands::folders::{not_known, runs_in};

/// The page in the folder of a review.
pub const PAGE: &str = "report.html";

/// What the test of a lifetime leaves.
const LIFETIME: &str = "lifetime.json";

pub struct ReviewPages {
    pub page: Page,
    /// The record as it is shown.
    pub record: ReviewRecord,
    /// Whether all results are on the page that were kept.
    pub is_whole: bool,
}

/// Makes the page of a review in its folder, and says where it is.
pub fn write(folder: &Path, record: &ReviewRecord) -> Result<PathBuf, Failure> {
    let pages = page_of(folder, record);
    let path = folder.join(PAGE);
    output::write_file(&path, html(&pages.page).as_bytes(), output::OwnFile::Page)?;
    Ok(path)
}

/// The folders of the results of a review, each with the place of its target, in the order of the steps.
pub fn results_of(folder: &Path, record: &ReviewRecord) -> Vec<(usize, PathBuf)> {
    // What a test has left that was killed, or that the machine did not let come to its end, is no result to be compared.
    let has_result = |step: &&StepRecord| step.ended.as_ref().is_some_and(|ended| ended.exit_code <= 1);
    let steps = record.steps.iter().filter(has_result);
    steps
        .flat_map(|step| results_in(&folder.join(&step.folder)).into_iter().map(|run| (step.target, run)))
        .collect()
}

/// Makes the page of a review, and prints its summary or its document. Returns whether all results are on it that were kept.
pub fn show(review: &Review, json: bool) -> Result<bool, Failure> {
    let ReviewPages { page, record, is_whole } = page_of(&review.folder, &review.record);
    let path = review.folder.join(PAGE);
    let is_better = is_better_left(&path, is_whole);
    if !is_better {
        output::write_file(&path, html(&page).as_bytes(), output::OwnFile::Page)?;
    }
    if json {
        output::print_json(&record)?;
    } else {
        output::print_page(&Page { views: page.views.into_iter().take(1).collect(), title: page.title })?;
    }
    if is_better {
        say_left(&path);
    } else {
        say!("report: {}", path.display());
    }
    Ok(is_whole)
}

/// Whether a page is there that was made before results were damaged: it is better than one of what is left of them.
pub fn is_better_left(page: &Path, is_whole: bool) -> bool {
    !is_whole && page.is_file()
}

/// Says that a page is left as it is, which was made from more results than there are now.
pub fn say_left(page: &Path) {
    say!("{} is left as it was made before: --report FILE writes a page of what is there", page.display());
}

/// Whether a page of a review can be made at once: one of many records has to read all of them again.
pub fn is_quick(folder: &Path, record: &ReviewRecord) -> Result<bool, Failure> {
    let mut records = 0;
    for (_, path) in results_of(folder, record) {
        records += records_of(&path)?;
    }
    Ok(records <= REREAD_MAX)
}

/// Says where the page of a review is that was interrupted. Where it would take too long for a program that is to end to read all
/// results again, that page is the one that was made after a step.
pub fn leave(review: &Review, json: bool) -> Result<(), Failure> {
    if json {
        let (results, _) = results_by_kind(&review.folder, &review.record);
        output::print_json(&shown(&review.record, &results))?;
    }
    let folder = review.folder.display();
    if is_quick(&review.folder, &review.record)? {
        let path = write(&review.folder, &review.record)?;
        say!("report: {}", path.display());
        return Ok(());
    }
    let path = review.folder.join(PAGE);
    if path.is_file() {
        say!("report: {} (drivelab report {folder} adds what came after it)", path.display());
    }
    Ok(())
}

/// The page of a review, of every step that has a result, and its record as it is shown. What cannot be read is named.
pub fn page_of(folder: &Path, record: &ReviewRecord) -> ReviewPages {
    let (results, not_known) = results_by_kind(folder, record);
    let folders: Vec<_> = results.iter().map(|(_, kind, run)| (*kind, run.clone())).collect();
    let opened = open_by_kind(&folders, None);
    let not_opened = opened.iter().flat_map(|kind| &kind.failures);
    let left_out = not_known.iter().chain(not_opened).map(|failure| format!("left out: {failure}"));
    let damaged: Vec<String> =
        left_out.chain(opened.iter().flat_map(|kind| &kind.withheld).cloned()).collect();
    damaged.iter().for_each(output::say);
    let record = shown(record, &results);
    let called = names_of(&record, &results);
    let reviewed = |(target, called)| ReviewedDrive { called, ..reviewed(target, &results, &opened) };
    let drives = called.into_iter().enumerate().map(reviewed).collect();
    let is_whole = damaged.is_empty();
    let cut_off = record.next().filter(|next| folder.join(&record.steps[*next].folder).exists());
    let parts = partly_used(&record);
    let first = view(&ReviewPage { folder, record: &record, cut_off, drives, parts, damaged });
    let title = first.title.clone();
    let lifetimes = lifetimes(folder, &record);
    let views = [first].into_iter().chain(lifetimes).chain(opened.into_iter().filter_map(|kind| kind.view));
    let page = Page { title, views: views.collect() };
    ReviewPages { page, record, is_whole }
}

/// The steps of the plan that use a part of each drive.
fn partly_used(record: &ReviewRecord) -> Vec<PartlyUsed> {
    let part = |step: &PlanStep| {
        let range = step.text("range")?;
        let is_part = args::range(range).is_ok_and(|range| !range.is_whole());
        is_part.then(|| PartlyUsed { test: step.test.word().to_owned(), range: range.to_owned() })
    };
    let plan = ReviewPlan::parse(&record.plan);
    plan.map_or_else(|_| Vec::new(), |plan| plan.steps.iter().filter_map(part).collect())
}

/// Takes steps for not done whose results are not in their folders any more.
pub fn forget_what_is_gone(folder: &Path, record: &mut ReviewRecord) {
    for step in &mut record.steps {
        let has_result = step.ended.as_ref().is_some_and(|ended| ended.exit_code <= 1 && ended.why.is_none());
        let own = folder.join(&step.folder);
        if has_result && results_in(&own).is_empty() && !own.join(LIFETIME).is_file() {
            say!("{} holds no result any more: its test is not done", own.display());
            step.ended = None;
        }
    }
}

/// A result of a review: the place of its target, its kind and its folder.
type KindResult = (usize, &'static KindEntry, PathBuf);

/// The results of a review whose kind this program knows, in the order of the steps, and why it does not know that of others.
fn results_by_kind(folder: &Path, record: &ReviewRecord) -> (Vec<KindResult>, Vec<Failure>) {
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for (target, run) in results_of(folder, record) {
        match kind_of(&run) {
            Some(kind) => known.push((target, kind, run)),
            None => others.push(not_known(&run)),
        }
    }
    (known, others)
}

/// The record without serial numbers where these are not to be shown, as far as results know them.
fn shown(record: &ReviewRecord, results: &[KindResult]) -> ReviewRecord {
    if !record.hides_serial {
        return record.clone();
    }
    let of_runs = results.iter().filter_map(|(.., run)| Some(RunFolder::open(run).ok()?.1.drive));
    let drives: Vec<Drive> =
        record.targets.iter().filter_map(|target| target.drive.clone()).chain(of_runs).collect();
    HiddenSerials::from_serials(drives.iter().flat_map(Drive::hidden_names)).apply(record.clone())
}

/// What the user calls the drives, in the order of the targets. Drives that share a name keep their targets: it is that of the
/// review.
fn names_of(record: &ReviewRecord, results: &[KindResult]) -> Vec<Option<String>> {
    let given = |run: &PathBuf| {
        let run = RunFolder::open(run).ok()?.1;
        let hidden = run.hidden_serials();
        run.given_name.map(|name| hidden.in_text(&name))
    };
    let name = |target: usize| {
        let own: Vec<Option<String>> =
            results.iter().filter(|(of, ..)| *of == target).map(|(.., run)| given(run)).collect();
        one_name(own.iter().map(Option::as_deref)).map(str::to_owned)
    };
    let names: Vec<Option<String>> = (0..record.targets.len()).map(name).collect();
    let is_alone = |name: &String| names.iter().flatten().filter(|other| *other == name).count() == 1;
    names.iter().map(|name| name.clone().filter(is_alone)).collect()
}

/// What the results give of a target.
fn reviewed(target: usize, results: &[KindResult], opened: &[Opened]) -> ReviewedDrive {
    let mut drive = ReviewedDrive::default();
    for (.., run) in results.iter().filter(|(of, ..)| *of == target) {
        for kind in opened {
            let Some(place) = kind.key_figures.iter().position(|(folder, _)| folder == run) else { continue };
            drive.figures.extend(kind.key_figures[place].1.iter().cloned());
            let found = kind.lapses.iter().find(|(folder, _)| folder == run);
            drive.lapses.extend(found.map(|(_, found)| ReviewedLapses {
                kind: kind.view.as_ref().map_or_else(String::new, |view| capitalised(&view.kind)),
                found: found.clone(),
            }));
            let own = results.iter().filter(|(of, _, other)| {
                *of == target && kind.key_figures.iter().any(|(folder, _)| folder == other)
            });
            let is_alone = own.count() == 1;
            drive.answers.extend(kind.view.iter().flat_map(|view| answers_of(view, place, is_alone)));
        }
    }
    drive
}

/// The answer of one of the results of a view, with its label where the drive has several of the kind.
fn answers_of(view: &View, place: usize, is_alone: bool) -> Vec<(String, String)> {
    let blocks = view.sections.first().map_or(&[][..], |section| &section.blocks);
    let own = blocks.iter().filter_map(|block| match block {
        Block::Verdict(verdict) if verdict.subject.is_none_or(|subject| subject == place) => Some(verdict),
        _ => None,
    });
    let kind = match view.subjects.get(place).filter(|_| !is_alone) {
        Some(subject) => format!("{} ({})", capitalised(&view.kind), subject.label),
        None => capitalised(&view.kind),
    };
    own.map(|verdict| (kind.clone(), format!("{}: {}", verdict.mark, verdict.sentence))).collect()
}

/// What was ever written to the drives of a review, as its steps have kept it.
fn lifetimes(folder: &Path, record: &ReviewRecord) -> Option<View> {
    let read = |step: &StepRecord| -> Option<LifetimeFindings> {
        let path = folder.join(&step.folder).join(LIFETIME);
        let text = drivelab_files::read(&path, drivelab_files::DOCUMENT).ok()?;
        let document: InspectionDocument<LifetimeFindings> = serde_json::from_slice(&text).ok()?;
        Some(document.findings)
    };
    let mut all = record.steps.iter().filter(|step| step.ended.is_some()).filter_map(read);
    let mut found = all.next()?;
    found.drives.extend(all.flat_map(|other| other.drives));
    let hidden = found.drives.iter().filter(|_| record.hides_serial).flat_map(DriveLifetime::hidden_names);
    Some(view_of_lifetimes(&HiddenSerials::from_serials(hidden).apply(found.clone())))
}

/// The folders of all results of a review, for what shows several results together.
pub fn all_results(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (record, _) = ReviewRecord::read(folder).map_err(|error| usage!("{error}"))?;
    Ok(results_of(folder, &record).into_iter().map(|(_, run)| run).collect())
}

/// How many records of a step's runs are lost, of which its exit code alone says that something is not as it should be.
pub fn lost_records_of(folder: &Path) -> u64 {
    let outcomes = results_in(folder).into_iter().filter_map(|run| RunFolder::open(&run).ok()?.1.outcome);
    outcomes.map(|outcome| outcome.lost_records).sum()
}

/// The folder itself where it is that of a run, else those in it, in the order of their names.
fn results_in(folder: &Path) -> Vec<PathBuf> {
    if is_run_folder(folder) { vec![folder.to_owned()] } else { runs_in(folder) }
}
