//! Pages as Markdown.

use drivelab_view::{
    Block, Cell, Column, Condition, Conditions, Fold, Notice, Page, Quantity, Section, Severity, Subject,
    Table,
};
use drivelab_view::{Tone, Value, Verdict, View, markdown};
use proptest::prelude::*;

use crate::renderers::pages::any_page;
use crate::renderers::samples;

#[test]
fn everything_is_shown_and_nothing_is_obeyed() {
    let mut verdict = Verdict::on(1, Tone::Good, "Steady", "20 IOPS <b>.");
    verdict.notices.push(Notice { severity: Severity::Warning, text: "Only *one* run.".to_owned() });
    let mut table = Table::new("t", "Rates", "Drive", vec![Column::new("Read", Quantity::BytesPerSecond)]);
    let best = Value::new(Quantity::BytesPerSecond, 5.2e8).within(5.1e8, 5.3e8);
    table.row("a|b", vec![Cell::Best(best)]);
    let condition = |name: &str, value: &str| Condition::new("G", name, value);
    let conditions = ["x", "y"].map(|value| vec![condition("same", "1"), condition("other", value)]);
    let fold = Fold { summary: "All <cells>".to_owned(), blocks: vec![Block::Text("1. Text".to_owned())] };
    let sections = vec![
        Section::summary(None, vec![Block::Verdict(verdict), Block::Table(table)]),
        Section::full(
            "Details",
            vec![Block::Fold(fold), Block::Conditions(Conditions { of_subjects: conditions.to_vec() })],
        ),
    ];
    let subjects = vec![Subject::new("A", "one"), Subject::new("B", "other")];
    let view = View { title: "T".to_owned(), kind: "test".to_owned(), name: "test", subjects, sections };
    let expected = r"# T

| Compared | What it is |
| --- | --- |
| A | one |
| B | other |

**Steady** (B): 20 IOPS \<b\>.

- **Warning**: Only \*one\* run.

**Rates**

| Drive | Read (MB/s) |
| --- | ---: |
| a\|b | **520** ± 10 |

## Details

<details>
<summary>All &lt;cells&gt;</summary>

1\. Text

</details>

**Conditions that are the same for all**

| Group | Condition | Value |
| --- | --- | --- |
| G | same | 1 |

**Conditions that differ**

| Group | Condition | A | B |
| --- | --- | --- | --- |
| G | other | x | y |

Bold values are the best ones. ± or (a to b) is a 95 % confidence interval.
";
    assert_eq!(markdown(&Page::from_view(view)), expected);
}

#[test]
fn a_chart_is_a_short_table() {
    let tables = markdown(&samples::quick());
    let rows = tables
        .split("| LBA from ")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .map(|rows| rows.lines().count());
    assert_eq!(rows, Some(2 + 24), "{tables}");
    assert!(tables.contains("of 100 values"), "{tables}");
}

/// The cells of a line of a table: bars behind a backslash are text.
fn cells(line: &str) -> usize {
    let (mut count, mut escaped) = (0, false);
    for character in line.chars() {
        count += usize::from(character == '|' && !escaped);
        escaped = character == '\\' && !escaped;
    }
    count - 1
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn rows_of_a_table_have_equally_many_cells(page in any_page()) {
        let text = markdown(&page);
        let lines: Vec<&str> = text.split('\n').collect();
        let mut rules = 0;
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("| --")) {
            rules += 1;
            let wanted = cells(line);
            prop_assert_eq!(cells(lines[index - 1]), wanted, "{}", lines[index - 1]);
            for row in lines[index + 1..].iter().take_while(|row| !row.is_empty()) {
                prop_assert!(row.starts_with('|') && cells(row) == wanted, "{row:?} of {wanted}");
            }
        }
        prop_assert!(rules >= 3, "{}", text);
    }
}
