//! What is shown of validations of TRIM.

use drivelab_stats::MeanInterval;
use drivelab_view::chart::{Axis, Colours, Plot, Scale, Series, Shape, Size};
use drivelab_view::{
    Better, Block, Cell, Chart, Column, Detail, Figures, Fold, Quantity, Row, Section, Table, Value, View,
};

use super::sentences::verdict;
use super::{DriveState, RoundAmplification, SpeedRatio, Trim, TrimFindings};
use crate::{StoredResult, shown};

/// Rounds whose curves are not folded away.
const ROUNDS_SHOWN: usize = 3;

/// The view of one validation, or of several next to each other.
pub(super) fn view(results: &[StoredResult<Trim>]) -> View {
    let mut sections = vec![Section::summary(
        None,
        shown::verdicts(results, |subject, kept| verdict(subject, &kept.findings)),
    )];
    if results.iter().any(|kept| kept.findings.rounds() > 0) {
        sections.push(Section::summary(Some("Figures"), vec![Block::Figures(figures(results))]));
        // Of several drives the means of rounds are enough for a summary.
        let detail = if results.len() == 1 { Detail::Summary } else { Detail::Full };
        sections.push(Section { detail, ..Section::full("Rounds", rounds(results)) });
        sections.push(Section::full("Rate of writing over the drive", curves(results)));
    }
    shown::view(results, sections)
}

fn figures(results: &[StoredResult<Trim>]) -> Figures {
    let mut figures = Figures::new("figures", results.len(), crate::ranking::ranking(results));
    let mut add = |group, name, quantity, better, of: &dyn Fn(&TrimFindings) -> Option<Value>| {
        let cell = |kept: &StoredResult<Trim>| of(&kept.findings).map_or(Cell::Nothing, Cell::from);
        figures.add((group, name), quantity, better, results.iter().map(cell).collect());
    };
    let rates = "Rate of writing, mean over rounds";
    let speed = Quantity::BytesPerSecond;
    // A single round has no interval by which a better one could be told from a lucky one.
    let has_intervals = results.iter().all(|kept| kept.findings.rounds() > 1);
    let better = if has_intervals { Better::High } else { Better::Neither };
    add(rates, "fresh", speed, better, &|found| mean_rate(found, DriveState::Fresh));
    add(rates, "used", speed, better, &|found| mean_rate(found, DriveState::Used));
    add(rates, "trimmed", speed, better, &|found| mean_rate(found, DriveState::Trimmed));
    let ratios = "Rate divided by that of the used drive";
    add(ratios, "fresh", Quantity::Factor, Better::Neither, &|found| found.fresh_to_used.map(factor));
    add(ratios, "trimmed", Quantity::Factor, Better::Neither, &|found| found.trimmed_to_used.map(factor));
    let reads = "Trimmed blocks, read twice";
    let blocks = |found: &TrimFindings, blocks: u64| {
        (found.trimmed_reads.blocks > 0).then(|| Value::new(Quantity::Count, blocks as f64))
    };
    let count = Quantity::Count;
    add(reads, "blocks", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.blocks));
    add(reads, "zeros", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.zeros));
    add(reads, "previous data", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.old));
    add(reads, "other data", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.other));
    add(reads, "varying", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.varying));
    figures
}

/// The mean over rounds of the rates of a state, with its 95 % interval.
fn mean_rate(found: &TrimFindings, state: DriveState) -> Option<Value> {
    let rates: Vec<f64> =
        (0..found.rounds()).filter_map(|round| found.rate(round, state)).map(|mb_s| mb_s * 1e6).collect();
    let mean = MeanInterval::from_values(&rates)?;
    let value = Value::new(Quantity::BytesPerSecond, mean.mean);
    Some(match mean.half_width {
        Some(half) => value.within((mean.mean - half).max(0.0), mean.mean + half),
        None => value,
    })
}

fn factor(ratio: SpeedRatio) -> Value {
    let value = Value::new(Quantity::Factor, ratio.ratio);
    match ratio.low.zip(ratio.high) {
        Some((low, high)) => value.within(low, high),
        None => value,
    }
}

