//! Under what a run was made.

use serde::Serialize;

/// One condition under which a run was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// What the condition belongs to: "Drive", "Kernel", "Program", "Not obtained".
    pub group: String,
    /// Its name.
    pub name: String,
    /// Its value, with its unit.
    pub value: String,
}
