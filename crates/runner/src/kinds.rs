//! Every kind of result that a folder can hold.

use std::path::{Path, PathBuf};

use drivelab_block::Nanos;
use drivelab_documents::LapsesDocument;
use drivelab_kinds::{Comparison, Document, RecordedTest, ResultKind, StoredResult, schema_of};
use drivelab_record::RunFolder;
use drivelab_view::{KeyFigure, View};

use crate::Failure;
use crate::kept_summary::{self, KeptSummary};
use crate::kind_list::for_each_kind;
use crate::results::{Threshold, gauges_of, open_at, open_without_records};

/// Results of one kind, opened again.
pub struct Opened {
    /// What is shown of them; none where not one of them could be opened.
    pub view: Option<View>,
    /// The document of each.
    pub documents: Vec<serde_json::Value>,
    /// Whether nothing stands against any of them.
    pub pass: bool,
    /// The key figures of each that was opened, with its folder.
    pub key_figures: Vec<(PathBuf, Vec<KeyFigure>)>,
    /// What the drive of each that was opened did not do as it was asked, with its folder; nothing of one that did everything.
    pub lapses: Vec<(PathBuf, LapsesDocument)>,
    /// Why some of them could not be opened.
    pub failures: Vec<Failure>,
    /// What is wrong with the records of some that were opened, each with the name of its folder.
    pub withheld: Vec<String>,
}

/// A kind of result, as a list of kinds has it.
pub struct KindEntry {
    /// The kind as it is spelled in commands and documents.
    pub name: &'static str,
    /// Whether its test shows a simulated drive's own account of its energy (`--meter sim`): it runs on the engine of that drive.
    pub shows_simulated_energy: bool,
    /// Opens the results in these folders. Slow I/Os are judged from the time on that is given, where it is.
    pub open_all: fn(&[PathBuf], Option<Nanos>) -> Opened,
    /// What the result in a folder comes to, without its records.
    pub summarize: fn(&Path) -> Result<KeptSummary, Failure>,
    /// What is shown of the result in a folder by its manifest and its findings; none of a kind whose figures and pictures come
    /// from its records.
    pub view_of_findings: fn(&Path) -> Result<Option<View>, Failure>,
    /// The JSON Schema of the kind's document.
    pub schema: fn() -> serde_json::Value,
}

impl KindEntry {
    const fn new<K: ResultKind>() -> KindEntry {
        KindEntry {
            name: K::NAME,
            shows_simulated_energy: false,
            open_all: open_all::<K>,
            summarize: kept_summary::of_folder::<K>,
            view_of_findings: view_of_findings::<K>,
            schema: || schema_of::<K>().into(),
        }
    }

    const fn of_test<K: RecordedTest>() -> KindEntry {
        KindEntry { shows_simulated_energy: true, ..KindEntry::new::<K>() }
    }
}

fn view_of_findings<K: ResultKind>(folder: &Path) -> Result<Option<View>, Failure> {
    if K::HOOKS.reads_records() {
        return Ok(None);
    }
    let (mut kept, ()) = open_without_records::<K, _>(folder, |_| ())?;
    kept.gauges = gauges_of::<K>(Some(folder), &kept.run);
    Ok(Some(Comparison::new(std::slice::from_ref(&kept)).page_view()))
}

/// Results are shown together at one threshold of slow I/Os. Where they were asked for different ones, it is chosen from all of
/// them, and they are opened once more.
fn open_all<K: ResultKind>(folders: &[PathBuf], slow: Option<Nanos>) -> Opened {
    let as_asked = slow.map_or(Threshold::AsRun, |slow| Threshold::From(Some(slow)));
    let (mut opened, mut results, mut failures) = open_each::<K>(folders, as_asked);
    if let Some(slow_ios) = K::HOOKS.slow_ios {
        let from = |kept: &StoredResult<K>| (slow_ios.from)(&kept.settings);
        if slow.is_none() && results.windows(2).any(|pair| from(&pair[0]) != from(&pair[1])) {
            (opened, results, failures) = open_each(folders, Threshold::From(None));
        }
        (slow_ios.judge_together)(&mut results);
    }
    let document = |kept: &StoredResult<K>| serde_json::to_value(Document::from_kept(kept));
    let documents =
        results.iter().map(|kept| document(kept).expect("findings have string keys only")).collect();
    let pass = results.iter().all(StoredResult::passes);
    let name = |kept: &StoredResult<K>| kept.folder.clone().unwrap_or_else(|| kept.run.label.clone());
    let why = |kept: &StoredResult<K>| kept.withheld().map(str::to_owned).or_else(|| kept.damage.clone());
    let withheld = results.iter().filter_map(|kept| Some(format!("{}: {}.", name(kept), why(kept)?)));
    let withheld = withheld.collect();
    let of_each = opened.iter().zip(&results);
    let lapses = of_each.filter_map(|(folder, kept)| Some((folder.clone(), kept.lapses()?))).collect();
    let key_figures = opened.into_iter().zip(results.iter().map(StoredResult::key_figures)).collect();
    let view = (!results.is_empty()).then(|| Comparison::new(&results).page_view());
    Opened { view, documents, pass, key_figures, lapses, failures, withheld }
}

/// Folders that could be opened, their results, and why the others could not be.
type OpenedEach<K> = (Vec<PathBuf>, Vec<StoredResult<K>>, Vec<Failure>);

fn open_each<K: ResultKind>(folders: &[PathBuf], threshold: Threshold) -> OpenedEach<K> {
    let (mut opened, mut results, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for folder in folders {
        match open_at::<K>(folder, threshold) {
            Ok(kept) => {
                opened.push(folder.clone());
                results.push(kept);
            }
            Err(failure) => failures.push(failure),
        }
    }
    (opened, results, failures)
}

/// The tests that show a simulated drive's own account of its energy, in a sentence.
pub fn tests_with_simulated_energy() -> String {
    let all = KINDS.iter().filter(|kind| kind.shows_simulated_energy).map(|kind| kind.name);
    let all: Vec<&str> = all.collect();
    let (others, last) = all.split_at(all.len().saturating_sub(1));
    format!("{} and {}", others.join(", "), last.concat())
}

/// The kind of the result in a folder; none where the folder holds none, or one of a kind that is not in the list.
pub fn kind_of(folder: &Path) -> Option<&'static KindEntry> {
    let (_, manifest) = RunFolder::open(folder).ok()?;
    KINDS.iter().find(|kind| kind.name == manifest.method)
}

macro_rules! entry {
    (recorded $kind:ty) => {
        KindEntry::of_test::<$kind>()
    };
    ($way:ident $kind:ty) => {
        KindEntry::new::<$kind>()
    };
}

macro_rules! list {
    ($($way:ident $module:ident::$kind:ident),* $(,)?) => {
        /// All kinds.
        pub static KINDS: &[KindEntry] = &[$(entry!($way drivelab_kinds::$module::$kind)),*];
    };
}

for_each_kind!(list);
