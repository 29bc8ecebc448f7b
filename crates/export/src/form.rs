//! What is exported of a result.

use schemars::JsonSchema;
use serde::Serialize;

// Records have all their columns, sorted by time. The rollup is that of the records.
/// What was exported of each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "FormName")]
pub enum ExportForm {
    /// Every record.
    Records,
    /// The rollup.
    Rollup,
}
