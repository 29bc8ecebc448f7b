//! Results: what a test leaves in its folder, how that is opened again, and where a result is shown.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use drivelab_block::{Instant, Nanos};
use drivelab_documents::Manifest;
use drivelab_kinds::{
    ComparedResult, Comparison, Document, FindingsFile, RecordsAnalysis, ResultKind, StoredResult,
    take_records,
};
use drivelab_record::{Gauge, GaugeReader, RunFolder};
use drivelab_stats::{GaugeCourse, Gauged, RunSpan};
use drivelab_uring::own_time;
use drivelab_view::{Page, html};

use crate::{
    CommandPath, Failure, Finished, MACHINE, POWER_FILE, ParentProgress, ResultName, check_live_file,
    not_created, output, read_records, unix_nanos,
};

/// The page in the folder of a result.
pub(crate) const PAGE: &str = "report.html";

/// What is printed of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Printed {
    /// The summary.
    #[default]
    Summary,
    /// One JSON document.
    Document,
    /// What fio would have printed of the same job, as JSON.
    FioOutput,
    /// The summary, on stderr: stdout belongs to the command that was measured.
    OnStderr,
}

impl Printed {
    /// The document where `json` is asked for, else the summary.
    pub fn json(json: bool) -> Printed {
        if json { Printed::Document } else { Printed::Summary }
    }
}

/// Where a result goes, and what it is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct Destination<'a> {
    /// The folder that keeps it, where it is to be kept.
    pub folder: Option<&'a Path>,
    /// A page besides that of the folder.
    pub page: Option<&'a Path>,
    /// What is printed.
    pub printed: Printed,
    /// What the user calls it.
    pub name: ResultName<'a>,
    /// Where the command writes what it does now, where that is asked for.
    pub live: Option<&'a Path>,
    /// What the test is a part of, such as a review, which says itself how long it takes and where the page is.
    pub parent: Option<&'a ParentProgress>,
}

/// A run that has just ended as a result.
pub fn of_finished<K: ResultKind>(
    finished: Finished,
    settings: K::Settings,
    mut findings: K::Findings,
) -> StoredResult<K> {
    let Finished { manifest, analysis, observer, folder, .. } = finished;
    let seen = || read_records::analysis(&manifest, (analysis, observer), &[]);
    let mut analysis = K::HOOKS.reads_records().then(seen);
    let folder = folder.as_ref().map(RunFolder::path);
    let gauges = gauges_of::<K>(folder, &manifest);
    if let Some(analysis) = &mut analysis {
        analysis.gauges.clone_from(&gauges);
        take_records::<K>(&mut findings, &manifest, &settings, analysis);
    }
    of_manifest(manifest, folder, (settings, findings), ReadBeside { analysis, gauges, damage: None })
}

/// What is read of a result beside its documents.
#[derive(Default)]
pub struct ReadBeside {
    /// Its records; none where they are not read.
    pub analysis: Option<RecordsAnalysis>,
    /// Its gauges.
    pub gauges: Vec<Gauged>,
    /// What is wrong with records that are not read, in words.
    pub damage: Option<String>,
}

/// A run that has just ended, and was kept in this folder, as a result.
pub fn of_manifest<K: ResultKind>(
    run: Manifest,
    folder: Option<&Path>,
    (settings, findings): (K::Settings, K::Findings),
    read: ReadBeside,
) -> StoredResult<K> {
    let ReadBeside { analysis, gauges, damage } = read;
    let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let energy = run.outcome.as_ref().and_then(|outcome| outcome.energy.clone());
    let id = run.id();
    StoredResult { id, folder: name, run, settings, findings, analysis, damage, gauges, energy }
        .with_hidden_serial()
}

/// Keeps what a run has found in its folder, in one step.
pub fn keep_findings<K: ResultKind>(
    folder: &RunFolder,
    run: &Manifest,
    findings: &K::Findings,
) -> Result<(), Failure> {
    let text = output::pretty(&FindingsFile::of_findings::<K>(run.id(), findings))?;
    folder.write_file(FindingsFile::<K::Findings>::NAME, &text).map_err(not_created)
}

/// From when on slow I/Os of a result are judged that is opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// As its run was asked.
    AsRun,
    /// From this time on, or where there is none, from one that is chosen.
    From(Option<Nanos>),
}

/// Opens a result of this kind from the folder that it was kept in.
pub fn open<K: ResultKind>(path: &Path) -> Result<StoredResult<K>, Failure> {
    open_at(path, Threshold::AsRun)
}

