//! What the reader has to know before believing the figures.

use maud::{Markup, html};

use super::prose::unbroken;
use crate::{Notice, Severity};

/// Notices, the severest first.
pub(super) fn notices(notices: &[Notice]) -> Markup {
    let mut sorted: Vec<&Notice> = notices.iter().collect();
    sorted.sort_by_key(|notice| std::cmp::Reverse(notice.severity));
    html! {
        @if !sorted.is_empty() {
            ul class="notices" {
                @for notice in sorted {
                    @let (class, word) = match notice.severity {
                        Severity::Note => ("note", "Note."),
                        Severity::Warning => ("warning", "Warning."),
                        Severity::Failure => ("failure", "Failure."),
                    };
                    li class=(class) { b { (word) } " " (unbroken(&notice.text)) }
                }
            }
        }
    }
}
