//! Views that resemble those of `quick`, `trim` and `consistency`. Their figures are made up.

use drivelab_view::chart::{Axis, Extra, Heat, HeatColumn, Scale, Series, Shape, Spread};
use drivelab_view::{
    Better, Block, Bound, Cell, Chart, Column, Condition, Conditions, Figures, Fold, Notice, Page, Quantity,
    Ranking, Row, Section, Severity, Subject, Table, Tone, Value, Verdict, View,
};

fn value(quantity: Quantity, number: f64) -> Cell {
    Value::new(quantity, number).into()
}

fn notice(severity: Severity, text: &str) -> Notice {
    Notice { severity, text: text.to_owned() }
}

fn condition(group: &str, name: &str, value: &str) -> Condition {
    Condition::new(group, name, value)
}

/// A quick look at one drive.
pub fn quick() -> Page {
    let (rate, time) = (Quantity::BytesPerSecond, Quantity::Nanoseconds);
    let mut verdict = Verdict::on(
        0,
        Tone::Neutral,
        "Read only",
        "Sequential reads run at 512 MB/s on average over the drive, and at 431 MB/s in the slowest place; a random read of \
         4 KiB takes 94.1 us on average.",
    );
    verdict.notices.push(notice(
        Severity::Note,
        "Only reads were measured: --write measures writes too, and destroys data.",
    ));
    let mut figures = Figures::new("figures", 1, Ranking::Ranked);
    figures.add(
        ("Sequential reads", "mean"),
        rate,
        Better::High,
        vec![Value::new(rate, 512e6).within(508e6, 516e6).into()],
    );
    figures.add(("Sequential reads", "slowest place"), rate, Better::High, vec![value(rate, 431e6)]);
    figures.add(
        ("Sequential reads", "places"),
        Quantity::Count,
        Better::Neither,
        vec![value(Quantity::Count, 100.0)],
    );
    for (name, nanos) in [("mean", 94_100.0), ("standard deviation", 21_000.0), ("max", 402_000.0)] {
        figures.add(("Random reads", name), time, Better::Low, vec![value(time, nanos)]);
    }
    let few = Value { few: Some(1), ..Value::new(time, 377_000.0) };
    figures.add(("Random reads", "p99"), time, Better::Low, vec![few.into()]);
    let mut chart = rate_over_drive("reads", 100, |place| 512e6 - 40e6 * (place * 0.7).sin());
    chart.notes.push("Each place is read for 0.3 s with four requests in flight.".to_owned());
    let mut tenths = rate_over_drive("tenths", 10, |place| 512e6 - 30e6 * place.cos());
    "Rate of reading in ten parts of the drive".clone_into(&mut tenths.title);
    let verdicts =
        vec![Block::Verdict(verdict), Block::Figures(figures), Block::Chart(chart), Block::Chart(tenths)];
    Page::from_view(View {
        title: "Quick look at a Crucial MX200".to_owned(),
        kind: "quick look".to_owned(),
        name: "quick",
        subjects: vec![Subject::new("/dev/sdb", "Crucial_CT250MX200SSD1, 250 GB, serial 14501234")],
        sections: vec![Section::summary(None, verdicts)],
    })
}

fn rate_over_drive(id: &str, places: usize, rate: fn(f64) -> f64) -> Chart {
    let across = Axis::new("LBA", Quantity::Lba, Scale::Linear);
    let up = Axis::new("Rate", Quantity::BytesPerSecond, Scale::Linear);
    let mut chart = Chart::new(id, "Rate of reading over the drive", vec![across], up);
    let points = (0..places).map(|place| {
        let lba = (488_397_168 / places * place) as f64;
        (lba, rate(place as f64))
    });
    chart.series.push(Series::of_points("Reads", 0, Shape::DottedLine, points));
    chart
}

