//! The figures of all replays.

use drivelab_block::Op;
use drivelab_inspect::slow::SlowFindings;
use drivelab_inspect::trace::LatencyFindings;
use drivelab_stats::{Distribution, is_lower_bound};
use drivelab_view::{Better, Cell, Figures, Quantity, Value};

use super::ranking;
use crate::StoredResult;
use crate::ios::{self, Compared};
use crate::replay::{Lateness, LeftOutRequests, Replay, ReplayFindings, Replayed};

/// Figures that are added for every replay.
struct Adding<'a> {
    results: &'a [StoredResult<Replay>],
    figures: Figures,
    /// Which of two latencies is better: none is where the replays did not last alike.
    low: Better,
}

/// A share of latencies.
type LatencyShareOf = fn(&LatencyFindings) -> f64;
/// A figure of service times.
type OfTimes = fn(&Distribution) -> Option<Value>;
/// A figure of lateness.
type OfLateness = fn(&Lateness) -> u64;
/// A count of requests that were left out.
type OfLeftOut = fn(&LeftOutRequests) -> u64;
/// A figure of slow I/Os.
type OfSlow = fn(&SlowFindings) -> Option<f64>;

/// All figures.
pub(super) fn figures(results: &[StoredResult<Replay>]) -> Figures {
    let compared = Compared::from_results(results);
    let low = if compared.lasted_alike() { Better::Low } else { Better::Neither };
    let figures = Figures::new("figures", results.len(), ranking(results));
    let mut adding = Adding { results, figures, low };
    rate(&mut adding);
    direction(&mut adding, Op::Read, "Service time of reads");
    direction(&mut adding, Op::Write, "Service time of writes");
    if results.iter().any(|kept| times(kept, Op::Flush).is_some()) {
        direction(&mut adding, Op::Flush, "Service time of flushes");
    }
    slow_ios(&mut adding);
    fidelity(&mut adding);
    left_out(&mut adding);
    let mut figures = adding.figures;
    ios::add_latency(&mut figures, &compared);
    ios::add_amounts(&mut figures, &compared);
    ios::add_simulation(&mut figures, &compared);
    figures
}

impl Adding<'_> {
    fn add(
        &mut self,
        (group, name): (&str, &str),
        quantity: Quantity,
        better: Better,
        of: impl Fn(&StoredResult<Replay>) -> Option<f64>,
    ) {
        let cells = self.results.iter().map(|kept| Cell::number(quantity, of(kept))).collect();
        self.figures.add((group, name), quantity, better, cells);
    }

    fn add_replayed(
        &mut self,
        names: (&str, &str),
        quantity: Quantity,
        of: impl Fn(&Replayed) -> Option<f64>,
    ) {
        let replayed = |kept: &StoredResult<Replay>| kept.findings.replayed.as_ref().and_then(&of);
        self.add(names, quantity, Better::Neither, replayed);
    }
}

/// How many requests a second: that is the trace's doing, and none is better.
fn rate(adding: &mut Adding<'_>) {
    const GROUP: &str = "Requests a second";
    adding.add((GROUP, "asked for"), Quantity::Iops, Better::Neither, |kept| {
        kept.findings.trace.as_ref()?.iops
    });
    adding.add_replayed((GROUP, "made"), Quantity::Iops, |replayed| replayed.iops);
}

/// The times of I/Os that succeeded; shares are known of all that were made, and so stand where none failed.
fn direction(adding: &mut Adding<'_>, op: Op, group: &str) {
    let (low, time) = (adding.low, Quantity::Nanoseconds);
    let high = if low == Better::Low { Better::High } else { Better::Neither };
    adding.add((group, "I/Os that succeeded"), Quantity::Count, Better::Neither, |kept| {
        Some(times(kept, op)?.moments().count() as f64)
    });
    let figures: [(&str, OfTimes); 5] = [
        ("mean", |service| {
            let is_bound = service.shortest_bound().is_some();
            Some(Value::new(Quantity::Nanoseconds, service.moments().mean()?).at_least_where(is_bound))
        }),
        ("standard deviation", |service| {
            Some(Value::new(Quantity::Nanoseconds, service.moments().stddev()?))
        }),
        ("p50", |service| Some(time_of(service, service.quantile(0.5)?))),
        ("p99", |service| Some(time_of(service, service.quantile(0.99)?))),
        ("max", |service| Some(time_of(service, service.moments().max()?))),
    ];
    for (name, figure) in figures {
        let cell = |kept: &StoredResult<Replay>| times(kept, op).and_then(|service| figure(&service));
        let cells = adding.results.iter().map(|kept| cell(kept).map_or(Cell::Nothing, Cell::Value));
        adding.figures.add((group, name), time, low, cells.collect());
    }
    let shares: [(&str, Better, LatencyShareOf); 3] = [
        ("below 1 ms", high, |found| found.under_1ms),
        ("1 to 100 ms", Better::Neither, |found| found.from_1_to_100ms),
        ("over 100 ms", low, |found| found.over_100ms),
    ];
    for (name, better, figure) in shares {
        adding.add((group, name), Quantity::Share, better, |kept| {
            let replayed =
                kept.findings.replayed.as_ref().filter(|_| kept.findings.ios.records.failed == 0)?;
            latency(replayed, op).map(figure)
        });
    }
}

