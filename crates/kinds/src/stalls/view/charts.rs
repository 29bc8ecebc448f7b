//! The charts of streams.

use drivelab_view::chart::{Axis, Data, Extra, Scale, Series, Shape};
use drivelab_view::format::{bytes, rate};
use drivelab_view::{Block, Chart, Fold, Quantity, Section};

use super::streams;
use crate::Comparison;
use crate::shown::add_kernel_marks;
use crate::stalls::{BacklogCourse, DelayFound, Stalls};

/// Rates at which the buffer that is needed is drawn.
const RATES: u32 = 96;

/// The charts; none where nothing was written.
pub(super) fn section(results: &Comparison<'_, Stalls>) -> Option<Section> {
    streams(results).next()?;
    let mut blocks: Vec<Block> =
        [longest(results), times(results), needed(results)].into_iter().map(Block::Chart).collect();
    let rates = rates(results);
    let main = main_rate(results).or(rates.last().copied());
    let is_main = |stream: &f64| main.is_some_and(|main| (main - stream).abs() < 1e-6);
    let (main, others): (Vec<f64>, Vec<f64>) = rates.into_iter().partition(is_main);
    blocks.extend(main.into_iter().map(|stream| Block::Chart(backlog(results, stream))));
    if !others.is_empty() {
        let blocks_of_others =
            others.into_iter().map(|stream| Block::Chart(backlog(results, stream))).collect();
        let summary = "The backlog of other streams over time".to_owned();
        blocks.push(Block::Fold(Fold { summary, blocks: blocks_of_others }));
    }
    Some(Section::full("Charts", blocks))
}

/// How many writes took how long; the bins of delays have a ring.
fn times(results: &Comparison<'_, Stalls>) -> Chart {
    let across = Axis::new("Completion time", Quantity::Nanoseconds, Scale::Log);
    let up = Axis::new("Writes", Quantity::Count, Scale::Log);
    let mut chart = Chart::new("times", "How long writes took", vec![across], up);
    "Bars: how many writes took how long; bins of delays have a ring.".clone_into(&mut chart.about);
    for (one, stream) in streams(results) {
        let times = &stream.completion_times;
        let count = |count: &u64| if *count > 0 { *count as f64 } else { f64::NAN };
        // The last edge ends the last bar.
        let counts = times.counts.iter().map(count).chain([f64::NAN]);
        let edges = times.edges_ns.iter().map(|edge| *edge as f64);
        let bars = edges.zip(counts);
        chart.series.push(Series::of_points("Writes", one.place, Shape::Bars, bars));
        let delays = times.edges_ns.windows(2).zip(&times.counts).filter(|(edges, count)| {
            **count > 0 && stream.delay_threshold_ns.is_some_and(|threshold| edges[1] > threshold)
        });
        let rings = delays.map(|(edges, count)| ((edges[0] as f64 * edges[1] as f64).sqrt(), *count as f64));
        let rings = Series::of_points("Delays", one.place, Shape::Rings, rings);
        chart.series.extend((!rings.ys.is_empty()).then_some(rings));
    }
    chart.notes.push("Bins of an eighth of an octave.".to_owned());
    chart
}

/// The longest write of each stretch of data; delays have a ring.
fn longest(results: &Comparison<'_, Stalls>) -> Chart {
    let across = Axis::new("Data written", Quantity::Bytes, Scale::Linear);
    let up = Axis::new("Completion time", Quantity::Nanoseconds, Scale::Log);
    let mut chart = Chart::new("written", "The longest writes over the data written", vec![across], up);
    "Dots: the longest write of each stretch of data; delays have a ring.".clone_into(&mut chart.about);
    let mut widest = 0;
    for (one, stream) in streams(results) {
        let (width, longest) = (stream.longest_writes.column_bytes, &stream.longest_writes.longest_ns);
        widest = widest.max(width);
        let places = Data::Regular { start: width as f64 / 2.0, step: width as f64, count: longest.len() };
        // A stretch of which nothing is judged has no longest write.
        let longest_write = |nanos: &u64| if *nanos > 0 { *nanos as f64 } else { f64::NAN };
        let values: Data = longest.iter().map(longest_write).collect();
        chart.series.push(Series::new("Longest write", one.place, Shape::Dots, places, values));
        let rings = stream.delays.iter().map(|delay| (delay.bytes_before as f64, delay.duration_ns as f64));
        let mut rings = Series::of_points("Delays", one.place, Shape::Rings, rings);
        let values = stream.delays.iter().map(DelayFound::at_s).collect();
        rings.extras.push(Extra { name: "from the start".to_owned(), quantity: Quantity::Seconds, values });
        chart.series.extend((!rings.ys.is_empty()).then_some(rings));
    }
    chart.notes.push(format!("Each dot is the longest write of at most {}.", bytes(widest as f64)));
    chart
}

