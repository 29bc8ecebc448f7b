//! Sentences as a page shows them: what results come to, a card each, and what the reader has to know before believing the
//! figures.

use maud::{Markup, html};

use super::context::Context;
use crate::format::capitalised;
use crate::{Notice, Tone, Verdict};

/// Verdicts that follow each other, in two columns where there is room.
pub(super) fn verdicts(context: &Context, all: &[&Verdict]) -> Markup {
    html! { div class="verdicts" { @for verdict in all { (card(context, verdict)) } } }
}

fn card(context: &Context, verdict: &Verdict) -> Markup {
    let subject = verdict.subject.and_then(|place| context.view.subjects.get(place));
    html! {
        article class="verdict" {
            p class="verdict-head" {
                @if let Some(subject) = subject {
                    span class="name" { (context.mark(verdict.subject)) (subject.label) } " "
                }
                span class={ "word " (tone(verdict.tone)) } { (verdict.mark) }
            }
            @if let Some(subject) = subject {
                @if !subject.about.is_empty() { p class="fine" { (unbroken(&subject.about)) } }
                @for line in &subject.origin { p class="fine" { (unbroken(line)) } }
            }
            p class="sentence" { (unbroken(&verdict.sentence)) }
            @for detail in &verdict.details { p class="detail" { (unbroken(detail)) } }
            (notices(&verdict.notices))
        }
    }
}

/// The class of a tone; green is only for what a reader would be glad of.
pub(super) fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Undecided => "undecided",
        Tone::Bad => "bad",
        Tone::Neutral => "neutral",
    }
}

/// Notices, the severest first.
pub(super) fn notices(notices: &[Notice]) -> Markup {
    let mut sorted: Vec<&Notice> = notices.iter().collect();
    sorted.sort_by_key(|notice| std::cmp::Reverse(notice.severity));
    html! {
        @if !sorted.is_empty() {
            ul class="notices" {
                @for notice in sorted {
                    @let word = notice.severity.word();
                    li class=(word) { b { (capitalised(word)) "." } " " (unbroken(&notice.text)) }
                }
            }
        }
    }
}

/// Units that never begin a line.
const UNITS: [&str; 24] = [
    "%", "IOPS", "MB/s", "GB/s", "GB", "MB", "kB", "TB", "KiB", "MiB", "GiB", "B", "s", "ms", "us", "ns",
    "min", "h", "W", "J", "J/GB", "°C", "I/Os", "drives",
];

/// The text with every number and the unit that follows it on one line.
pub(super) fn unbroken(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        result.push_str(word);
        let Some(next) = words.peek() else { break };
        let next = next.trim_end_matches(['.', ',', ';', ':', ')']);
        let is_number = word.ends_with(|last: char| last.is_ascii_digit());
        result.push(if is_number && UNITS.contains(&next) { '\u{a0}' } else { ' ' });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_unit_stay_on_one_line() {
        let text = "It wrote 34.6 GB at 2,172 IOPS (deviation 155 %), then 3 drives were 4 times as fast.";
        let wanted = "It wrote 34.6\u{a0}GB at 2,172\u{a0}IOPS (deviation 155\u{a0}%), then 3\u{a0}drives were 4 times as fast.";
        assert_eq!(unbroken(text), wanted);
    }
}
