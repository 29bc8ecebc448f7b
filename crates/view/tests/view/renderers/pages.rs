//! Pages of any texts and numbers.

use drivelab_view::chart::{Axis, Scale, Series, Shape};
use drivelab_view::{
    Better, Block, Cell, Chart, Column, Condition, Conditions, Figures, Fold, Notice, Page, Quantity,
    Ranking, Row, Section, Severity, Subject, Table, Tone, Value, Verdict, View,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Texts of any characters, those that steer a terminal or begin a cell included.
pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "[ -~]{0,60}",
        "([|`<*\\\\\n]|a){0,12}",
        "(東芝|e\u{301}|\u{1b}\\[2J|\u{202e}|👩\u{200d}🔬|☺\u{fe0f}|12 MB/s| ){0,14}",
    ]
}

/// A view with a block of each kind, of two subjects or of one, made of these texts and numbers.
pub fn any_view() -> impl Strategy<Value = View> {
    (vec(any_text(), 12), vec(any::<f64>(), 16), 1..3_usize, 1..40_usize)
        .prop_map(|(texts, numbers, subjects, points)| view_of(&texts, &numbers, (subjects, points)))
}

fn view_of(texts: &[String], numbers: &[f64], (count, points): (usize, usize)) -> View {
    let text = |index: usize| texts[index % texts.len()].clone();
    let number = |index: usize| numbers[index % numbers.len()];
    let subjects = (0..count).map(|index| Subject::new(text(index), text(index + 2))).collect();
    let notice = |index| Notice { severity: Severity::Warning, text: text(index) };
    let verdict = Verdict {
        notices: vec![notice(3)],
        details: vec![text(4)],
        ..Verdict::on(count - 1, Tone::Bad, &text(5), text(6))
    };
    let conditions =
        (0..count).map(|index| vec![Condition::new(text(0), text(1), text(index + 7))]).collect();
    let table = table(texts, numbers);
    let blocks = vec![
        Block::Verdict(verdict),
        Block::Text(text(8)),
        Block::Figures(figures(texts, numbers, count)),
        Block::Table(table.clone()),
        Block::Chart(chart(texts, &number, (count, points))),
        Block::Notices(vec![notice(9)]),
        Block::Conditions(Conditions { of_subjects: conditions }),
        Block::Fold(Fold { summary: text(10), blocks: vec![Block::Table(table)] }),
    ];
    let sections = vec![Section::summary(Some(&text(11)), blocks)];
    View { title: text(0), kind: text(1), name: "any", subjects, sections }
}

fn figures(texts: &[String], numbers: &[f64], count: usize) -> Figures {
    let mut figures = Figures::new("figures", count, Ranking::NotRanked(texts[2].clone()));
    for (index, quantity) in
        [Quantity::Iops, Quantity::Nanoseconds, Quantity::Share, Quantity::Count].into_iter().enumerate()
    {
        let cell = |subject: usize| {
            let number = numbers[(index + subject) % numbers.len()];
            Cell::from(Value { few: Some(2), ..Value::new(quantity, number).within(number - 1.0, number) })
        };
        let name = texts[index].as_str();
        figures.add((&texts[index / 2], name), quantity, Better::High, (0..count).map(cell).collect());
    }
    figures.add(
        (&texts[1], &texts[0]),
        Quantity::Iops,
        Better::Low,
        vec![Cell::text(texts[3].clone()); count],
    );
    figures
}

fn table(texts: &[String], numbers: &[f64]) -> Table {
    let columns = texts[..5].iter().map(|text| Column::new(text, Quantity::BytesPerSecond)).collect();
    let mut table = Table::new("table", &texts[5], &texts[6], columns);
    for (index, texts) in texts.chunks(3).enumerate() {
        table.rows.push(Row {
            head: texts[0].clone(),
            subject: Some(0),
            group: (index % 2 == 0).then(|| texts[1].clone()),
            cells: vec![
                Cell::text(texts[1].clone()),
                Cell::Verdict(Tone::Good, texts[2].clone()),
                Cell::Best(Value::new(Quantity::BytesPerSecond, numbers[index])),
                Value::new(Quantity::Nanoseconds, numbers[index + 1]).into(),
                Cell::Nothing,
            ],
        });
    }
    table
}

fn chart(texts: &[String], number: &dyn Fn(usize) -> f64, (count, points): (usize, usize)) -> Chart {
    let across = Axis::new(&texts[7], Quantity::Seconds, Scale::Linear);
    let up = Axis::new(&texts[8], Quantity::Nanoseconds, Scale::LogOrLinear);
    let mut chart = Chart::new("chart", &texts[9], vec![across], up);
    for subject in 0..count {
        let points = (0..points).map(|index| (index as f64, number(index + subject)));
        chart.series.push(Series::of_points(texts[10].clone(), subject, Shape::Dots, points));
    }
    chart
}

/// A page of one view.
pub fn any_page() -> impl Strategy<Value = Page> {
    any_view().prop_map(Page::from_view)
}
