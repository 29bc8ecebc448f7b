//! A CSV file, as it comes into being.

use super::{field, free_name};
use crate::chart::Data;
use crate::{Bound, Cell, Quantity, Value};

/// What a value may have to say besides its number.
struct More {
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

/// Columns of fields, which are quoted already: as many in each.
#[derive(Default)]
pub(super) struct Sheet {
    heads: Vec<String>,
    columns: Vec<Vec<String>>,
}

impl Sheet {
    /// Adds a column. A head that another one has, too, gets a number.
    pub fn column(&mut self, head: &str, fields: impl IntoIterator<Item = String>) {
        self.heads.push(free_name(head, '_', |name| self.heads.iter().any(|other| other == name)));
        self.columns.push(fields.into_iter().collect());
    }

    pub fn numbers(&mut self, head: &str, numbers: &Data, count: usize) {
        self.column(head, (0..count).map(|index| field::number(numbers.get(index))));
    }

    /// Adds the columns of cells of one figure or column of a table: `p99_ns` for values and words, and more where a value has
    /// more to say: `p99_ns_low`, `p99_ns_high`, `p99_bound`, `p99_ios_beyond`; `p99_note` for words among values.
    pub fn cells(&mut self, parts: &[&str], quantity: Quantity, cells: &[&Cell]) {
        let (head, unit) = (field::head(parts, ""), quantity.suffix());
        let words = |cell: &&Cell| match cell {
            Cell::Text(words) | Cell::Verdict(_, words) => field::text(words),
            Cell::Nothing | Cell::Value(_) | Cell::Best(_) => String::new(),
        };
        let has_words = cells.iter().any(|cell| matches!(cell, Cell::Text(_) | Cell::Verdict(..)));
        let has_notes = has_words && cells.iter().any(|cell| cell.value().is_some());
        let main = |cell: &&Cell| match cell.value() {
            Some(value) => field::number(value.number),
            None if has_notes => String::new(),
            None => words(cell),
        };
        self.column(&format!("{head}{unit}"), cells.iter().map(main));
        for More { ending, has_unit, field } in &MORE {
            let fields = cells.iter().map(|cell| cell.value().and_then(*field));
            if fields.clone().any(|field| field.is_some()) {
                let unit = if *has_unit { unit } else { "" };
                self.column(&format!("{head}{unit}_{ending}"), fields.map(Option::unwrap_or_default));
            }
        }
        if has_notes {
            self.column(&format!("{head}_note"), cells.iter().map(words));
        }
    }

    /// The text of the file: lines end with a line feed.
    pub fn finish(self) -> String {
        let heads: Vec<String> = self.heads.iter().map(|head| field::text(head)).collect();
        let mut text = heads.join(",");
        text.push('\n');
        for row in 0..self.columns.first().map_or(0, Vec::len) {
            let fields: Vec<&str> = self.columns.iter().map(|fields| fields[row].as_str()).collect();
            text.push_str(&fields.join(","));
            text.push('\n');
        }
        text
    }
}
