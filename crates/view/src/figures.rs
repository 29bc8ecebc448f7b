//! Figures of one result, or of several that are compared, and those by which drives are compared across kinds of results.

use crate::{Better, Bound, Cell, Column, Quantity, Subject, Table, Value};

/// Figures with a value for every subject of the view. Of one subject they are a list of names and values; of several
/// they are tables with a subject in each row, one table a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The name of the table in file names, such as `figures`.
    pub id: String,
    /// The figures, those of one group next to each other.
    pub rows: Vec<Figure>,
    /// Whether the best values are marked.
    pub ranking: Ranking,
    /// How many subjects each figure has a value for.
    pub subjects: usize,
    /// What the figures are taken from, or what marks mean, in sentences.
    pub notes: Vec<String>,
}

/// One figure of every subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it belongs to, such as "Service time".
    pub group: String,
    /// Its name, such as "p99.9".
    pub name: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Which of several values is the better one.
    pub better: Better,
    /// The values in the order of the subjects.
    pub cells: Vec<Cell>,
}

/// Whether the values of different subjects are ranked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// They are: everything that was asked for is equal.
    Ranked,
    /// They are not, for the reason that this sentence gives.
    NotRanked(String),
}

/// Values that differ by no more than this share of the greatest are alike: none of them is the best.
const ALIKE: f64 = 0.01;

impl Figures {
    /// An empty list of figures of so many subjects.
    pub fn new(id: &str, subjects: usize, ranking: Ranking) -> Figures {
        Figures { id: id.to_owned(), rows: Vec::new(), ranking, subjects, notes: Vec::new() }
    }

    /// Adds a figure, unless no subject has a value for it.
    pub fn add(&mut self, (group, name): (&str, &str), quantity: Quantity, better: Better, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.subjects, "{name}: a value for each subject");
        if cells.iter().all(|cell| *cell == Cell::Nothing) {
            return;
        }
        let (group, name) = (group.to_owned(), name.to_owned());
        self.rows.push(Figure { group, name, quantity, better, cells });
    }

    /// The groups in their order, each with its figures.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &[Figure])> {
        let groups = self.rows.chunk_by(|one, next| one.group == next.group);
        groups.map(|rows| (rows[0].group.as_str(), rows))
    }

    /// The figures of several subjects as tables: one for each group, with a subject in each row.
    pub(crate) fn tables(&self, subjects: &[Subject]) -> Vec<Table> {
        let table = |(group, figures): (&str, &[Figure])| {
            let columns = figures.iter().map(|figure| Column::new(&figure.name, figure.quantity)).collect();
            let mut table = Table::new(&self.id, "", group, columns);
            let best: Vec<Vec<usize>> = figures.iter().map(|figure| self.best(figure)).collect();
            for place in 0..self.subjects {
                let cell = |(figure, best): (&Figure, &Vec<usize>)| match figure.cells.get(place) {
                    Some(Cell::Value(value)) if best.contains(&place) => Cell::Best(*value),
                    cell => cell.cloned().unwrap_or_default(),
                };
                let label = subjects.get(place).map(|subject| subject.label.clone());
                table.row(label.unwrap_or_default(), figures.iter().zip(&best).map(cell).collect());
            }
            table
        };
        self.groups().map(table).collect()
    }

    /// The subjects that have the best value of a figure: none where the figures are not ranked, where fewer than two
    /// subjects have a value, where all values are alike (within 1 %), or where the interval of the best value meets that of
    /// another one: then no difference is shown.
    pub fn best(&self, figure: &Figure) -> Vec<usize> {
        let exact =
            |cell: &Cell| cell.value().filter(|value| value.bound == Bound::Exact).map(|value| value.number);
        let numbers: Vec<Option<f64>> = figure.cells.iter().map(exact).collect();
        let known = || numbers.iter().flatten().copied();
        let (least, most) =
            (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        let best = match figure.better {
            Better::High => most,
            Better::Low => least,
            Better::Neither => return Vec::new(),
        };
        if self.ranking != Ranking::Ranked || known().count() < 2 || most - least <= most.abs() * ALIKE {
            return Vec::new();
        }
        let is_best = |number: &Option<f64>| number.is_some_and(|number| number.total_cmp(&best).is_eq());
        let (first, others): (Vec<usize>, Vec<usize>) = (0..numbers.len())
            .filter(|place| numbers[*place].is_some())
            .partition(|place| is_best(&numbers[*place]));
        let ends = |place: &usize| figure.cells[*place].value().map(Value::ends);
        let meets = |one: &usize, other: &usize| {
            ends(one).zip(ends(other)).is_some_and(|(one, other)| one.0 <= other.1 && other.0 <= one.1)
        };
        if first.iter().any(|best| others.iter().any(|other| meets(best, other))) {
            Vec::new()
        } else {
            first
        }
    }
}

