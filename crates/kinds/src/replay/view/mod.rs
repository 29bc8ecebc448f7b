//! What is shown of replays.

mod figures;

use drivelab_documents::Notice;
use drivelab_inspect::slow::SlowByDirection;
use drivelab_inspect::trace::TraceSpan;
use drivelab_view::format::{by_number, bytes, capitalised, count, nanos, percent, rate, things};
use drivelab_view::{About, Block, Section, Tone, Verdict, View};

use crate::replay::settings::span_of_run;
use crate::replay::{
    AddressMapping, AgainstTrace, LatencyDistances, Replay, ReplayFidelity, ReplayHandling, ReplaySettings,
    ReplayTiming, Replayed, TraceAsked,
};
use crate::words::numbered;
use crate::{ComparedResult, Comparison, Ended, StoredResult, Test as _, ios, shown};

/// The view of one replay, or of several next to each other, whose slow I/Os were judged at one threshold.
pub(super) fn view(compared: &Comparison<'_, Replay>) -> View {
    let mut head: Vec<Block> = faster(compared).into_iter().collect();
    head.extend(shown::verdicts(compared, |one| verdict(one).unwrap_or_else(|none| none)));
    let sentence = |slow: &SlowByDirection| slow.threshold_sentence(compared.len() > 1);
    let replayed = compared.iter().filter_map(|one| one.findings.replayed.as_ref());
    let sentence = replayed.map(|replayed| &replayed.slow_ios).find_map(sentence);
    head.extend(sentence.map(|text| Block::Notices(vec![Notice::note(text)])));
    let mut sections = vec![Section::summary(None, head), figures::figures(compared)];
    sections.extend(ios::rate(compared));
    ios::view(compared, title(compared), sections)
}

/// The title: of several of one trace the trace is named, and by the drive alone each of them ([`name_of`]).
fn title(compared: &Comparison<'_, Replay>) -> String {
    match &**compared {
        [first, _, ..] if are_of_one_trace(compared.iter().map(|one| &**one)) => {
            format!("Replay of {} on {}", first.settings.trace, shown::subject(compared))
        }
        _ => shown::title(compared),
    }
}

fn are_of_one_trace<'a>(results: impl Iterator<Item = &'a StoredResult<Replay>>) -> bool {
    let mut digests = results.map(|kept| &kept.settings.trace_digest);
    let first = digests.next();
    digests.all(|other| Some(other) == first)
}

/// What a replay is called next to others: if all are of its trace, by the name that it was given, or else by its drive.
pub(super) fn name_of<'r>(results: &'r [StoredResult<Replay>], kept: &'r StoredResult<Replay>) -> &'r str {
    let run = &kept.run;
    let is_named_by_trace = results.len() < 2 || !are_of_one_trace(results.iter());
    if !is_named_by_trace && run.label == Replay::label(&run.target, &kept.settings) {
        &run.target
    } else {
        &run.label
    }
}

/// Which drive answered faster, in a sentence; nothing where the replays cannot be compared.
fn faster(compared: &Comparison<'_, Replay>) -> Option<Block> {
    let have_failed = compared.iter().any(|one| one.findings.ios.records.failed > 0);
    if have_failed || !ios::lasted_alike(compared) {
        return None;
    }
    shown::times_faster(compared, "the mean service time of this trace", |found| {
        let service = found.replayed.as_ref()?.service_ns.all.as_ref()?;
        (service.mean > 0.0).then(|| 1.0 / service.mean)
    })
}

/// Whether a replay that ended by itself made every request of its trace, and none failed.
pub(super) fn is_complete(kept: &StoredResult<Replay>) -> bool {
    let found = &kept.findings;
    let (asked, made) = (found.trace.as_ref(), found.replayed.as_ref());
    let made_all = asked.zip(made).is_some_and(|(asked, made)| made.requests.sum() == asked.requests);
    made_all && found.ios.records.failed == 0
}

/// Why replays are not ranked that did not make the same requests.
pub(super) fn unlike(results: &[StoredResult<Replay>]) -> Option<&'static str> {
    let made = |kept: &StoredResult<Replay>| {
        let depth = kept.findings.handling.as_ref().map(|handling| handling.queue_depth);
        let replayed = kept.findings.replayed.as_ref();
        (depth, replayed.map(|replayed| (replayed.requests.clone(), replayed.bytes.clone())))
    };
    let are_equal = results.windows(2).all(|pair| made(&pair[0]) == made(&pair[1]));
    (!are_equal).then_some(
        "The replays did not make the same requests with as many in flight: no value is marked as the best.",
    )
}

/// Lateness up to here spoils nothing, in nanoseconds, at the median and at the 99th percentile: what a spinning thread reaches
/// on a busy machine.
const HARMLESS: (u64, u64) = (10_000, 100_000);

/// What a replay lacks that was killed, and what to do.
const NO_FINDINGS: &str = "A replay keeps what the trace asked for, what held requests up, and the \
    comparison with the trace at its end, which this one did not come to: these are missing. Replay the \
    trace again to have them.";

