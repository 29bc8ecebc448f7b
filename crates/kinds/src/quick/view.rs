//! What is shown of quick tests.

use drivelab_view::chart::{Axis, Scale, Series, Shape};
use drivelab_view::format::{block_size, bytes, nanos, rate, things};
use drivelab_view::{About, Better, Block, Chart, Quantity, Section, Tone, Verdict, View};

use super::findings::WriteChange;
use super::plan::{A_HUNDRED, ACCESS};
use super::{Place, Quick, QuickFindings, RandomRead};
use crate::shown::{self, ComparedFigures};
use crate::whole::whole_part;
use crate::{Comparison, StoredResult, machine_limit, throttled};

pub(super) fn view(compared: &Comparison<'_, Quick>) -> View {
    let mut sections = vec![Section::summary(None, head(compared)), figures(compared)];
    sections.push(Section::summary(Some("Rate over the drive"), vec![Block::Chart(curve(compared))]));
    let access = access(compared);
    sections
        .extend(access.map(|chart| Section::full("Access time over the drive", vec![Block::Chart(chart)])));
    shown::view(compared, sections)
}

fn head(compared: &Comparison<'_, Quick>) -> Vec<Block> {
    let faster = shown::times_faster(compared, "sequential reads", |found| found.read_mb_s);
    // One read that took a thousand times as long as the others says nothing of these.
    let reads_a_second = |found: &QuickFindings| Some(1e9 / found.median_access_ns()?);
    let accesses = shown::times_faster(compared, "random reads one at a time (median)", reads_a_second);
    let mut blocks: Vec<Block> = faster.into_iter().chain(accesses).collect();
    blocks.extend(shown::verdicts(compared, |one| {
        let mark = if one.settings.write { "Measured" } else { "Read" };
        let about = if one.findings.read_mb_s.is_none() { About::Nothing } else { About::Figures };
        let mut verdict = Verdict::on(one.place, Tone::Neutral, mark, sentence(one)).about(about);
        // Heat may be what changed.
        let change = WriteChange::from_found(&one.findings).filter(|_| throttled::slowed(one).is_none());
        verdict.details.extend(change.map(change_in_words));
        verdict
    }));
    blocks
}

/// That the mean of the writes is one of two states of the drive.
fn change_in_words(change: WriteChange) -> String {
    let (first, last) = (rate(change.first_mb_s), rate(change.last_mb_s));
    if change.last_mb_s < change.first_mb_s {
        format!(
            "Writes became slower during the test, from {first} MB/s in the first places to {last} MB/s in the last ones, more \
             than reads of these places did: so does a drive whose cache becomes full. \
             `fill` measures the cache and both rates."
        )
    } else {
        format!(
            "Writes became faster during the test, from {first} MB/s in the first places to {last} MB/s in the last ones, more \
             than reads of these places did: so does a drive that still moves earlier writes out of its cache. \
             `fill` measures the cache and both rates."
        )
    }
}

fn sentence(kept: &StoredResult<Quick>) -> String {
    let found = &kept.findings;
    let Some(mean) = found.read_mb_s else {
        return "No rate is known: no place was read.".to_owned();
    };
    let slowest = found.reads().fold(f64::INFINITY, f64::min);
    let mut text = format!(
        "Sequential reads run at {} MB/s on average over {} and at {} MB/s in the slowest place",
        rate(mean),
        over(found.reads().count(), found),
        rate(slowest)
    );
    if let Some(access) = &found.access_time_ns {
        let block = block_size(f64::from(found.logical_block_bytes));
        let accesses = kept.run.phases.iter().find(|phase| phase.name == ACCESS);
        text = match found.median_access_ns() {
            Some(median) => format!(
                "{text}; a random read of {block} takes {} (median of {}), and the longest took {}{}",
                nanos(median),
                access.count,
                nanos(access.max as f64),
                machine_limit::doubt_of_longest(accesses, access.max, whole_part(median))
            ),
            None => format!("{text}; a random read of {block} takes {} on average", nanos(access.mean)),
        };
    }
    if let Some(mean) = found.write_mb_s {
        let slowest = found.writes().fold(f64::INFINITY, f64::min);
        let (mean, slowest) = (rate(mean), rate(slowest));
        text = format!(
            "{text}; sequential writes run at {mean} MB/s on average{} and at {slowest} MB/s in the slowest place{}",
            over_fewer(found.writes().count(), found.reads().count()),
            found.written_bytes.map_or_else(String::new, written_in_words)
        );
    }
    text + "."
}

