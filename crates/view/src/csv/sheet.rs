//! A CSV file, as it comes into being.

use super::field;
use crate::{Bound, Cell, Quantity, Value};

/// Heads and rows of fields, which are quoted already.
pub(super) struct Sheet {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    /// A sheet without rows. Heads that are alike get a number.
    pub fn new(heads: Vec<String>) -> Sheet {
        let mut known: Vec<String> = Vec::new();
        for head in heads {
            let mut name = head.clone();
            let mut count = 1;
            while known.contains(&name) {
                count += 1;
                name = format!("{head}_{count}");
            }
            known.push(name);
        }
        Sheet { heads: known, rows: Vec::new() }
    }

    /// Adds a row with a field for each head.
    pub fn row(&mut self, fields: Vec<String>) {
        debug_assert_eq!(fields.len(), self.heads.len(), "a field for each head");
        self.rows.push(fields);
    }

    /// The text of the file: lines end with a line feed.
    pub fn finish(self) -> String {
        let mut text = String::new();
        let heads: Vec<String> = self.heads.iter().map(|head| field::text(head)).collect();
        for fields in [heads].iter().chain(&self.rows) {
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }
}

/// What cells of one figure or column need: a column for the value, and more where a value has more to say.
pub(super) struct SheetColumns {
    head: String,
    quantity: Quantity,
    more: Vec<More>,
}

/// A column besides that of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum More {
    /// The lower end of the interval.
    Low,
    /// Its upper end.
    High,
    /// Whether the value is a bound.
    Bound,
    /// The I/Os beyond a percentile.
    Beyond,
    /// Words of cells among others that have numbers, which stay alone in their column.
    Note,
}

impl SheetColumns {
    /// The columns for these cells, of a name and a quantity.
    pub fn from_cells<'a>(
        parts: &[&str],
        quantity: Quantity,
        cells: impl Iterator<Item = &'a Cell>,
    ) -> SheetColumns {
        let cells: Vec<&Cell> = cells.collect();
        let values: Vec<&Value> = cells.iter().filter_map(|cell| cell.value()).collect();
        let any = |has: fn(&Value) -> bool| values.iter().any(|value| has(value));
        let has_interval = any(|value| value.interval.is_some());
        let has_words = cells.iter().any(|cell| matches!(cell, Cell::Text(_) | Cell::Verdict(..)));
        let more = [
            (More::Low, has_interval),
            (More::High, has_interval),
            (More::Bound, any(|value| !value.is_exact())),
            (More::Beyond, any(|value| value.few.is_some())),
            (More::Note, has_words && !values.is_empty()),
        ];
        let more = more.into_iter().filter(|(_, is_there)| *is_there).map(|(more, _)| more).collect();
        SheetColumns { head: field::head(parts, ""), quantity, more }
    }

    /// The heads: `p99_ns`, `p99_ns_low`, `p99_ns_high`, `p99_bound`, `p99_ios_beyond`, `p99_note`.
    pub fn heads(&self) -> Vec<String> {
        let (head, unit) = (&self.head, self.quantity.suffix());
        let of_more = self.more.iter().map(|more| match more {
            More::Low => format!("{head}{unit}_low"),
            More::High => format!("{head}{unit}_high"),
            More::Bound => format!("{head}_bound"),
            More::Beyond => format!("{head}_ios_beyond"),
            More::Note => format!("{head}_note"),
        });
        std::iter::once(format!("{head}{unit}")).chain(of_more).collect()
    }

    /// The fields of a cell: its number or its words, and what the other columns hold of it.
    pub fn fields(&self, cell: &Cell) -> Vec<String> {
        let words = match cell {
            Cell::Text(words) | Cell::Verdict(_, words) => field::text(words),
            Cell::Nothing | Cell::Value(_) | Cell::Best(_) => String::new(),
        };
        let main = match cell.value() {
            Some(value) => field::number(value.number),
            None if self.more.contains(&More::Note) => String::new(),
            None => words.clone(),
        };
        let of_more = self.more.iter().map(|more| match more {
            More::Note => words.clone(),
            of_value => cell.value().map_or_else(String::new, |value| of_value.field(value)),
        });
        std::iter::once(main).chain(of_more).collect()
    }
}

impl More {
    /// What the column holds of a value.
    fn field(self, value: &Value) -> String {
        let end = |number: Option<f64>| number.map_or_else(String::new, field::number);
        match self {
            More::Low => end(value.interval.map(|ends| ends.low)),
            More::High => end(value.interval.map(|ends| ends.high)),
            More::Bound => match value.bound {
                Bound::Exact => String::new(),
                Bound::AtLeast => "at least".to_owned(),
                Bound::AtMost => "at most".to_owned(),
            },
            More::Beyond => value.few.map_or_else(String::new, |count| count.to_string()),
            More::Note => String::new(),
        }
    }
}
