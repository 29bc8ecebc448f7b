//! What a result is called, and what the manifest of its run begins with.

use drivelab_documents::{Drive, KernelLog, MANIFEST_SCHEMA, Manifest, MeasuredPhases};
use drivelab_kinds::ResultKind;

/// The name of a result, and remarks on it, as the user gave them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResultName<'a> {
    /// The name, where there is one; a result without one is called by its target.
    pub label: Option<&'a str>,
    /// The remarks.
    pub note: Option<&'a str>,
    /// Whether its pages and documents leave out the drive's serial number.
    pub hides_serial: bool,
    /// Whether several results of one command share the name: what tells them apart is added to it.
    pub is_shared: bool,
}

impl ResultName<'_> {
    /// What the result is called, whose name would else be `own`.
    pub fn label(&self, own: String) -> String {
        match self.label {
            None => own,
            Some(label) if self.is_shared => format!("{label}, {own}"),
            Some(label) => label.to_owned(),
        }
    }

    /// The name that the user gave.
    pub fn given(&self) -> Option<String> {
        self.label.map(str::to_owned)
    }

    /// The remarks.
    pub fn note(&self) -> Option<String> {
        self.note.map(str::to_owned)
    }
}

/// The manifest of a run that has no phase yet, with its target as it was typed and what it would be called without a name. Where
/// it is made on a drive, that and all that goes with it is the caller's to fill in: the seed, the conditions, when it begins,
/// and which phases the figures are of if not all.
///
/// # Panics
/// Where settings cannot be written as JSON: those of a kind are plain structs.
pub fn new_manifest<K: ResultKind>(
    target: &str,
    own_label: String,
    name: ResultName<'_>,
    settings: &K::Settings,
) -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        method: K::NAME.to_owned(),
        label: name.label(own_label),
        given_name: name.given(),
        note: name.note(),
        hides_serial: name.hides_serial,
        target: target.to_owned(),
        drive: Drive::default(),
        seed: 0,
        started: None,
        measured: MeasuredPhases::Every,
        settings: serde_json::to_value(settings).expect("settings have string keys only"),
        conditions: Vec::new(),
        notices: Vec::new(),
        phases: Vec::new(),
        kernel_log: KernelLog::default(),
        standstills: Vec::new(),
        outcome: None,
    }
}
