//! Writes a picture of each kind of chart, as SVG and as PNG, into the folder that is given, to look at them.

use std::path::Path;

use drivelab_view::chart::{
    Axis, Colours, Data, Heat, HeatColumn, Landmark, Scale, Series, Shape, Size, Spread, Ticks,
};
use drivelab_view::{Chart, Quantity, Subject, png, svg};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: pictures FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let charts = [
        (rate(2), 2),
        (rate(6), 6),
        (heat(1), 1),
        (heat(2), 2),
        (tail(3), 3),
        (zones(), 2),
        (threads(), 3),
        (backlog(), 1),
        (histogram(), 1),
        (tasks(), 2),
    ];
    for (chart, count) in charts {
        let subjects: Vec<Subject> = (0..count).map(subject).collect();
        let stem = format!("{}-{count}", chart.id);
        std::fs::write(folder.join(format!("{stem}.svg")), svg(&chart, &subjects))?;
        std::fs::write(folder.join(format!("{stem}.png")), png(&chart, &subjects)?)?;
    }
    Ok(())
}

fn subject(index: usize) -> Subject {
    let drives = ["MX200, 25 % over-provisioning", "MX200", "P5800X", "SN850X", "PM9A3", "Ultrastar HC560"];
    Subject::new(drives[index % drives.len()], "250 GB, 4 KiB random writes, queue depth 32")
}

/// Numbers between 0 and 1 that look random and are the same in every run.
fn noise(seed: usize) -> impl FnMut() -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed as u64 + 1);
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    }
}

fn time() -> Axis {
    Axis::new("Time", Quantity::Seconds, Scale::Linear)
}

fn rate(count: usize) -> Chart {
    let up = Axis::new("IOPS", Quantity::Iops, Scale::LogOrLinear);
    let mut chart = Chart::new("rate", "IOPS of every second", vec![time()], up);
    for subject in 0..count {
        let mut random = noise(subject);
        let cliff = 500 + subject * 40;
        let values = (0..1_800usize).map(|second| {
            let level = if second < cliff { 78_000.0 } else { 6_000.0 * (subject + 1) as f64 };
            match second {
                900..960 if subject == 1 => 0.0,
                1_200..1_260 if subject == 0 => f64::NAN,
                _ => level * (0.75 + 0.5 * random() * random()),
            }
        });
        let seconds = Data::Regular { start: 0.0, step: 1.0, count: 1_800 };
        let label = self::subject(subject).label;
        let series = Series::new(label.clone(), subject, Shape::Dots, seconds, values.collect());
        chart.series.push(series);
        let failed = [(1_000.0, 3.0), (1_010.0, 1.0)];
        if subject == 0 {
            let failed = Series::of_points("failed I/Os", 0, Shape::TopCrosses, failed);
            chart.series.push(failed);
        }
        let label = format!("cliff at {cliff} s");
        chart.landmarks.push(Landmark { label, subject: Some(subject), at: vec![cliff as f64] });
    }
    chart.notes.push(
        "1,800 seconds a run, closed loop with 32 I/Os in flight. A second without any I/O is zero."
            .to_owned(),
    );
    chart
}

fn heat(count: usize) -> Chart {
    let up = Axis::new("Service time", Quantity::Nanoseconds, Scale::Log);
    let mut chart = Chart::new("heat", "Service time over time", vec![time()], up);
    for subject in 0..count {
        let mut random = noise(subject);
        let edges: Data = (0..=80).map(|row| 1_000.0 * 10f64.powf(f64::from(row) / 16.0)).collect();
        let columns = (0..900usize).map(|column| {
            let middle = if column < 300 { 18.0 } else { 34.0 + 6.0 * (column as f64 / 60.0).sin() };
            let counts = (0..80u32).map(|row| {
                let away = (f64::from(row) - middle) / 4.0;
                let most = 60_000.0 * (-away * away).exp() + if random() > 0.985 { 2.0 } else { 0.0 };
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
                let count = (most * random()) as u32;
                count
            });
            HeatColumn { first: 0, counts: counts.collect() }
        });
        chart.heats.push(Heat {
            name: "Writes".to_owned(),
            subject,
            start: 0.0,
            width: 2.0,
            edges,
            columns: columns.collect(),
            unit: "I/Os in a cell of 2 s".to_owned(),
            quantity: Quantity::Count,
        });
    }
    chart
}

fn tail(count: usize) -> Chart {
    let across = Axis::new("Latency", Quantity::Nanoseconds, Scale::Log);
    let up = Axis::new("Share of I/Os at or above", Quantity::Share, Scale::Log);
    let mut chart = Chart::new("tail", "Latency tail (CCDF)", vec![across], up);
    for subject in 0..count {
        let curve = |factor: f64| {
            (0..60).map(move |step| {
                let share = 10f64.powf(-f64::from(step) / 10.0);
                (60_000.0 * factor * (subject + 1) as f64 * share.powf(-0.55), share)
            })
        };
        let service = Series::of_points("service time", subject, Shape::Line, curve(1.0));
        let response = Series::of_points("response time", subject, Shape::DashedLine, curve(2.2));
        chart.series.extend([service, response]);
    }
    chart
}

