//! What is shown of validations of TRIM.

use drivelab_stats::MeanInterval;
use drivelab_view::chart::{Axis, Colours, Plot, Scale, Series, Shape, Size};
use drivelab_view::{
    Better, Block, Cell, Chart, Column, Detail, Fold, Quantity, Section, Table, Value, View,
};

use super::sentences::verdict;
use super::{DriveState, RoundAmplification, SpeedRatio, Trim, TrimFindings};
use crate::Comparison;
use crate::shown::{self, ComparedFigures};

/// Rounds whose curves are not folded away.
const ROUNDS_SHOWN: usize = 3;

/// The view of one validation, or of several next to each other.
pub(super) fn view(compared: &Comparison<'_, Trim>) -> View {
    let mut sections = vec![Section::summary(None, shown::verdicts(compared, verdict))];
    if compared.iter().any(|one| one.findings.rounds() > 0) {
        sections.push(figures(compared));
        // Of several drives the means of rounds are enough for a summary.
        let detail = if compared.len() == 1 { Detail::Summary } else { Detail::Full };
        sections.push(Section { detail, ..Section::full("Rounds", rounds(compared)) });
        sections.push(Section::full("Rate of writing over the drive", curves(compared)));
    }
    shown::view(compared, sections)
}

fn figures(compared: &Comparison<'_, Trim>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    let mut add = |group, name, quantity, better, of: &dyn Fn(&TrimFindings) -> Option<Value>| {
        figures.add((group, name), quantity, better, |one| of(&one.findings));
    };
    let rates = "Rate of writing, mean over rounds";
    let speed = Quantity::BytesPerSecond;
    // A single round has no interval by which a better one could be told from a lucky one.
    let has_intervals = compared.iter().all(|one| one.findings.rounds() > 1);
    let better = if has_intervals { Better::High } else { Better::Neither };
    add(rates, "fresh", speed, better, &|found| mean_rate(found, DriveState::Fresh));
    add(rates, "used", speed, better, &|found| mean_rate(found, DriveState::Used));
    add(rates, "trimmed", speed, better, &|found| mean_rate(found, DriveState::Trimmed));
    let ratios = "Rate divided by that of the used drive";
    let factor = Quantity::Factor;
    add(ratios, "fresh", factor, Better::Neither, &|found| found.fresh_to_used.map(SpeedRatio::value));
    add(ratios, "trimmed", factor, Better::Neither, &|found| found.trimmed_to_used.map(SpeedRatio::value));
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
    figures.section("Figures")
}

/// The mean over rounds of the rates of a state, with its 95 % interval.
fn mean_rate(found: &TrimFindings, state: DriveState) -> Option<Value> {
    let rates: Vec<f64> =
        (0..found.rounds()).filter_map(|round| found.rate(round, state)).map(|mb_s| mb_s * 1e6).collect();
    let mean = MeanInterval::from_values(&rates)?;
    let value = Value::new(Quantity::BytesPerSecond, mean.mean);
    Some(value.within_known(mean.half_width.map(|half| ((mean.mean - half).max(0.0), mean.mean + half))))
}

/// The rates of every round, and write amplification where there is a simulated drive.
fn rounds(compared: &Comparison<'_, Trim>) -> Vec<Block> {
    let rates = |found: &TrimFindings, round: usize| {
        DriveState::ALL.map(|state| found.rate(round, state).map(|rate| rate * 1e6))
    };
    let mut rate = by_round(
        compared,
        ("rounds", "Rate of writing"),
        ["Fresh", "Used", "Trimmed"],
        (Quantity::BytesPerSecond, &rates),
    );
    rate.notes
        .push("Used and trimmed: after random writes. Each rate is that of all spans together.".to_owned());
    let mut blocks = vec![Block::Table(rate)];
    if compared.iter().any(|one| !one.findings.simulation.is_empty()) {
        let amplification = |found: &TrimFindings, round: usize| {
            let RoundAmplification { random_writes_amplification, used_amplification, trimmed_amplification } =
                found.simulation.get(round).copied().unwrap_or_default();
            [random_writes_amplification, used_amplification, trimmed_amplification]
        };
        let names = ("amplification", "Write amplification");
        let heads = ["Random writes", "Curve, used", "Curve, trimmed"];
        let mut table = by_round(compared, names, heads, (Quantity::Factor, &amplification));
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
    compared: &Comparison<'_, Trim>,
    (id, caption): (&str, &str),
    heads: [&str; 3],
    (quantity, numbers): (Quantity, OfRound<'_>),
) -> Table {
    let columns = heads.map(|head| Column::new(head, quantity)).to_vec();
    let mut table = Table::new(id, caption, "Round", columns);
    for one in compared.iter() {
        let cells =
            |round| numbers(&one.findings, round).map(|number| Cell::number(quantity, number)).to_vec();
        table
            .rows
            .extend((0..one.findings.rounds()).map(|round| one.row((round + 1).to_string(), cells(round))));
    }
    table
}

/// A chart for each round; those of later rounds are folded away.
fn curves(compared: &Comparison<'_, Trim>) -> Vec<Block> {
    let rounds = compared.iter().map(|one| one.findings.rounds()).max().unwrap_or(0);
    let mut charts: Vec<Block> = (0..rounds).map(|round| Block::Chart(curve(compared, round))).collect();
    let folded = charts.split_off(rounds.min(ROUNDS_SHOWN));
    if !folded.is_empty() {
        let summary = format!("Rounds {} to {rounds}", ROUNDS_SHOWN + 1);
        charts.push(Block::Fold(Fold { summary, blocks: folded }));
    }
    charts
}

/// A line for each state of each result in a round.
fn curve(compared: &Comparison<'_, Trim>, round: usize) -> Chart {
    let across = Axis::new("Position on the drive", Quantity::Bytes, Scale::Linear);
    // One axis for all rounds, so that their charts can be compared.
    let spans = compared.iter().flat_map(|one| one.findings.curves.iter().flat_map(|curve| &curve.spans));
    let most = spans.map(|span| span.mb_s * 1e6).fold(0.0, f64::max);
    let up = Axis::new("Rate of writing", Quantity::BytesPerSecond, Scale::Linear).over(0.0, most);
    let (id, title) = (format!("curves-round-{}", round + 1), format!("Round {}", round + 1));
    let mut chart = Chart::new(&id, &title, vec![across], up);
    chart.about = format!("Lines: the rate of sequential writes at each span in round {}.", round + 1);
    chart.size = Size::Small;
    chart.colours = Colours::OfNames;
    for one in compared.iter() {
        let block = f64::from(one.findings.logical_block_bytes);
        let own = one.findings.curves.iter().filter(|curve| curve.round == round);
        chart.plots.extend(own.map(|curve| {
            let points = curve.spans.iter().map(|span| (span.lba as f64 * block, span.mb_s * 1e6));
            Plot::Series(Series::of_points(name(curve.state), one.place, Shape::DottedLine, points))
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
