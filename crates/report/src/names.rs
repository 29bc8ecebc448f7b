//! How runs, drives and loops are called in words.

use drivelab_analysis::LoopKind;

use crate::format::{bytes, whole};
use crate::run::RunReport;

/// What was tested, on one line: drive, size, reserve and seed.
pub(crate) fn drive_line(run: &RunReport) -> String {
    let mut parts = vec![run.target.clone()];
    if run.drive.model != run.target && !run.drive.model.is_empty() {
        parts.push(run.drive.model.clone());
    }
    if run.drive.size_bytes > 0 {
        parts.push(bytes(run.drive.size_bytes));
    }
    parts.push(format!("{} kept back", reserve(run.reserve_percent)));
    parts.push(format!("seed {}", run.seed));
    parts.join(", ")
}

/// A reserve in per cent: `0 %`, `25 %`, `6.7 %`.
pub(crate) fn reserve(percent: f64) -> String {
    if percent.fract().abs() < 1e-9 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// How the requests were timed, with what that means for stalls.
pub(crate) fn loop_words(run: &RunReport) -> &'static str {
    match run.measured.loop_kind() {
        LoopKind::Closed => "closed loop: stalls are under-reported",
        LoopKind::Open => "open loop",
    }
}

/// One word for the loop.
pub(crate) fn loop_word(kind: LoopKind) -> &'static str {
    match kind {
        LoopKind::Closed => "closed",
        LoopKind::Open => "open",
    }
}

/// A name for files: letters, digits and hyphens, told apart from others by the run's place in the list.
pub(crate) fn file_stem(run: &RunReport, index: usize) -> String {
    let mut stem = format!("{:02}-", index + 1);
    let words = format!("{} {}", run.drive.model, reserve(run.reserve_percent).replace(" %", "pc"));
    for character in words.chars() {
        match character {
            character if character.is_ascii_alphanumeric() => stem.push(character.to_ascii_lowercase()),
            _ if !stem.ends_with('-') => stem.push('-'),
            _ => {}
        }
    }
    stem.truncate(60);
    stem.trim_end_matches('-').to_owned()
}

/// The bin width and count that every graph states.
pub(crate) fn bins_in_words(bin_s: usize, n: usize) -> String {
    format!("{bin_s} s bins, n = {}", whole(n as u64))
}
