//! The text of cells and heads, for the renderers that show text.

use drivelab_documents::IntervalEnds;

use crate::chart::Series;
use crate::subject::one_of_several;
use crate::{Cell, Quantity, Row, Subject, Table, Tone, Value};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellText {
    /// The value or the words; a hyphen where there is nothing.
    pub main: String,
    /// The 95 % confidence interval, such as `± 5` or `(20 to 40)`.
    pub interval: Option<String>,
    /// Whether too few I/Os lie beyond the value.
    pub is_few: bool,
    /// Whether the value is better than all others.
    pub is_best: bool,
    /// How the words judge, where they do.
    pub tone: Option<Tone>,
}

impl CellText {
    /// A cell on its own: its value brings its unit.
    pub fn alone(cell: &Cell) -> CellText {
        CellText::made(cell, |_| false)
    }

    /// A cell of a column whose head names the unit of this quantity, if it has one.
    pub fn in_column(cell: &Cell, quantity: Quantity) -> CellText {
        CellText::made(cell, |value| value.quantity == quantity && quantity.unit().is_some())
    }

    pub fn words(words: impl Into<String>) -> CellText {
        CellText { main: words.into(), ..CellText::default() }
    }

    fn made(cell: &Cell, is_bare: impl Fn(&Value) -> bool) -> CellText {
        match cell {
            Cell::Nothing => CellText::words("-"),
            Cell::Value(value) => CellText::of_value(value, is_bare(value)),
            Cell::Best(value) => CellText { is_best: true, ..CellText::of_value(value, is_bare(value)) },
            Cell::Text(words) => CellText::words(words),
            Cell::Verdict(tone, words) => CellText { tone: Some(*tone), ..CellText::words(words) },
        }
    }

    fn of_value(value: &Value, is_bare: bool) -> CellText {
        let text = |number| if is_bare { value.quantity.bare(number) } else { value.quantity.text(number) };
        let main = value.bound.with_sign(text(value.number));
        let interval = value.interval.map(|interval| interval_text(value.number, interval, text));
        CellText { main, interval, is_few: value.few.is_some(), ..CellText::default() }
    }
}

/// The ends of an interval lie as far from the value as each other where their distances differ by less than this share.
const SYMMETRIC: f64 = 0.05;

/// An interval as half of its width where the value is in its middle, else as its two ends.
fn interval_text(
    number: f64,
    IntervalEnds { low, high }: IntervalEnds,
    text: impl Fn(f64) -> String,
) -> String {
    let (below, above) = (number - low, high - number);
    if below >= 0.0 && above >= 0.0 && (above - below).abs() <= SYMMETRIC * above.max(below) {
        return format!("± {}", text(above.max(below)));
    }
    format!("({} to {})", text(low), text(high))
}

/// The head of a column, with the unit of all of its values where they have one; "IOPS" says it already.
pub(crate) fn column_head(name: &str, quantity: Quantity) -> String {
    let unit = quantity.unit().filter(|unit| *unit != name);
    unit.map_or_else(|| name.to_owned(), |unit| format!("{name} ({unit})"))
}

/// Which marks a text has used: they are explained once, at its end.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each mark is used or not")]
pub(crate) struct UsedMarks {
    few: bool,
    best: bool,
    interval: bool,
    dropped_interval: bool,
}

impl UsedMarks {
    /// Notes the marks of a cell, whose interval is shown or left out.
    pub fn note(&mut self, cell: &CellText, shows_interval: bool) {
        self.few |= cell.is_few;
        self.best |= cell.is_best;
        self.interval |= cell.interval.is_some() && shows_interval;
        self.dropped_interval |= cell.interval.is_some() && !shows_interval;
    }

    /// Of what the marks mean (few I/Os, the best value, an interval, one that is left out), that of those that were used.
    pub fn explained(self, meanings: [&str; 4]) -> Vec<&str> {
        let used = [self.few, self.best, self.interval, self.dropped_interval];
        used.into_iter().zip(meanings).filter(|(is_used, _)| *is_used).map(|(_, meaning)| meaning).collect()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// Its text, with the unit.
    pub text: String,
    /// Whether the column holds values, which stand below each other at their right ends.
    pub is_number: bool,
}

impl Head {
    pub fn words(text: impl Into<String>) -> Head {
        Head { text: text.into(), is_number: false }
    }

    pub fn numbers(text: impl Into<String>) -> Head {
        Head { text: text.into(), is_number: true }
    }

    fn from_cells<'a>(name: &str, quantity: Quantity, mut cells: impl Iterator<Item = &'a Cell>) -> Head {
        Head { text: column_head(name, quantity), is_number: cells.any(|cell| cell.value().is_some()) }
    }
}

pub(crate) fn table_heads(table: &Table) -> impl Iterator<Item = Head> {
    table.columns.iter().enumerate().map(|(index, column)| {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(index));
        Head::from_cells(&column.head, column.quantity, cells)
    })
}

pub(crate) fn row_cells(table: &Table, row: &Row) -> impl Iterator<Item = CellText> {
    row.cells.iter().zip(&table.columns).map(|(cell, column)| CellText::in_column(cell, column.quantity))
}

/// The head of a row, which names its subject where several are compared.
pub(crate) fn row_head(row: &Row, subjects: &[Subject]) -> String {
    match one_of_several(subjects, row.subject).map(|subject| &subject.label) {
        Some(label) if row.head.is_empty() => label.clone(),
        Some(label) if row.head != *label => format!("{label}: {}", row.head),
        _ => row.head.clone(),
    }
}

/// The label of a series' subject where there are several, and the series' name where that says more.
pub(crate) fn series_name(series: &Series, subjects: &[Subject]) -> String {
    match one_of_several(subjects, Some(series.subject)) {
        Some(subject) if series.name.is_empty() || series.name == subject.label => subject.label.clone(),
        Some(subject) => format!("{}, {}", subject.label, series.name),
        None => series.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bound;

    #[test]
    fn an_interval_is_as_short_as_it_can_be() {
        let iops = Value::new(Quantity::Iops, 210.0);
        let interval = |value: Value, bare| CellText::of_value(&value, bare).interval;
        assert_eq!(interval(iops.within(205.0, 215.0), true).as_deref(), Some("± 5"));
        assert_eq!(interval(iops.within(205.0, 225.0), true).as_deref(), Some("(205 to 225)"));
        let time = Value::new(Quantity::Nanoseconds, 1.24e6).within(1.2e6, 2.5e6);
        assert_eq!(interval(time, false).as_deref(), Some("(1.20 ms to 2.50 ms)"));
    }

    #[test]
    fn a_value_of_another_quantity_brings_its_unit_into_a_column() {
        let cell = Cell::from(Value::new(Quantity::Watts, 2.5).bounded(Bound::AtLeast));
        assert_eq!(CellText::in_column(&cell, Quantity::Watts).main, "≥ 2.50");
        assert_eq!(CellText::in_column(&cell, Quantity::Iops).main, "≥ 2.50 W");
    }
}