/// The answer for a replay that has figures; else why it has none.
pub(super) fn verdict(kept: &ComparedResult<'_, Replay>) -> Result<Verdict, Verdict> {
    ios::with_figures(kept)?;
    let found = &kept.findings;
    let Some(replayed) = &found.replayed else {
        let nothing = Verdict::on(kept.place, Tone::Neutral, "No figures", "Nothing was replayed.");
        return Err(nothing.about(About::Nothing));
    };
    let mut verdict = Verdict::on(kept.place, Tone::Neutral, "Replayed", sentence(kept, replayed));
    verdict.notices.extend(found.trace.is_none().then(|| Notice::failure(NO_FINDINGS)));
    verdict.details.push(manner(&kept.settings, found.trace.as_ref(), found.handling.as_ref()));
    verdict.details.extend(fidelity_in_words(&replayed.fidelity));
    verdict.details.extend(found.handling.as_ref().and_then(held_up));
    verdict.details.extend(found.trace.as_ref().and_then(left_out));
    if let (Some(against), Some(asked)) = (&found.against_trace, &found.trace) {
        verdict.details.extend(against_trace(against, asked, span_of_run(&kept.run)));
    }
    let slow = [&replayed.slow_ios.read, &replayed.slow_ios.write];
    verdict.details.extend(slow.into_iter().flatten().map(|slow| slow.verdict.clone()));
    verdict.notices.extend(lateness_warning(replayed, found.handling.as_ref()));
    Ok(verdict)
}

fn sentence(kept: &StoredResult<Replay>, replayed: &Replayed) -> String {
    let made = replayed.requests.sum();
    let what = match &kept.findings.trace {
        Some(asked) if made < asked.requests => {
            format!("{} of {} requests were replayed", whole(made), whole(asked.requests))
        }
        _ if kept.ended() == Ended::Whole && made > 1 => {
            format!("All {} requests were replayed", whole(made))
        }
        _ => format!("{} {} replayed", things(made, "request"), by_number(made, "was", "were")),
    };
    let asked = kept.findings.trace.as_ref().and_then(|asked| asked.iops);
    let asked = asked.map(|asked| format!(" of {} that the trace asks for", rate(asked))).unwrap_or_default();
    let at = replayed.iops.map(|iops| format!(" ({} a second{asked})", rate(iops)));
    let service = &replayed.service_ns;
    let times = match &service.all {
        None => ", none with a service time".to_owned(),
        Some(all) => {
            let kinds = [("reads", &service.read), ("writes", &service.write), ("flushes", &service.flush)];
            let kinds = kinds.into_iter().filter_map(|(words, of)| Some((words, of.as_ref()?.mean)));
            let apart: Vec<String> = kinds.map(|(words, mean)| format!("{words} {}", nanos(mean))).collect();
            let apart = if apart.len() > 1 { format!(" ({})", apart.join(", ")) } else { String::new() };
            let own = kept.findings.ios.summary.service_ns.as_ref();
            let least = |time: f64, is_bound: bool| {
                format!("{}{}", if is_bound { "at least " } else { "" }, nanos(time))
            };
            // That a time is at most a lower bound would be wrong.
            let longest = match own {
                Some(own) if own.is_bound() => format!("the longest at least {}", nanos(all.max as f64)),
                _ => format!("{} at most", nanos(all.max as f64)),
            };
            format!(
                "; the service time is {} on average{apart}, {} at the 99th percentile and {}",
                least(all.mean, own.is_some_and(ios::LatencyFindings::is_bound)),
                least(all.p99 as f64, own.is_some_and(|own| own.is_percentile_bound(all.p99))),
                longest
            )
        }
    };
    format!("{what} in {}{}{times}.", nanos(replayed.span_ns as f64), at.unwrap_or_default())
}

/// How the trace was replayed: only what was done in the same manner can be compared.
fn manner(
    settings: &ReplaySettings,
    asked: Option<&TraceAsked>,
    handling: Option<&ReplayHandling>,
) -> String {
    let mut parts = vec![match settings.timing {
        ReplayTiming::Recorded => "Each request had its own time on an absolute schedule".to_owned(),
        ReplayTiming::Dependent => {
            "Each request came as long after an answer as in the trace (stalls are under-reported: the drive is waited for)"
                .to_owned()
        }
        ReplayTiming::Unpaced => {
            "The times of the requests were not followed, and a fixed number was in flight (stalls are under-reported: the \
             drive is waited for)"
                .to_owned()
        }
    }];
    if (settings.speed - 1.0).abs() > f64::EPSILON {
        parts.push(format!("{} times as fast as in the trace", settings.speed));
    }
    if let Some((cut, spans)) = asked.and_then(|asked| asked.idle_cut_ns.zip(asked.idle_cuts)) {
        parts.push(format!("idle time cut: {} (spans: {})", nanos(cut as f64), whole(spans)));
    }
    parts.extend(handling.map(|handling| format!("at most {} in flight", handling.queue_depth)));
    if let Some(moved) = handling.and_then(|handling| handling.moved) {
        let touched = bytes(moved.touched_bytes as f64);
        parts.push(format!("addresses moved together: {touched} in pieces of {} bytes", moved.granule_bytes));
    } else if settings.map == AddressMapping::Compact {
        parts.push("addresses moved together".to_owned());
    }
    if let Some(filled) = handling.and_then(|handling| handling.filled_bytes) {
        parts.push(format!("{} written before", bytes(filled as f64)));
    }
    parts.join("; ") + "."
}