/// The same with slow I/Os judged at a threshold.
pub fn open_at<K: ResultKind>(path: &Path, threshold: Threshold) -> Result<StoredResult<K>, Failure> {
    let (folder, run) = RunFolder::open(path)?;
    let mut settings = settings_of::<K>(path, &run)?;
    if let Threshold::From(slow) = threshold {
        K::HOOKS.slow_ios.iter().for_each(|hooks| (hooks.judge_from)(&mut settings, slow));
    }
    let gauges = gauges_of::<K>(Some(path), &run);
    let recovers = K::HOOKS.recovers_killed_runs && run.outcome.is_none();
    let (findings, analysis, damage) = if K::HOOKS.reads_records() || recovers {
        if run.phases.is_empty() {
            return Err(usage!("{}: the run ended before its first I/O: run it again", path.display()));
        }
        let mut findings = read_findings::<K>(path, &run)?.unwrap_or_default();
        let mut analysis = read_records::of_folder::<K>(&folder, &run, &settings)?;
        analysis.gauges.clone_from(&gauges);
        take_records::<K>(&mut findings, &run, &settings, &analysis);
        (findings, Some(analysis), None)
    } else {
        let findings = read_findings::<K>(path, &run)?.ok_or_else(|| no_findings::<K>(path, &run))?;
        (findings, None, read_records::damage(&folder, &run)?)
    };
    let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    Ok(of_manifest(run, Some(&name), (settings, findings), ReadBeside { analysis, gauges, damage }))
}

/// Opens a result without its records, as its findings were when it was kept, with what `of` makes of its whole manifest. A
/// run that left no findings has those of a run without an I/O.
pub(crate) fn open_without_records<K: ResultKind, T>(
    path: &Path,
    of: impl Fn(&Manifest) -> T,
) -> Result<(StoredResult<K>, T), Failure> {
    let (_, run) = RunFolder::open(path)?;
    let made = of(&run);
    let settings = settings_of::<K>(path, &run)?;
    let found = read_findings::<K>(path, &run)?;
    if found.is_none() && run.outcome.is_some() {
        return Err(no_findings::<K>(path, &run));
    }
    let kept = of_manifest(run, Some(path), (settings, found.unwrap_or_default()), ReadBeside::default());
    Ok((kept, made))
}

/// The findings that a run left in its folder; none where it left none.
pub fn read_findings<K: ResultKind>(path: &Path, run: &Manifest) -> Result<Option<K::Findings>, Failure> {
    let file = path.join(FindingsFile::<K::Findings>::NAME);
    let text = match drivelab_files::read(&file, drivelab_files::DOCUMENT) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::io(&file.display().to_string(), &error)),
    };
    let findings = FindingsFile::parse::<K>(&text, run);
    findings.map(Some).map_err(|why| usage!("{}: {why}", file.display()))
}

/// Why a result without its file of findings cannot be shown, and what to do.
fn no_findings<K: ResultKind>(path: &Path, run: &Manifest) -> Failure {
    let file = path.join(FindingsFile::<K::Findings>::NAME);
    let (file, path) = (file.display(), path.display());
    match run.outcome {
        Some(_) => usage!("{file} is not there: put back a whole copy of the folder"),
        None => usage!("{path}: the test was killed before it had findings: run it again"),
    }
}

/// What the run in a folder was asked, by its manifest.
fn settings_of<K: ResultKind>(path: &Path, run: &Manifest) -> Result<K::Settings, Failure> {
    serde_json::from_value(run.settings.clone()).map_err(|error| {
        let file = path.join("run.json");
        usage!("{}: damaged ({error}): put back a whole copy", file.display())
    })
}

/// Prints a result as fio would have. Its processor time is that of this program: the kernel's, and of a simulated drive the
/// simulation's, are in it.
fn print_fio_output<K: ResultKind>(kept: &ComparedResult<'_, K>) -> Result<(), Failure> {
    let mut output = (K::HOOKS.fio_output)(kept).ok_or_else(|| {
        let why = kept.withheld().unwrap_or("fio has no job of this kind");
        environment!("nothing is printed in fio's form: {why}")
    })?;
    let now = unix_nanos();
    (output.timestamp, output.timestamp_ms) = (now / 1_000_000_000, now / 1_000_000);
    let spent = own_time();
    for job in &mut output.jobs {
        let share = |time: Nanos| 100.0 * time.as_secs_f64() * 1e3 / job.job_runtime.max(1) as f64;
        (job.usr_cpu, job.sys_cpu) = (share(spent.user), share(spent.system));
    }
    output::print_json(&output).map(drop)
}

