//! The waits that a person would have met, the worst first.

use drivelab_analysis::Episode;

use super::headline::DIRECTIONS;
use crate::format::{bytes, moment, nanos, whole};
use crate::html::table;
use crate::trace::{TraceReport, bunching};

/// Rows for each direction of a trace.
const ROWS: usize = 10;

/// A table of the worst episodes; nothing where there is none.
pub(super) fn section(page: &mut String, reports: &[TraceReport<'_>]) {
    let any = |report: &TraceReport<'_>| DIRECTIONS.iter().any(|(op, _)| report.slow_ios(*op).is_some());
    if !reports.iter().any(any) {
        return;
    }
    page.push_str(
        "<section aria-labelledby=\"episodes-title\">\n<h2 id=\"episodes-title\">The worst waits</h2>\n\
         <p class=\"fine\">Slow I/Os whose intervals overlap, or lie no farther apart than 50 ms or the threshold, are \
         one episode. They are in the order of the time lost: the sum of their latencies above the median.</p>\n",
    );
    let heads = [
        "At",
        "Lasted",
        "Slow I/Os",
        "Time lost",
        "Longest",
        "Written since the one before began",
        "Quiet before",
    ];
    table::open(page, "episodes", "The worst waits", &heads);
    for report in reports {
        for (op, words) in DIRECTIONS {
            let Some(slow) = report.slow_ios(op) else { continue };
            let name =
                if reports.len() > 1 { format!("{}, {words}", report.label) } else { words.to_owned() };
            let count = whole(slow.episode_count());
            let title = format!("{name} ({}, {count} episodes)", bunching::threshold(slow));
            table::group(page, &title, heads.len() - 1);
            slow.worst_episodes().iter().take(ROWS).for_each(|episode| row(page, episode));
        }
    }
    table::close(page);
    page.push_str("</section>\n");
}

fn row(page: &mut String, episode: &Episode) {
    let cells = [
        nanos((episode.end - episode.start) as f64),
        whole(episode.count),
        nanos(episode.excess as f64),
        nanos(episode.worst as f64),
        bytes(episode.bytes_before),
        episode.quiet_before.map_or_else(|| "-".to_owned(), |quiet| nanos(quiet as f64)),
    ];
    table::row(page, &moment(episode.start), &cells);
}
