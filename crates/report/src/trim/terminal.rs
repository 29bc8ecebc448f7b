//! A TRIM validation on the terminal.

use std::fmt::Write as _;

use super::document::{CurveDocument, TrimDocument};
use crate::format::{bytes, rate, seconds};
use crate::terminal::TerminalStyle;

/// The longest bar.
const BAR: usize = 32;

/// The summary of a validation.
pub fn trim_terminal(document: &TrimDocument, style: TerminalStyle) -> String {
    let mut text = format!("{} ({})\n", style.clean(&document.target), bytes(document.size_bytes));
    style.wrap_plain(&mut text, "  ", &format!("TRIM is {}: {}", document.verdict, lower(&document.reason)));
    curves(&mut text, document, style);
    if let Some(line) = reads(document) {
        style.wrap_plain(&mut text, "  ", &line);
    }
    for (round, account) in document.simulation.iter().enumerate() {
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
        let _ = writeln!(
            text,
            "  model     round {}: write amplification {} random, {} used, {} trimmed",
            round + 1,
            figure(account.random_writes_amplification),
            figure(account.used_amplification),
            figure(account.trimmed_amplification)
        );
    }
    text
}

/// In the middle of a sentence.
fn lower(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn curves(text: &mut String, document: &TrimDocument, style: TerminalStyle) {
    let means = || document.curves.iter().filter_map(|curve| Some((curve, curve.mean_mb_s?)));
    let most = means().map(|(_, mean)| mean).fold(0.0, f64::max).max(1e-9);
    if means().next().is_some() {
        let _ = writeln!(
            text,
            "\n  {:<10}{:<9}{:>9}  used and trimmed: after {} of random writes",
            "round",
            "drive",
            "MB/s",
            seconds(document.torture_s)
        );
    }
    for (CurveDocument { round, state, .. }, mean) in means() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and BAR")]
        let length = (mean / most * BAR as f64).round() as usize;
        let bar = if style.ascii { "#" } else { "█" }.repeat(length);
        let _ = writeln!(text, "  {:<10}{state:<9}{:>9}  {bar}", round + 1, rate(mean));
    }
    if means().next().is_some() {
        text.push('\n');
    }
}

/// What trimmed blocks returned, and what is claimed of it.
fn reads(document: &TrimDocument) -> Option<String> {
    let reads = &document.trimmed_reads;
    if reads.blocks == 0 {
        return None;
    }
    let parts = [
        (reads.zeros, "as zeros"),
        (reads.old, "as what they held before"),
        (reads.other, "as something else"),
        (reads.varying, "varying"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let claim = match (document.claims.deterministic, document.claims.zeros) {
        (_, Some(true)) => "; it claims zeros",
        (Some(true), _) => "; it claims to return always the same",
        (Some(false), _) => "; it claims nothing",
        _ => "",
    };
    Some(format!("{} trimmed blocks read {}{claim}", reads.blocks, told.join(", ")))
}
