//! What is shown of loads.

use drivelab_block::Nanos;
use drivelab_stats::{CLIFF_FALL, Pace};
use drivelab_view::format::{capitalised, nanos, rate};
use drivelab_view::{Better, Block, Quantity, Section, Tone, Verdict, View};

use super::{Load, LoadFindings, LoadSettings};
use crate::ios::{self, LatencyFindings, judged_part};
use crate::kind::MeasuredPhase;
use crate::shown::{self, ComparedFigures};
use crate::{ComparedResult, Comparison, Ended, StoredResult, machine_limit, read_back, throttled};

pub(super) fn view(compared: &Comparison<'_, Load>) -> View {
    let mut head: Vec<Block> =
        compared.iter().filter_map(|one| read_back::verdict(one.place, one)).map(Block::Verdict).collect();
    head.extend(shown::verdicts(compared, |one| verdict(one).unwrap_or_else(|no_figures| no_figures)));
    head.extend(slower_at_the_lower_rate(compared).map(Block::Text));
    let mut sections = vec![Section::summary(None, head)];
    sections.extend(read_back::faults(compared));
    sections.push(figures(compared));
    sections.extend(ios::rate(compared));
    ios::view(compared, shown::title(compared), sections)
}

/// How many times as long I/Os take at the lower of two rates from which on that is the drive's sleep: queueing makes them longer
/// at the higher one.
const WOKEN_FACTOR: f64 = 3.0;

/// Why a drive takes longer for its I/Os at a lower rate than at a higher one, where it does.
fn slower_at_the_lower_rate(compared: &Comparison<'_, Load>) -> Option<String> {
    let median = |kept: &StoredResult<Load>| Some(kept.findings.ios.summary.service_ns.as_ref()?.p50 as f64);
    let but_rate = |kept: &StoredResult<Load>| LoadSettings { rate: None, ..kept.settings.clone() };
    let whole = || compared.iter().filter(|one| one.did_all_it_was_asked());
    let pairs = whole().flat_map(|slow| whole().map(move |fast| (slow, fast)));
    pairs
        .filter(|(slow, fast)| slow.drive == fast.drive && but_rate(slow) == but_rate(fast))
        .find_map(|(slow, fast)| {
            let (low, high) = (slow.settings.rate?, fast.settings.rate?);
            let (slow, fast) = (median(slow)?, median(fast)?);
            (low < high && slow >= WOKEN_FACTOR * fast).then(|| {
                format!(
                    "At {} IOPS an I/O takes {} (median), and at {} only {}: a drive that enters a power state between I/Os \
                     has to leave it for each; drivelab wake measures how long that takes.",
                    rate(low),
                    nanos(slow),
                    rate(high),
                    nanos(fast)
                )
            })
        })
}

/// The answer for a load that has figures; else why it has none.
fn verdict(kept: &ComparedResult<'_, Load>) -> Result<Verdict, Verdict> {
    let measured = &ios::with_figures(kept)?.measured;
    let mark = match measured.figures.pace.filter(|_| measured.has_rate()) {
        Some(Pace::Kept) => "Rate as asked",
        Some(Pace::FellBehind { .. }) => "Fell behind",
        Some(Pace::Below) => "Below the rate asked for",
        None => "Measured",
    };
    let answer = ios::empty_second_in_words(measured) + &sentence(kept, measured);
    let mut verdict = Verdict::on(kept.place, Tone::Neutral, mark, answer);
    if measured.has_rate() {
        verdict.details.push(ios::steady_in_words(measured, kept.ended()));
    }
    if kept.settings.rate.is_some() && kept.ended() == Ended::Killed {
        let text = "How many requests were due and never sent is not known of a load that was killed: response times are \
                    those of requests that completed, and leave out what the others waited.";
        verdict.details.push(text.to_owned());
    }
    verdict.details.extend(not_read_back(kept));
    Ok(verdict)
}

/// What is to be known of a verified load that was killed before it was read back.
fn not_read_back(kept: &StoredResult<Load>) -> Option<String> {
    let is_open = kept.settings.verify.is_some() && kept.findings.verification.is_none();
    (is_open && kept.ended() == Ended::Killed && !kept.run.drive.simulated).then(|| {
        "What it acknowledged can be verified: drivelab load TARGET --verify-after-crash DIR.".to_owned()
    })
}

