//! The charts of tests in rounds.

use drivelab_view::chart::{Axis, Colours, Scale, Series, Shape, Size};
use drivelab_view::format::{count, nanos, things};
use drivelab_view::{Block, Chart, Quantity};

use super::Pts;
use super::findings::{PtsCellFindings, PtsTestFindings};
use super::settings::PtsTest;
use crate::ComparedResult;

/// What one test found on one drive.
pub(super) struct OfTest<'a> {
    /// The result.
    pub one: &'a ComparedResult<'a, Pts>,
    /// What the test found.
    pub found: &'a PtsTestFindings,
}

/// The charts of a test that show anything.
pub(super) fn charts(test: PtsTest, results: &[OfTest<'_>]) -> Vec<Block> {
    let own = match test {
        PtsTest::Iops => Some(mixes(results)),
        PtsTest::Demand => Some(demand(results)),
        PtsTest::IdleRecovery => Some(idle(results)),
        _ => None,
    };
    let over_time = (test != PtsTest::Demand).then(|| rounds(test, results));
    let times = (test == PtsTest::Latency).then(|| times(results));
    let all = [own, over_time, times].into_iter().flatten();
    all.filter(|chart| !chart.is_empty()).map(Block::Chart).collect()
}

fn chart(id: &str, title: &str, across: Axis, up: Axis, note: &str) -> Chart {
    let mut chart = Chart::new(id, title, vec![across], up);
    chart.size = Size::Small;
    chart.colours = Colours::OfNames;
    chart.notes.push(note.to_owned());
    chart
}

fn line(name: &str, subject: usize, points: impl Iterator<Item = (f64, f64)>) -> Series {
    Series::of_points(name, subject, Shape::DottedLine, points)
}

/// IOPS by block, a line for each mix.
fn mixes(results: &[OfTest<'_>]) -> Chart {
    let across = Axis::new("Block", Quantity::BlockSize, Scale::Log);
    let mut blocks: Vec<f64> = cells(results).map(|cell| cell.block_bytes as f64).collect();
    blocks.sort_by(f64::total_cmp);
    blocks.dedup();
    let up = Axis::new("IOPS", Quantity::Iops, Scale::Log);
    let note = "Lines: reads/writes of a hundred.";
    let mut chart = chart("iops-by-block", "IOPS by block", across.marked_at(blocks), up, note);
    for OfTest { one, found } in results {
        let mut mixes: Vec<u8> = found.cells.iter().map(|cell| cell.read_percent).collect();
        mixes.dedup();
        chart.series.extend(mixes.iter().map(|mix| {
            let of_mix = found.cells.iter().rev().filter(|cell| cell.read_percent == *mix);
            let points = of_mix.filter_map(|cell| Some((cell.block_bytes as f64, cell.result?.iops)));
            line(&format!("{mix}/{}", 100 - mix), one.place, points)
        }));
    }
    chart
}

/// Response time against rate, a line for each number of threads.
fn demand(results: &[OfTest<'_>]) -> Chart {
    let across = Axis::new("IOPS", Quantity::Iops, Scale::Linear);
    let up = Axis::new("Mean response time", Quantity::Nanoseconds, Scale::Log);
    let note = "Each point is a queue depth of 1 to 32.";
    let mut chart = chart("demand-response", "Response time by IOPS", across, up, note);
    for OfTest { one, found } in results {
        let mut threads: Vec<u16> = found.cells.iter().map(|cell| cell.threads).collect();
        threads.dedup();
        chart.series.extend(threads.iter().map(|threads| {
            let of_threads = found.cells.iter().filter(|cell| cell.threads == *threads);
            let point = |cell: &PtsCellFindings| cell.result.map(|found| (found.iops, found.mean_ns));
            let mut points: Vec<(f64, f64)> = of_threads.filter_map(point).collect();
            // Places of a chart ascend; deeper queues are seldom slower.
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            line(&things((*threads).into(), "thread"), one.place, points.into_iter())
        }));
    }
    chart
}

/// The rate of bursts against the idle time before them.
fn idle(results: &[OfTest<'_>]) -> Chart {
    let mut times: Vec<f64> = cells(results).map(|cell| cell.idle_s as f64).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let across = Axis::new("Idle time before", Quantity::Seconds, Scale::Linear).marked_at(times);
    let up = Axis::new("IOPS of five seconds", Quantity::Iops, Scale::Linear);
    let note = "Each point is the mean of the bursts after that idle time.";
    let mut chart = chart("idle-recovery-bursts", "IOPS by idle time", across, up, note);
    chart.colours = Colours::OfSubjects;
    for OfTest { one, found } in results {
        let points = found.cells.iter().filter_map(|cell| Some((cell.idle_s as f64, cell.result?.iops)));
        chart.series.push(line("Bursts", one.place, points));
    }
    chart
}

/// Every measurement in the order of time: of the tracked cell, or of each of a few.
fn rounds(test: PtsTest, results: &[OfTest<'_>]) -> Chart {
    let across = Axis::new("Round", Quantity::Count, Scale::Linear);
    let up = Axis::new("Rate", Quantity::BytesPerSecond, Scale::Linear);
    let id = format!("{}-rounds", test.word());
    let mut chart = chart(&id, "Rate of each round", across, up, "Each point is a round.");
    if results.iter().all(|of| of.found.tracked.is_some()) {
        chart.colours = Colours::OfSubjects;
    }
    for OfTest { one, found } in results {
        let shown: &[PtsCellFindings] = match found.tracked {
            Some(tracked) => found.cells.get(tracked..=tracked).unwrap_or_default(),
            None => &found.cells,
        };
        chart.series.extend(shown.iter().filter(|cell| cell.samples.len() > 1).map(|cell| {
            let samples = cell.samples.iter().enumerate();
            line(
                &cell.name,
                one.place,
                samples.map(|(round, sample)| ((round + 1) as f64, sample.mb_s * 1e6)),
            )
        }));
    }
    chart
}

/// How often times of each length were in the long measurement at the end.
fn times(results: &[OfTest<'_>]) -> Chart {
    let across = Axis::new("Service time", Quantity::Nanoseconds, Scale::Log);
    let up = Axis::new("I/Os in a bin", Quantity::Count, Scale::Log);
    let note = "Bins of an eighth of an octave; empty ones are left out.";
    let mut chart = chart("latency-histogram", "Service times of the long measurement", across, up, note);
    chart.colours = Colours::OfSubjects;
    for OfTest { one, found } in results {
        let Some((points, note)) = histogram(found) else { continue };
        chart.series.push(Series::of_points("I/Os", one.place, Shape::Dots, points));
        chart.notes.push(note);
    }
    chart
}

/// The bins that hold something, by their middles, and what they are of.
fn histogram(found: &PtsTestFindings) -> Option<(Vec<(f64, f64)>, String)> {
    let histogram = found.histogram.as_ref()?;
    let middles = histogram.edges_ns.windows(2).map(|edges| (edges[0] as f64 * edges[1] as f64).sqrt());
    let counts = histogram.counts.iter().map(|count| *count as f64);
    let points: Vec<(f64, f64)> = middles.zip(counts).filter(|(_, count)| *count > 0.0).collect();
    let mode = points.iter().max_by(|one, other| one.1.total_cmp(&other.1))?.0;
    let total: u64 = histogram.counts.iter().sum();
    let note = format!("{} I/Os, the mode at {}.", count(total as f64), nanos(mode));
    Some((points, note))
}

fn cells<'a>(results: &'a [OfTest<'_>]) -> impl Iterator<Item = &'a PtsCellFindings> {
    results.iter().flat_map(|of| &of.found.cells)
}
