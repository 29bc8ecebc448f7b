//! The figures of all traces, which are compared where their loads were asked for alike and their times span the same.

use drivelab_view::{Better, Block, Cell, Figures, Quantity, Ranking, times_as_fast};

use crate::slow::SlowFindings;
use crate::slow::words::probability;
use crate::trace::{AnalysedTrace, LatencyFindings, TraceFindings, TraceSpan};

type OfLatency<T> = fn(&LatencyFindings) -> T;

#[derive(Clone, Copy)]
struct Direction {
    group: &'static str,
    is_read: bool,
}

const DIRECTIONS: [Direction; 2] =
    [Direction { group: "Reads", is_read: true }, Direction { group: "Writes", is_read: false }];

impl Direction {
    fn pick<T>(self, read: T, write: T) -> T {
        if self.is_read { read } else { write }
    }

    fn requests(self, found: &TraceFindings) -> u64 {
        self.pick(found.requests.read, found.requests.write)
    }

    fn service(self, found: &TraceFindings) -> Option<&LatencyFindings> {
        self.pick(&found.service_ns.read, &found.service_ns.write).as_ref()
    }

    fn response(self, found: &TraceFindings) -> Option<&LatencyFindings> {
        self.pick(&found.response_ns.read, &found.response_ns.write).as_ref()
    }

    fn slow(self, found: &TraceFindings) -> Option<&SlowFindings> {
        self.pick(&found.slow_ios.read, &found.slow_ios.write).as_ref()
    }
}

struct AddingTraces<'a> {
    shown: &'a [AnalysedTrace],
    figures: Figures,
}

impl AddingTraces<'_> {
    fn add(
        &mut self,
        (group, name): (&str, &str),
        quantity: Quantity,
        better: Better,
        of: impl Fn(&TraceFindings) -> Option<f64>,
    ) {
        let cells = self.shown.iter().map(|one| Cell::number(quantity, of(&one.found))).collect();
        self.figures.add((group, name), quantity, better, cells);
    }

    /// A probability, written as in the sentences of the page.
    fn add_probability(&mut self, (group, name): (&str, &str), of: impl Fn(&TraceFindings) -> Option<f64>) {
        let cell = |found: &TraceFindings| of(found).map_or(Cell::Nothing, |p| Cell::text(probability(p)));
        let cells = self.shown.iter().map(|one| cell(&one.found)).collect();
        self.figures.add((group, name), Quantity::Number, Better::Neither, cells);
    }
}

/// All figures. Where response times are known of some I/Os only, they have a table of their own: under the service times of all
/// they would be those of others.
pub(super) fn figures(shown: &[AnalysedTrace]) -> Vec<Block> {
    let table = |id| AddingTraces { shown, figures: Figures::new(id, shown.len(), ranking(shown)) };
    let have_responses = |one: &AnalysedTrace| one.found.response_ns.all.is_some();
    let is_one_population = shown.iter().all(|one| of_same_ios(&one.found) || !have_responses(one));
    let mut adding = table("figures");
    load(&mut adding);
    for direction in DIRECTIONS {
        requests(&mut adding, direction);
        service_times(&mut adding, direction);
        if is_one_population {
            response_times(&mut adding, direction);
        }
        slow(&mut adding, direction);
    }
    adding.figures.notes.push(
        "Mean, standard deviation and shares are exact; percentiles are within 1 %. Idle is the share of the span in which \
         nothing was in flight; in flight at an issue are the requests in flight whenever one is issued, that one included. \
         Stalled is the time in which the oldest I/O in flight was slow already."
            .to_owned(),
    );
    let mut blocks = vec![Block::Figures(adding.figures)];
    if !is_one_population {
        let mut adding = table("response-figures");
        for direction in DIRECTIONS {
            count_of(&mut adding, &format!("{}, response time", direction.group), |found| {
                direction.response(found)
            });
            response_times(&mut adding, direction);
        }
        adding.figures.notes.push(
            "Response times are those of the I/Os whose wait before the issue is known; the service times above are of more I/Os."
                .to_owned(),
        );
        blocks.push(Block::Figures(adding.figures));
    }
    blocks
}

