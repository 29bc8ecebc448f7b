//! What the reader of a run has to know besides what it noted itself, and what of it may be the machine's, and not the drive's.

use drivelab_documents::{Manifest, Notice, Phase, WorkerTime};
use drivelab_stats::NEAR_MEDIAN;
use drivelab_view::format::{nanos, percent};

use crate::RecordsAnalysis;

/// That the program waited for a processor in measured phases, or needed one for nearly all of the time.
pub(crate) fn notices(run: &Manifest) -> Vec<Notice> {
    let measured: Vec<(&Phase, WorkerTime)> = run
        .phases
        .iter()
        .filter(|phase| run.measured.contains(&phase.name))
        .filter_map(|phase| Some((phase, phase.workers?)))
        .collect();
    let most = |is_meant: fn(&WorkerTime) -> bool, share: fn(&WorkerTime) -> f64| {
        let meant = measured.iter().filter(|(_, workers)| is_meant(workers));
        meant.max_by(|(_, one), (_, other)| share(one).total_cmp(&share(other)))
    };
    let waited = most(WorkerTime::has_waited, WorkerTime::without_processor);
    let busy = most(WorkerTime::is_limit, WorkerTime::busy_share);
    let longest_ns = measured
        .iter()
        .filter(|(_, workers)| workers.has_waited())
        .map(|(_, workers)| workers.longest_wait_ns)
        .max();
    let waited = waited.zip(longest_ns).map(|((phase, workers), longest_ns)| {
        format!(
            "The program had no processor for up to {} at a time, and for {} of the phase \"{}\", though it could have run: \
             I/Os that took no longer may have waited for the machine, and not for the drive.",
            nanos(longest_ns as f64),
            percent(workers.without_processor()),
            phase.name
        )
    });
    let busy = busy.map(|(phase, workers)| {
        format!(
            "The thread that asked most needed its processor for {} of the phase \"{}\": it could hardly have asked for more, \
             and a faster drive would not have been faster.",
            percent(workers.busy_share()),
            phase.name
        )
    });
    waited.into_iter().chain(busy).map(Notice::warning).collect()
}

/// Whether the processor may have been the limit of the rate of a phase: the worker needed it for nearly all of the time, or had
/// none for a tenth of it, as where the kernel's own threads of the ring run on the same one.
pub(crate) fn may_be_limit(phase: Option<&Phase>) -> bool {
    let workers = phase.and_then(|phase| phase.workers);
    workers.is_some_and(|workers| workers.is_limit()) || may_make_uneven(phase)
}

/// Whether seconds may differ by more than a tenth because the program had no processor in a part of them.
pub(crate) fn may_make_uneven(phase: Option<&Phase>) -> bool {
    let workers = phase.and_then(|phase| phase.workers);
    workers.is_some_and(|workers| workers.without_processor() >= NEAR_MEDIAN)
}

/// What is said behind the longest time of a phase that may have been a wait for a processor; nothing where it is the drive's.
pub(crate) fn doubt_of_longest(phase: Option<&Phase>, longest_ns: u64, usual_ns: u64) -> &'static str {
    let workers = phase.and_then(|phase| phase.workers);
    if workers.is_some_and(|workers| workers.may_explain(longest_ns, usual_ns)) {
        ", which may be the machine's"
    } else {
        ""
    }
}

/// That it never came to what it was made for, and that records do not belong to it.
pub(crate) fn notices_of_records(run: &Manifest, records: &RecordsAnalysis) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut fail = |text: String| notices.push(Notice::failure(text));
    let was_measured = run.phases.iter().any(|phase| run.measured.contains(&phase.name));
    if let Some(last) = run.phases.last().filter(|_| !was_measured) {
        fail(format!(
            "The run ended in its phase \"{}\" and was never measured: there are no figures of it.",
            last.name
        ));
    }
    if records.run.orphans > 0 {
        fail(format!("{} records belong to no phase of this run.", records.run.orphans));
    }
    notices
}