fn zones() -> Chart {
    let across = Axis::new("LBA", Quantity::Lba, Scale::Linear);
    let up = Axis::new("Sequential read rate", Quantity::BytesPerSecond, Scale::Linear);
    let mut chart = Chart::new("zones", "MB/s over LBA", vec![across], up);
    for subject in 0..2 {
        let mut random = noise(subject);
        let points: Vec<(f64, f64)> = (0..200)
            .map(|step| {
                let share = f64::from(step) / 200.0;
                (share * 3.9e9, 265e6 - 140e6 * share * share + 9e6 * random() - 30e6 * subject as f64)
            })
            .collect();
        let label = self::subject(subject).label;
        chart.series.push(Series::of_points(label, subject, Shape::Line, points));
    }
    chart
}

fn threads() -> Chart {
    let threads = vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let across = Axis::new("Threads", Quantity::Count, Scale::Log).marked_at(threads.clone());
    let up = Axis::new("Rate", Quantity::Iops, Scale::Linear);
    let mut chart = Chart::new("threads", "IOPS against the number of threads", vec![across], up);
    chart.size = Size::Small;
    for subject in 0..3 {
        let rates = threads.iter().map(|count| 90_000.0 * count / (count + 3.0 + subject as f64 * 2.0));
        let rates: Vec<f64> = rates.collect();
        let points = threads.iter().copied().zip(rates.iter().copied());
        let label = self::subject(subject).label;
        let mut series = Series::of_points(label, subject, Shape::DottedLine, points);
        let high = |index: usize, rate: f64| if subject == 0 && index == 5 { 130_000.0 } else { rate * 1.05 };
        series.spread = Some(Spread {
            low: rates.iter().map(|rate| rate * 0.94).collect(),
            high: rates.iter().enumerate().map(|(index, rate)| high(index, *rate)).collect(),
        });
        chart.series.push(series);
    }
    chart.notes.push("Lines show 95 % confidence intervals of the mean of five runs.".to_owned());
    chart
}

fn backlog() -> Chart {
    let up = Axis::new("Backlog", Quantity::Bytes, Scale::Linear);
    let mut chart = Chart::new("backlog", "Backlog of the recorder over time", vec![time()], up);
    chart.size = Size::Small;
    chart.colours = Colours::OfNames;
    let mut random = noise(7);
    let points: Vec<(f64, f64)> = (0..300)
        .map(|second| (f64::from(second) * 60.0, 2e8 * random() * (1.0 + (f64::from(second) / 40.0).sin())))
        .collect();
    let mut band = Series::of_points("mean of a minute", 0, Shape::Band, points.iter().copied());
    band.spread = Some(Spread {
        low: points.iter().map(|(_, bytes)| bytes * 0.6).collect(),
        high: points.iter().map(|(_, bytes)| bytes * 1.4).collect(),
    });
    let limits = [(0.0, 7e8), (9_000.0, 5e8), (18_000.0, 5e8)];
    chart.series.extend([
        band,
        Series::of_points("mean of a minute", 0, Shape::Line, points),
        Series::of_points("room in memory", 0, Shape::Steps, limits),
    ]);
    let place = Landmark { label: "the pipeline stalled".to_owned(), subject: None, at: vec![8_200.0] };
    chart.landmarks.push(place);
    chart
}

fn histogram() -> Chart {
    let across = Axis::new("Delay", Quantity::Nanoseconds, Scale::Log);
    let up = Axis::new("I/Os", Quantity::Count, Scale::Log);
    let mut chart = Chart::new("delays", "Delays that the I/Os had", vec![across], up);
    chart.colours = Colours::OfNames;
    let bars = (0..60).map(|bin| {
        let away = (f64::from(bin) - 20.0) / 6.0;
        let count = (100_000.0 * (-away * away).exp()).floor() + if bin == 48 { 120.0 } else { 0.0 };
        (10_000.0 * 10f64.powf(f64::from(bin) / 12.0), count)
    });
    chart.series.push(Series::of_points("all I/Os", 0, Shape::Bars, bars));
    let rings = [(1.05e8, 120.0), (3.2e6, 900.0)];
    chart.series.push(Series::of_points("requested delays", 0, Shape::Rings, rings));
    chart
}

fn tasks() -> Chart {
    let names = ["sequential reads", "sequential writes", "random reads", "random writes", "idle after TRIM"];
    let named = (0u32..).zip(names).map(|(place, name)| (f64::from(place), name.to_owned()));
    let mut across = Axis::new("Task", Quantity::Number, Scale::Linear);
    across.ticks = Ticks::Named(named.collect());
    let up = Axis::new("Temperature", Quantity::Celsius, Scale::Linear);
    let mut chart =
        Chart::new("tasks", "Temperature during each task, and what it rose to at most", vec![across], up);
    chart.size = Size::Small;
    for subject in 0..2 {
        for (name, shape, more) in [("mean", Shape::Dots, 0.0), ("greatest", Shape::SmallDots, 6.0)] {
            let points = (0..5u32).map(|task| (f64::from(task), 34.0 + f64::from(task * 3 % 7) + more));
            let points = points.map(|(task, celsius)| (task, celsius + 2.0 * subject as f64));
            chart.series.push(Series::of_points(name, subject, shape, points));
        }
    }
    chart
}
