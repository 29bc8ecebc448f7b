//! Every kind of result that a folder can hold: a new kind is a line of the list at the end.

use std::path::{Path, PathBuf};

use drivelab_block::Nanos;
use drivelab_record::RunFolder;
use drivelab_tests::consistency::Consistency;
use drivelab_tests::energy::Energy;
use drivelab_tests::load::Load;
use drivelab_tests::matrix::Matrix;
use drivelab_tests::paths::Paths;
use drivelab_tests::pts::Pts;
use drivelab_tests::quick::Quick;
use drivelab_tests::replay::Replay;
use drivelab_tests::stalls::Stalls;
use drivelab_tests::trim::Trim;
use drivelab_tests::{Document, Kept, ResultKind, schema_of};
use drivelab_view::View;

use crate::Failure;
use crate::results::{Threshold, open_at, settings_in};

/// Results of one kind, opened again.
pub struct Opened {
    /// What is shown of them; none where not one of them could be opened.
    pub view: Option<View>,
    /// The document of each.
    pub documents: Vec<serde_json::Value>,
    /// Whether nothing stands against any of them.
    pub pass: bool,
    /// Why some of them could not be opened.
    pub failures: Vec<Failure>,
    /// What is wrong with the records of some that were opened, each with the name of its folder.
    pub withheld: Vec<String>,
}

/// A kind of result, as a list of kinds has it.
pub struct KindEntry {
    /// The kind as it is spelled in commands and documents.
    pub name: &'static str,
    open_all: fn(&[PathBuf], Option<Nanos>) -> Opened,
    schema: fn() -> serde_json::Value,
}

impl KindEntry {
    const fn of<K: ResultKind>() -> KindEntry {
        KindEntry { name: K::NAME, open_all: open_all::<K>, schema: || schema_of::<K>().into() }
    }

    /// Opens the results in these folders. Slow I/Os are judged from `slow` on, where that was asked for.
    pub fn open_all(&self, folders: &[PathBuf], slow: Option<Nanos>) -> Opened {
        (self.open_all)(folders, slow)
    }

    /// The JSON Schema of the kind's document.
    pub fn schema(&self) -> serde_json::Value {
        (self.schema)()
    }
}

/// Which threshold of slow I/Os holds for results that are shown together: each was counted at those that were asked of it, and
/// only where these are equal can they be compared.
fn threshold<K: ResultKind>(folders: &[PathBuf], asked: Option<Nanos>) -> Threshold {
    let of_each = folders.iter().filter_map(|folder| Some(K::slow_from(&settings_in::<K>(folder)?)));
    let of_each: Vec<Option<Nanos>> = of_each.collect();
    match asked {
        Some(slow) => Threshold::From(Some(slow)),
        None if of_each.windows(2).all(|pair| pair[0] == pair[1]) => Threshold::AsRun,
        None => Threshold::From(None),
    }
}

fn open_all<K: ResultKind>(folders: &[PathBuf], slow: Option<Nanos>) -> Opened {
    let threshold = threshold::<K>(folders, slow);
    let (mut results, mut failures) = (Vec::new(), Vec::new());
    for folder in folders {
        match open_at::<K>(folder, threshold) {
            Ok(kept) => results.push(kept),
            Err(failure) => failures.push(failure),
        }
    }
    let document = |kept: &Kept<K>| serde_json::to_value(Document::of(kept));
    let documents =
        results.iter().map(|kept| document(kept).expect("findings have string keys only")).collect();
    let pass = results.iter().all(Kept::passes);
    let name = |kept: &Kept<K>| kept.folder.clone().unwrap_or_else(|| kept.run.label.clone());
    let why = |kept: &Kept<K>| K::withheld(kept).map(str::to_owned).or_else(|| kept.damage.clone());
    let withheld = results.iter().filter_map(|kept| Some(format!("{}: {}.", name(kept), why(kept)?)));
    let withheld = withheld.collect();
    Opened { withheld, view: (!results.is_empty()).then(|| K::view(&results)), documents, pass, failures }
}

/// The kind of the result in a folder; none where the folder holds none, or one of a kind that is not in the list.
pub fn kind_of(folder: &Path) -> Option<&'static KindEntry> {
    let (_, manifest) = RunFolder::open(folder).ok()?;
    KINDS.iter().find(|kind| kind.name == manifest.method)
}

/// All kinds.
pub const KINDS: &[KindEntry] = &[
    KindEntry::of::<Consistency>(),
    KindEntry::of::<Energy>(),
    KindEntry::of::<Load>(),
    KindEntry::of::<Matrix>(),
    KindEntry::of::<Paths>(),
    KindEntry::of::<Pts>(),
    KindEntry::of::<Quick>(),
    KindEntry::of::<Replay>(),
    KindEntry::of::<Stalls>(),
    KindEntry::of::<Trim>(),
];