/// Whether the response times of a trace are those of the I/Os whose service times are known.
fn of_same_ios(found: &TraceFindings) -> bool {
    let count = |latency: Option<&LatencyFindings>| latency.map_or(0, |found| found.count);
    DIRECTIONS.iter().all(|one| count(one.service(found)) == count(one.response(found)))
}

/// Of how many I/Os times are.
fn count_of(
    adding: &mut AddingTraces<'_>,
    group: &str,
    of: impl Fn(&TraceFindings) -> Option<&LatencyFindings>,
) {
    adding.add((group, "I/Os"), Quantity::Count, Better::Neither, |found| Some(of(found)?.count as f64));
}

fn load(adding: &mut AddingTraces<'_>) {
    let (group, neither) = ("Load", Better::Neither);
    adding.add((group, "span"), Quantity::Seconds, neither, |found| Some(found.span_ns as f64 / 1e9));
    adding.add((group, "requests"), Quantity::Count, neither, |found| Some(found.requests.sum() as f64));
    adding.add((group, "requests a second"), Quantity::Iops, neither, |found| {
        (found.span_ns > 0).then(|| found.requests.sum() as f64 / (found.span_ns as f64 / 1e9))
    });
    adding.add((group, "discards"), Quantity::Count, neither, |found| some(found.requests.discard));
    adding.add((group, "flushes"), Quantity::Count, neither, |found| some(found.requests.flush));
    adding.add((group, "idle"), Quantity::Share, neither, |found| {
        Some(found.idle_ns? as f64 / found.span_ns.max(1) as f64)
    });
    adding.add((group, "in flight at an issue, mean"), Quantity::Number, neither, |found| {
        Some(found.queue_depth.as_ref()?.mean)
    });
    adding.add((group, "in flight at an issue, max"), Quantity::Count, neither, |found| {
        Some(found.queue_depth.as_ref()?.max as f64)
    });
    adding.add((group, "failed"), Quantity::Count, Better::Low, |found| some(found.failed));
}

/// A count of something, where there is any.
fn some(count: u64) -> Option<f64> {
    (count > 0).then_some(count as f64)
}

fn requests(adding: &mut AddingTraces<'_>, direction: Direction) {
    let (group, neither) = (direction.group, Better::Neither);
    let bytes = |found: &TraceFindings| some(direction.pick(found.bytes.read, found.bytes.write));
    adding.add((group, "requests"), Quantity::Count, neither, |found| some(direction.requests(found)));
    adding.add((group, "bytes"), Quantity::Bytes, neither, bytes);
    adding.add((group, "mean size"), Quantity::Bytes, neither, |found| {
        Some(bytes(found)? / direction.requests(found).max(1) as f64)
    });
    adding.add((group, "sequential, over all processes"), Quantity::Share, neither, |found| {
        direction.pick(found.sequential.read, found.sequential.write)
    });
}

const TIMES: [(&str, OfLatency<Option<f64>>); 6] = [
    ("mean", |one| Some(one.mean)),
    ("standard deviation", |one| one.stddev),
    ("p50", |one| Some(one.p50 as f64)),
    ("p99", |one| Some(one.p99 as f64)),
    ("p99.9", |one| Some(one.p99_9 as f64)),
    ("max", |one| Some(one.max as f64)),
];

fn service_times(adding: &mut AddingTraces<'_>, direction: Direction) {
    let group = format!("{}, service time", direction.group);
    // Those without a completion are requests, too.
    let is_of_all = |found: &TraceFindings| {
        direction.service(found).is_none_or(|service| service.count == direction.requests(found))
    };
    if !adding.shown.iter().all(|one| is_of_all(&one.found)) {
        count_of(adding, &group, |found| direction.service(found));
    }
    for (name, of) in TIMES {
        adding.add((&group, name), Quantity::Nanoseconds, Better::Low, |found| of(direction.service(found)?));
    }
    let shares: [(&str, Better, OfLatency<f64>); 3] = [
        ("0-1 ms", Better::High, |one| one.under_1ms),
        ("1-100 ms", Better::Neither, |one| one.from_1_to_100ms),
        ("> 100 ms", Better::Low, |one| one.over_100ms),
    ];
    for (name, better, of) in shares {
        adding.add((&group, name), Quantity::Share, better, |found| Some(of(direction.service(found)?)));
    }
}

