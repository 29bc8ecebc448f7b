//! Pages, pictures and tables of results that were opened again.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_block::Nanos;
use drivelab_record::RunFolder;
use drivelab_view::{Page, View, csv, html, markdown, png, svg};
use serde::Serialize;

use crate::kinds::{KindEntry, Opened};
use crate::many_results::{ManyResults, shown_of};
use crate::output::OwnFile;
use crate::results::PAGE;
use crate::{Ending, Failure, output};

/// What is to be made of results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outputs<'a> {
    /// The page, where one was asked for.
    pub page: Option<&'a Path>,
    /// The page in the results' own folder, where no other one was asked for. It is left as it is where figures have to be
    /// withheld now: it was made from all records, and is better than what could replace it.
    pub own_page: Option<&'a Path>,
    /// From when on I/Os are slow, where that was asked for.
    pub slow: Option<Nanos>,
    /// The folder of SVG pictures.
    pub svg: Option<&'a Path>,
    /// The folder of PNG pictures.
    pub png: Option<&'a Path>,
    /// The folder of CSV files.
    pub csv: Option<&'a Path>,
    /// Whether results that were named cannot be shown, which was said before.
    pub lacks_results: bool,
    /// Whether Markdown is printed instead of the summary.
    pub markdown: bool,
    /// Whether JSON is printed instead of the summary.
    pub json: bool,
}

/// Says what stands against a page in this place. It replaces no page but `own`, that of the results' own folder: another
/// one may be that of other results, or of a comparison.
pub fn check_page(path: &Path, own: Option<&Path>) -> Result<(), Failure> {
    let shown = path.display();
    output::check_page_name(path)?;
    let is_own = |place: PathBuf| own.and_then(|own| own.canonicalize().ok()).is_some_and(|own| own == place);
    if path.exists() && !path.canonicalize().is_ok_and(is_own) {
        return Err(usage!(
            "{shown} is there already, and a report replaces no other page: name another file, or remove it first"
        ));
    }
    Ok(())
}