/// A TRIM validation of one drive.
pub fn trim() -> Page {
    let mut verdict = Verdict::on(
        0,
        Tone::Good,
        "Effective",
        "After TRIM, writes run at 98 % of the fresh drive's rate; without TRIM they ran at 41 % of it.",
    );
    verdict.details.push("1,024 trimmed blocks read as zeros; the drive claims zeros.".to_owned());
    verdict.notices.push(notice(
        Severity::Warning,
        "The drive was preconditioned for 60 s only: a drive that is used for longer \
        may be slower than this.",
    ));
    let rate = Quantity::BytesPerSecond;
    let columns = vec![
        Column { better: Better::High, has_bars: true, ..Column::new("Rate", rate) },
        Column::new("Share of fresh", Quantity::Share),
        Column::new("Write amplification", Quantity::Factor),
        Column::new("Cliff", Quantity::Seconds),
    ];
    let mut table = Table::new("rates", "Rate of writing in each state of the drive", "State", columns);
    for round in 1..=2 {
        for (state, mbs, amplification) in
            [("fresh", 402.0, 1.0), ("used", 165.0, 3.27), ("trimmed", 394.0, 1.04)]
        {
            let mean = Value::new(rate, mbs * 1e6).within(mbs * 0.97e6, mbs * 1.03e6);
            table.rows.push(Row {
                head: state.to_owned(),
                subject: Some(0),
                group: Some(format!("Round {round}")),
                cells: vec![
                    if state == "fresh" { Cell::Best(mean) } else { mean.into() },
                    value(Quantity::Share, mbs / 402.0),
                    value(Quantity::Factor, amplification),
                    if state == "used" { value(Quantity::Seconds, 12.0) } else { Cell::text("no cliff") },
                ],
            });
        }
    }
    table
        .notes
        .push("Used: after 60 s of random writes. Trimmed: after the whole drive was trimmed.".to_owned());
    let conditions = Conditions { of_subjects: vec![vec![condition("Drive", "Model", "sim:mx200")]] };
    Page::from_view(View {
        title: "TRIM validation of a simulated drive".to_owned(),
        kind: "TRIM validation".to_owned(),
        name: "trim",
        subjects: vec![Subject::new("sim:mx200", "250 GB, seed 1")],
        sections: vec![
            Section::summary(None, vec![Block::Verdict(verdict), Block::Table(table)]),
            Section::full("Conditions", vec![Block::Conditions(conditions)]),
        ],
    })
}

/// The consistency of two drives.
pub fn consistency() -> Page {
    let subjects = vec![
        Subject::new("MX200, 25 % over-provisioning", "Crucial_CT250MX200SSD1, 250 GB, serial 14501234")
            .with_facet("Drive", "MX200"),
        Subject::new("850 PRO", "Samsung SSD 850 PRO 256GB, 256 GB, serial S1SUNSAF"),
    ];
    let mut steady = Verdict::on(
        0,
        Tone::Good,
        "Steady",
        "From 312 s on the rate is 20,400 IOPS with a standard deviation of 3.1 %; the slowest second has 18,200 IOPS. The \
         cliff came after 71.3 GB.",
    );
    steady
        .notices
        .push(notice(Severity::Warning, "The drive was trimmed only, since it has no secure erase."));
    let unsteady = Verdict::on(
        1,
        Tone::Bad,
        "Not steady",
        "The rate swings between 2,100 and 9,800 IOPS up to the end.",
    );
    let section = vec![
        Block::Verdict(steady),
        Block::Verdict(unsteady),
        Block::Notices(vec![notice(Severity::Note, "Closed loop: stalls are under-reported.")]),
        Block::Figures(compared()),
        Block::Chart(every_second()),
    ];
    let fold = Fold { summary: "All windows <of 60 s>".to_owned(), blocks: vec![Block::Table(windows())] };
    let details = vec![Block::Chart(latencies()), Block::Fold(fold), Block::Conditions(conditions())];
    Page::from_view(View {
        title: "Performance consistency of two drives".to_owned(),
        kind: "performance consistency".to_owned(),
        name: "consistency",
        subjects,
        sections: vec![Section::summary(None, section), Section::full("Details", details)],
    })
}

