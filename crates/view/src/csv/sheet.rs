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
pub(super) struct Columns {
    head: String,
    quantity: Quantity,
    interval: bool,
    bound: bool,
    beyond: bool,
}

impl Columns {
    /// The columns for these cells, of a name and a quantity.
    pub fn of<'a>(parts: &[&str], quantity: Quantity, cells: impl Iterator<Item = &'a Cell>) -> Columns {
        let values: Vec<&Value> = cells.filter_map(Cell::value).collect();
        let any = |has: fn(&Value) -> bool| values.iter().any(|value| has(value));
        Columns {
            head: field::head(parts, ""),
            quantity,
            interval: any(|value| value.interval.is_some()),
            bound: any(|value| !value.is_exact()),
            beyond: any(|value| value.few.is_some()),
        }
    }

    /// The heads: `p99_ns`, `p99_ns_low`, `p99_ns_high`, `p99_bound`, `p99_ios_beyond`.
    pub fn heads(&self) -> Vec<String> {
        let (head, unit) = (&self.head, self.quantity.suffix());
        let mut heads = vec![format!("{head}{unit}")];
        if self.interval {
            heads.extend([format!("{head}{unit}_low"), format!("{head}{unit}_high")]);
        }
        if self.bound {
            heads.push(format!("{head}_bound"));
        }
        if self.beyond {
            heads.push(format!("{head}_ios_beyond"));
        }
        heads
    }

    /// The fields of a cell: its number or its words, and what the other columns hold of it.
    pub fn fields(&self, cell: &Cell) -> Vec<String> {
        let value = cell.value();
        let main = match cell {
            Cell::Nothing => String::new(),
            Cell::Value(value) | Cell::Best(value) => field::number(value.number),
            Cell::Text(words) | Cell::Verdict(_, words) => field::text(words),
        };
        let mut fields = vec![main];
        if self.interval {
            let interval = value.and_then(|value| value.interval);
            let end = |number: Option<f64>| number.map_or_else(String::new, field::number);
            fields.extend([end(interval.map(|ends| ends.low)), end(interval.map(|ends| ends.high))]);
        }
        if self.bound {
            let word = match value.map(|value| value.bound) {
                None | Some(Bound::Exact) => "",
                Some(Bound::AtLeast) => "at least",
                Some(Bound::AtMost) => "at most",
            };
            fields.push(word.to_owned());
        }
        if self.beyond {
            let beyond = value.and_then(|value| value.few);
            fields.push(beyond.map_or_else(String::new, |count| count.to_string()));
        }
        fields
    }
}
