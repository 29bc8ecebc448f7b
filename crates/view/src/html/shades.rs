//! The colours of values by their distance from the best.

use maud::{Markup, html};

use crate::bins::ends;
use crate::{Better, Cell, Row, Shading, Table};

/// From which share of the best value on a value has a colour, with the class of the colour and what it stands for.
const STEPS: [(f64, &str, &str); 6] = [
    (0.95, "near0", "95\u{a0}%"),
    (0.8, "near1", "80\u{a0}%"),
    (0.6, "near2", "60\u{a0}%"),
    (0.4, "near3", "40\u{a0}%"),
    (0.2, "near4", "20\u{a0}%"),
    (0.0, "near5", "less"),
];

/// The extremes of the values that a row's values are compared with.
pub(super) struct Shades(Option<(f64, f64)>);

impl Shades {
    /// Those of a row, which is one of the rows of its group.
    pub(super) fn from_row(table: &Table, group: &[Row], row: &Row) -> Shades {
        let rows = match table.shading {
            None => return Shades(None),
            Some(Shading::OfRow) => std::slice::from_ref(row),
            Some(Shading::OfGroup) => group,
        };
        Shades(ends(rows.iter().flat_map(|row| &row.cells).filter_map(number)))
    }

    /// The class of a cell's colour; none where it has no value above zero, or where its values do not judge.
    pub(super) fn class(&self, cell: &Cell, better: Better) -> Option<&'static str> {
        let ((least, most), number) = (self.0?, number(cell)?);
        let share = match better {
            Better::High => number / most,
            Better::Low => least / number,
            Better::Neither => return None,
        };
        STEPS.iter().find(|(from, ..)| share >= *from).map(|(_, class, _)| *class)
    }
}

fn number(cell: &Cell) -> Option<f64> {
    cell.value().map(|value| value.number).filter(|number| number.is_finite() && *number > 0.0)
}

/// What the colours of a table stand for.
pub(super) fn key(table: &Table) -> Markup {
    let among = if table.shading == Some(Shading::OfGroup) { "group" } else { "row" };
    html! {
        p class="fine shades" {
            "Colours: at least this share of the best value of the " (among) ": "
            @for (_, class, words) in STEPS { span class=(class) { (words) } " " }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Quantity, Value};

    #[test]
    fn a_value_is_coloured_by_its_distance_from_the_best_of_its_row_or_of_its_group() {
        let columns = ["one", "other"].map(|head| Column::new(head, Quantity::Iops).judged(Better::High));
        let mut table = Table::new("rates", "", "", columns.to_vec());
        for numbers in [[100.0, 50.0], [1_000.0, 970.0]] {
            table.row("", numbers.map(|number| Value::new(Quantity::Iops, number).into()).to_vec());
        }
        let mut classes = |shading, better| {
            table.shading = shading;
            let of_row = |row| {
                let shades = Shades::from_row(&table, &table.rows, row);
                row.cells.iter().map(|cell| shades.class(cell, better)).collect::<Vec<_>>()
            };
            table.rows.iter().flat_map(of_row).map(|class| class.unwrap_or("none")).collect::<Vec<_>>()
        };
        assert_eq!(classes(Some(Shading::OfRow), Better::High), ["near0", "near3", "near0", "near0"]);
        assert_eq!(classes(Some(Shading::OfGroup), Better::High), ["near5", "near5", "near0", "near0"]);
        assert_eq!(classes(Some(Shading::OfRow), Better::Low), ["near3", "near0", "near0", "near0"]);
        assert_eq!(classes(Some(Shading::OfRow), Better::Neither), ["none"; 4]);
        assert_eq!(classes(None, Better::High), ["none"; 4]);
    }
}
