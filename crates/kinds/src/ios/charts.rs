//! Charts of I/Os: the rate of every second, service times over time, and the latency tail.

use std::collections::BTreeSet;

use drivelab_documents::KernelLog;
use drivelab_stats::{Bin, Distribution, HeatMap, thinned_tail};
use drivelab_view::chart::{Axis, Chart, Data, Extra, Heat, HeatColumn, Landmark, Scale, Series, Shape};
use drivelab_view::{Block, Quantity, Section, format};

use crate::kind::MeasuredPhase;
use crate::shown::{add_kernel_marks, kernel_marks};
use crate::{Comparison, ResultKind};

/// How much of the end of every run is shown as its steady part: of shorter ones the last 30 %.
const LAST_S: usize = 600;
/// The share of a shorter run.
const LAST_SHARE: f64 = 0.3;

/// What is to be known of gaps in the rate of every second.
const BLANK: &str = "Blank: seconds in which the program itself stood still.";

/// The rate of every second, and the same of the end of every run; nothing where no run has a whole second.
pub(crate) fn rate<K: ResultKind>(compared: &Comparison<'_, K>) -> Vec<Section> {
    let lines: Vec<(usize, SecondColumns)> = compared
        .recorded()
        .map(|(one, ios)| (one.place, SecondColumns::from_log(&one.run.kernel_log, &ios.measured)))
        .filter(|(_, line)| line.seconds > 0)
        .collect();
    let whole = whole_run(&lines).map(|chart| Section::summary(Some("IOPS"), vec![Block::Chart(chart)]));
    let last = last_part(&lines);
    let heading = if lines.len() > 1 { "The end of every run" } else { "The end of the run" };
    let last = last.map(|chart| Section::full(heading, vec![Block::Chart(chart)]));
    whole.into_iter().chain(last).collect()
}

fn whole_run(lines: &[(usize, SecondColumns)]) -> Option<Chart> {
    if lines.is_empty() {
        return None;
    }
    let in_seconds = lines.iter().all(|(_, line)| line.bin_s == 1);
    let mut whole = frame("rate", if in_seconds { "IOPS of every second" } else { "IOPS over time" }, lines);
    let dots = if in_seconds {
        "the I/Os completed in every second of the measured phase"
    } else {
        "the mean rate of some seconds of the measured phase, as many as a bin has"
    };
    whole.about =
        format!("Dots: {dots}; where the axis is logarithmic, a bin without any I/O lies on the lower edge.");
    for (subject, line) in lines {
        whole.series.extend(line.series(*subject, whole.across.len()));
        whole.landmarks.extend(line.landmarks.iter().map(|(label, at)| Landmark {
            label: label.clone(),
            subject: Some(*subject),
            at: at[..whole.across.len()].to_vec(),
        }));
    }
    whole.notes.extend(lines.iter().any(|(_, line)| line.is_cut).then(|| BLANK.to_owned()));
    whole.notes.push(bins_in_words(lines, lines.iter().map(|(_, line)| line.rates.len()).sum()));
    Some(whole)
}

/// The end of every run, the same span of all.
fn last_part(lines: &[(usize, SecondColumns)]) -> Option<Chart> {
    let longest = lines.iter().map(|(_, line)| line.seconds).max()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
    let last = LAST_S.min((longest as f64 * LAST_SHARE).ceil() as usize);
    if last < 2 {
        return None;
    }
    let of = if lines.len() > 1 { "every run" } else { "the run" };
    let title = format!("The last {} of {of}", format::seconds(last as f64));
    let mut chart = frame("rate-of-the-last-part", &title, lines);
    // Runs of one length have one time; of others time is counted from the start of this span, so that they lie over each other.
    let lengths_are_one = lines.iter().all(|(_, line)| line.seconds == longest);
    let seconds = |label: &str| Axis::new(label, Quantity::Seconds, Scale::Linear);
    chart.across = if lengths_are_one {
        vec![seconds("Time").over((longest - last) as f64, longest as f64)]
    } else {
        vec![seconds("Time from the start of this span")]
    };
    "Dots: the I/Os completed in every second of the end of each run, the same span for all."
        .clone_into(&mut chart.about);
    let mut count = 0;
    for (subject, line) in lines {
        let from = line.seconds.saturating_sub(last) / line.bin_s;
        count += line.rates.len() - from;
        let start = if lengths_are_one { (from * line.bin_s) as f64 } else { 0.0 };
        let shifted = Data::Regular { start, step: line.bin_s as f64, count: line.rates.len() - from };
        let rates = line.rates.from(from);
        chart.series.push(Series::new("I/Os a second", *subject, Shape::Dots, shifted, rates));
    }
    chart.notes.push(bins_in_words(lines, count));
    Some(chart)
}