/// Opens the results in these folders again and makes everything that was asked for of them. Results of several kinds are on
/// one page, a view each. What cannot be opened is named, the rest is shown.
pub fn report(folders: &[(&'static KindEntry, PathBuf)], outputs: &Outputs<'_>) -> Result<Ending, Failure> {
    let groups = group_by_kind(folders);
    // Documents are of all results.
    let limited = groups.iter().filter(|_| !outputs.json);
    let many: Vec<ManyResults> =
        limited.filter_map(|(kind, group)| ManyResults::summarize(kind, group)).collect();
    let shown = |(kind, group): &KindGroup| {
        let shown = if outputs.json { group.len() } else { shown_of(group.len()) };
        (kind.open_all)(&group[..shown], outputs.slow)
    };
    let opened: Vec<Opened> = groups.iter().map(shown).collect();
    let tables = many.iter().map(|many| many.view.clone());
    let views: Vec<View> = tables.chain(opened.iter().filter_map(|kind| kind.view.clone())).collect();
    let left_out = many.iter().flat_map(|many| &many.failures);
    let failures: Vec<&Failure> = opened.iter().flat_map(|kind| &kind.failures).chain(left_out).collect();
    let withheld: Vec<&String> = opened.iter().flat_map(|kind| &kind.withheld).collect();
    let Some(page) = page_of(views) else {
        Failure::all(opened.into_iter().flat_map(|kind| kind.failures))?;
        return Err(Failure::Usage("there is no result to show".to_owned()));
    };
    failures.iter().for_each(|failure| say!("left out: {failure}"));
    let is_whole = failures.is_empty() && withheld.is_empty() && !outputs.lacks_results;
    let own = outputs.own_page.filter(|path| is_whole || !path.exists());
    let page_path = outputs.page.or(own);
    let documents: Vec<&serde_json::Value> = opened.iter().flat_map(|kind| &kind.documents).collect();
    Outputs { page: page_path, ..*outputs }.make(&page, &documents)?;
    withheld.iter().for_each(output::say);
    if let (Some(path), None) = (outputs.own_page, page_path) {
        say!(
            "{} is left as it was made from all records: --report FILE writes a page of what is there",
            path.display()
        );
    }
    let all_pass = is_whole && opened.iter().all(|kind| kind.pass) && many.iter().all(|many| many.pass);
    Ok(if all_pass { Ending::Passed } else { Ending::CheckFailed })
}

/// More I/Os than this are not read again to write a name on a page.
pub const REREAD_MAX: u64 = 2_000_000;
/// About what a record takes in a file, in bytes.
const RECORD_BYTES: u64 = 7;

/// What became of the page in the folder of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remade {
    /// It was made again.
    Page(PathBuf),
    /// It was left as it is: to make it again would read all records.
    Outdated(PathBuf),
    /// It was left as it is, since not all of what it was made from is there any more; or there is none.
    Nothing,
}

/// Makes the page in the folder of a result again, after its name was changed.
pub fn remake_page(folder: &Path) -> Result<Remade, Failure> {
    let Some(kind) = crate::kind_of(folder) else { return Ok(Remade::Nothing) };
    let path = folder.join(PAGE);
    let view = match (kind.view_of_findings)(folder)? {
        Some(view) => Some(view),
        None if records_of(folder)? > REREAD_MAX => return Ok(Remade::Outdated(path)),
        None => {
            let opened = (kind.open_all)(&[folder.to_owned()], None);
            if let Some(failure) = opened.failures.into_iter().next() {
                return Err(failure);
            }
            opened.view.filter(|_| opened.withheld.is_empty())
        }
    };
    let Some(page) = view.and_then(|view| page_of(vec![view])) else { return Ok(Remade::Nothing) };
    output::write_file(&path, html(&page).as_bytes(), OwnFile::Page)?;
    Ok(Remade::Page(path))
}

/// How many records a result has; of one that was killed, about as many as its files hold.
pub fn records_of(folder: &Path) -> Result<u64, Failure> {
    let (kept, run) = RunFolder::open(folder)?;
    if let Some(outcome) = run.outcome {
        return Ok(outcome.completions);
    }
    let files = fs::read_dir(kept.segments()).into_iter().flatten().flatten();
    let bytes: u64 = files.filter_map(|file| Some(file.metadata().ok()?.len())).sum();
    Ok(bytes / RECORD_BYTES)
}

/// The results of each kind, kinds in the order in which they are met.
pub fn open_by_kind(folders: &[(&'static KindEntry, PathBuf)], slow: Option<Nanos>) -> Vec<Opened> {
    group_by_kind(folders).iter().map(|(kind, group)| (kind.open_all)(group, slow)).collect()
}

type KindGroup = (&'static KindEntry, Vec<PathBuf>);

fn group_by_kind(folders: &[(&'static KindEntry, PathBuf)]) -> Vec<KindGroup> {
    let mut groups: Vec<KindGroup> = Vec::new();
    for (kind, folder) in folders {
        match groups.iter_mut().find(|(known, _)| known.name == kind.name) {
            Some((_, group)) => group.push(folder.clone()),
            None => groups.push((kind, vec![folder.clone()])),
        }
    }
    groups
}

fn page_of(views: Vec<View>) -> Option<Page> {
    let title = match views.as_slice() {
        [] => return None,
        [one] => one.title.clone(),
        [one, other] => format!("{}; {}", one.title, other.title),
        several => format!("Results of {} kinds of tests", several.len()),
    };
    Some(Page { title, views })
}

impl Outputs<'_> {
    /// Makes everything that was asked for of a page whose results have these documents.
    pub fn make<D: Serialize>(&self, page: &Page, documents: &[D]) -> Result<(), Failure> {
        // A page that was asked for is what the command is for. Where that in the results' own folder cannot be written, such as
        // that of another user, the summary is there all the same.
        let asked = self.page.filter(|_| self.page != self.own_page);
        let files = planned_files(page, self)?;
        // Nothing is written unless everything can be.
        asked.map_or(Ok(()), |path| output::check_place(path, OwnFile::Page))?;
        for folder in [self.csv, self.svg, self.png].into_iter().flatten() {
            output::make_folder(folder)?;
        }
        Failure::all(files.iter().filter_map(|file| output::check_place(&file.path, file.kind()).err()))?;
        if let Some(path) = asked {
            output::write_file(path, html(page).as_bytes(), OwnFile::Page)?;
        }
        files.iter().try_for_each(|file| output::write_file(&file.path, &file.contents, file.kind()))?;
        match documents {
            documents if self.json => output::print_json_of_each(documents)?,
            _ if self.markdown => output::print(&markdown(page))?,
            _ => output::print_page(page)?,
        };
        if let Some(path) = self.page.filter(|_| asked.is_none())
            && let Err(failure) = output::write_file(path, html(page).as_bytes(), OwnFile::Page)
        {
            // Nobody has asked for it by name: the results are what they are.
            say!("drivelab: no page is kept: {failure}");
            output::say("drivelab: --report FILE names another place for it");
            return Ok(());
        }
        if let Some(path) = self.page.filter(|_| !self.json) {
            say!("report: {}", path.display());
        }
        Ok(())
    }
}

struct PlannedFile {
    path: PathBuf,
    form: PlannedForm,
    contents: Vec<u8>,
}

#[derive(Clone, Copy)]
enum PlannedForm {
    Csv,
    Svg,
    Png,
}

impl PlannedFile {
    fn kind(&self) -> OwnFile<'_> {
        match self.form {
            PlannedForm::Csv => OwnFile::Table(&self.contents),
            PlannedForm::Svg => OwnFile::Svg,
            PlannedForm::Png => OwnFile::Png,
        }
    }
}

impl PlannedForm {
    /// What its name ends in.
    fn ending(self) -> &'static str {
        match self {
            PlannedForm::Csv => "csv",
            PlannedForm::Svg => "svg",
            PlannedForm::Png => "png",
        }
    }
}

/// Every table and picture that was requested of a page.
fn planned_files(page: &Page, outputs: &Outputs<'_>) -> Result<Vec<PlannedFile>, Failure> {
    let is_alone = page.views.len() == 1;
    let mut files = Vec::new();
    for view in &page.views {
        let mut add = |folder: &Path, stem: &str, form: PlannedForm, contents: Vec<u8>| {
            let name = if is_alone { stem.to_owned() } else { format!("{}-{stem}", view.name) };
            files.push(PlannedFile {
                path: folder.join(format!("{name}.{}", form.ending())),
                form,
                contents,
            });
        };
        if let Some(folder) = outputs.csv {
            for (stem, text) in csv(view) {
                add(folder, &stem, PlannedForm::Csv, text.into_bytes());
            }
        }
        for chart in view.charts().filter(|chart| !chart.is_empty()) {
            if let Some(folder) = outputs.svg {
                add(folder, &chart.id, PlannedForm::Svg, svg(chart, &view.subjects).into_bytes());
            }
            if let Some(folder) = outputs.png {
                let picture = png(chart, &view.subjects);
                let picture = picture.map_err(Failure::Environment)?;
                add(folder, &chart.id, PlannedForm::Png, picture);
            }
        }
    }
    Ok(files)
}