fn response_times(adding: &mut AddingTraces<'_>, direction: Direction) {
    let group = format!("{}, response time", direction.group);
    for (name, of) in TIMES {
        adding.add(
            (&group, name),
            Quantity::Nanoseconds,
            Better::Low,
            |found| of(direction.response(found)?),
        );
    }
}

fn slow(adding: &mut AddingTraces<'_>, direction: Direction) {
    let group = format!("{}, slow ones", direction.group);
    let mut add = |name: &str, quantity, better, figure: &dyn Fn(&SlowFindings) -> Option<f64>| {
        adding.add((&group, name), quantity, better, |found| figure(direction.slow(found)?));
    };
    add("slow from", Quantity::Nanoseconds, Better::Neither, &|slow| Some(slow.threshold_ms? * 1e6));
    add("slow", Quantity::Count, Better::Low, &|slow| Some(slow.slow as f64));
    add("share of all", Quantity::Share, Better::Low, &|slow| Some(slow.slow_share));
    add("share right after a slow one", Quantity::Share, Better::Low, &|slow| slow.slow_after_slow_share);
    add("share right after a slow one / share of all", Quantity::Factor, Better::Low, &|slow| slow.lift);
    add("episodes", Quantity::Count, Better::Low, &|slow| Some(slow.episodes as f64));
    add("stalled", Quantity::Nanoseconds, Better::Low, &|slow| Some(slow.stalled_s * 1e9));
    adding.add_probability((&group, "clustered as much by chance, p"), |found| {
        Some(direction.slow(found)?.clustering_by_chance.as_ref()?.p)
    });
    let mut add = |name: &str, quantity, figure: &dyn Fn(&SlowFindings) -> Option<f64>| {
        adding.add((&group, name), quantity, Better::Neither, |found| figure(direction.slow(found)?));
    };
    add("come back every", Quantity::Bytes, &|slow| slow.period_bytes);
    add("come back after", Quantity::Nanoseconds, &|slow| slow.period_ns);
    adding.add_probability((&group, "as regular by chance, p"), |found| {
        direction.slow(found)?.period_by_chance
    });
}

/// Whether these can be compared, and why not.
fn comparable(shown: &[AnalysedTrace]) -> Result<(), &'static str> {
    let is_alike = |one: &AnalysedTrace, other: &AnalysedTrace| {
        let moved = |of: &TraceFindings| (of.requests.clone(), of.bytes.clone());
        one.asked == other.asked && moved(&one.found) == moved(&other.found)
    };
    if shown.windows(2).any(|pair| !is_alike(&pair[0], &pair[1])) {
        return Err("The traces are of different loads: no value is marked as the best.");
    }
    let spans = || shown.iter().map(|one| one.found.measured).filter(|span| *span != TraceSpan::Nothing);
    if spans().any(|span| span == TraceSpan::Mixed || Some(span) != spans().next()) {
        return Err(
            "The times of the traces do not span the same (D2C, Q2C): no value is marked as the best.",
        );
    }
    if shown.iter().any(|one| one.found.failed > 0) {
        return Err("I/Os of the traces failed: no value is marked as the best.");
    }
    Ok(())
}

/// Whether a figure of these can be the best.
fn ranking(shown: &[AnalysedTrace]) -> Ranking {
    match comparable(shown) {
        Err(why) if shown.len() > 1 => Ranking::NotRanked(why.to_owned()),
        _ => Ranking::Ranked,
    }
}

/// Which trace had its answers faster, where several hold the same requests, as a trace and its replays do.
pub(super) fn faster(shown: &[AnalysedTrace]) -> Option<String> {
    comparable(shown).ok()?;
    let mean = |found: &TraceFindings| found.service_ns.all.as_ref().map(|service| service.mean);
    let rates = shown.iter().filter_map(|one| Some((1.0 / mean(&one.found)?, one.found.trace.as_str())));
    times_as_fast("the mean service time of these requests", rates)
}