fn frame(id: &str, title: &str, lines: &[(usize, SecondColumns)]) -> Chart {
    let mut across = vec![Axis::new("Time", Quantity::Seconds, Scale::Linear)];
    if lines.iter().any(|(_, line)| line.writes) {
        across.push(Axis::new("Data written", Quantity::Bytes, Scale::Linear));
    }
    Chart::new(id, title, across, Axis::new("IOPS", Quantity::Iops, Scale::LogOrLinear))
}

/// How wide the bins are, and how many values are shown.
fn bins_in_words(lines: &[(usize, SecondColumns)], count: usize) -> String {
    let widths: BTreeSet<usize> = lines.iter().map(|(_, line)| line.bin_s).collect();
    let words: Vec<String> = widths.iter().map(|width| format::seconds(*width as f64)).collect();
    format!("Bins of {}; {} values.", words.join(" and "), format::count(count as f64))
}

/// The seconds of a run as columns, which its charts share.
struct SecondColumns {
    seconds: usize,
    /// Whether the program stood still in some of them.
    is_cut: bool,
    bin_s: usize,
    writes: bool,
    times: Data,
    written: Data,
    rates: Data,
    slowest: Option<Data>,
    longest: Data,
    failed: Vec<(usize, u64)>,
    landmarks: Vec<(String, [f64; 2])>,
}

impl SecondColumns {
    fn from_log(log: &KernelLog, measured: &MeasuredPhase<'_>) -> SecondColumns {
        let (seconds, judged) = measured.seconds();
        let bin_s = bin_width(seconds.len());
        let bins = joined(&seconds, &judged, bin_s);
        let column = |of: fn(&WideBin) -> f64| bins.iter().map(of).collect::<Data>();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole seconds of a run")]
        let written_at = |second: f64| {
            let bin = second as usize / bin_s;
            let bin = bin.checked_sub(1).and_then(|before| bins.get(before));
            bin.map_or(0.0, |bin| bin.written_bytes as f64)
        };
        let part = measured.figures.steady_part;
        let steady = (part.reached && measured.has_rate()).then(|| ("steady".to_owned(), part.from_s));
        let cliff = measured.cliff().map(|cliff| ("cliff".to_owned(), cliff.at_s));
        let reports = measured.phase.map(|phase| kernel_marks(log, phase)).unwrap_or_default();
        let places = cliff.into_iter().chain(steady).map(|(label, second)| (label, second as f64));
        SecondColumns {
            seconds: seconds.len(),
            is_cut: judged.contains(&false),
            bin_s,
            writes: bins.last().is_some_and(|bin| bin.written_bytes > 0),
            times: Data::Regular { start: 0.0, step: bin_s as f64, count: bins.len() },
            written: column(|bin| bin.written_bytes as f64),
            rates: column(|bin| (bin.iops * 10.0).round() / 10.0),
            slowest: (bin_s > 1).then(|| column(|bin| bin.slowest)),
            longest: column(|bin| bin.service_max as f64),
            failed: bins
                .iter()
                .enumerate()
                .filter_map(|(place, bin)| (bin.failed > 0).then_some((place, bin.failed)))
                .collect(),
            landmarks: places
                .chain(reports)
                .map(|(label, second)| (label, [second, written_at(second)]))
                .collect(),
        }
    }

