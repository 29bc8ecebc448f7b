//! One result that stands alone.

use drivelab_view::chart::{Axis, Colours, Data, Extra, Scale, Series, Shape};
use drivelab_view::{
    Better, Block, Cell, Chart, Condition, Conditions, Figures, Quantity, Ranking, Section, Subject, Tone,
    Value, Verdict, View,
};

use crate::charts::chance;

pub(crate) fn view() -> View {
    let mut verdict = Verdict::on(
        0,
        Tone::Bad,
        "Delays",
        "Yes: 12 writes waited for more than 100 ms, mostly at 03:00 to 03:20.",
    );
    verdict.details.push("They come back every 15.7 GB of writes.".to_owned());
    View {
        title: "What a recorder would have waited for".to_owned(),
        kind: "stalls".to_owned(),
        name: "stalls",
        subjects: vec![Subject::new("Granite G400", "240 GB, firmware 1.04, writes of 1 MiB, one at a time")],
        sections: vec![
            Section::summary(
                None,
                vec![
                    Block::Verdict(verdict),
                    Block::Text(
                        "The drive was written once and a half, in the order of its blocks.".to_owned(),
                    ),
                ],
            ),
            Section::full(
                "Charts",
                vec![Block::Chart(times()), Block::Chart(course()), Block::Chart(load())],
            ),
            Section::summary(Some("Figures"), vec![Block::Figures(figures())]),
            Section::full("Conditions", vec![Block::Conditions(conditions())]),
        ],
    }
}

fn figures() -> Figures {
    let mut figures = Figures::new("figures", 1, Ranking::Ranked);
    let of = |quantity, number| vec![Cell::from(Value::new(quantity, number))];
    figures.add(("Writes", "Number"), Quantity::Count, Better::Neither, of(Quantity::Count, 343_597.0));
    figures.add(
        ("Writes", "Throughput"),
        Quantity::BytesPerSecond,
        Better::High,
        vec![Value::new(Quantity::BytesPerSecond, 212.4e6).within(208e6, 216e6).into()],
    );
    figures.add(
        ("Completion time", "p50"),
        Quantity::Nanoseconds,
        Better::Low,
        of(Quantity::Nanoseconds, 4.7e6),
    );
    figures.add(
        ("Completion time", "p99.9"),
        Quantity::Nanoseconds,
        Better::Low,
        vec![Value { few: Some(4), ..Value::new(Quantity::Nanoseconds, 812e6) }.into()],
    );
    figures.add(
        ("Completion time", "Longest"),
        Quantity::Nanoseconds,
        Better::Low,
        of(Quantity::Nanoseconds, 0.98e9),
    );
    figures.add(
        ("Delays", "Share of writes"),
        Quantity::Share,
        Better::Low,
        of(Quantity::Share, 0.000_004_8),
    );
    figures.add(
        ("Delays", "Verdict"),
        Quantity::Number,
        Better::Neither,
        vec![Cell::Verdict(Tone::Bad, "clustered".to_owned())],
    );
    figures
}

fn times() -> Chart {
    let across = vec![Axis::new("Completion time", Quantity::Nanoseconds, Scale::Log)];
    let mut chart =
        Chart::new("times", "How long writes took", across, Axis::new("Writes", Quantity::Count, Scale::Log));
    let bar = |bin: i32| {
        (
            1e6 * 2f64.powf(f64::from(bin) / 4.0),
            (2e5 * (-f64::from((bin - 8).pow(2)) / 9.0).exp()).floor() + if bin == 38 { 12.0 } else { 0.0 },
        )
    };
    chart.series.push(Series::of_points("Writes", 0, Shape::Bars, (0..42).map(bar)));
    chart.notes.push("Bins of a quarter of an octave.".to_owned());
    chart
}

fn course() -> Chart {
    let across = vec![Axis::new("Bytes written", Quantity::Bytes, Scale::Linear)];
    let mut chart = Chart::new(
        "longest",
        "The longest write of every 500 MB",
        across,
        Axis::new("Completion time", Quantity::Nanoseconds, Scale::Log),
    );
    let places = Data::Regular { start: 0.25e9, step: 0.5e9, count: 700 };
    let values: Data = (0..700)
        .map(|place| 4.7e6 * (1.0 + chance(place)) * if place % 31 == 7 { 90.0 } else { 1.0 })
        .collect();
    let outliers = (0..700)
        .filter(|place| place % 31 == 7)
        .map(|place| (0.25e9 + 0.5e9 * place as f64, values.get(place)));
    let mut rings = Series::of_points("Outliers", 0, Shape::Rings, outliers);
    let met = (0..rings.ys.len()).map(|place| 170.0 + 31.0 * place as f64).collect();
    rings.extras.push(Extra { name: "from the start".to_owned(), quantity: Quantity::Seconds, values: met });
    chart.series.push(Series::new("Longest", 0, Shape::Dots, places, values));
    chart.series.push(rings);
    chart
}

/// Colours by name, in one frame.
fn load() -> Chart {
    let across = vec![Axis::new("Time", Quantity::Seconds, Scale::Linear)];
    let mut chart = Chart::new(
        "machine",
        "What the machine did meanwhile",
        across,
        Axis::new("Share of time", Quantity::Share, Scale::Linear).over(0.0, 1.0),
    );
    chart.colours = Colours::OfNames;
    for (number, name) in ["Processors", "Waiting for I/O", "Device"].into_iter().enumerate() {
        let value = |second: usize| (0.2 + 0.3 * number as f64 + 0.2 * chance(second * 3 + number)).min(1.0);
        let points = (0..200).map(|second| (10.0 * second as f64, value(second)));
        chart.series.push(Series::of_points(name, 0, Shape::Line, points));
    }
    chart
}

fn conditions() -> Conditions {
    let condition = |name: &str, value: &str| Condition::new("drive", name, value);
    Conditions {
        of_subjects: vec![vec![condition("model", "Granite G400"), condition("capacity", "240 GB")]],
    }
}