/// The buffer that a stream needs, by its rate.
fn needed(results: &Comparison<'_, Stalls>) -> Chart {
    let across = Axis::new("Rate of the stream", Quantity::BytesPerSecond, Scale::Linear);
    let up = Axis::new("Buffer", Quantity::Bytes, Scale::Log);
    let mut chart = Chart::new("buffer", "The buffer that a stream needs", vec![across], up);
    "Lines: the largest backlog of a stream of each rate that the drive keeps up with."
        .clone_into(&mut chart.about);
    for (one, stream) in streams(results) {
        let curve = stream.buffer_curve.of_blocks(one.settings.block_bytes);
        // Of faster streams than the run itself nothing is shown.
        let own = stream.mb_s.map(|own| own * 1e6);
        let Some(fastest) = curve.sustained_rate().zip(own).map(|(rate, own)| rate.min(own)) else {
            continue;
        };
        let rates = (1..=RATES).map(|number| fastest * f64::from(number) / f64::from(RATES));
        let points = rates.map(|rate| (rate, curve.largest_backlog(rate) as f64));
        chart.series.push(Series::of_points("Buffer", one.place, Shape::Line, points));
    }
    chart.notes.push("The run's own write times, replayed for streams of a constant rate.".to_owned());
    chart
}

/// The rates of all backlogs, in MB/s, in ascending order.
fn rates(results: &Comparison<'_, Stalls>) -> Vec<f64> {
    let mut rates: Vec<f64> = streams(results)
        .flat_map(|(_, stream)| stream.backlogs.iter().map(|course| course.stream_mb_s))
        .collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    rates
}

/// The fastest stream that was asked for and that a drive keeps up with, in MB/s.
fn main_rate(results: &Comparison<'_, Stalls>) -> Option<f64> {
    let asked = streams(results).flat_map(|(_, stream)| &stream.buffers);
    let asked = asked.filter(|need| need.asked && need.sustained).map(|need| need.stream_mb_s);
    asked.reduce(f64::max)
}

/// The backlog of a stream of this rate, in MB/s, over time, for each drive that keeps up with it and was asked.
fn backlog(results: &Comparison<'_, Stalls>, stream_mb_s: f64) -> Chart {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let up = Axis::new("Data waiting", Quantity::Bytes, Scale::Linear);
    let id = format!("backlog-{}-mb-s", stream_mb_s.to_string().replace('.', "-"));
    let title = format!("Data that waits in the buffer of a stream of {} MB/s", rate(stream_mb_s));
    let mut chart = Chart::new(&id, &title, vec![across], up);
    let is_of = |course: &&BacklogCourse| (course.stream_mb_s - stream_mb_s).abs() < 1e-6;
    for (one, stream) in streams(results) {
        let Some(course) = stream.backlogs.iter().find(is_of) else { continue };
        let phase = one.run.phases.iter().find(|phase| one.run.measured.contains(&phase.name));
        add_kernel_marks(&mut chart, one.place, &one.run.kernel_log, phase);
        let step = course.column_ns as f64 / 1e9;
        let times = Data::Regular { start: step / 2.0, step, count: course.largest_bytes.len() };
        let values: Data = course.largest_bytes.iter().map(|bytes| *bytes as f64).collect();
        chart.series.push(Series::new("Waiting", one.place, Shape::Line, times, values));
    }
    chart.notes.push("The largest amount in each of a thousand stretches of time.".to_owned());
    chart
}
