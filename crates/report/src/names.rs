//! How runs, drives and loops are called in words.

use drivelab_analysis::LoopKind;

use crate::format::{bytes, percent, whole};
use crate::run::{Comparison, RunReport};

/// What was tested, on one line: target, drive, size, reserve and seed, as far as the label does not say it.
pub(crate) fn drive_line(run: &RunReport) -> String {
    let mut parts = vec![run.target.clone(), run.drive.model.clone()];
    parts.dedup();
    parts.push(if run.drive.size_bytes > 0 { bytes(run.drive.size_bytes) } else { String::new() });
    parts.push(format!("{} kept back", kept_share(run)));
    parts.push(format!("seed {}", run.seed));
    parts.retain(|part| !part.is_empty() && !run.label.contains(part.as_str()));
    parts.join(", ")
}

/// The reserve of a run, and what it is a share of where that is not the whole drive.
pub(crate) fn kept_share(run: &RunReport) -> String {
    let of = if run.reserve_is_of_range { " of the address range" } else { "" };
    format!("{}{of}", reserve(run.reserve_percent))
}

/// A reserve in per cent: `0 %`, `25 %`, `6.7 %`.
pub(crate) fn reserve(percent: f64) -> String {
    if percent.fract().abs() < 1e-9 { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// The part of a run that its rate is judged by, as words after "of": the steady part only where there is one.
pub(crate) fn judged_part(run: &RunReport) -> String {
    let figures = &run.figures;
    let (from, judged) = (figures.steady_part.from_s, figures.steady.seconds);
    if figures.steady_part.reached {
        return "the steady part".to_owned();
    }
    match from {
        0 => "the whole run".to_owned(),
        _ => format!("the last {} of the run", percent(judged as f64 / (from + judged) as f64)),
    }
}

/// The same for several runs: the part that all of them are judged by, or that they differ.
pub(crate) fn judged_parts(comparison: &Comparison) -> String {
    let mut parts: Vec<String> =
        comparison.runs.iter().filter(|run| run.has_figures()).map(judged_part).collect();
    parts.dedup();
    match parts.as_slice() {
        [] => "the whole run".to_owned(),
        [part] => part.clone(),
        _ => "the judged part, steady or last of each run".to_owned(),
    }
}

/// Whether the runs are judged by different parts of themselves.
pub(crate) fn parts_differ(comparison: &Comparison) -> bool {
    let mut parts = comparison.runs.iter().filter(|run| run.has_figures()).map(judged_part);
    let first = parts.next();
    parts.any(|part| Some(&part) != first.as_ref())
}

/// Whether any run is judged by less than the whole of it.
pub(crate) fn judges_a_part(comparison: &Comparison) -> bool {
    comparison.runs.iter().any(|run| run.has_figures() && run.figures.steady_part.from_s > 0)
}

/// Whether the rates of all runs are those of steady state, so that one can be called the best.
pub(crate) fn all_steady(comparison: &Comparison) -> bool {
    comparison.runs.iter().filter(|run| run.has_figures()).all(|run| run.figures.steady_part.reached)
}

/// The words as a title.
pub(crate) fn title(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
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
