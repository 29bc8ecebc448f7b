//! What a drive made of a trace: reads and writes apart, and how well the replay kept to its times.

use drivelab_analysis::{Distribution, SlowIos, Threshold};
use drivelab_block::Op;
use drivelab_inspect::trace::{LatencyByDirection, LatencyFindings};

use super::{Better, Cell, Table, same_course};
use crate::format::{nanos, percent};
use crate::replay::{FidelityDocument, LatenessDocument, LeftOutDocument};
use crate::run::RunReport;

/// The rows that only replays have.
pub(super) fn rows(table: &mut Table) {
    direction(table, Op::Read, "Service time of reads", |service| service.read.as_ref());
    direction(table, Op::Write, "Service time of writes", |service| service.write.as_ref());
    bunches(table);
    fidelity(table);
    left_out(table);
}

/// A direction's latencies.
type OfDirection = fn(&LatencyByDirection) -> Option<&LatencyFindings>;
/// A share of latencies.
type OfLatency = fn(&LatencyFindings) -> f64;
/// A figure of service times.
type OfTimes = fn(&Distribution) -> Option<f64>;
/// A figure of lateness.
type OfLateness = fn(&LatenessDocument) -> u64;
/// A count of requests that were left out.
type OfLeftOut = fn(&LeftOutDocument) -> u64;

/// The times of I/Os that ended well, as of all of them together; shares are known of all that were made, and so stand where
/// none failed.
fn direction(table: &mut Table, op: Op, group: &str, pick: OfDirection) {
    let low = if same_course(table.runs) { Better::Low } else { Better::Neither };
    let high = if low == Better::Low { Better::High } else { Better::Neither };
    let of = |run: &RunReport, figure: OfLatency| {
        let whole = run.replay.as_ref().filter(|replay| replay.failed == 0);
        whole.and_then(|replay| pick(&replay.service_ns)).map(figure)
    };
    table.add((group, "I/Os ended well", ""), Better::Neither, |run| {
        Cell::count(times(run, op).map(|service| service.moments().count()))
    });
    let figures: [(&str, OfTimes); 5] = [
        ("Mean", |service| service.moments().mean()),
        ("Deviation", |service| service.moments().stddev()),
        ("p50", |service| service.quantile(0.5).map(|value| value as f64)),
        ("p99", |service| service.quantile(0.99).map(|value| value as f64)),
        ("Longest", |service| service.moments().max().map(|value| value as f64)),
    ];
    for (name, figure) in figures {
        table.add((group, name, "ns"), low, |run| Cell::of(times(run, op).and_then(figure), nanos));
    }
    let shares: [(&str, Better, OfLatency); 3] = [
        ("0-1 ms", high, |found| found.under_1ms),
        ("1-100 ms", Better::Neither, |found| found.from_1_to_100ms),
        ("Over 100 ms", low, |found| found.over_100ms),
    ];
    for (name, better, figure) in shares {
        table.add((group, name, "share"), better, |run| Cell::of(of(run, figure), percent));
    }
}

/// The service times of an operation in a replay; none where none ended well.
fn times<'a>(run: &'a RunReport<'_>, op: Op) -> Option<&'a Distribution> {
    let found = run.replay.as_ref().and_then(|_| run.measured.op(op))?;
    Some(&found.service).filter(|service| service.moments().count() > 0)
}

/// Slow I/Os, and the waits that they are for a user.
fn bunches(table: &mut Table) {
    const GROUP: &str = "Slow I/Os";
    fn of<'a>(run: &RunReport<'a>) -> Option<SlowIos<'a>> {
        let slow = run.slow.as_ref()?;
        (slow.made.bunching_of_all().count() > 0).then(|| slow.of_all())
    }
    let limit = |found: SlowIos<'_>| match found.threshold() {
        Threshold::Fixed(nanos) => Some(nanos as f64),
        Threshold::TenMedians => None,
    };
    table.add((GROUP, "Slow from", "ns"), Better::Neither, |run| Cell::of(of(run).and_then(limit), nanos));
    table.add((GROUP, "Slow", "share"), Better::Neither, |run| {
        Cell::of(of(run).map(|found| found.p_slow()), percent)
    });
    table.add((GROUP, "Slow after a slow one", "share"), Better::Neither, |run| {
        Cell::of(of(run).and_then(|found| found.p_slow_after_slow()), percent)
    });
    table.add((GROUP, "Waits that a person meets as one", ""), Better::Neither, |run| {
        Cell::count(of(run).map(|found| found.episode_count()))
    });
}

fn fidelity(table: &mut Table) {
    const GROUP: &str = "How well the replay kept to its times";
    fn of<'a>(run: &'a RunReport<'_>) -> Option<&'a FidelityDocument> {
        run.replay.as_ref().map(|replay| &replay.fidelity)
    }
    let late: [(&str, OfLateness); 3] =
        [("Late, p50", |late| late.p50), ("Late, p99", |late| late.p99), ("Late at most", |late| late.max)];
    for (name, figure) in late {
        table.add((GROUP, name, "ns"), Better::Neither, |run| {
            let lateness = of(run).and_then(|found| found.lateness_ns.as_ref());
            Cell::of(lateness.map(|late| figure(late) as f64), nanos)
        });
    }
    table.add((GROUP, "Drift", "ppm"), Better::Neither, |run| {
        Cell::of(of(run).and_then(|found| found.drift_ppm), |ppm| format!("{ppm:.2} ppm"))
    });
    table.add((GROUP, "Inversions", ""), Better::Neither, |run| {
        Cell::count(of(run).map(|found| found.inversions))
    });
}

/// How many of the trace's requests were left out; nothing where no replay left any out.
fn left_out(table: &mut Table) {
    const GROUP: &str = "Requests of the trace left out";
    fn of<'a>(run: &'a RunReport<'_>) -> Option<&'a LeftOutDocument> {
        run.replay.as_ref().map(|replay| &replay.left_out)
    }
    let reasons: [(&str, OfLeftOut); 3] = [
        ("Writes", |left_out| left_out.writes),
        ("Discards", |left_out| left_out.discards),
        ("Of no length", |left_out| left_out.empty),
    ];
    for (name, count) in reasons {
        if table.runs.iter().filter_map(of).any(|left_out| count(left_out) > 0) {
            table.add((GROUP, name, ""), Better::Neither, |run| Cell::count(of(run).map(count)));
        }
    }
}
