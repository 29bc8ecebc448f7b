//! The summary on the terminal.

use drivelab_documents::Condition;
use drivelab_view::terminal;
use drivelab_view::{
    Block, Cell, Column, Conditions, Page, Quantity, Row, Section, Subject, Table, TerminalStyle, Tone,
    Value, Verdict, View,
};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use crate::renderers::pages::any_page;
use crate::renderers::samples;

fn page(subjects: Vec<Subject>, sections: Vec<Section>) -> Page {
    Page::from_view(View {
        title: "A page".to_owned(),
        kind: "test".to_owned(),
        name: "test",
        subjects,
        sections,
    })
}

#[test]
fn a_table_that_is_too_wide_is_cut_between_its_columns() {
    let columns = ["Read", "Write", "Discard"].map(|head| Column::new(head, Quantity::BytesPerSecond));
    let mut table = Table::new("rates", "Rates", "Drive", columns.to_vec());
    let value = |number: f64| Cell::from(Value::new(Quantity::BytesPerSecond, number));
    table.row(
        "MX200 of 2014",
        vec![value(5.2e8), Cell::Best(Value::new(Quantity::BytesPerSecond, 4.1e8)), Cell::Nothing],
    );
    let group = Some("Newer".to_owned());
    let cells = vec![value(5e8), Cell::text("not asked"), value(1.5e6)];
    table.rows.push(Row { head: "A".to_owned(), subject: None, group, cells });
    let style = TerminalStyle { width: 40, ..TerminalStyle::default() };
    let shown = terminal(&page(Vec::new(), vec![Section::summary(None, vec![Block::Table(table)])]), style);
    let expected = "\
A page

Rates
Drive          Read (MB/s)  Write (MB/s)
MX200 of 2014          520         410 ✓
Newer
A                      500   not asked

               Discard
Drive           (MB/s)
MX200 of 2014        -
Newer
A                 1.50

✓ This is the best value.
";
    assert_eq!(shown, expected);
}

#[test]
fn a_verdict_is_wrapped_in_its_colour_and_details_are_left_out() {
    let verdict =
        Verdict::on(0, Tone::Bad, "Not steady", "The rate swings between 2,100 IOPS and 9,800 IOPS.");
    let subjects = vec![Subject::new("A", "of 2014"), Subject::new("B", "")];
    let sections = vec![
        Section::summary(None, vec![Block::Verdict(verdict)]),
        Section::full("Details", vec![Block::Text("Hidden.".to_owned())]),
    ];
    let style = TerminalStyle { width: 40, colour: true, ascii: false };
    let expected = "\
\u{1b}[1mA page\u{1b}[0m
\u{1b}[2mB\u{1b}[0m

\u{1b}[1mA\u{1b}[0m
  \u{1b}[2mof 2014\u{1b}[0m
  \u{1b}[1;31mNot steady: The rate swings between\u{1b}[0m
    \u{1b}[1;31m2,100 IOPS and 9,800 IOPS.\u{1b}[0m
";
    assert_eq!(terminal(&page(subjects, sections), style), expected);
}

#[test]
fn conditions_in_which_several_subjects_differ_come_last() {
    let of = |scheduler: Option<&str>, date: &str| {
        let date = Condition { changes_by_itself: true, ..Condition::new("System", "Date", date) };
        let scheduler = scheduler.map(|name| Condition::new("Block layer", "scheduler", name));
        [date, Condition::new("System", "Kernel", "6.18")].into_iter().chain(scheduler).collect()
    };
    let of_subjects = vec![of(Some("none"), "Monday"), of(None, "Tuesday"), of(Some("bfq"), "Tuesday")];
    let subjects = ["A", "B", "C"].map(|label| Subject::new(label, "")).to_vec();
    let sections = vec![Section::full("Conditions", vec![Block::Conditions(Conditions { of_subjects })])];
    let expected = "\
A page
A
B
C

Conditions that differ, in the order of the results
  scheduler: none | - | bfq
";
    assert_eq!(terminal(&page(subjects, sections), TerminalStyle::default()), expected);
}

#[test]
fn the_samples_are_shown_in_ascii_where_asked() {
    let style = TerminalStyle { ascii: true, ..TerminalStyle::default() };
    for page in [samples::quick(), samples::trim(), samples::consistency()] {
        let shown = terminal(&page, style);
        assert!(shown.is_ascii() && !shown.contains('?'), "{shown}");
    }
}

/// The text without the sequences that choose colours.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    for (index, piece) in text.split('\u{1b}').enumerate() {
        plain.push_str(if index == 0 { piece } else { piece.split_once('m').expect("a colour").1 });
    }
    plain
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn no_line_is_wider_than_the_terminal(page in any_page(), width in 30..130_usize, colour: bool, ascii: bool) {
        let shown = terminal(&page, TerminalStyle { width, colour, ascii });
        let plain = without_colours(&shown);
        for line in plain.lines() {
            prop_assert!(line.width() <= width.max(40), "{} columns: {line:?}", line.width());
            prop_assert!(!line.contains(|character: char| character.is_control()), "{line:?}");
        }
        let uncoloured = terminal(&page, TerminalStyle { width, colour: false, ascii });
        prop_assert_eq!(plain, uncoloured);
    }
}
