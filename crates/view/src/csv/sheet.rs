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

/// What a value may have to say besides its number.
struct More {
    /// What the head of its column ends with.
    ending: &'static str,
    /// Whether it is in the unit of the value.
    has_unit: bool,
    /// The field; none where the value says nothing of it.
    field: fn(&Value) -> Option<String>,
}

const MORE: [More; 4] = [
    More { ending: "low", has_unit: true, field: |value| Some(field::number(value.interval?.low)) },
    More { ending: "high", has_unit: true, field: |value| Some(field::number(value.interval?.high)) },
    More {
        ending: "bound",
        has_unit: false,
        field: |value| match value.bound {
            Bound::Exact => None,
            Bound::AtLeast => Some("at least".to_owned()),
            Bound::AtMost => Some("at most".to_owned()),
        },
    },
    More { ending: "ios_beyond", has_unit: false, field: |value| value.few.map(|count| count.to_string()) },
];

/// What cells of one figure or column need: a column for the value, and more where a value has more to say.
pub(super) struct SheetColumns {
    head: String,
    quantity: Quantity,
    more: Vec<&'static More>,
    /// Whether words of cells among others that have numbers have a column; else they stand in that of the value.
    has_notes: bool,
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
        let is_said = |more: &&More| values.iter().any(|value| (more.field)(value).is_some());
        let has_words = cells.iter().any(|cell| matches!(cell, Cell::Text(_) | Cell::Verdict(..)));
        SheetColumns {
            head: field::head(parts, ""),
            quantity,
            more: MORE.iter().filter(is_said).collect(),
            has_notes: has_words && !values.is_empty(),
        }
    }

    /// The heads: `p99_ns`, `p99_ns_low`, `p99_ns_high`, `p99_bound`, `p99_ios_beyond`, `p99_note`.
    pub fn heads(&self) -> Vec<String> {
        let (head, unit) = (&self.head, self.quantity.suffix());
        let more = self.more.iter().map(|more| {
            let unit = if more.has_unit { unit } else { "" };
            format!("{head}{unit}_{}", more.ending)
        });
        let note = self.has_notes.then(|| format!("{head}_note"));
        std::iter::once(format!("{head}{unit}")).chain(more).chain(note).collect()
    }

    /// The fields of a cell: its number or its words, and what the other columns hold of it.
    pub fn fields(&self, cell: &Cell) -> Vec<String> {
        let words = match cell {
            Cell::Text(words) | Cell::Verdict(_, words) => field::text(words),
            Cell::Nothing | Cell::Value(_) | Cell::Best(_) => String::new(),
        };
        let main = match cell.value() {
            Some(value) => field::number(value.number),
            None if self.has_notes => String::new(),
            None => words.clone(),
        };
        let more = self.more.iter().map(|more| cell.value().and_then(more.field).unwrap_or_default());
        std::iter::once(main).chain(more).chain(self.has_notes.then_some(words)).collect()
    }
}
