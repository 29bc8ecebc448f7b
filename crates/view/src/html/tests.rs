use super::*;
use crate::chart::{Axis, Scale, Series, Shape};
use crate::{
    Better, Block, Bound, Catalogue, CatalogueRow, CatalogueSource, Cell, Chart, Column, Condition,
    Conditions, Figures, Fold, Quantity, Ranking, Subject, Table, Tone, Value, Verdict,
};

/// The page of two subjects that shows this block, as far as its main part goes.
fn main_part(blocks: Vec<Block>) -> String {
    let page = page(&["Slow", "Fast"], blocks);
    let (_, rest) = page.split_once("<main").expect("a main part");
    rest.split_once("</main>").expect("its end").0.to_owned()
}

fn page(labels: &[&str], blocks: Vec<Block>) -> String {
    let view = View {
        title: "A <title> & \"more\"".to_owned(),
        kind: "a test".to_owned(),
        name: "test",
        subjects: labels.iter().map(|label| Subject::new(*label, "")).collect(),
        sections: vec![Section::summary(None, blocks)],
    };
    html(&Page::from_view(view))
}

/// The text of each cell of the rows of a table, its marks left out.
fn rows(markup: &str) -> Vec<Vec<String>> {
    let cells = |row: &str| {
        let parts = row.split("<t").skip(1).filter(|part| part.starts_with("h ") || part.starts_with('d'));
        parts.map(|part| text(part.split_once('>').map_or("", |(_, rest)| rest))).collect()
    };
    markup.split("<tr").skip(1).map(|row| cells(row.split("</tr>").next().unwrap_or(""))).collect()
}

fn text(markup: &str) -> String {
    let mut inside = false;
    let visible = markup.chars().filter(|character| {
        inside = (inside || *character == '<') && *character != '>';
        !inside && *character != '>'
    });
    visible.collect::<String>().replace('\u{a0}', " ").trim().to_owned()
}

fn compared(ranking: Ranking) -> Figures {
    let mut figures = Figures::new("figures", 2, ranking);
    let cells =
        |quantity, numbers: [f64; 2]| numbers.map(|number| Value::new(quantity, number).into()).to_vec();
    figures.add(("Rate", "Mean"), Quantity::Iops, Better::High, cells(Quantity::Iops, [1_000.0, 4_000.0]));
    figures.add(
        ("Rate", "p99"),
        Quantity::Nanoseconds,
        Better::Low,
        cells(Quantity::Nanoseconds, [82e3, 1.2e6]),
    );
    figures
}

#[test]
fn nothing_that_a_result_says_becomes_markup() {
    let evil = "</script><script>alert(1)</script> \"&";
    let mut table = Table::new("t", evil, evil, vec![Column::new(evil, Quantity::Number)]);
    table.row(evil, vec![Cell::text(evil)]);
    let mut chart = Chart::new(
        "c",
        evil,
        vec![Axis::new(evil, Quantity::Seconds, Scale::Linear)],
        Axis::new(evil, Quantity::Iops, Scale::Log),
    );
    chart.series.push(Series::of_points(evil, 0, Shape::Line, [(0.0, 1.0)]));
    let fold =
        Fold { summary: evil.to_owned(), blocks: vec![Block::Text(evil.to_owned()), Block::Chart(chart)] };
    let verdict = Verdict::on(0, Tone::Bad, evil, evil);
    let source = CatalogueSource {
        name: evil.to_owned(),
        remark: evil.to_owned(),
        link: Some(evil.to_owned()),
        folder: evil.to_owned(),
        differing: vec![evil.to_owned()],
    };
    let row = CatalogueRow {
        head: evil.to_owned(),
        about: evil.to_owned(),
        cells: Vec::new(),
        sources: vec![source],
    };
    let catalogue = Catalogue {
        id: "catalogue".to_owned(),
        caption: evil.to_owned(),
        corner: evil.to_owned(),
        columns: Vec::new(),
        curves: None,
        rows: vec![row],
        notes: vec![evil.to_owned()],
    };
    let blocks =
        vec![Block::Verdict(verdict), Block::Table(table), Block::Fold(fold), Block::Catalogue(catalogue)];
    let page = page(&[evil, "other"], blocks);
    assert_eq!(page.matches("<script").count(), 2, "the document and the program");
    assert!(!page.contains("<script>alert"));
    let (_, document) = page.split_once("id=\"page-document\">").expect("the document");
    let (json, _) = document.split_once("</script>").expect("its end");
    let parsed: serde_json::Value = serde_json::from_str(json).expect("the document is JSON");
    assert_eq!(parsed["views"][0]["charts"][0]["title"], evil, "the chart in the fold is in the document");
}

#[test]
fn subjects_stand_in_rows_with_units_in_the_head_and_the_best_marked() {
    let markup = main_part(vec![Block::Figures(compared(Ranking::Ranked))]);
    assert_eq!(
        rows(&markup),
        [vec!["", "Mean IOPS", "p99"], vec!["Slow", "1,000", "★82.0 us"], vec!["Fast", "★4,000", "1.20 ms"]]
    );
    assert!(markup.contains("★ The best value"));
    assert_eq!(markup.matches("class=\"bar").count(), 4);
}

#[test]
fn figures_that_are_not_ranked_say_why_and_mark_nothing() {
    let reason = "The queue depths differ.";
    let markup = main_part(vec![Block::Figures(compared(Ranking::NotRanked(reason.to_owned())))]);
    assert!(markup.contains(reason));
    assert!(!markup.contains('★') && !markup.contains("class=\"bar"));
}

#[test]
fn a_value_shows_its_bound_its_interval_and_that_few_lie_beyond() {
    let mut table = Table::new("t", "", "", vec![Column::new("p99", Quantity::BytesPerSecond)]);
    let value = Value { few: Some(3), ..Value::new(Quantity::BytesPerSecond, 210e6).within(200e6, 220e6) };
    table.row("row", vec![value.bounded(Bound::AtLeast).into()]);
    table.row("other", vec![Value::new(Quantity::Seconds, 4.0).into()]);
    let markup = main_part(vec![Block::Table(table)]);
    assert_eq!(rows(&markup)[1], ["row", "≥ 210* 200 to 220"]);
    assert_eq!(rows(&markup)[2], ["other", "4 s"], "a value of another quantity keeps its unit");
    assert!(markup.contains("Fewer than ten I/Os lie beyond"));
}

#[test]
fn conditions_are_shown_once_where_they_are_shared() {
    let condition = |name: &str, value: &str| Condition::new("drive", name, value);
    let of = |model| vec![condition("model", model), condition("cache", "on")];
    let markup = main_part(vec![Block::Conditions(Conditions { of_subjects: vec![of("A"), of("B")] })]);
    let rows = rows(&markup);
    assert_eq!(rows[1], ["≠modeldrive", "A", "B"]);
    assert_eq!(rows[2], ["cache", "on"]);
}
