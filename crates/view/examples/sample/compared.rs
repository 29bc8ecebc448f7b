//! Several runs that are compared.

use drivelab_view::{
    Better, Block, Cell, Column, Condition, Conditions, Detail, Figures, Fold, Notice, Quantity, Ranking,
    Section, Severity, Subject, Table, Tone, Value, Verdict, View,
};

use crate::charts;

/// So many runs: drives with and without over-provisioning in turn.
pub(crate) fn view(count: usize) -> View {
    let subjects: Vec<Subject> = (0..count).map(subject).collect();
    let verdicts = (0..count).map(|place| Block::Verdict(verdict(place))).collect();
    View {
        title: format!("Performance consistency of {} drives", count / 2),
        kind: "performance consistency".to_owned(),
        name: "consistency",
        sections: vec![
            Section::summary(None, verdicts),
            Section::summary(Some("What holds for all runs"), vec![Block::Notices(notices())]),
            Section::full(
                "Charts",
                vec![
                    Block::Chart(charts::rate(count)),
                    Block::Chart(charts::steady(count)),
                    Block::Chart(charts::heat(count)),
                    Block::Chart(charts::tail(count)),
                    Block::Chart(charts::threads("read", "Random reads", count)),
                    Block::Chart(charts::threads("write", "Random writes", count)),
                    Block::Chart(charts::threads("mixed", "Reads and writes", count)),
                ],
            ),
            Section {
                heading: Some("Figures".to_owned()),
                detail: Detail::Summary,
                blocks: vec![Block::Figures(figures(count)), Block::Figures(not_ranked(count))],
            },
            Section::full("Delays", vec![Block::Table(delays(count)), fold()]),
            Section::full("Conditions", vec![Block::Conditions(conditions(count))]),
        ],
        subjects,
    }
}

const MODELS: [&str; 6] = [
    "Granite G400",
    "Sandpiper S240",
    "Kestrel K1 Pro",
    "Basalt <B&1>",
    "Osprey 4T",
    "Flint F2 with a long name",
];

fn subject(place: usize) -> Subject {
    let (model, share) =
        (MODELS[place / 2 % MODELS.len()], if place.is_multiple_of(2) { "0 %" } else { "25 %" });
    let label = if place.is_multiple_of(2) {
        model.to_owned()
    } else {
        format!("{model}, {share} over-provisioning")
    };
    Subject::new(label, "240 GB, firmware 1.04, random writes of 4 KiB, queue depth 32")
        .with_facet("Drive", model)
        .with_facet("Over-provisioning", share)
}

fn verdict(place: usize) -> Verdict {
    let (tone, mark) = [
        (Tone::Bad, "Not steady"),
        (Tone::Undecided, "Not shown"),
        (Tone::Good, "Steady"),
        (Tone::Neutral, "Not judged"),
    ][place % 4];
    let mut verdict = Verdict::on(
        place,
        tone,
        mark,
        "10,406 IOPS over the last 30 % of the run (deviation 155 %), slowest second 2,172 IOPS; cliff after 34.6 GB.",
    );
    if place == 1 {
        verdict.details.push("The rate fell in steps, each after about 12.0 GB of writes.".to_owned());
        verdict
            .notices
            .push(notice(Severity::Warning, "The drive reached 74 °C, and slowed down from there on."));
    }
    verdict
}

fn notice(severity: Severity, text: &str) -> Notice {
    Notice { severity, text: text.to_owned() }
}

fn notices() -> Vec<Notice> {
    vec![
        notice(
            Severity::Note,
            "A discard of the whole range was used in place of a sanitize or secure erase.",
        ),
        notice(Severity::Failure, "3 I/Os failed: the figures hold for the others only."),
        notice(Severity::Warning, "Another process used the processors for 12 % of the time."),
    ]
}

fn scaled(place: usize) -> f64 {
    1.0 + ((place * 7) % 11) as f64 * 0.35
}

fn cells(count: usize, quantity: Quantity, base: f64) -> Vec<Cell> {
    (0..count).map(|place| Cell::from(Value::new(quantity, base * scaled(place)))).collect()
}