/// That the rate of writing is that of as little as was written.
fn written_in_words(written: u64) -> String {
    format!(
        " ({} were written: a drive with a cache of that size or larger may go on at a lower rate, which `fill` measures)",
        bytes(written as f64)
    )
}

/// What a mean of so many places is one of.
fn over(places: usize, found: &QuickFindings) -> String {
    if (places as u64) < found.places_asked {
        format!("{places} of {} places", found.places_asked)
    } else {
        "the drive".to_owned()
    }
}

/// Over how many places writes were measured, where that is not said with the reads.
fn over_fewer(writes: usize, reads: usize) -> String {
    if writes == reads { String::new() } else { format!(" over {}", things(writes as u64, "place")) }
}

fn figures(compared: &Comparison<'_, Quick>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    let mut add = |group, name, quantity, better, of: &dyn Fn(&QuickFindings) -> Option<f64>| {
        figures.add((group, name), quantity, better, |one| of(&one.findings));
    };
    let least = |rates: &mut dyn Iterator<Item = f64>| rates.map(|rate| rate * 1e6).reduce(f64::min);
    let speed = Quantity::BytesPerSecond;
    add("Sequential reads", "mean", speed, Better::High, &|found| Some(found.read_mb_s? * 1e6));
    add("Sequential reads", "slowest place", speed, Better::High, &|found| least(&mut found.reads()));
    add("Sequential writes", "mean", speed, Better::High, &|found| Some(found.write_mb_s? * 1e6));
    add("Sequential writes", "slowest place", speed, Better::High, &|found| least(&mut found.writes()));
    let time = Quantity::Nanoseconds;
    add("Random reads", "median", time, Better::Low, &|found| found.median_access_ns());
    add("Random reads", "mean", time, Better::Neither, &|found| Some(found.access_time_ns?.mean));
    add("Random reads", "standard deviation", time, Better::Low, &|found| Some(found.access_time_ns?.stddev));
    add("Random reads", "max", time, Better::Low, &|found| Some(found.access_time_ns?.max as f64));
    add("Random reads", "reads", Quantity::Count, Better::Neither, &|found| {
        Some(found.access_time_ns?.count as f64)
    });
    figures.section("Figures")
}

/// A line for each direction of each result.
fn curve(compared: &Comparison<'_, Quick>) -> Chart {
    let across = Axis::new("Position on the drive", Quantity::Bytes, Scale::Linear);
    let up = Axis::new("Rate", Quantity::BytesPerSecond, Scale::Linear);
    let mut chart = Chart::new("rate-over-drive", "Rate at each place", vec![across], up);
    chart.about = format!("Lines: the rate of sequential I/O at each of {A_HUNDRED} places over the drive.");
    for one in compared.iter() {
        let block = f64::from(one.findings.logical_block_bytes);
        let line = |name: &str, shape, of: fn(&Place) -> Option<f64>| {
            let point = |place: &Place| Some((place.lba as f64 * block, of(place)? * 1e6));
            Series::of_points(name, one.place, shape, one.findings.curve.iter().filter_map(point))
        };
        let reads = line("Reads", Shape::DottedLine, |place| place.read_mb_s);
        let writes = line("Writes", Shape::DashedLine, |place| place.write_mb_s);
        let known = [reads, writes].into_iter().filter(|series| !series.ys.is_empty());
        chart.series.extend(known);
    }
    let places = compared.iter().map(|one| one.findings.curve.len()).max().unwrap_or(0);
    chart.notes.push(format!("Each point is one place; {places} places."));
    chart
}

/// A dot for each random read; nothing where none is known one by one.
fn access(compared: &Comparison<'_, Quick>) -> Option<Chart> {
    let across = Axis::new("Position on the drive", Quantity::Bytes, Scale::Linear);
    let up = Axis::new("Access time", Quantity::Nanoseconds, Scale::LogOrLinear);
    let mut chart = Chart::new("access-time-over-drive", "Time of each random read", vec![across], up);
    "Dots: how long the random read of a single block took, at its place on the drive."
        .clone_into(&mut chart.about);
    for one in compared.iter() {
        let block = f64::from(one.findings.logical_block_bytes);
        let mut reads: Vec<&RandomRead> = one.findings.accesses.iter().collect();
        reads.sort_by_key(|read| read.lba);
        let points = reads.into_iter().map(|read| (read.lba as f64 * block, read.time_ns as f64));
        let series = Series::of_points("Random reads", one.place, Shape::Dots, points);
        if !series.ys.is_empty() {
            chart.series.push(series);
        }
    }
    (!chart.is_empty()).then_some(chart)
}
