//! Tests in rounds on the terminal.

use std::fmt::Write as _;

use super::document::{PtsCellDocument, PtsDocument, PtsTestDocument};
use super::sentences::{OVER_ROUNDS, state};
use crate::format::{bytes, nanos, rate, short_rate};
use crate::terminal::TerminalStyle;

/// The tables of all tests.
pub fn pts_terminal(document: &PtsDocument, style: TerminalStyle) -> String {
    let size = bytes(document.size_bytes);
    let mut text = format!("{} ({size}), {}\n", style.clean(&document.target), document.style);
    for test in &document.tests {
        let _ = writeln!(text, "\n{}: {}", test.test, state(test));
        match grid(test) {
            Some(grid) => text.push_str(&grid),
            None => rows(&mut text, test),
        }
    }
    text.push('\n');
    style.wrap_plain(&mut text, "", OVER_ROUNDS);
    text
}

/// Random I/O in all mixes: IOPS by block and mix. None for tests of another shape.
fn grid(test: &PtsTestDocument) -> Option<String> {
    let mut mixes: Vec<u8> = test.cells.iter().map(|cell| cell.read_percent).collect();
    mixes.dedup();
    let mut blocks: Vec<u64> = test.cells.iter().map(|cell| cell.block_bytes).collect();
    blocks.sort_unstable();
    blocks.dedup();
    if mixes.len() < 4 {
        return None;
    }
    let mut text = format!("  {:>10}", "IOPS");
    for mix in &mixes {
        let _ = write!(text, "{:>9}", format!("{mix}/{}", 100 - mix));
    }
    text.push_str("   reads/writes\n");
    for block in blocks.iter().rev() {
        let _ = write!(text, "  {:>6} KiB", *block as f64 / 1024.0);
        for mix in &mixes {
            let cell = test.cells.iter().find(|cell| (cell.block_bytes, cell.read_percent) == (*block, *mix));
            let iops = cell.and_then(|cell| cell.result).map(|result| short_rate(result.iops));
            let _ = write!(text, "{:>9}", iops.unwrap_or_else(|| "-".to_owned()));
        }
        text.push('\n');
    }
    Some(text)
}

fn rows(text: &mut String, test: &PtsTestDocument) {
    let _ = writeln!(text, "  {:<44}{:>8}{:>8}{:>8}{:>8}", "", "IOPS", "MB/s", "mean", "p99.9");
    for PtsCellDocument { name, result, .. } in &test.cells {
        let _ = match result {
            Some(result) => writeln!(
                text,
                "  {name:<44}{:>8}{:>8}{:>8}{:>8}",
                short_rate(result.iops.round()),
                rate(result.mb_s),
                nanos(result.mean_ns),
                nanos(result.p99_9_ns as f64)
            ),
            None => writeln!(text, "  {name:<44}{:>8}", "-"),
        };
    }
}
