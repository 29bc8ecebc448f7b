//! Charts over the time of a boot.

use drivelab_view::chart::{Axis, Colours, Data, Landmark, Scale, Series, Shape};
use drivelab_view::{Block, Chart, Quantity};

use super::shown;
use crate::boot::io::BIN_NS;
use crate::boot::{BootPage, OneBoot};

/// What was read, and what the processors did, of the boots that are shown in detail.
pub fn charts(page: &BootPage<'_>) -> Vec<Block> {
    [rate(page), processors(page)].into_iter().filter(|chart| !chart.is_empty()).map(Block::Chart).collect()
}

fn time() -> Axis {
    Axis::new("Time since the kernel began", Quantity::Seconds, Scale::Linear)
}

fn rate(page: &BootPage<'_>) -> Chart {
    let up = Axis::new("Read", Quantity::BytesPerSecond, Scale::Linear);
    let mut chart = Chart::new("read-rate", "Rate of reading", vec![time()], up);
    "Steps over the time of the boot: bytes read a second.".clone_into(&mut chart.about);
    let seconds = BIN_NS as f64 / 1e9;
    for (subject, place) in page.shown.iter().enumerate() {
        let rates: Data = page.reports[*place].io.read.iter().map(|bytes| *bytes as f64 / seconds).collect();
        let times = Data::Regular { start: 0.0, step: seconds, count: rates.len() };
        chart.series.push(Series::new("Read", subject, Shape::Steps, times, rates));
    }
    chart.landmarks = landmarks(page);
    chart.notes.push("Bins of 0.1 s; a read belongs to the moment when it had completed.".to_owned());
    chart
}

fn processors(page: &BootPage<'_>) -> Chart {
    let up = Axis::new("Share of all processors", Quantity::Share, Scale::Linear).over(0.0, 1.0);
    let mut chart = Chart::new("processors", "Processors and waiting for I/O", vec![time()], up);
    "Steps over the time of the boot: shares of the processors' time.".clone_into(&mut chart.about);
    chart.colours = Colours::OfNames;
    for (subject, place) in page.shown.iter().enumerate() {
        let samples = &page.reports[*place].record.processors;
        // The first sample holds everything since the kernel began.
        let began = std::iter::once((0.0, [0; 3]));
        let read = samples.iter().map(|sample| {
            let all = sample.busy + sample.waiting + sample.idle + sample.stolen;
            (sample.at_ns as f64 / 1e9, [sample.busy, sample.waiting, all])
        });
        let points: Vec<(f64, [u64; 3])> = began.chain(read).collect();
        for (which, name) in [(0, "Busy"), (1, "Idle, waiting for I/O")] {
            let shares = points.windows(2).filter_map(|pair| {
                let passed = pair[1].1[2].checked_sub(pair[0].1[2]).filter(|passed| *passed > 0)?;
                let spent = pair[1].1[which].saturating_sub(pair[0].1[which]);
                Some((pair[0].0, spent as f64 / passed as f64))
            });
            chart.series.push(Series::of_points(name, subject, Shape::Steps, shares));
        }
    }
    chart.landmarks = landmarks(page);
    chart.notes.push(
        "A look every 0.1 s from the moment when systemd starts its first units; the first value is the mean until then."
            .to_owned(),
    );
    chart
}

/// Where the parts of a boot begin; of one drive only, as the marks of several would not be told apart.
fn landmarks(page: &BootPage<'_>) -> Vec<Landmark> {
    let mut all = shown(page);
    match (all.next(), all.next()) {
        (Some((_, boot)), None) => parts(boot),
        _ => Vec::new(),
    }
}

fn parts(boot: &OneBoot) -> Vec<Landmark> {
    let initrd = boot.seconds.initrd.map(|_| ("initramfs", boot.seconds.kernel));
    let userspace = ("user space", boot.seconds.kernel + boot.seconds.initrd.unwrap_or(0.0));
    let target = boot.target.as_ref().map(|target| (target.name.as_str(), target.reached_s));
    let named = [initrd, Some(userspace), target].into_iter().flatten();
    named.map(|(label, at)| Landmark { label: label.to_owned(), subject: None, at: vec![at] }).collect()
}
