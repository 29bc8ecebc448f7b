//! What is shown of fills.

use drivelab_view::{Better, Block, Cell, Column, Figures, Quantity, Row, Section, Table, Value, View};

use super::sentences::verdict;
use super::{Fill, FillFindings, KneeFindings, PlateauFindings, charts, comparison};
use crate::{StoredResult, shown};

/// The view of one fill, or of several next to each other.
pub(super) fn view(results: &[StoredResult<Fill>]) -> View {
    let faster = shown::times_faster(results, "writing all of it", |found| found.mean_mb_s);
    let mut head: Vec<Block> =
        shown::comparison(results, is_complete, comparison::compared).into_iter().chain(faster).collect();
    head.extend(shown::verdicts(results, verdict));
    let mut sections = vec![Section::summary(None, head)];
    let curve = charts::over_bytes(results);
    if !curve.is_empty() {
        sections.push(Section::summary(Some("Rate"), vec![Block::Chart(curve)]));
    }
    sections.push(Section::summary(Some("Figures"), vec![Block::Figures(figures(results))]));
    sections.extend(plateaus(results));
    sections.extend(recovery(results));
    let over_time = charts::over_time(results);
    if !over_time.is_empty() {
        sections.push(Section::full("Rate over time", vec![Block::Chart(over_time)]));
    }
    shown::view(results, sections)
}

/// Whether all that was asked for was written.
fn is_complete(kept: &StoredResult<Fill>) -> bool {
    kept.findings.written_bytes >= kept.findings.planned_bytes
}

fn figures(results: &[StoredResult<Fill>]) -> Figures {
    let ranking = crate::ranking::ranking_of_complete(results, is_complete);
    let mut figures = Figures::new("figures", results.len(), ranking);
    let mut add = |name, quantity, better, of: &dyn Fn(&FillFindings) -> Option<f64>| {
        let cells = results.iter().map(|kept| Cell::number(quantity, of(&kept.findings))).collect();
        figures.add(("Fill", name), quantity, better, cells);
    };
    let (speed, high) = (Quantity::BytesPerSecond, Better::High);
    add("first rate", speed, high, &|found| Some(found.plateaus.first()?.mean_mb_s * 1e6));
    add("fast until", Quantity::Bytes, high, &|found| Some(found.first_fall()?.at_bytes as f64));
    add("slowest plateau", speed, high, &|found| Some(found.slowest_mb_s()? * 1e6));
    add("mean", speed, high, &|found| Some(found.mean_mb_s? * 1e6));
    add("lasted", Quantity::Seconds, Better::Neither, &|found| found.lasted_s);
    add("written", Quantity::Bytes, Better::Neither, &|found| Some(found.written_bytes as f64));
    add("below half of the first rate", Quantity::Seconds, Better::Low, &|found| found.below_half_s);
    figures
}

fn of_subject(results: &[StoredResult<Fill>], subject: usize) -> Option<usize> {
    (results.len() > 1).then_some(subject)
}

/// The plateaus of each drive, and where they begin.
fn plateaus(results: &[StoredResult<Fill>]) -> Option<Section> {
    let columns = vec![
        Column::new("Begins at", Quantity::Bytes),
        Column::new("Ends at", Quantity::Bytes),
        Column::new("Median rate", Quantity::BytesPerSecond),
        Column::new("Mean rate", Quantity::BytesPerSecond),
        Column::new("Lasted", Quantity::Seconds),
    ];
    let mut table = Table::new("plateaus", "", "Plateau", columns);
    for (subject, kept) in results.iter().enumerate() {
        let found = &kept.findings;
        let knees = [None].into_iter().chain(found.knees.iter().map(Some));
        for (place, (plateau, knee)) in found.plateaus.iter().zip(knees).enumerate() {
            let head = format!("{}", place + 1);
            let subject = of_subject(results, subject);
            table.rows.push(Row { head, subject, group: None, cells: cells(plateau, knee) });
        }
    }
    table.notes.push(
        "Intervals are 95 % confidence intervals: of a median by ranks, of a knee by the likelihood."
            .to_owned(),
    );
    (!table.rows.is_empty()).then(|| Section::summary(Some("Plateaus"), vec![Block::Table(table)]))
}

fn cells(plateau: &PlateauFindings, knee: Option<&KneeFindings>) -> Vec<Cell> {
    let begin = Value::new(Quantity::Bytes, plateau.from_bytes as f64);
    let begin = knee.map_or(begin, |knee| begin.within(knee.first_bytes as f64, knee.last_bytes as f64));
    let median = Value::new(Quantity::BytesPerSecond, plateau.median_mb_s * 1e6);
    let interval = plateau.low_mb_s.zip(plateau.high_mb_s).filter(|(low, high)| low < high);
    let median = match interval {
        Some((low, high)) => median.within(low * 1e6, high * 1e6),
        None => median,
    };
    vec![
        begin.into(),
        Cell::number(Quantity::Bytes, Some(plateau.to_bytes as f64)),
        median.into(),
        Cell::number(Quantity::BytesPerSecond, Some(plateau.mean_mb_s * 1e6)),
        Cell::number(Quantity::Seconds, Some(plateau.lasted_s)),
    ]
}

/// What was fast again after each rest.
fn recovery(results: &[StoredResult<Fill>]) -> Option<Section> {
    let columns = vec![
        Column::new("Level", Quantity::Share),
        Column::new("Full before the rest", Quantity::Bytes),
        Column::new("Fast while it was filled", Quantity::Bytes),
        Column::new("Fast again", Quantity::Bytes),
    ];
    let mut table = Table::new("recovery", "", "Rest", columns);
    for (subject, kept) in results.iter().enumerate() {
        table.rows.extend(kept.findings.recovery.iter().map(|one| Row {
            head: charts::rest_in_words(one.rest_ns as f64 / 1e9),
            subject: of_subject(results, subject),
            group: None,
            cells: vec![
                Cell::number(Quantity::Share, Some(one.filled_percent / 100.0)),
                Cell::number(Quantity::Bytes, Some(one.filled_bytes as f64)),
                fast(one.filling_fast_bytes, !one.is_shown()),
                fast(one.is_shown().then_some(one.fast_bytes), one.at_least),
            ],
        }));
    }
    table.notes.push(
        "Level is how far the range was to be full, as --filled asks. The last part of what was written before the rest filled \
         the cache; where the cache takes more than the level, more is full before the rest. Before that what lies behind the \
         level was discarded, and the drive rested. Fast while it was filled is what was written of that last part until the \
         rate fell below the middle, on a logarithmic scale, between the first two plateaus: where it is much less than at \
         other rests of the level, the cache was not empty. Fast again is the same of what was written after the rest; it is \
         not shown where the rate did not fall before it."
            .to_owned(),
    );
    let blocks = vec![Block::Chart(charts::recovery(results)), Block::Table(table)];
    let is_shown = results.iter().any(|kept| !kept.findings.recovery.is_empty());
    is_shown.then(|| Section::summary(Some("Recovery"), blocks))
}

fn fast(written: Option<u64>, at_least: bool) -> Cell {
    let value = written.map(|bytes| Value::new(Quantity::Bytes, bytes as f64).at_least_where(at_least));
    value.map_or(Cell::Nothing, Cell::Value)
}
