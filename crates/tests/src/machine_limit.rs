//! What of a run on a real drive may be the machine's, and not the drive's.

use drivelab_record::{Manifest, Notice, Phase, Severity};
use drivelab_view::format::{nanos, percent};

use crate::run_notices::is_planned;

/// That the program waited for a processor in measured phases, or needed one for nearly all of the time.
pub(crate) fn notices(run: &Manifest) -> Vec<Notice> {
    let measured = || run.phases.iter().filter(|phase| is_planned(run, phase));
    let by = |of: fn(&Phase) -> Option<f64>| {
        measured()
            .filter_map(|phase| Some((phase, of(phase)?)))
            .max_by(|(_, one), (_, other)| one.total_cmp(other))
    };
    let waited =
        by(|phase| phase.workers.filter(|workers| workers.has_waited()).map(|it| it.without_processor()));
    let busy = by(|phase| phase.workers.filter(|workers| workers.is_limit()).map(|it| it.busy_share()));
    let waited =
        waited.and_then(|(phase, share)| Some(waited_in_words(phase, share, phase.workers?.longest_wait_ns)));
    let busy = busy.map(|(phase, share)| busy_in_words(phase, share));
    waited.into_iter().chain(busy).map(|text| Notice { severity: Severity::Warning, text }).collect()
}

fn waited_in_words(phase: &Phase, share: f64, longest_ns: u64) -> String {
    format!(
        "The program had no processor for {} of the phase \"{}\", for up to {} at a time, though it could have run: I/Os that \
         took no longer may have waited for the machine, and not for the drive.",
        percent(share),
        phase.name,
        nanos(longest_ns as f64)
    )
}

fn busy_in_words(phase: &Phase, share: f64) -> String {
    format!(
        "The thread that asked most needed its processor for {} of the phase \"{}\": its rate is the limit of this machine, and \
         says only that the drive is not slower.",
        percent(share),
        phase.name
    )
}

/// Whether the processor was the limit of the rate of a phase.
pub(crate) fn is_limit(phase: Option<&Phase>) -> bool {
    phase.and_then(|phase| phase.workers).is_some_and(|workers| workers.is_limit())
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