/// What a drive is used for that a figure speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureUse {
    /// Reads, and writes after which the drive rests: a desktop.
    ReadsAndShortWrites,
    /// Random writes that go on: a server.
    LongRandomWrites,
    /// Sequential writes that go on: a recorder, a backup.
    LongSequentialWrites,
}

/// A figure that a table of drives shows of a result, under a name that says what it is without the rest of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFigure {
    /// What it is, such as "Steady random writes"; results of one kind that were asked for differently have different names.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Which value is the better one.
    pub better: Better,
    /// What it speaks of; none where it speaks of no use in particular.
    pub usage: Option<FigureUse>,
    /// Whether it was measured before its rate had settled: none is better than another then.
    pub is_unsettled: bool,
}

impl KeyFigure {
    /// A figure; none where there is no number.
    pub fn new(
        name: impl Into<String>,
        quantity: Quantity,
        better: Better,
        number: Option<f64>,
    ) -> Option<KeyFigure> {
        Some(KeyFigure::of_value(name, Value::new(quantity, number?), better))
    }

    /// A figure with a value that has an interval or is a bound.
    pub fn of_value(name: impl Into<String>, value: Value, better: Better) -> KeyFigure {
        KeyFigure { name: name.into(), value, better, usage: None, is_unsettled: false }
    }

    /// Of these figures the first of each name, in their order: the columns of a table of results.
    pub fn each_once<'a>(all: impl IntoIterator<Item = &'a KeyFigure>) -> Vec<&'a KeyFigure> {
        let mut figures: Vec<&KeyFigure> = Vec::new();
        for figure in all {
            if figure.among(figures.iter().copied()).is_none() {
                figures.push(figure);
            }
        }
        figures
    }

    /// The one of its name among these; none where there is none.
    pub fn among<'a>(&self, figures: impl IntoIterator<Item = &'a KeyFigure>) -> Option<&'a KeyFigure> {
        figures.into_iter().find(|other| other.name == self.name)
    }

    /// The figure as one that speaks of this use.
    #[must_use]
    pub fn speaks_of(self, usage: FigureUse) -> KeyFigure {
        KeyFigure { usage: Some(usage), ..self }
    }

    /// The figure as one that is compared only where the rate had settled.
    #[must_use]
    pub fn if_settled(self, is_settled: bool) -> KeyFigure {
        let better = if is_settled { self.better } else { Better::Neither };
        KeyFigure { better, is_unsettled: !is_settled, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(better: Better, ranking: Ranking, numbers: &[f64]) -> Figures {
        let mut figures = Figures::new("figures", numbers.len(), ranking);
        let cells = numbers.iter().map(|number| Cell::from(Value::new(Quantity::Iops, *number))).collect();
        figures.add(("Rate", "Mean"), Quantity::Iops, better, cells);
        figures
    }

    fn best(better: Better, numbers: &[f64]) -> Vec<usize> {
        let figures = figures(better, Ranking::Ranked, numbers);
        figures.best(&figures.rows[0])
    }

    #[test]
    fn the_best_is_marked_only_where_it_is_better() {
        assert_eq!(best(Better::High, &[10.0, 20.0]), [1]);
        assert_eq!(best(Better::Low, &[10.0, 20.0]), [0]);
        assert_eq!(best(Better::High, &[1_000.0, 1_001.0]), [0; 0]);
        assert_eq!(best(Better::Low, &[5.0]), [0; 0]);
        assert_eq!(best(Better::Neither, &[10.0, 20.0]), [0; 0]);
    }

    #[test]
    fn a_value_whose_interval_meets_another_one_is_not_the_best() {
        let of = |first: (f64, f64, f64), second: (f64, f64, f64)| {
            let mut figures = Figures::new("figures", 2, Ranking::Ranked);
            let cell = |(low, number, high)| Value::new(Quantity::Joules, number).within(low, high).into();
            figures.add(("Energy", "energy"), Quantity::Joules, Better::Low, vec![cell(first), cell(second)]);
            figures.best(&figures.rows[0])
        };
        assert_eq!(of((9.0, 10.0, 11.0), (12.0, 13.0, 14.0)), [0]);
        assert_eq!(of((9.0, 10.0, 11.0), (11.0, 13.0, 15.0)), [0; 0]);
    }

    #[test]
    fn figures_that_were_asked_for_differently_are_not_ranked() {
        let ranking = Ranking::NotRanked("The queue depths differ.".to_owned());
        let figures = figures(Better::High, ranking, &[10.0, 20.0]);
        assert_eq!(figures.best(&figures.rows[0]), [0; 0]);
    }
}
