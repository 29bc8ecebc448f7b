//! The curves of a TRIM validation as CSV.

use std::fmt::Write as _;

use super::document::TrimDocument;

/// What the pictures show: a line for each span of each curve.
pub fn trim_csv(document: &TrimDocument) -> String {
    let mut text = "round,state,lba,mb_s\n".to_owned();
    for curve in &document.curves {
        for span in &curve.spans {
            let _ = writeln!(text, "{},{},{},{}", curve.round + 1, curve.state, span.lba, span.mb_s);
        }
    }
    text
}
