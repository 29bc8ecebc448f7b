//! The figures of all replays.

use drivelab_block::Op;
use drivelab_inspect::slow::SlowFindings;
use drivelab_inspect::trace::LatencyFindings;
use drivelab_stats::Distribution;
use drivelab_view::{Better, Quantity, Section, Value};

use crate::ios::{self, bounded_time, mean_time};
use crate::replay::{Lateness, LeftOutRequests, Replay, Replayed};
use crate::shown::ComparedFigures;
use crate::{ComparedResult, Comparison};

type Adding<'c, 'a> = ComparedFigures<'c, 'a, Replay>;

type LatencyShareOf = fn(&LatencyFindings) -> f64;
type OfTimes = fn(&Distribution) -> Option<Value>;
type OfLateness = fn(&Lateness) -> u64;
type OfLeftOut = fn(&LeftOutRequests) -> u64;
type OfSlow = fn(&SlowFindings) -> Option<f64>;

pub(super) fn figures(compared: &Comparison<'_, Replay>) -> Section {
    let mut adding = ComparedFigures::new("figures", compared);
    rate(&mut adding);
    direction(&mut adding, Op::Read, "Service time of reads");
    direction(&mut adding, Op::Write, "Service time of writes");
    if compared.iter().any(|one| times(one, Op::Flush).is_some()) {
        direction(&mut adding, Op::Flush, "Service time of flushes");
    }
    slow_ios(&mut adding);
    fidelity(&mut adding);
    left_out(&mut adding);
    ios::add_latency_and_amounts(&mut adding);
    adding.section("Figures")
}

/// Adds a figure of which none is better.
fn add_replayed(
    adding: &mut Adding<'_, '_>,
    name: (&str, &str),
    quantity: Quantity,
    of: impl Fn(&Replayed) -> Option<f64>,
) {
    adding.add(name, quantity, Better::Neither, |one| of(one.findings.replayed.as_ref()?));
}

/// How many requests a second: that is the trace's doing, and none is better.
fn rate(adding: &mut Adding<'_, '_>) {
    const GROUP: &str = "Requests a second";
    adding
        .add((GROUP, "asked for"), Quantity::Iops, Better::Neither, |one| one.findings.trace.as_ref()?.iops);
    add_replayed(adding, (GROUP, "made"), Quantity::Iops, |replayed| replayed.iops);
}

/// The times of I/Os that succeeded; shares are known of all that were made, and so stand where none failed.
fn direction(adding: &mut Adding<'_, '_>, op: Op, group: &str) {
    let time = Quantity::Nanoseconds;
    // None of two latencies is better where the replays did not last alike.
    let low = if ios::lasted_alike(adding.compared) { Better::Low } else { Better::Neither };
    let high = if low == Better::Low { Better::High } else { Better::Neither };
    adding.add((group, "I/Os that succeeded"), Quantity::Count, Better::Neither, |kept| {
        Some(times(kept, op)?.moments().count() as f64)
    });
    let figures: [(&str, OfTimes); 5] = [
        ("mean", mean_time),
        ("standard deviation", |service| {
            Some(Value::new(Quantity::Nanoseconds, service.moments().stddev()?))
        }),
        ("p50", |service| Some(bounded_time(service, service.quantile(0.5)?))),
        ("p99", |service| Some(bounded_time(service, service.quantile(0.99)?))),
        ("max", |service| Some(bounded_time(service, service.moments().max()?))),
    ];
    for (name, figure) in figures {
        adding.add((group, name), time, low, |one| figure(&times(one, op)?));
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

fn latency(replayed: &Replayed, op: Op) -> Option<&LatencyFindings> {
    match op {
        Op::Read => replayed.service_ns.read.as_ref(),
        Op::Write => replayed.service_ns.write.as_ref(),
        Op::Flush => replayed.service_ns.flush.as_ref(),
        Op::Discard => None,
    }
}

/// The service times of an operation; none where none succeeded.
fn times(one: &ComparedResult<'_, Replay>, op: Op) -> Option<Distribution> {
    let measured = &one.recorded.as_ref()?.measured;
    let service = measured.analysis.filter(|_| !measured.is_withheld)?.op(op)?.service.clone();
    (service.moments().count() > 0).then_some(service)
}

/// Slow I/Os, and the waits that they are for a user.
fn slow_ios(adding: &mut Adding<'_, '_>) {
    const GROUP: &str = "Slow I/Os";
    let figures: [(&str, Quantity, OfSlow); 4] = [
        ("slow from", Quantity::Nanoseconds, |found| found.threshold_ms.map(|limit| limit * 1e6)),
        ("slow", Quantity::Share, |found| Some(found.slow_share)),
        ("slow after a slow one", Quantity::Share, |found| found.slow_after_slow_share),
        ("waits that a user meets as one", Quantity::Count, |found| Some(found.episodes as f64)),
    ];
    for (name, quantity, figure) in figures {
        add_replayed(adding, (GROUP, name), quantity, |replayed| {
            replayed.slow_ios.all.as_ref().and_then(figure)
        });
    }
}

fn fidelity(adding: &mut Adding<'_, '_>) {
    const GROUP: &str = "How well the replay kept to its times";
    let late: [(&str, OfLateness); 3] =
        [("late, p50", |late| late.p50), ("late, p99", |late| late.p99), ("late, max", |late| late.max)];
    for (name, figure) in late {
        add_replayed(adding, (GROUP, name), Quantity::Nanoseconds, |replayed| {
            replayed.fidelity.lateness_ns.as_ref().map(|late| figure(late) as f64)
        });
    }
    add_replayed(adding, (GROUP, "drift, millionths"), Quantity::Number, |replayed| {
        replayed.fidelity.drift_ppm
    });
    add_replayed(adding, (GROUP, "sent out of order"), Quantity::Count, |replayed| {
        Some(replayed.fidelity.inversions as f64)
    });
}

/// How many of the trace's requests were left out; nothing where no replay left any out.
fn left_out(adding: &mut Adding<'_, '_>) {
    const GROUP: &str = "Requests of the trace that were left out";
    fn left_out_requests<'a>(one: &'a ComparedResult<'_, Replay>) -> Option<&'a LeftOutRequests> {
        one.findings.trace.as_ref().map(|asked| &asked.left_out)
    }
    let reasons: [(&str, OfLeftOut); 3] = [
        ("writes", |left_out| left_out.writes),
        ("discards", |left_out| left_out.discards),
        ("of no length", |left_out| left_out.empty),
    ];
    for (name, number) in reasons {
        let mut all = adding.compared.iter().filter_map(left_out_requests);
        if all.any(|left_out| number(left_out) > 0) {
            adding.add((GROUP, name), Quantity::Count, Better::Neither, |one| {
                left_out_requests(one).map(number)
            });
        }
    }
}
