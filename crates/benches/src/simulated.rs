//! How fast a simulated drive is, records and all.

use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::ours;
use crate::zram::memory_folder;

/// Two runs of 2000 s on a drive of 240 GB.
pub fn bench() -> Result<String> {
    let folder = memory_folder()?;
    let output = folder.path().join("runs").display().to_string();
    #[expect(clippy::disallowed_methods, reason = "the bench is about wall time")]
    let start = Instant::now();
    let document =
        ours::run(&["consistency", "sim:sm2246en", "--over-provisioning", "0%,25%", "-o", &output])?;
    let seconds = start.elapsed().as_secs_f64();
    let runs = document.as_array().context("no runs")?;
    let count = |run: &Value| run["findings"]["records"]["completions"].as_u64();
    let completions: u64 = runs.iter().filter_map(count).sum();
    Ok(format!(
        "  sim:sm2246en, 240 GB, 0 % and 25 %, 2000 s each: {seconds:.1} s of wall time, {:.1} million I/Os a second, \
         recorded\n",
        completions as f64 / seconds / 1e6
    ))
}