impl Destination<'_> {
    /// Says what stands against the page and the file of what the command does now, before anything is done on these targets,
    /// which are as they were typed.
    pub fn check<'t>(&self, targets: impl IntoIterator<Item = &'t str>) -> Result<(), Failure> {
        if let Some(file) = self.live {
            let page = self.page.map(|page| CommandPath { role: "the page", path: page.to_owned() });
            let made = CommandPath::output(self.folder).into_iter().chain(page);
            check_live_file(file, targets.into_iter().filter_map(CommandPath::target).chain(made))?;
        }
        self.page.map_or(Ok(()), |page| output::check_place(page, output::OwnFile::Page))
    }

    /// Keeps the findings of a result in its folder.
    pub fn keep<K: ResultKind>(&self, kept: &StoredResult<K>) -> Result<(), Failure> {
        let Some(folder) = self.folder else { return Ok(()) };
        let file = folder.join(FindingsFile::<K::Findings>::NAME);
        let text = output::pretty(&FindingsFile::of_findings::<K>(kept.id.clone(), &kept.findings))?;
        output::write_file(&file, &text, output::OwnFile::Json)
    }

    /// Writes the page of results into the folder.
    pub fn write_page<K: ResultKind>(&self, results: &[StoredResult<K>]) -> Result<(), Failure> {
        let Some(folder) = self.folder else { return Ok(()) };
        output::write_file(
            &folder.join(PAGE),
            html(&Page::from_view(Comparison::new(results).page_view())).as_bytes(),
            output::OwnFile::Page,
        )
    }

    /// Shows results of one kind: as a page, and as a summary or a document. Where a page cannot be written, the rest is shown
    /// all the same.
    pub fn show<K: ResultKind>(&self, results: &[StoredResult<K>]) -> Result<(), Failure> {
        let compared = Comparison::new(results);
        let page = Page::from_view(compared.page_view());
        match self.printed {
            Printed::Document => {
                let documents: Vec<_> = results.iter().map(Document::from_kept).collect();
                output::print_json_of_each(&documents)?;
            }
            Printed::FioOutput => compared.iter().try_for_each(print_fio_output)?,
            Printed::Summary => drop(output::print_page(&page)?),
            Printed::OnStderr => output::say_page(&page),
        }
        self.write_pages(&page)
    }

    /// Where one page cannot be written, the others are all the same.
    fn write_pages(&self, page: &Page) -> Result<(), Failure> {
        let in_folder = self.folder.map(|folder| folder.join(PAGE));
        let places = in_folder.as_deref().into_iter().chain(self.page);
        let text = html(page);
        let written: Vec<_> = places
            .map(|place| (place, output::write_file(place, text.as_bytes(), output::OwnFile::Page)))
            .collect();
        let there = written.iter().filter(|(_, written)| written.is_ok());
        // What this is a part of has a page of its own, and says so.
        there.filter(|_| self.parent.is_none()).for_each(|(place, _)| {
            say!("report: {}", place.display());
        });
        Failure::all(written.into_iter().filter_map(|(_, written)| written.err()))
    }
}

/// The files of readings in a run's folder.
const GAUGE_FILES: [&str; 2] = [MACHINE, POWER_FILE];

/// What was read beside the run in this folder while the figures were taken: of figures that come from records during the phase
/// that these speak of, else during the whole test. What cannot be read is left out: the figures of a run do not hang on it.
pub(crate) fn gauges_of<K: ResultKind>(folder: Option<&Path>, run: &Manifest) -> Vec<Gauged> {
    let (Some(folder), Some(mut span)) = (folder, span_of(run)) else { return Vec::new() };
    if !K::HOOKS.reads_records() {
        span.shown_from = span.began;
    }
    GAUGE_FILES.iter().flat_map(|file| read_gauges(&folder.join(file), span)).collect()
}

fn read_gauges(path: &Path, span: RunSpan) -> Vec<Gauged> {
    let Ok(Some(reader)) = GaugeReader::open(path) else { return Vec::new() };
    let named = |gauge: &Gauge| Gauged {
        name: gauge.name.clone(),
        unit: gauge.unit.clone(),
        course: GaugeCourse::new(span),
    };
    let mut found: Vec<Gauged> = reader.gauges.iter().map(named).collect();
    for readings in reader {
        for (gauge, value) in found.iter_mut().zip(readings.values) {
            value.into_iter().for_each(|value| gauge.course.add(readings.from, readings.until, value));
        }
    }
    found
}

/// The last phase that began is the one that is shown. A killed run goes on for as long as there are readings.
fn span_of(manifest: &Manifest) -> Option<RunSpan> {
    let (first, last) = (manifest.phases.first()?, manifest.phases.last()?);
    let end = last.ended_at_ns.map_or(Instant::NEVER, Instant::from_nanos);
    Some(RunSpan {
        began: Instant::from_nanos(first.started_at_ns),
        shown_from: Instant::from_nanos(last.started_at_ns),
        shown_until: end,
        ended: end,
    })
}