/// The rates of every round, and write amplification where there is a simulated drive.
fn rounds(results: &[StoredResult<Trim>]) -> Vec<Block> {
    let rates = |found: &TrimFindings, round: usize| {
        DriveState::ALL.map(|state| found.rate(round, state).map(|rate| rate * 1e6))
    };
    let mut rate = by_round(
        results,
        ("rounds", "Rate of writing"),
        ["Fresh", "Used", "Trimmed"],
        (Quantity::BytesPerSecond, &rates),
    );
    rate.notes
        .push("Used and trimmed: after random writes. Each rate is that of all spans together.".to_owned());
    let mut blocks = vec![Block::Table(rate)];
    if results.iter().any(|kept| !kept.findings.simulation.is_empty()) {
        let amplification = |found: &TrimFindings, round: usize| {
            let RoundAmplification { random_writes_amplification, used_amplification, trimmed_amplification } =
                found.simulation.get(round).copied().unwrap_or_default();
            [random_writes_amplification, used_amplification, trimmed_amplification]
        };
        let names = ("amplification", "Write amplification");
        let heads = ["Random writes", "Curve, used", "Curve, trimmed"];
        let mut table = by_round(results, names, heads, (Quantity::Factor, &amplification));
        let note = "Flash writes divided by host writes, in bytes, by the simulated drive's own account.";
        table.notes.push(note.to_owned());
        blocks.push(Block::Table(table));
    }
    blocks
}

/// The numbers of a round.
type OfRound<'a> = &'a dyn Fn(&TrimFindings, usize) -> [Option<f64>; 3];

/// A table with a row for each round of each result.
fn by_round(
    results: &[StoredResult<Trim>],
    (id, caption): (&str, &str),
    heads: [&str; 3],
    (quantity, numbers): (Quantity, OfRound<'_>),
) -> Table {
    let columns = heads.map(|head| Column::new(head, quantity)).to_vec();
    let mut table = Table::new(id, caption, "Round", columns);
    for (subject, kept) in results.iter().enumerate() {
        table.rows.extend((0..kept.findings.rounds()).map(|round| Row {
            head: (round + 1).to_string(),
            subject: (results.len() > 1).then_some(subject),
            group: None,
            cells: numbers(&kept.findings, round).map(|number| Cell::number(quantity, number)).to_vec(),
        }));
    }
    table
}

/// A chart for each round; those of later rounds are folded away.
fn curves(results: &[StoredResult<Trim>]) -> Vec<Block> {
    let rounds = results.iter().map(|kept| kept.findings.rounds()).max().unwrap_or(0);
    let mut charts: Vec<Block> = (0..rounds).map(|round| Block::Chart(curve(results, round))).collect();
    let folded = charts.split_off(rounds.min(ROUNDS_SHOWN));
    if !folded.is_empty() {
        let summary = format!("Rounds {} to {rounds}", ROUNDS_SHOWN + 1);
        charts.push(Block::Fold(Fold { summary, blocks: folded }));
    }
    charts
}

/// A line for each state of each result in a round.
fn curve(results: &[StoredResult<Trim>], round: usize) -> Chart {
    let across = Axis::new("Position on the drive", Quantity::Bytes, Scale::Linear);
    // One axis for all rounds, so that their charts can be compared.
    let spans = results.iter().flat_map(|kept| kept.findings.curves.iter().flat_map(|curve| &curve.spans));
    let most = spans.map(|span| span.mb_s * 1e6).fold(0.0, f64::max);
    let up = Axis::new("Rate of writing", Quantity::BytesPerSecond, Scale::Linear).over(0.0, most);
    let (id, title) = (format!("curves-round-{}", round + 1), format!("Round {}", round + 1));
    let mut chart = Chart::new(&id, &title, vec![across], up);
    chart.about = format!("Lines: the rate of sequential writes at each span in round {}.", round + 1);
    chart.size = Size::Small;
    chart.colours = Colours::OfNames;
    for (subject, kept) in results.iter().enumerate() {
        let block = f64::from(kept.findings.logical_block_bytes);
        let own = kept.findings.curves.iter().filter(|curve| curve.round == round);
        chart.plots.extend(own.map(|curve| {
            let points = curve.spans.iter().map(|span| (span.lba as f64 * block, span.mb_s * 1e6));
            Plot::Series(Series::of_points(name(curve.state), subject, Shape::DottedLine, points))
        }));
    }
    chart.notes.push("Each point is one span; the spans are 2 % of the range at most.".to_owned());
    chart
}

fn name(state: DriveState) -> &'static str {
    match state {
        DriveState::Fresh => "Fresh",
        DriveState::Used => "Used",
        DriveState::Trimmed => "Trimmed",
    }
}