fn compared() -> Figures {
    let (iops, time) = (Quantity::Iops, Quantity::Nanoseconds);
    let mut figures = Figures::new("figures", 2, Ranking::Ranked);
    let mean = [
        Value::new(iops, 20_400.0).within(20_100.0, 20_700.0),
        Value::new(iops, 5_950.0).within(5_100.0, 6_500.0),
    ];
    figures.add(("Rate", "mean"), iops, Better::High, mean.map(Cell::from).to_vec());
    figures.add(
        ("Rate", "slowest second"),
        iops,
        Better::High,
        vec![value(iops, 18_200.0), value(iops, 2_100.0)],
    );
    let deviations = vec![value(Quantity::Share, 0.031), value(Quantity::Share, 0.42)];
    figures.add(("Rate", "standard deviation"), Quantity::Share, Better::Low, deviations);
    let cliffs =
        vec![Value::new(Quantity::Bytes, 71.3e9).bounded(Bound::AtLeast).into(), Cell::text("no cliff")];
    figures.add(("Rate", "cliff after"), Quantity::Bytes, Better::Neither, cliffs);
    for (name, one, other) in [
        ("mean", 1.57e6, 5.38e6),
        ("p50", 1.44e6, 2.1e6),
        ("p99", 4.2e6, 38e6),
        ("p99.9", 9.8e6, 95e6),
        ("p99.99", 18e6, 210e6),
        ("max", 41e6, 804e6),
    ] {
        figures.add(("Service time", name), time, Better::Low, vec![value(time, one), value(time, other)]);
    }
    if let Some(figure) = figures.rows.iter_mut().find(|figure| figure.name == "p99.99") {
        figure.cells[1] = Value { few: Some(4), ..Value::new(time, 210e6) }.into();
    }
    figures.notes.push("Rates are those of the last 600 s; times are those of all I/Os.".to_owned());
    figures
}

fn every_second() -> Chart {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let up = Axis::new("Rate", Quantity::Iops, Scale::LogOrLinear);
    let mut chart = Chart::new("rate", "IOPS of every second", vec![across], up);
    for (subject, name, count) in [(0, "MX200, 25 % over-provisioning", 900), (1, "850 PRO", 880)] {
        let rate = |second: usize| match second {
            0..=300 => 80_000.0 - 20.0 * second as f64,
            _ if subject == 0 => 20_400.0 + 600.0 * (second as f64).sin(),
            _ => 5_950.0 + 3_800.0 * (second as f64 / 9.0).sin(),
        };
        let points = (0..count).map(|second| (second as f64, rate(second)));
        let mut series = Series::of_points(name, subject, Shape::Dots, points);
        let longest = (0..count).map(|second| 1e9 / rate(second) * 40.0).collect();
        series.extras.push(Extra {
            name: "longest I/O".to_owned(),
            quantity: Quantity::Nanoseconds,
            values: longest,
        });
        chart.series.push(series);
    }
    chart
}

fn latencies() -> Chart {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let up = Axis::new("Service time", Quantity::Nanoseconds, Scale::Log);
    let mut chart = Chart::new("latency", "Service times over the run", vec![across], up);
    let mut series = Series::of_points("p99", 0, Shape::Line, [(0.0, 1e6), (60.0, 2e6), (120.0, 2.5e6)]);
    series.spread = Some(Spread {
        low: [0.9e6, 1.8e6, 2.4e6].into_iter().collect(),
        high: [1.1e6, 2.9e6, 2.6e6].into_iter().collect(),
    });
    chart.series.push(series);
    chart.heats.push(Heat {
        name: String::new(),
        subject: 1,
        start: 0.0,
        width: 60.0,
        edges: [1e5, 1e6, 1e7, 1e8].into_iter().collect(),
        columns: vec![
            HeatColumn { first: 0, counts: vec![3, 4_000] },
            HeatColumn { first: 1, counts: vec![3_900, 0] },
            HeatColumn { first: 1, counts: vec![3_500, 12] },
        ],
        unit: "I/Os".to_owned(),
        quantity: Quantity::Count,
    });
    chart
}

fn windows() -> Table {
    let mut table =
        Table::new("windows", "Windows of 60 s", "Window", vec![Column::new("Rate", Quantity::Iops)]);
    for (subject, rate) in [(0, 20_400.0), (1, 5_950.0)] {
        table.rows.push(Row {
            head: "0 to 60 s".to_owned(),
            subject: Some(subject),
            group: None,
            cells: vec![value(Quantity::Iops, rate)],
        });
    }
    table
}

fn conditions() -> Conditions {
    let of =
        |model: &str| vec![condition("Drive", "Model", model), condition("System", "Kernel", "6.18 | *rt*")];
    Conditions { of_subjects: vec![of("Crucial_CT250MX200SSD1"), of("Samsung SSD 850 PRO 256GB")] }
}