    /// The series of the run, for a chart with so many horizontal axes.
    fn series(&self, subject: usize, axes: usize) -> Vec<Series> {
        let columns = |times: Data, written: Data| {
            let mut xs = vec![times, written];
            xs.truncate(axes);
            xs
        };
        let series = |name: &str, shape, xs, ys, extras| Series {
            name: name.to_owned(),
            subject,
            shape,
            xs,
            ys,
            spread: None,
            extras,
        };
        let xs = columns(self.times.clone(), self.written.clone());
        let longest = Extra {
            name: "longest I/O".to_owned(),
            quantity: Quantity::Nanoseconds,
            values: self.longest.clone(),
        };
        let rates = self.rates.clone();
        let mut plots = vec![series("I/Os a second", Shape::Dots, xs.clone(), rates, vec![longest])];
        plots.extend(
            self.slowest
                .as_ref()
                .map(|slowest| series("slowest second", Shape::SmallDots, xs, slowest.clone(), Vec::new())),
        );
        if !self.failed.is_empty() {
            let at = |data: &Data| self.failed.iter().map(|(place, _)| data.get(*place)).collect::<Data>();
            let counts = self.failed.iter().map(|(_, count)| *count as f64).collect();
            let xs = columns(at(&self.times), at(&self.written));
            plots.push(series("I/Os that failed", Shape::TopCrosses, xs, counts, Vec::new()));
        }
        plots
    }
}

/// Service times over time, and the latency tail; nothing where no run has an I/O that succeeded.
pub(crate) fn latency<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let charts = [heat(compared), tail(compared)].into_iter().filter(|chart| !chart.is_empty());
    let blocks: Vec<Block> = charts.map(Block::Chart).collect();
    (!blocks.is_empty()).then(|| Section::full("Latency", blocks))
}

/// How many I/Os took how long, over time.
fn heat<K: ResultKind>(compared: &Comparison<'_, K>) -> Chart {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let up = Axis::new("Service time", Quantity::Nanoseconds, Scale::Log);
    let mut chart = Chart::new("latency", "Service time over time", vec![across], up);
    "Heat map: how many I/Os took how long, over time; colours follow the logarithm of the count."
        .clone_into(&mut chart.about);
    for (one, ios) in compared.recorded() {
        let found = ios.measured.analysis;
        chart.heats.extend(found.map(|phase| heat_map(phase.heat(), one.place)));
        add_kernel_marks(&mut chart, one.place, &one.run.kernel_log, ios.measured.phase);
    }
    chart
}

fn heat_map(heat: &HeatMap, subject: usize) -> Heat {
    let columns: Vec<HeatColumn> = heat.columns().map(HeatColumn::trimmed).collect();
    let used = || columns.iter().filter(|column| !column.counts.is_empty());
    let low = used().map(|column| column.first).min().unwrap_or(0);
    let high = used().map(|column| column.first + column.counts.len() - 1).max().unwrap_or(0);
    let edges = (low..=high + 1).map(|row| HeatMap::row_floor_nanos(row) as f64);
    let shifted = |column: HeatColumn| HeatColumn { first: column.first.saturating_sub(low), ..column };
    Heat {
        name: String::new(),
        subject,
        start: 0.0,
        width: heat.column_nanos as f64 / 1e9,
        edges: edges.collect(),
        columns: columns.into_iter().map(shifted).collect(),
        unit: "I/Os".to_owned(),
        quantity: Quantity::Count,
    }
}

