//! What the manifest of a run begins with.

use drivelab_kinds::ResultKind;
use drivelab_record::{Condition, Drive, KernelLog, MANIFEST_SCHEMA, Manifest, MeasuredPhases, Started};

use crate::ResultName;

/// What is known of a run before it begins.
pub struct RunFacts<'a, K: ResultKind> {
    /// The target as it was typed.
    pub target: &'a str,
    /// What the result is called where the user has given it no name.
    pub own_label: String,
    /// What the user calls it.
    pub name: ResultName<'a>,
    /// What is asked.
    pub settings: &'a K::Settings,
    /// The seed of every random draw.
    pub seed: u64,
    /// The drive.
    pub drive: Drive,
    /// Under what the run begins.
    pub conditions: Vec<Condition>,
    /// When and where it begins; none on a simulated drive, whose runs are equal byte by byte.
    pub started: Option<Started>,
    /// The phases that the figures speak of.
    pub measured: MeasuredPhases,
}

impl<K: ResultKind> RunFacts<'_, K> {
    /// The manifest of a run that has no phase yet.
    ///
    /// # Panics
    /// Where settings cannot be written as JSON: those of a kind are plain structs.
    pub fn manifest(self) -> Manifest {
        Manifest {
            schema: MANIFEST_SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: K::NAME.to_owned(),
            label: self.name.label(self.own_label),
            given_name: self.name.given(),
            note: self.name.note(),
            hides_serial: self.name.hides_serial,
            target: self.target.to_owned(),
            drive: self.drive,
            seed: self.seed,
            started: self.started,
            measured: self.measured,
            settings: serde_json::to_value(self.settings).expect("settings have string keys only"),
            conditions: self.conditions,
            notices: Vec::new(),
            phases: Vec::new(),
            kernel_log: KernelLog::default(),
            standstills: Vec::new(),
            outcome: None,
        }
    }
}
