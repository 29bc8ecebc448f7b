//! Charts of several runs.

use drivelab_view::chart::{
    Axis, Colours, Data, Heat, HeatColumn, Landmark, Scale, Series, Shape, Size, Spread,
};
use drivelab_view::{Chart, Quantity};

/// A number between 0 and 1 that looks like chance and is the same every time.
pub(crate) fn chance(place: usize) -> f64 {
    let mixed = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 40) as f64 / (1_u64 << 24) as f64
}

/// A small count as an integer.
fn whole(count: f64) -> u32 {
    format!("{count:.0}").parse().unwrap_or(0)
}

const SECONDS: usize = 1_000;

fn label(place: usize) -> String {
    format!("Run {}", place + 1)
}

fn rates(run: usize) -> Vec<f64> {
    let cliff = 170 + 120 * (run % 6);
    let full = 50_000.0 + 9_000.0 * (run % 3) as f64;
    let rate = |second: usize| match second {
        // The drive does nothing at all for a few seconds.
        400..404 if run == 1 => 0.0,
        second if second < cliff => full * (0.99 + 0.02 * chance(second + 31 * run)),
        second => {
            let low = full / (4.0 + 5.0 * (run % 4) as f64);
            let chance = chance(second * 13 + run);
            if chance > 0.85 { low + (full - low) * chance * chance } else { low * (0.95 + 0.1 * chance) }
        }
    };
    (0..SECONDS).map(rate).collect()
}

fn rate_series(run: usize, from: usize) -> Series {
    let rates = rates(run);
    let mut written = 0.0;
    let bytes: Data = rates
        .iter()
        .map(|rate| {
            written += rate * 4_096.0;
            written
        })
        .collect();
    let seconds = Data::Regular { start: 0.5, step: 1.0, count: SECONDS };
    let values: Data = rates.into_iter().collect();
    let mut series = Series::new(label(run), run, Shape::Dots, seconds.from(from), values.from(from));
    series.xs.push(bytes.from(from));
    series
}

fn two_axes() -> Vec<Axis> {
    vec![
        Axis::new("Time", Quantity::Seconds, Scale::Linear),
        Axis::new("Bytes written", Quantity::Bytes, Scale::Linear),
    ]
}

pub(crate) fn rate(count: usize) -> Chart {
    let up = Axis::new("IOPS", Quantity::Iops, Scale::LogOrLinear);
    let mut chart = Chart::new("rate", "IOPS of every second", two_axes(), up);
    "Dots: the IOPS of every second of each run.".clone_into(&mut chart.about);
    for run in 0..count {
        chart.series.push(rate_series(run, 0));
        let at = 170.0 + 120.0 * (run % 6) as f64;
        chart.landmarks.push(Landmark {
            label: "cliff".to_owned(),
            subject: Some(run),
            at: vec![at, at * 2.0e8],
        });
    }
    chart.landmarks.push(Landmark {
        label: "figures from here".to_owned(),
        subject: None,
        at: vec![700.0, 140e9],
    });
    chart.notes.push("Bins of 1 s, n = 1,000. A closed loop: stalls are under-reported.".to_owned());
    chart
}

pub(crate) fn steady(count: usize) -> Chart {
    let across = vec![Axis::new("Time", Quantity::Seconds, Scale::Linear).over(700.0, 1_000.0)];
    let mut chart = Chart::new(
        "steady",
        "The last 30 % of the run",
        across,
        Axis::new("IOPS", Quantity::Iops, Scale::Linear),
    );
    for run in 0..count.min(3) {
        let mut series = rate_series(run, 700);
        series.xs.truncate(1);
        chart.series.push(series);
    }
    chart
}

pub(crate) fn heat(count: usize) -> Chart {
    let across = vec![Axis::new("Time", Quantity::Seconds, Scale::Linear)];
    let up = Axis::new("Service time", Quantity::Nanoseconds, Scale::Log);
    let mut chart = Chart::new("heat", "Service time over time", across, up);
    let edges: Data = (0..=40).map(|edge| 10f64.powf(4.0 + f64::from(edge) / 10.0)).collect();
    for run in 0..count {
        let column = |column: usize| {
            let centre = 8 + run % 5 + column / 30;
            let count = |row: usize| {
                let far = row.abs_diff(centre);
                let likely = 20_000.0 / 4f64.powi(i32::try_from(far).unwrap_or(40));
                whole(likely * (0.5 + chance(column * 40 + row)))
            };
            HeatColumn { first: 2, counts: (2..36).map(count).collect() }
        };
        let columns = (0..100).map(column).collect();
        let heat = Heat {
            name: label(run),
            subject: run,
            start: 0.0,
            width: 10.0,
            edges: edges.clone(),
            columns,
            unit: "I/Os".to_owned(),
            quantity: Quantity::Count,
        };
        chart.heats.push(heat);
    }
    chart
}

pub(crate) fn tail(count: usize) -> Chart {
    let across = vec![Axis::new("Latency", Quantity::Nanoseconds, Scale::Log)];
    let up = Axis::new("Share of I/Os at or above a latency", Quantity::Share, Scale::Log);
    let mut chart = Chart::new("tail", "Latency tail (CCDF)", across, up);
    for run in 0..count {
        for (name, factor) in [("Service time", 1.0), ("Response time", 2.5)] {
            let point = |step: u32| {
                let latency = 2e4 * factor * 10f64.powf(f64::from(step) / 20.0) * (1.0 + 0.3 * run as f64);
                (latency, 10f64.powf(-f64::from(step * step) / 900.0))
            };
            let shape = if factor > 1.0 { Shape::DashedLine } else { Shape::Line };
            chart.series.push(Series::of_points(name, run, shape, (0..76).map(point)));
        }
    }
    chart
}

pub(crate) fn threads(id: &str, title: &str, count: usize) -> Chart {
    let places = vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let across = vec![Axis::new("Threads", Quantity::Count, Scale::Log).marked_at(places.clone())];
    let mut chart =
        Chart::new(id, title, across, Axis::new("Throughput", Quantity::BytesPerSecond, Scale::Linear));
    chart.size = Size::Small;
    chart.colours = Colours::OfSubjects;
    for run in 0..count {
        let value = |(place, threads): (usize, &f64)| {
            90e6 * (1.0 + 0.4 * run as f64) * threads.sqrt() * (0.9 + 0.2 * chance(run * 8 + place))
        };
        let values: Vec<f64> = places.iter().enumerate().map(value).collect();
        let mut series = Series::new(
            label(run),
            run,
            Shape::DottedLine,
            places.iter().copied().collect(),
            values.iter().copied().collect(),
        );
        // One interval reaches far beyond all values.
        let width = |place: usize| -> f64 { if place == 4 && run == 0 { 4.0 } else { 0.08 } };
        series.spread = Some(Spread {
            low: values
                .iter()
                .enumerate()
                .map(|(place, value)| value * (1.0 - width(place)).max(0.0))
                .collect(),
            high: values.iter().enumerate().map(|(place, value)| value * (1.0 + width(place))).collect(),
        });
        chart.series.push(series);
    }
    chart
}