/// The share of I/Os that took at least so long.
fn tail<K: ResultKind>(compared: &Comparison<'_, K>) -> Chart {
    let across = Axis::new("Latency", Quantity::Nanoseconds, Scale::Log);
    let up = Axis::new("I/Os at or above it", Quantity::Share, Scale::Log);
    let mut chart = Chart::new("latency-tail", "Latency tail", vec![across], up);
    "Lines: the share of I/Os that took at least so long (CCDF), on logarithmic axes."
        .clone_into(&mut chart.about);
    let mut total = 0;
    for (one, ios) in compared.recorded() {
        let service = ios.measured.service();
        total += service.moments().count();
        let response = ios.measured.response();
        let lines = [
            Some(("service time", Shape::Line, &service)),
            response.as_ref().map(|response| ("response time", Shape::DashedLine, response)),
        ];
        for (name, shape, distribution) in lines.into_iter().flatten() {
            chart.series.extend(curve(name, one.place, shape, distribution));
        }
    }
    chart.notes.push(format!("n = {}.", format::count(total as f64)));
    chart
}

fn curve(name: &str, subject: usize, shape: Shape, distribution: &Distribution) -> Option<Series> {
    let points = thinned_tail(distribution);
    let count = distribution.moments().count() as f64;
    let shares = points.iter().map(|point| (point.nanos as f64, point.at_least as f64 / count));
    (!points.is_empty()).then(|| Series::of_points(name, subject, shape, shares))
}

/// More dots than this in one picture are not told apart.
const BINS_MAX: usize = 4_096;
/// The widths of bins, in seconds.
const WIDTHS: [usize; 12] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 3_600];

/// What was completed in one bin of one or more whole seconds.
struct WideBin {
    /// Mean I/Os that succeeded a second; no number where the program stood still in every second of the bin.
    iops: f64,
    /// The slowest second of the bin; no number there either.
    slowest: f64,
    /// Bytes written from the start of the phase to the end of the bin.
    written_bytes: u64,
    failed: u64,
    /// The longest service time, in nanoseconds.
    service_max: u64,
}

/// The width of the bins of so many seconds: a second where that can be shown, else the least width that can.
fn bin_width(seconds: usize) -> usize {
    let fits = |width: &&usize| seconds.div_ceil(**width) <= BINS_MAX;
    WIDTHS.iter().find(fits).copied().unwrap_or_else(|| seconds.div_ceil(BINS_MAX))
}

fn joined(seconds: &[Bin], judged: &[bool], bin_s: usize) -> Vec<WideBin> {
    let mut written_bytes = 0;
    let join = |(part, judged): (&[Bin], &[bool])| {
        let judged = part.iter().zip(judged).filter(|(_, is_judged)| **is_judged);
        let rates = judged.map(|(bin, _)| f64::from(bin.ios()));
        written_bytes += part.iter().map(|bin| bin.written_bytes).sum::<u64>();
        WideBin {
            iops: rates.clone().sum::<f64>() / rates.clone().count() as f64,
            slowest: rates.reduce(f64::min).unwrap_or(f64::NAN),
            written_bytes,
            failed: part.iter().map(|bin| u64::from(bin.failed)).sum(),
            service_max: part.iter().map(|bin| bin.service_max).max().unwrap_or(0),
        }
    };
    seconds.chunks(bin_s.max(1)).zip(judged.chunks(bin_s.max(1))).map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_bins_keep_the_slowest_second_and_every_byte() {
        let second = |writes: u32| Bin { writes, written_bytes: u64::from(writes) * 4_096, ..Bin::default() };
        let bins = joined(&[second(10), second(0), second(4)], &[true; 3], 2);
        assert_eq!(bins.len(), 2);
        assert!((bins[0].iops - 5.0).abs() < 1e-12 && bins[0].slowest.abs() < 1e-12);
        assert_eq!(bins[1].written_bytes, 14 * 4_096);
    }

    #[test]
    fn seconds_in_which_the_program_stood_still_are_no_rates() {
        let second = |writes: u32| Bin { writes, ..Bin::default() };
        let bins = joined(&[second(10), second(0), second(0), second(3)], &[true, false, false, false], 2);
        assert!((bins[0].iops - 10.0).abs() < 1e-12 && (bins[0].slowest - 10.0).abs() < 1e-12);
        assert!(bins[1].iops.is_nan() && bins[1].slowest.is_nan());
    }
}
