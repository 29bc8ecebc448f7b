//! The text of cells and heads, for the renderers that show text.

use crate::{Bound, Cell, Figure, Interval, Quantity, Row, Subject, Tone, Value};

/// What a cell shows.
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

    /// A cell of words.
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
        let bare = value.quantity.bare(value.number);
        let main = match (is_bare, value.bound) {
            (false, _) => value.text(),
            (true, Bound::Exact) => bare,
            (true, Bound::AtLeast) => format!("≥ {bare}"),
            (true, Bound::AtMost) => format!("≤ {bare}"),
        };
        let interval = value.interval.map(|interval| interval_text(value, interval, is_bare));
        CellText { main, interval, is_few: value.few.is_some(), ..CellText::default() }
    }
}

/// The ends of an interval lie as far from the value as each other where their distances differ by less than this share.
const SYMMETRIC: f64 = 0.05;

/// An interval as half of its width where the value is in its middle, else as its two ends.
fn interval_text(value: &Value, Interval { low, high }: Interval, is_bare: bool) -> String {
    let text = |number| if is_bare { value.quantity.bare(number) } else { value.quantity.text(number) };
    let (below, above) = (value.number - low, high - value.number);
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

/// What a figure shows of a subject, in a table with a column for the figure.
pub(crate) fn figure_cell(figure: &Figure, subject: usize, best: &[usize]) -> CellText {
    let cell = figure.cells.get(subject).unwrap_or(&Cell::Nothing);
    let text = CellText::in_column(cell, figure.quantity);
    CellText { is_best: text.is_best || best.contains(&subject), ..text }
}

/// The head of a row, which names its subject where several are compared.
pub(crate) fn row_head(row: &Row, subjects: &[Subject]) -> String {
    let label = row.subject.and_then(|subject| subjects.get(subject)).map(|subject| subject.label.as_str());
    match label {
        Some(label) if subjects.len() > 1 && row.head.is_empty() => label.to_owned(),
        Some(label) if subjects.len() > 1 && row.head != label => format!("{label}: {}", row.head),
        _ => row.head.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
