//! A catalogue of many drives: every column, every kind of cell, rows without some of them.

use drivelab_view::chart::{Axis, Data, Scale, Series, Shape};
use drivelab_view::{
    Better, Block, Catalogue, CatalogueCell, CatalogueRow, CatalogueSource, Cell, Chart, Column, Quantity,
    Section, View,
};

/// How many values each curve has.
const VALUES: usize = 120;

pub fn view(drives: usize) -> View {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    let up = Axis::new("Rate", Quantity::Iops, Scale::LogOrLinear);
    let mut curves = Chart::new("curves", "Random writes", vec![across], up);
    // Every tenth drive has no curve.
    for drive in (0..drives).filter(|drive| drive % 10 != 9) {
        let ys = (0..VALUES).map(|at| if at < 20 { 60_000.0 } else { rate(drive) + (at % 7) as f64 * 100.0 });
        let xs = Data::Regular { start: 5.0, step: 10.0, count: VALUES };
        curves.series.push(Series::new(name(drive), drive, Shape::Line, xs, ys.collect()));
    }
    let columns = vec![
        Column::new("Capacity", Quantity::Bytes),
        Column::new("Firmware", Quantity::Number),
        Column::new("Random writes at the end", Quantity::Iops).judged(Better::High),
        Column::new("Random writes, p99.99", Quantity::Nanoseconds).judged(Better::Low),
    ];
    let columns = columns.into_iter().chain((0..12).map(|number| {
        Column::new(&format!("Figure {number}"), Quantity::BytesPerSecond).judged(Better::High)
    }));
    let catalogue = Catalogue {
        id: "drives".to_owned(),
        caption: "Drives, each with the figures of its newest results".to_owned(),
        corner: "Drive".to_owned(),
        columns: columns.collect(),
        curves: Some(curves),
        rows: (0..drives).map(row).collect(),
        notes: vec!["≠ The result was asked for differently.".to_owned()],
    };
    View {
        title: format!("Index of {drives} drives"),
        kind: "index".to_owned(),
        name: "index",
        subjects: Vec::new(),
        sections: vec![Section::summary(None, vec![Block::Catalogue(catalogue)])],
    }
}

fn name(drive: usize) -> String {
    format!("Model {drive:03}")
}

/// A rate that goes up and down with the number of the drive.
fn rate(drive: usize) -> f64 {
    5_000.0 + ((drive * 7919) % 500) as f64 * 100.0
}

fn row(drive: usize) -> CatalogueRow {
    // Every fiftieth drive was asked for something else.
    let differs = drive % 50 == 3;
    let cell = |cell: Cell| CatalogueCell { cell, comparable: Some(usize::from(differs)), differs };
    let value = |quantity, number| cell(Cell::number(quantity, Some(number)));
    let mut cells = vec![
        CatalogueCell {
            cell: Cell::number(Quantity::Bytes, Some(64e9 * (1 + drive % 16) as f64)),
            ..Default::default()
        },
        CatalogueCell { cell: Cell::Text(format!("1.{}", drive % 12)), ..Default::default() },
        if drive % 7 == 6 { CatalogueCell::default() } else { value(Quantity::Iops, rate(drive)) },
        value(Quantity::Nanoseconds, 1e6 * (1 + drive % 90) as f64),
    ];
    cells.extend((0..12).map(|number| {
        value(Quantity::BytesPerSecond, 1e8 + ((drive * 31 + number * 17) % 400) as f64 * 1e6)
    }));
    let differing = if differs { vec!["duration 20 s instead of 2000 s".to_owned()] } else { Vec::new() };
    let source = |kind: &str, link: Option<String>| CatalogueSource {
        name: kind.to_owned(),
        remark: "2026-11-27".to_owned(),
        link,
        folder: format!("results/{drive} {kind}"),
        differing: differing.clone(),
    };
    CatalogueRow {
        head: name(drive),
        about: format!("serial S{drive:05}"),
        cells,
        sources: vec![
            source("consistency", Some(format!("{drive}/consistency/report.html"))),
            source("quick", None),
        ],
    }
}