/// How well the replay kept to its times; none where requests had none.
fn fidelity_in_words(fidelity: &ReplayFidelity) -> Option<String> {
    let late = fidelity.lateness_ns.as_ref()?;
    let [p50, p99, max] = [late.p50, late.p99, late.max].map(|late| nanos(late as f64));
    let drift = fidelity.drift_ppm.map(|drift| format!("; the drift is {drift:.2} ppm"));
    Some(format!(
        "Requests were submitted late by {p50} at the median, {p99} at the 99th percentile and {max} at most{}; {} out of order.",
        drift.unwrap_or_default(),
        whole(fidelity.inversions)
    ))
}

/// What held requests up, or changed them; none where nothing did.
fn held_up(handling: &ReplayHandling) -> Option<String> {
    let requests = [
        (handling.delayed_sends, "sent late, as the queue depth was reached"),
        (handling.held_back, "held back by others on the same sectors"),
        (handling.widened, "widened to whole blocks of the drive"),
    ];
    let requests = requests.into_iter().filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> = requests
        .map(|(count, what)| {
            format!("{} {} {what}", things(count, "request"), by_number(count, "was", "were"))
        })
        .collect();
    if handling.late_steps > 0 {
        parts.push(format!("the trace's reader was late {}", things(handling.late_steps, "time")));
    }
    (!parts.is_empty()).then(|| capitalised(&parts.join("; ")) + ".")
}

/// What of the trace was left out; none where nothing was.
fn left_out(asked: &TraceAsked) -> Option<String> {
    let left_out = &asked.left_out;
    let parts = numbered(&[
        (left_out.writes, "writes"),
        (left_out.discards, "discards"),
        (left_out.empty, "requests for nothing"),
    ]);
    (!parts.is_empty()).then(|| format!("Left out of the trace: {}.", parts.join(", ")))
}

/// The replay compared with the trace itself.
fn against_trace(against: &AgainstTrace, asked: &TraceAsked, own: TraceSpan) -> Vec<String> {
    let of = |what: &str, found: &LatencyDistances| {
        let directions = [("all", &found.all), ("reads", &found.read), ("writes", &found.write)];
        let known = directions.into_iter().filter_map(|(which, distance)| {
            let distance = distance.as_ref()?;
            Some(format!(
                "{which} {:.3} times the trace's mean, distributions up to {} apart",
                distance.ratio_of_means,
                percent(distance.ks)
            ))
        });
        let known: Vec<String> = known.collect();
        let span = asked.measured.word();
        let times = if asked.measured == TraceSpan::IssueToComplete { "service times" } else { "times" };
        (!known.is_empty())
            .then(|| format!("{what} compared with the trace's {times} ({span}): {}.", known.join("; ")))
    };
    // A response time has the wait before the issue, which D2C has not.
    let response =
        of("Response times", &against.response).filter(|_| asked.measured != TraceSpan::IssueToComplete);
    let both = [of("Service times", &against.service), response];
    let differ = asked.measured != own && asked.measured != TraceSpan::Nothing;
    let apart = differ.then(|| {
        let (trace, own) = (asked.measured.word(), own.word());
        format!("Service times ({own}) are not compared with the trace's times ({trace}), which span something else.")
    });
    both.into_iter().flatten().chain(apart).collect()
}

/// Why the lateness takes from the result; none where it does not. It does where it is over a tenth of the mean service time at
/// the median, or over the mean service time at the 99th percentile, and not negligible besides.
fn lateness_warning(replayed: &Replayed, handling: Option<&ReplayHandling>) -> Option<Notice> {
    let late = replayed.fidelity.lateness_ns.as_ref()?;
    let service = replayed.service_ns.all.as_ref()?.mean;
    let spoils = |late: u64, harmless: u64, share: f64| late > harmless && late as f64 > service * share;
    if !spoils(late.p50, HARMLESS.0, 0.1) && !spoils(late.p99, HARMLESS.1, 1.0) {
        return None;
    }
    let why = match handling.map(|handling| (handling.delayed_sends, handling.late_steps)) {
        Some((0, 0)) => ": this machine had no processor free in time",
        Some((0, _)) => ": the trace could not be read fast enough",
        Some(_) => ": the drive did not answer fast enough, and --queue-depth requests were in flight",
        None => "",
    };
    Some(Notice::warning(format!(
        "Requests were submitted late, by {} at the median and {} at the 99th percentile{why}. The drive was not asked as the \
         trace says.",
        nanos(late.p50 as f64),
        nanos(late.p99 as f64)
    )))
}

fn whole(number: u64) -> String {
    count(number as f64)
}