/// A percentile or the greatest value, which may be a lower bound.
fn time_of(service: &Distribution, nanos: u64) -> Value {
    let is_bound = service.shortest_bound().is_some_and(|shortest| is_lower_bound(nanos, shortest));
    Value::new(Quantity::Nanoseconds, nanos as f64).at_least_where(is_bound)
}

fn latency(replayed: &Replayed, op: Op) -> Option<&LatencyFindings> {
    match op {
        Op::Read => replayed.service_ns.read.as_ref(),
        Op::Write => replayed.service_ns.write.as_ref(),
        Op::Flush => replayed.service_ns.flush.as_ref(),
        Op::Discard => None,
    }
}

/// The service times of an operation; none where none succeeded.
fn times(kept: &StoredResult<Replay>, op: Op) -> Option<Distribution> {
    let measured = ios::measured(kept).filter(|measured| !measured.is_withheld)?;
    let service = measured.analysis()?.op(op)?.service.clone();
    (service.moments().count() > 0).then_some(service)
}

/// Slow I/Os, and the waits that they are for a user.
fn slow_ios(adding: &mut Adding<'_>) {
    const GROUP: &str = "Slow I/Os";
    let figures: [(&str, Quantity, OfSlow); 4] = [
        ("slow from", Quantity::Nanoseconds, |found| found.threshold_ms.map(|limit| limit * 1e6)),
        ("slow", Quantity::Share, |found| Some(found.slow_share)),
        ("slow after a slow one", Quantity::Share, |found| found.slow_after_slow_share),
        ("waits that a user meets as one", Quantity::Count, |found| Some(found.episodes as f64)),
    ];
    for (name, quantity, figure) in figures {
        adding.add_replayed((GROUP, name), quantity, |replayed| {
            replayed.slow_ios.all.as_ref().and_then(figure)
        });
    }
}

fn fidelity(adding: &mut Adding<'_>) {
    const GROUP: &str = "How well the replay kept to its times";
    let late: [(&str, OfLateness); 3] =
        [("late, p50", |late| late.p50), ("late, p99", |late| late.p99), ("late, max", |late| late.max)];
    for (name, figure) in late {
        adding.add_replayed((GROUP, name), Quantity::Nanoseconds, |replayed| {
            replayed.fidelity.lateness_ns.as_ref().map(|late| figure(late) as f64)
        });
    }
    adding
        .add_replayed((GROUP, "drift, millionths"), Quantity::Number, |replayed| replayed.fidelity.drift_ppm);
    adding.add_replayed((GROUP, "sent out of order"), Quantity::Count, |replayed| {
        Some(replayed.fidelity.inversions as f64)
    });
}

/// How many of the trace's requests were left out; nothing where no replay left any out.
fn left_out(adding: &mut Adding<'_>) {
    const GROUP: &str = "Requests of the trace that were left out";
    fn left_out_requests(found: &ReplayFindings) -> Option<&LeftOutRequests> {
        found.trace.as_ref().map(|asked| &asked.left_out)
    }
    let reasons: [(&str, OfLeftOut); 3] = [
        ("writes", |left_out| left_out.writes),
        ("discards", |left_out| left_out.discards),
        ("of no length", |left_out| left_out.empty),
    ];
    for (name, number) in reasons {
        if adding
            .results
            .iter()
            .filter_map(|kept| left_out_requests(&kept.findings))
            .any(|left_out| number(left_out) > 0)
        {
            adding.add((GROUP, name), Quantity::Count, Better::Neither, |kept| {
                left_out_requests(&kept.findings).map(|left_out| number(left_out) as f64)
            });
        }
    }
}
