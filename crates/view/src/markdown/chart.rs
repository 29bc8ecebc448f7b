//! Charts in Markdown: tables of what they show.

use super::MarkdownDocument;
use super::escape::{inline, paragraph};
use super::grid::{MarkdownGrid, cell};
use super::tables::bold;
use crate::bins::{AxisStretch, SeriesBin, axis_text, binned, points, whole};
use crate::cell_text::{CellText, Head, column_head, series_name};
use crate::chart::{Axis, Chart, Series, Shape};
use crate::subject::one_of_several;
use crate::{Cell, Quantity, Subject, Value};

const MOST_ROWS: usize = 24;

impl MarkdownDocument {
    pub(super) fn chart(&mut self, chart: &Chart, subjects: &[Subject]) {
        self.paragraph(&bold(&chart.title));
        // Crosses at the upper edge count something, and have no value on the vertical axis.
        let on_axis = chart.series.iter().filter(|series| series.shape != Shape::TopCrosses);
        let series: Vec<&Series> = on_axis.filter(|series| points(series).next().is_some()).collect();
        let places = series.iter().flat_map(|series| points(series).map(|(x, _)| x));
        if let Some(axis) = chart.across.first()
            && let Some(across) = AxisStretch::over(axis.scale, places.clone())
        {
            let mut distinct: Vec<f64> = places.collect();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let is_thinned = distinct.len() > MOST_ROWS;
            let place = if is_thinned { format!("{} from", axis.label) } else { axis.label.clone() };
            let heads = series
                .iter()
                .map(|one| Head::numbers(column_head(&series_name(one, subjects), chart.up.quantity)));
            let mut grid = MarkdownGrid::new([Head::numbers(place)].into_iter().chain(heads));
            if is_thinned {
                thinned(&mut grid, (&chart.up, axis), &series, across);
            } else {
                self.all_values(&mut grid, (&chart.up, axis), &series, &distinct);
            }
            grid.write(&mut self.text);
            if is_thinned {
                let all: usize = series.iter().filter_map(|one| whole(one)).map(|all| all.count).sum();
                let all = Quantity::Count.text(all as f64);
                self.paragraph(&format!(
                    "This table is thinned: of {all} values, each cell has the mean of those in its row (and the least to the \
                     greatest). `--csv` has all values."
                ));
            }
        }
        for one in chart.series.iter().filter(|one| !series.iter().any(|shown| std::ptr::eq(*shown, *one))) {
            let count = points(one).count();
            if count > 0 {
                let count = Quantity::Count.text(count as f64);
                self.paragraph(&paragraph(&format!(
                    "{}: marked at {count} places.",
                    series_name(one, subjects)
                )));
            }
        }
        self.heat_sentences(chart, subjects);
        self.notes(&chart.notes);
    }

    fn all_values(
        &mut self,
        grid: &mut MarkdownGrid,
        (up, axis): (&Axis, &Axis),
        series: &[&Series],
        places: &[f64],
    ) {
        for place in places {
            let mut cells = vec![inline(&axis_text(axis, *place))];
            for one in series {
                let shown = CellText::in_column(&value_at(one, *place, up.quantity), up.quantity);
                cells.push(cell(&shown, &mut self.marks));
            }
            grid.row(cells);
        }
    }

    fn heat_sentences(&mut self, chart: &Chart, subjects: &[Subject]) {
        for heat in &chart.heats {
            let counts = heat.columns.iter().flat_map(|column| &column.counts).map(|count| f64::from(*count));
            let total = heat.quantity.text(counts.sum());
            let label = one_of_several(subjects, Some(heat.subject)).map(|one| one.label.as_str());
            let parts: Vec<&str> =
                label.into_iter().chain([heat.name.as_str()]).filter(|part| !part.is_empty()).collect();
            let lead = if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) };
            let columns = Quantity::Count.text(heat.columns.len() as f64);
            let words = format!("{lead}A heat map of {total} {} in {columns} columns.", heat.unit);
            self.paragraph(&format!("{} `--csv` has its counts.", paragraph(&words)));
        }
    }
}

fn thinned(grid: &mut MarkdownGrid, (up, axis): (&Axis, &Axis), series: &[&Series], across: AxisStretch) {
    let bins: Vec<Vec<Option<SeriesBin>>> = series.iter().map(|one| binned(one, across, MOST_ROWS)).collect();
    for row in (0..MOST_ROWS).filter(|row| bins.iter().any(|bins| bins[*row].is_some())) {
        let cells = bins
            .iter()
            .map(|bins| bins[row].map_or_else(|| "-".to_owned(), |bin| bin_text(&bin, up.quantity)));
        grid.row([inline(&axis.text(across.edge(row, MOST_ROWS)))].into_iter().chain(cells));
    }
}

/// The mean of a bin, with the extremes where there are several values.
fn bin_text(bin: &SeriesBin, quantity: Quantity) -> String {
    let [least, mean, most] = [bin.min, bin.mean, bin.max].map(|number| inline(&quantity.bare(number)));
    if bin.count > 1 { format!("{mean} ({least} to {most})") } else { mean }
}

/// The value of a series at a place, with its interval.
fn value_at(series: &Series, place: f64, quantity: Quantity) -> Cell {
    let Some(xs) = series.xs.first() else { return Cell::Nothing };
    let at = (0..xs.len()).find(|index| xs.get(*index).total_cmp(&place).is_eq());
    let Some((index, number)) = at.map(|index| (index, series.ys.get(index))) else { return Cell::Nothing };
    let value = Value::new(quantity, number);
    let ends = series.spread.as_ref().map(|spread| (spread.low.get(index), spread.high.get(index)));
    match ends.filter(|(low, high)| low.is_finite() && high.is_finite()) {
        _ if !number.is_finite() => Cell::Nothing,
        Some((low, high)) => value.within(low, high).into(),
        None => value.into(),
    }
}