fn figures(count: usize) -> Figures {
    let mut figures = Figures::new("figures", count, Ranking::Ranked);
    let mut rates = cells(count, Quantity::Iops, 10_406.0);
    if let Some(Cell::Value(value)) = rates.first_mut() {
        *value = value.within(9_900.0, 10_900.0);
    }
    figures.add(("Rate", "Mean"), Quantity::Iops, Better::High, rates);
    figures.add(
        ("Rate", "Slowest second"),
        Quantity::Iops,
        Better::High,
        cells(count, Quantity::Iops, 2_172.0),
    );
    figures.add(("Rate", "Deviation"), Quantity::Share, Better::Low, cells(count, Quantity::Share, 0.045));
    figures.add(
        ("Rate", "Cliff after"),
        Quantity::Bytes,
        Better::Neither,
        cells(count, Quantity::Bytes, 34.6e9),
    );
    figures.add(
        ("Service time", "p50"),
        Quantity::Nanoseconds,
        Better::Low,
        cells(count, Quantity::Nanoseconds, 82e3),
    );
    figures.add(("Service time", "p99.9"), Quantity::Nanoseconds, Better::Low, {
        let value = |place| Value {
            few: (place == 1).then_some(7),
            ..Value::new(Quantity::Nanoseconds, 1.24e6 * scaled(place))
        };
        (0..count).map(|place| value(place).into()).collect()
    });
    figures.add(("Service time", "Longest"), Quantity::Nanoseconds, Better::Low, {
        let bound =
            |place| if place == 0 { drivelab_view::Bound::AtLeast } else { drivelab_view::Bound::Exact };
        let value = |place| Value::new(Quantity::Nanoseconds, 0.804e9 * scaled(place)).bounded(bound(place));
        (0..count).map(|place| value(place).into()).collect()
    });
    figures.notes.push("The figures are taken from the last 30 % of each run.".to_owned());
    figures
}

fn not_ranked(count: usize) -> Figures {
    let ranking = Ranking::NotRanked("These figures are not ranked: the queue depths differ.".to_owned());
    let mut figures = Figures::new("meter", count, ranking);
    figures.add(("Energy", "Mean power"), Quantity::Watts, Better::Low, cells(count, Quantity::Watts, 3.1));
    figures.add(
        ("Energy", "Each GB"),
        Quantity::JoulesPerGigabyte,
        Better::Low,
        cells(count, Quantity::JoulesPerGigabyte, 12.0),
    );
    figures.add(
        ("Energy", "Warmest"),
        Quantity::Celsius,
        Better::Neither,
        cells(count, Quantity::Celsius, 31.0),
    );
    figures
}

fn delays(count: usize) -> Table {
    let columns = vec![
        Column { has_bars: true, ..Column::new("Delays", Quantity::Count) },
        Column::new("Every", Quantity::Bytes),
        Column::new("Throughput meanwhile", Quantity::BytesPerSecond),
        Column::new("What the log says", Quantity::Number),
        Column::new("Clustered", Quantity::Number),
    ];
    let mut table = Table::new("delays", "Delays of more than 100 ms", "Run", columns);
    for place in 0..count {
        table.row(
            MODELS[place / 2 % MODELS.len()],
            vec![
                Cell::count(Quantity::Count, Some(4 + 90 * place as u64)),
                Cell::number(Quantity::Bytes, (place != 2).then_some(15.7e9)),
                if place == 0 {
                    Cell::Best(Value::new(Quantity::BytesPerSecond, 210e6))
                } else {
                    Value::new(Quantity::BytesPerSecond, 1.0e6).within(0.8e6, 1.3e6).into()
                },
                Cell::text(
                    "183 Runtime_Bad_Block: 3 to 5, and nothing else that the drive's own log would explain",
                ),
                Cell::Verdict(
                    if place == 1 { Tone::Bad } else { Tone::Good },
                    if place == 1 { "clustered" } else { "apart" }.to_owned(),
                ),
            ],
        );
    }
    for (place, row) in table.rows.iter_mut().enumerate() {
        row.subject = Some(place);
        row.group = Some(if place < count / 2 { "The first drives" } else { "The other drives" }.to_owned());
    }
    table.notes.push("A delay is an I/O that took more than 100 ms.".to_owned());
    table
}

fn fold() -> Block {
    let mut table =
        Table::new("cells", "Differences between runs", "Pair", vec![Column::new("Ratio", Quantity::Factor)]);
    for place in 1..8 {
        let ratio = Value::new(Quantity::Factor, 1.0 + f64::from(place) / 7.0).within(0.9, 2.2);
        table.row(format!("{place} and {}", place + 1), vec![ratio.into()]);
    }
    let blocks =
        vec![Block::Text("Every ratio has its 95 % confidence interval.".to_owned()), Block::Table(table)];
    Block::Fold(Fold { summary: "All 7 comparisons".to_owned(), blocks })
}

fn conditions(count: usize) -> Conditions {
    let condition = |group: &str, name: &str, value: String| Condition::new(group, name, value);
    let of_subject = |place: usize| {
        let mut all = vec![
            condition("drive", "model", MODELS[place / 2 % MODELS.len()].to_owned()),
            condition("drive", "capacity", "240 GB".to_owned()),
            condition("drive", "write cache", "on".to_owned()),
            condition("workload", "block size", "4 KiB".to_owned()),
            condition(
                "workload",
                "over-provisioning",
                if place.is_multiple_of(2) { "0 %" } else { "25 %" }.to_owned(),
            ),
        ];
        for number in 0..14 {
            all.push(condition("system", &format!("setting {number}"), format!("value {}", number * 3)));
        }
        all
    };
    Conditions { of_subjects: (0..count).map(of_subject).collect() }
}
