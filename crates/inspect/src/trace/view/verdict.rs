//! Was the drive slow, and why?

use drivelab_documents::Severity;
use drivelab_stats::waiting::WAIT;
use drivelab_view::format::{by_number, count, nanos, things};
use drivelab_view::{Block, Notice, Tone, Verdict};

use super::{span, why};
use crate::slow::{ClusteringAnswer, DIRECTIONS, SlowFindings, words};
use crate::trace::{AnalysedTrace, TraceFindings, TraceSpan};

/// How often the drive kept its user waiting, and whether its slow I/Os are clustered.
pub(super) fn verdict((place, shown): (usize, &AnalysedTrace)) -> Block {
    let (tone, mark, sentence) = with_failures(&shown.found, answer(&shown.found));
    let mut verdict = Verdict::on(place, tone, mark, sentence);
    verdict.details = details(shown);
    verdict.notices = notices(&shown.found);
    Block::Verdict(verdict)
}

/// The answer, after how many I/Os failed, where any did: that is worse than slow ones.
fn with_failures(
    found: &TraceFindings,
    (tone, mark, sentence): (Tone, &'static str, String),
) -> (Tone, &'static str, String) {
    if found.failed == 0 {
        return (tone, mark, sentence);
    }
    let text =
        format!("{} of {} failed. {sentence}", count_of(found.failed), things(found.requests.sum(), "I/O"));
    (Tone::Bad, "I/Os failed", text)
}

fn answer(found: &TraceFindings) -> (Tone, &'static str, String) {
    if found.requests.sum() == 0 && found.notices.iter().any(|notice| notice.severity == Severity::Failure) {
        let text = "No request of it can be read: take a copy of the trace that is whole, or make it again.";
        return (Tone::Undecided, "Not readable", text.to_owned());
    }
    if found.requests.sum() == 0 {
        let text = match &found.stretch {
            Some(stretch) => format!("No I/O was issued {}.", stretch.in_words()),
            None => "There are no requests in it.".to_owned(),
        };
        return (Tone::Neutral, "Empty", text);
    }
    let Some(all) = &found.slow_ios.all else {
        let text = "Whether the drive was slow is not known: the source knows no durations, so service times are not shown.";
        return (Tone::Undecided, "Not known", text.to_owned());
    };
    // Of a run, no program waits but drivelab itself.
    let waiting = found.waiting.as_ref().filter(|_| found.phases.is_none());
    if let Some(text) = waiting.and_then(|waiting| why::answer(waiting, found.began)) {
        return (Tone::Bad, "Kept waiting", text);
    }
    let clustered = all.slow > 0 && clustering(found) == ClusteringAnswer::Shown;
    match waiting {
        Some(_) if clustered => {
            let text = format!(
                "No program waited for 100 ms or longer, but slow I/Os are clustered. {}",
                slow_ios(found, all)
            );
            (Tone::Neutral, "Clustered", text)
        }
        Some(_) => (Tone::Good, "Not slow", why::nothing(found)),
        None => clustering_answer(found, all),
    }
}

/// The answer of a run, by its slow I/Os alone.
fn clustering_answer(found: &TraceFindings, all: &SlowFindings) -> (Tone, &'static str, String) {
    if all.slow == 0 {
        let limit = words::threshold_of(all.threshold_ms);
        let text = format!("No I/O took {limit} or longer in {}.", span(found.span_ns));
        return (Tone::Good, "Not slow", text);
    }
    let (tone, mark) = match clustering(found) {
        ClusteringAnswer::Shown if all_may_be_waits(found) => (Tone::Undecided, "Not shown"),
        ClusteringAnswer::Shown => (Tone::Bad, "Clustered"),
        ClusteringAnswer::ConsistentWithChance => (Tone::Neutral, "By chance"),
        ClusteringAnswer::NotShown => (Tone::Undecided, "Not shown"),
    };
    let text = slow_ios(found, all);
    let text = if all_may_be_waits(found) {
        format!("The slow I/Os may be the machine's, and not the drive's. {text}")
    } else {
        text
    };
    (tone, mark, text)
}

/// The longest that an I/O may have taken that waited for a processor, in nanoseconds; none where the program had one nearly all
/// of the time.
fn longest_with_wait_ns(found: &TraceFindings) -> Option<u64> {
    let wait_ns = found.phases.as_ref()?.processor_wait_ns?;
    Some(drivelab_documents::longest_with_wait_ns(wait_ns, found.service_ns.all.as_ref()?.p50))
}

/// Whether no I/O took longer than one that waited for a processor.
fn all_may_be_waits(found: &TraceFindings) -> bool {
    let longest = found.service_ns.all.as_ref().map(|all| all.max);
    longest_with_wait_ns(found).zip(longest).is_some_and(|(explained, longest)| longest <= explained)
}

/// That slow I/Os may have waited for a processor, where some took no longer than that.
fn waits_of_machine(found: &TraceFindings) -> Option<String> {
    let threshold_ns =
        found.slow_ios.all.as_ref().filter(|all| all.slow > 0)?.threshold_ms.unwrap_or(0.0) * 1e6;
    let explained_ns = longest_with_wait_ns(found)? as f64;
    let wait_ns = found.phases.as_ref()?.processor_wait_ns? as f64;
    (threshold_ns <= explained_ns).then(|| {
        format!(
            "The program had no processor for up to {} at a time: slow I/Os of up to {} may be the machine's, and longer ones \
             are the drive's.",
            nanos(wait_ns),
            nanos(explained_ns)
        )
    })
}

/// How often I/Os were slow, for how long, and whether they are clustered.
fn slow_ios(found: &TraceFindings, all: &SlowFindings) -> String {
    let limit = words::threshold_of(all.threshold_ms);
    let kinds = if found.phases.is_none() { ", also those that no program waits for" } else { "" };
    let has_waits =
        found.phases.is_none() && found.waiting.as_ref().is_some_and(|waiting| waiting.spells > 0);
    let is_wait = all.threshold_ms.is_some_and(|limit| (limit * 1e6 - WAIT.get() as f64).abs() < 0.5);
    let waits = if has_waits && !is_wait { " (a wait counts from 100 ms on)" } else { "" };
    let episodes = match all.slow {
        2.. if all.slow == all.episodes => "each in an episode of its own".to_owned(),
        _ => format!("in {}", things(all.episodes, "episode")),
    };
    format!(
        "Of {} in {}{kinds}, {} took {limit} or longer{waits}, {episodes} with {} beyond the first {limit} in all; {}.",
        things(all.count, "I/O"),
        span(found.span_ns),
        count_of(all.slow),
        nanos(all.stalled_s * 1e9),
        how_clustered(found)
    )
}

fn count_of(number: u64) -> String {
    count(number as f64)
}

/// What was found of each direction that has slow I/Os.
fn directions(found: &TraceFindings) -> impl Iterator<Item = (&'static str, &SlowFindings)> {
    let both = [("reads", &found.slow_ios.read), ("writes", &found.slow_ios.write)];
    both.into_iter().filter_map(|(words, slow)| Some((words, slow.as_ref().filter(|slow| slow.slow > 0)?)))
}

/// Clustered, where reads or writes are; by chance, where all of both are.
fn clustering(found: &TraceFindings) -> ClusteringAnswer {
    let is = |wanted| move |(_, slow): (&str, &SlowFindings)| slow.clustering == wanted;
    if directions(found).any(is(ClusteringAnswer::Shown)) {
        ClusteringAnswer::Shown
    } else if directions(found).next().is_some()
        && directions(found).all(is(ClusteringAnswer::ConsistentWithChance))
    {
        ClusteringAnswer::ConsistentWithChance
    } else {
        ClusteringAnswer::NotShown
    }
}

fn how_clustered(found: &TraceFindings) -> String {
    let part = |(words, slow): (&str, &SlowFindings)| match slow.clustering {
        ClusteringAnswer::Shown => match slow.clustered_over_s {
            Some(window) => {
                format!("slow {words} are clustered (bursty) over windows of {}", nanos(window * 1e9))
            }
            None => format!("slow {words} are clustered (bursty)"),
        },
        ClusteringAnswer::ConsistentWithChance => format!("slow {words} are consistent with chance"),
        ClusteringAnswer::NotShown => format!("whether slow {words} are clustered is not shown"),
    };
    let parts: Vec<String> = directions(found).map(part).collect();
    if parts.is_empty() { "neither reads nor writes were slow".to_owned() } else { parts.join(", and ") }
}

/// Why, direction by direction; what the durations span, which phases are shown.
fn details(shown: &AnalysedTrace) -> Vec<String> {
    let found = &shown.found;
    let mut details = Vec::new();
    if let Some(waiting) = found.waiting.as_ref().filter(|_| found.phases.is_none()) {
        if waiting.spells > 0 {
            details.extend(
                found.slow_ios.all.as_ref().filter(|all| all.slow > 0).map(|all| slow_ios(found, all)),
            );
        }
        details.push(why::counted(waiting));
    }
    for (op, words) in DIRECTIONS {
        let (bunching, judged) = (shown.analysis.bunching(op), shown.slow.judged(op));
        if bunching.count() == 0 {
            continue;
        }
        let chance = words::chance_not_in_verdict(judged).map(|chance| format!(" ({chance})"));
        let verdict = words::verdict(bunching, judged, words);
        let verdict = verdict.trim_end_matches('.');
        details.push(format!("{verdict}{}.", chance.unwrap_or_default()));
    }
    details.extend(waits_of_machine(found));
    details.extend(zone_of(found));
    details.extend(span_of(found.measured).map(str::to_owned));
    details.extend(response_of(found).map(str::to_owned));
    details.extend(found.phases.as_ref().map(|phases| phases.sentence("shown")));
    details
}

/// In which zone clock times are, where the source does not know its own.
fn zone_of(found: &TraceFindings) -> Option<String> {
    let is_import = found.machine.is_none() && found.phases.is_none();
    let zone = found.began.filter(|_| is_import)?.zone();
    Some(format!("Clock times are in {zone}: the source does not say in which time zone it was recorded."))
}

fn span_of(measured: TraceSpan) -> Option<&'static str> {
    match measured {
        TraceSpan::IssueToComplete => Some("Service times are from issue to completion (D2C)."),
        TraceSpan::QueueToComplete => {
            Some("Times are from request to completion (Q2C): waiting above the device is part of them.")
        }
        TraceSpan::Mixed => Some("Service times are D2C, or Q2C where a device shows no issues."),
        TraceSpan::Nothing => None,
    }
}

/// From when response times are; none where none is known.
fn response_of(found: &TraceFindings) -> Option<&'static str> {
    found.response_ns.all.as_ref()?;
    Some(if found.phases.is_some() {
        "Response times are from when a request was due, on the schedule of the run, to its completion."
    } else {
        "Response times are from when an I/O was asked for: they have the wait before the issue."
    })
}

/// What of the source is not in the figures, and what has to be known of them.
fn notices(found: &TraceFindings) -> Vec<Notice> {
    let mut notices = found.notices.clone();
    let reasons = [("Not taken", &found.rejected), ("Not paired", &found.unpaired_reasons)];
    for (what, counts) in reasons {
        notices.extend(
            counts.iter().map(|(reason, number)| {
                Notice::warning(format!("{what}: {} ({reason}).", count_of(*number)))
            }),
        );
    }
    if found.lost_events > 0 {
        notices.push(Notice::warning(format!(
            "The source lost {}, as it reports.",
            things(found.lost_events, "event")
        )));
    }
    if found.other_lines > 0 {
        let are = by_number(found.other_lines, "is no record", "are no records");
        let lines = things(found.other_lines, "line");
        notices.push(Notice::note(format!("{lines} of the source {are}.")));
    }
    notices
}