fn sentence(kept: &StoredResult<Load>, measured: &MeasuredPhase<'_>) -> String {
    let found = &kept.findings;
    let (iops, mb_s) = (found.iops.unwrap_or(0.0), found.mb_s.unwrap_or(0.0));
    let asked = kept.settings.rate.map_or_else(String::new, |asked| format!(" of {} asked for", rate(asked)));
    let timed =
        if kept.settings.rate.is_some() { "open loop" } else { "closed loop: stalls are under-reported" };
    // A rate that an open loop asked for and got is the schedule's.
    let is_schedules = kept.settings.rate.is_some() && measured.kept_up();
    let limit = if !is_schedules && machine_limit::may_be_limit(measured.phase) {
        ", which may be the limit of the processor and not of the drive"
    } else {
        ""
    };
    let text = format!(
        "{} run at {} IOPS{asked} and {} MB/s{}{limit} ({timed})",
        capitalised(&kept.settings.in_words()),
        rate(iops),
        rate(mb_s),
        mean_of(kept, measured).unwrap_or_default()
    );
    let summary = &found.ios.summary;
    let (latency, name) = match &summary.response_ns {
        Some(response) => (Some(response), "response time"),
        None => (summary.service_ns.as_ref(), "service time"),
    };
    let text = match latency {
        Some(latency) => format!("{text}; the {name} is {}", latency_in_words(latency, measured)),
        None => text + ".",
    };
    match &summary.flush_service_ns {
        Some(flushes) => format!(
            "{text} Flushes are not in these figures: one takes {}",
            latency_in_words(flushes, measured)
        ),
        None => text,
    }
}

fn latency_in_words(latency: &LatencyFindings, measured: &MeasuredPhase<'_>) -> String {
    format!(
        "{} on average, {} at the 99th percentile, and the longest {}{}.",
        latency.mean_value().in_words(),
        latency.percentile_value(latency.p99).in_words(),
        latency.max_value().in_words(),
        machine_limit::doubt_of_longest(measured.phase, latency.max, latency.p50)
    )
}

/// Of which rates the mean of a closed loop is one: before a cliff and behind it, or in the first second and later. Where it is
/// shown that the drive throttled and its rate fell when that began, for how long.
fn mean_of(kept: &StoredResult<Load>, measured: &MeasuredPhase<'_>) -> Option<String> {
    let fallen = fallen(kept, measured);
    let throttled = throttled::slowed_in_words(kept);
    let parts: Vec<String> = fallen.into_iter().chain(throttled).collect();
    (!parts.is_empty()).then(|| format!(" on average, {}", parts.join(", ")))
}

/// The rates before and behind a fall.
fn fallen(kept: &StoredResult<Load>, measured: &MeasuredPhase<'_>) -> Option<String> {
    let is_closed = kept.settings.rate.is_none() && measured.has_rate();
    let from = match (measured.fast_first_second(), measured.cliff()) {
        (Some(first), _) => format!("{} IOPS in the first second", rate(first)),
        // A rate may come back.
        (None, Some(_))
            if measured.figures.steady.mean <= (1.0 - CLIFF_FALL) * measured.figures.fresh.iops =>
        {
            format!("{} IOPS before the cliff", rate(measured.figures.fresh.iops))
        }
        _ => return None,
    };
    let (behind, part) = (rate(measured.figures.steady.mean), judged_part(measured));
    is_closed.then(|| format!("from {from} to {behind} IOPS over {part}"))
}

/// Whether a load that ended by itself lasted as long, or moved as much, as was asked for.
pub(super) fn is_complete(kept: &StoredResult<Load>) -> bool {
    let asked = &kept.settings;
    let measured = kept.findings.ios.phases.iter().filter(|phase| kept.run.measured.contains(&phase.name));
    let ios: u64 = measured.map(|phase| phase.completed.unwrap_or(0) + phase.failed.unwrap_or(0)).sum();
    let lasted_s = kept.findings.ios.duration_s;
    asked.duration_ns.is_some_and(|asked| lasted_s >= Nanos::new(asked).as_secs_f64())
        || asked.bytes.is_some_and(|bytes| ios.saturating_mul(asked.block_size_bytes) >= bytes)
}

fn figures(compared: &Comparison<'_, Load>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    // The rate of a schedule that was kept is none that another drive's could be better than.
    let is_schedule = compared.recorded().any(|(_, ios)| ios.measured.kept_up());
    if is_schedule && compared.len() > 1 && compared.is_ranked() {
        let note = "No rate is marked as the best, since it is the one asked for with --rate.";
        figures.figures.notes.push(note.to_owned());
    }
    let high = if is_schedule { Better::Neither } else { Better::High };
    let mut add = |name, quantity, better, of: &dyn Fn(&LoadFindings) -> Option<f64>| {
        figures.add(("Whole load", name), quantity, better, |one| of(&one.findings));
    };
    add("rate", Quantity::Iops, high, &|found| found.iops);
    add("throughput", Quantity::BytesPerSecond, high, &|found| Some(found.mb_s? * 1e6));
    let is_open = |found: &LoadFindings| found.ios.summary.iops_asked.is_some();
    add("sent late", Quantity::Count, Better::Low, &|found| {
        found.delayed_sends.filter(|_| is_open(found)).map(|count| count as f64)
    });
    add("never sent", Quantity::Count, Better::Low, &|found| {
        is_open(found).then_some(found.missed_sends as f64)
    });
    ios::add_all(&mut figures);
    figures.section("Figures")
}
