//! The curve of a quick look as CSV.

use std::fmt::Write as _;

use super::document::QuickDocument;
use crate::csv::number;

/// What the picture shows: a line for each place.
pub fn quick_csv(document: &QuickDocument) -> String {
    let mut text = "lba,read_mb_s,write_mb_s\n".to_owned();
    for place in &document.curve {
        let _ = writeln!(text, "{},{},{}", place.lba, number(place.read_mb_s), number(place.write_mb_s));
    }
    text
}
