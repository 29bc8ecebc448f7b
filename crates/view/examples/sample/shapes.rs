//! Every shape, and the axes that the other views lack.

use drivelab_view::chart::{Axis, Colours, Scale, Series, Shape, Spread, Ticks};
use drivelab_view::{Block, Chart, Quantity, Section, Subject, View};

use crate::charts::chance;

const SHAPES: [(&str, Shape); 10] = [
    ("dots", Shape::Dots),
    ("small dots", Shape::SmallDots),
    ("rings", Shape::Rings),
    ("crosses", Shape::TopCrosses),
    ("line", Shape::Line),
    ("dashed line", Shape::DashedLine),
    ("dotted line", Shape::DottedLine),
    ("steps", Shape::Steps),
    ("bars", Shape::Bars),
    ("band", Shape::Band),
];

pub(crate) fn view() -> View {
    let shapes = [Scale::Linear, Scale::Log]
        .into_iter()
        .flat_map(|scale| SHAPES.map(|shape| Block::Chart(small(shape, scale))));
    View {
        title: "Every shape".to_owned(),
        kind: "shapes".to_owned(),
        name: "shapes",
        subjects: vec![Subject::new("Reads", ""), Subject::new("Writes", "")],
        sections: vec![
            Section::summary(
                None,
                vec![Block::Text(
                    "Every shape on a linear and on a logarithmic axis, with zeros.".to_owned(),
                )],
            ),
            Section::full("Small charts", shapes.collect()),
            Section::full(
                "Axes",
                vec![Block::Chart(hours()), Block::Chart(by_name()), Block::Chart(empty())],
            ),
        ],
    }
}

fn small((name, shape): (&str, Shape), scale: Scale) -> Chart {
    let (scale_name, log) = if scale == Scale::Log { ("log", true) } else { ("linear", false) };
    let across = vec![Axis::new("Time", Quantity::Seconds, Scale::Linear)];
    let id = format!("{}-{scale_name}", name.replace(' ', "-"));
    let mut chart = Chart::new(
        &id,
        &format!("A {scale_name} axis, {name}"),
        across,
        Axis::new("Power", Quantity::Watts, scale),
    );
    chart.size = drivelab_view::chart::Size::Small;
    for subject in 0..2 {
        let value = |place: usize| match place {
            9 => f64::NAN,
            4 => 0.0,
            place => 1.5 + 3.0 * chance(place + 50 * subject) * if log { 30.0 } else { 1.0 },
        };
        let values: Vec<f64> = (0..16).map(value).collect();
        let points = values.iter().enumerate().map(|(place, value)| (place as f64, *value));
        let mut series = Series::of_points(["Reads", "Writes"][subject], subject, shape, points);
        series.spread = Some(Spread {
            low: values.iter().map(|value| value * 0.7).collect(),
            high: values.iter().map(|value| value * 1.4).collect(),
        });
        chart.series.push(series);
    }
    chart
}

/// Named marks, and a horizontal axis with a switch between scales.
fn hours() -> Chart {
    let named = |(place, name): (f64, &str)| (place, name.to_owned());
    let mut hours = Axis::new("Hour of the day", Quantity::Number, Scale::Linear).over(0.0, 24.0);
    hours.ticks = Ticks::Named(
        [(0.0, "midnight"), (6.0, "06:00"), (12.0, "noon"), (18.0, "18:00"), (24.0, "midnight")]
            .map(named)
            .to_vec(),
    );
    let blocks = Axis::new("Block size", Quantity::BlockSize, Scale::LogOrLinear).marked_at(vec![
        512.0,
        4_096.0,
        65_536.0,
        1_048_576.0,
    ]);
    let mut chart = Chart::new(
        "hours",
        "Waits by hour of the day",
        vec![hours, blocks],
        Axis::new("Waits", Quantity::Count, Scale::Linear),
    );
    for subject in 0..2 {
        let count = |hour: usize| (hour as f64, (40.0 * chance(hour + 24 * subject)).floor());
        let mut series =
            Series::of_points(["Reads", "Writes"][subject], subject, Shape::Bars, (0..24).map(count));
        series.xs.push((0..24).map(|hour| 512.0 * 2f64.powf(f64::from(hour) / 2.0)).collect());
        chart.series.push(series);
    }
    chart
}

/// A frame for each subject, with colours by name.
fn by_name() -> Chart {
    let across = vec![Axis::new("Time", Quantity::Seconds, Scale::Linear)];
    let mut chart = Chart::new(
        "named",
        "Temperature and limit",
        across,
        Axis::new("Temperature", Quantity::Celsius, Scale::Linear),
    );
    chart.colours = Colours::OfNames;
    for subject in 0..2 {
        for (name, base, shape) in [("Measured", 31.0, Shape::Steps), ("Limit", 70.0, Shape::DashedLine)] {
            let value = |place: usize| {
                (place as f64 * 300.0, if base > 60.0 { base } else { base + 20.0 * chance(place + subject) })
            };
            chart.series.push(Series::of_points(name, subject, shape, (0..60).map(value)));
        }
    }
    chart
}

fn empty() -> Chart {
    let across = vec![Axis::new("Time", Quantity::Seconds, Scale::Linear)];
    Chart::new("empty", "A chart of nothing", across, Axis::new("IOPS", Quantity::Iops, Scale::Linear))
}
