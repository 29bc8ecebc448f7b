//! What the tests of manifests share.

use drivelab_documents::{Drive, KernelLog, MANIFEST_SCHEMA, Manifest, MeasuredPhases};

/// The manifest of a run that has just begun.
pub fn manifest() -> Manifest {
    Manifest {
        schema: MANIFEST_SCHEMA.to_owned(),
        version: "0".to_owned(),
        method: "load".to_owned(),
        label: "a run".to_owned(),
        target: "sim:none".to_owned(),
        drive: Drive::default(),
        seed: 1,
        note: None,
        given_name: None,
        hides_serial: false,
        started: None,
        measured: MeasuredPhases::Every,
        settings: serde_json::Value::Null,
        conditions: Vec::new(),
        notices: Vec::new(),
        phases: Vec::new(),
        kernel_log: KernelLog::default(),
        standstills: Vec::new(),
        outcome: None,
    }
}
