//! What the folder of a matrix keeps of its cells.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The runs of all cells and of the control in a document or a file of findings.
pub fn runs_of(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let findings = document["findings"].as_object_mut().expect("findings");
    let lists = findings.iter_mut().filter_map(|(name, list)| match name.as_str() {
        "cells" => Some(list.as_array_mut()?.iter_mut().map(|cell| &mut cell["runs"]).collect::<Vec<_>>()),
        "controls" => Some(vec![list]),
        _ => None,
    });
    lists.flatten().filter_map(Value::as_array_mut).flatten()
}

/// How many measurements a folder keeps.
pub fn measurements(kept: &Path) -> usize {
    let text = fs::read_to_string(kept.join("findings.json")).unwrap_or_default();
    serde_json::from_str(&text).map_or(0, |mut found: Value| runs_of(&mut found).count())
}

/// Leaves a folder the first measurements alone, as a kill does.
pub fn keep_cells(kept: &Path, count: u64) {
    let path = kept.join("findings.json");
    let mut found: Value = serde_json::from_str(&fs::read_to_string(&path).expect("findings")).expect("JSON");
    let is_left = |run: &Value| run["place"].as_u64() < Some(count);
    found["findings"]["controls"].as_array_mut().expect("controls").retain(is_left);
    for cell in found["findings"]["cells"].as_array_mut().expect("cells") {
        cell["runs"].as_array_mut().expect("runs").retain(is_left);
    }
    found["findings"]["measured"] = count.into();
    fs::write(&path, found.to_string()).expect("room");
}
