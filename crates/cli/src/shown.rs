//! Conditions as reports show them.

use std::time::{Duration, SystemTime};

use drivelab_record::Condition;
use drivelab_runner::condition;

use crate::kept::shown_condition;

/// The same lines as reports show them, with the date of the begin where there is one.
pub fn shown_conditions(
    conditions: &[Condition],
    started_unix_s: Option<u64>,
) -> Vec<drivelab_report::Condition> {
    let date = started_unix_s.map(|seconds| {
        let date = humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        condition("System", "Date", date.to_string())
    });
    conditions.iter().chain(&date).map(shown_condition).collect()
}
