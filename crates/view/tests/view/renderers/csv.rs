//! Views as CSV.

use drivelab_view::chart::{Axis, Data, Extra, Heat, HeatColumn, Scale, Series, Shape};
use drivelab_view::{
    Better, Block, Bound, Cell, Chart, Figures, Quantity, Ranking, Section, Subject, Value, View, csv,
};
use proptest::prelude::*;

use crate::renderers::pages::any_view;

fn files(blocks: Vec<Block>) -> Vec<(String, String)> {
    let subjects = vec![Subject::new("A, first", ""), Subject::new("=B", "")];
    let sections = vec![Section::full("All", blocks)];
    csv(&View { title: String::new(), kind: String::new(), name: "test", subjects, sections })
}

#[test]
fn figures_have_a_row_for_each_subject() {
    let mut figures = Figures::new("figures", 2, Ranking::Ranked);
    let time = Quantity::Nanoseconds;
    let cells = vec![
        Value { few: Some(3), ..Value::new(time, 190.5) }.into(),
        Value::new(time, 1e9).bounded(Bound::AtLeast).into(),
    ];
    figures.add(("Service time", "p99"), time, Better::Low, cells);
    let rate = vec![Value::new(Quantity::Iops, 20.0).within(19.5, 21.0).into(), Cell::Nothing];
    figures.add(("", "mean"), Quantity::Iops, Better::High, rate);
    let expected = "\
subject,service_time_p99_ns,service_time_p99_bound,service_time_p99_ios_beyond,mean_iops,mean_iops_low,mean_iops_high
\"A, first\",190.5,,3,20,19.5,21
'=B,1000000000,at least,,,,
";
    assert_eq!(files(vec![Block::Figures(figures)]), [("figures".to_owned(), expected.to_owned())]);
}

fn chart() -> Chart {
    let across = Axis::new("Time", Quantity::Seconds, Scale::Linear);
    Chart::new("rate", "Rate", vec![across], Axis::new("Rate", Quantity::Iops, Scale::Linear))
}

#[test]
fn series_are_columns_where_their_places_are_the_same() {
    let mut chart = chart();
    let steps = |count| Data::Regular { start: 0.0, step: 1.0, count };
    let mut one = Series::new("A, first", 0, Shape::Dots, steps(2), [5.0, f64::NAN].into_iter().collect());
    let longest = [7.0, 8.0].into_iter().collect();
    one.extras.push(Extra {
        name: "longest I/O".to_owned(),
        quantity: Quantity::Nanoseconds,
        values: longest,
    });
    chart.series.push(one);
    chart.series.push(Series::new("writes", 1, Shape::Dots, steps(1), std::iter::once(6.0).collect()));
    let wide = "time_s,a_first_iops,a_first_longest_io_ns,b_writes_iops\n0,5,7,6\n1,,8,\n";
    assert_eq!(files(vec![Block::Chart(chart.clone())])[0].1, wide);
    chart.series.push(Series::of_points("failed", 0, Shape::TopCrosses, [(0.5, 3.0)]));
    let long = "\
series,subject,time_s,rate_iops,count,longest_io_ns
\"A, first\",\"A, first\",0,5,,7
\"A, first\",\"A, first\",1,,,8
writes,'=B,0,6,,
failed,\"A, first\",0.5,,3,
";
    assert_eq!(files(vec![Block::Chart(chart)])[0].1, long);
}

#[test]
fn a_heat_map_has_a_row_for_each_cell_that_counts_something() {
    let mut chart = chart();
    chart.heats.push(Heat {
        name: String::new(),
        subject: 1,
        start: 10.0,
        width: 5.0,
        edges: [1.0, 2.0, 4.0, 8.0].into_iter().collect(),
        columns: vec![HeatColumn::default(), HeatColumn { first: 1, counts: vec![9, 0] }],
        unit: "I/Os".to_owned(),
        quantity: Quantity::Count,
    });
    let expected = "subject,time_s,rate_iops_low,rate_iops_high,ios\n'=B,15,2,4,9\n";
    assert_eq!(files(vec![Block::Chart(chart)]), [("rate".to_owned(), expected.to_owned())]);
}

/// The rows of a CSV file; the reader knows no more than RFC 4180.
fn read(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn files_read_back_as_the_same_numbers(view in any_view()) {
        let files = csv(&view);
        for (name, text) in &files {
            let rows = read(text);
            prop_assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}: {text}");
            let is_formula = |field: &String| {
                field.starts_with(['=', '+', '-', '@']) && field.parse::<f64>().is_err()
            };
            prop_assert!(!rows.iter().flatten().any(is_formula), "{name}: {text}");
        }
        let wanted = numbers_of_the_table(&view);
        let table = files.iter().find(|(name, _)| name == "table").expect("a table");
        let rows = read(&table.1);
        let place = rows[0].len() - 3;
        let found: Vec<Option<u64>> =
            rows[1..].iter().map(|row| row[place].parse::<f64>().ok().map(f64::to_bits)).collect();
        prop_assert_eq!(found, wanted);
    }
}

/// The numbers of the third column of the table, none where one is not finite.
fn numbers_of_the_table(view: &View) -> Vec<Option<u64>> {
    let table = view.sections[0].blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    let rows = table.expect("a table").rows.iter();
    let numbers = rows.map(|row| row.cells[2].value().map_or(f64::NAN, |value| value.number));
    numbers.map(|number| number.is_finite().then(|| number.to_bits())).collect()
}
