//! The tables of tests in rounds, and the figures by which drives are compared.

use drivelab_stats::PtsSample;
use drivelab_view::format::long_time;
use drivelab_view::{Better, Block, Cell, Column, Columns, Detail, Fold, Quantity, Section, Table, View};

use super::Pts;
use super::charts::{OfTest, charts};
use super::findings::{PtsCellFindings, PtsFindings, PtsTestFindings};
use super::sentences::{NAMES, OVER_ROUNDS, state, verdict};
use super::settings::{PtsPrecondition, PtsTest};
use crate::shown::ComparedFigures;
use crate::{Comparison, shown};

/// So many cells are shown without being asked for.
const SHOWN_AT_ONCE: usize = 10;

/// All cells of a test, folded away where they are many.
pub(super) fn cells(test: PtsTest, results: &[OfTest<'_>]) -> Block {
    let columns = columns();
    let mut table = columns.table(&format!("{}-cells", test.word()), "Cells", "Cell");
    for OfTest { one, found } in results {
        table.rows.extend(found.cells.iter().map(|cell| one.row(&cell.name, columns.cells(cell))));
    }
    if table.rows.len() <= SHOWN_AT_ONCE {
        return Block::Table(table);
    }
    let summary = format!("All {} cells", table.rows.len());
    Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] })
}

fn columns() -> Columns<'static, PtsCellFindings> {
    Columns::<PtsCellFindings>::new()
        .with("IOPS", Quantity::Number, |cell| cell.result.map(|of| of.iops))
        .with("Rate", Quantity::BytesPerSecond, |cell| cell.result.map(|of| of.mb_s * 1e6))
        .with("Mean", Quantity::Nanoseconds, |cell| cell.result.map(|of| of.mean_ns))
        .with("p50", Quantity::Nanoseconds, |cell| cell.result.map(|of| of.p50_ns))
        .with("p99", Quantity::Nanoseconds, |cell| cell.result.map(|of| of.p99_ns))
        .with("p99.9", Quantity::Nanoseconds, |cell| cell.result.map(|of| of.p99_9_ns))
        .with("p99.99", Quantity::Nanoseconds, |cell| cell.result.map(|of| of.p99_99_ns))
        .with("Max", Quantity::Nanoseconds, |cell| cell.result.map(|of| of.max_ns))
        .with("Rounds", Quantity::Count, |cell| cell.result.map(|_| cell.samples.len() as u64))
}

/// Random I/O in all mixes: IOPS by block and mix. None for a test of another shape.
pub(super) fn mixes(test: PtsTest, results: &[OfTest<'_>]) -> Option<Block> {
    let first = results.first().filter(|_| test == PtsTest::Iops)?;
    let mut mixes: Vec<u8> = first.found.cells.iter().map(|cell| cell.read_percent).collect();
    mixes.dedup();
    let heads =
        mixes.iter().map(|mix| Column::new(&format!("{mix}/{}", 100 - mix), Quantity::Number)).collect();
    let mut table = Table::new("iops-mixes", "IOPS by reads/writes of a hundred", "Block", heads);
    for OfTest { one, found } in results {
        let mut blocks: Vec<u64> = found.cells.iter().map(|cell| cell.block_bytes).collect();
        blocks.sort_unstable_by(|one, other| other.cmp(one));
        blocks.dedup();
        table.rows.extend(blocks.into_iter().map(|block| {
            let cells = mixes.iter().map(|mix| Cell::number(Quantity::Number, iops(found, block, *mix)));
            one.row(Quantity::BlockSize.text(block as f64), cells.collect())
        }));
    }
    Some(Block::Table(table))
}

fn iops(found: &PtsTestFindings, block: u64, mix: u8) -> Option<f64> {
    let cell = found.cells.iter().find(|cell| (cell.block_bytes, cell.read_percent) == (block, mix))?;
    Some(cell.result?.iops)
}

type OfResult<'a> = &'a dyn Fn(&PtsFindings) -> Option<f64>;

/// A few figures of each test; all cells are in the tables.
pub(super) fn figures(compared: &Comparison<'_, Pts>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    let mut add = |test: PtsTest, name: &str, (quantity, better): (Quantity, Better), of: OfResult<'_>| {
        figures.add((test.title(), name), quantity, better, |one| of(&one.findings));
    };
    let (iops, rate) = ((Quantity::Iops, Better::High), (Quantity::BytesPerSecond, Better::High));
    let time = (Quantity::Nanoseconds, Better::Low);
    for (name, mix) in [("random reads", 100), ("65/35", 65), ("random writes", 0)] {
        add(PtsTest::Iops, name, iops, &|found| Some(found.find(PtsTest::Iops)?.small(mix)?.1.iops));
    }
    for test in [PtsTest::ThroughputLarge, PtsTest::ThroughputSmall] {
        for (name, place) in [("reads", 0), ("writes", 1)] {
            add(test, name, rate, &|found| Some(at(found.find(test)?, place)?.mb_s * 1e6));
        }
    }
    let latency = PtsTest::Latency;
    for (mix, mean, tail) in [(100, "reads, mean", "reads, p99.9"), (0, "writes, mean", "writes, p99.9")] {
        add(latency, mean, time, &|found| Some(found.find(latency)?.small(mix)?.1.mean_ns));
        add(latency, tail, time, &|found| Some(found.find(latency)?.small(mix)?.1.p99_9_ns as f64));
    }
    add(PtsTest::Saturation, "random writes", iops, &|found| {
        Some(at(found.find(PtsTest::Saturation)?, 0)?.iops)
    });
    let idle = PtsTest::IdleRecovery;
    add(idle, "without a pause", iops, &|found| Some(at(found.find(idle)?, 0)?.iops));
    add(idle, "after the longest pause", iops, &|found| Some(found.find(idle)?.cells.last()?.result?.iops));
    let cross = PtsTest::CrossStimulus;
    for (name, place) in [("sequential, before", 0), ("random", 1), ("sequential, after", 2)] {
        add(cross, name, rate, &|found| Some(at(found.find(cross)?, place)?.mb_s * 1e6));
    }
    add(PtsTest::Demand, "most IOPS", iops, &|found| {
        let cells = found.find(PtsTest::Demand)?.cells.iter();
        cells.filter_map(|cell: &PtsCellFindings| Some(cell.result?.iops)).reduce(f64::max)
    });
    let note =
        "Random I/O, latency and saturation: blocks of 4 KiB, or the drive's own where these are longer.";
    figures.figures.notes.push(note.to_owned());
    figures.section("Figures")
}

fn at(test: &PtsTestFindings, place: usize) -> Option<PtsSample> {
    test.cells.get(place)?.result
}

pub(super) fn view(compared: &Comparison<'_, Pts>) -> View {
    let mut head = shown::verdicts(compared, verdict);
    head.push(Block::Text(how(compared)));
    let mut sections = vec![Section::summary(None, head)];
    if compared.iter().any(|one| !one.findings.tests.is_empty()) {
        sections.push(figures(compared));
    }
    sections.extend(PtsTest::ALL.into_iter().flat_map(|test| sections_of(test, compared)));
    shown::view(compared, sections)
}

/// How the figures were taken.
fn how(compared: &Comparison<'_, Pts>) -> String {
    let mut lengths: Vec<String> =
        compared.iter().map(|one| long_time(one.settings.cell_duration_ns as f64 / 1e9)).collect();
    lengths.dedup();
    let is = |asked| compared.iter().any(|one| one.settings.precondition == asked);
    let first = match (is(PtsPrecondition::FillTwice), is(PtsPrecondition::OnePass)) {
        (_, false) => "writes it twice in sequence first",
        (false, true) => {
            "writes the flash once first, in the order of one-pass preconditioning (throughput and cross stimulus: the \
             range twice in sequence)"
        }
        (true, true) => {
            "writes it twice in sequence first, or the flash once in the order of one-pass preconditioning"
        }
    };
    format!(
        "A cell of a round lasts {}. Each test purges the range and {first}, but for write saturation, which begins \
         with a purged drive. {NAMES} {OVER_ROUNDS}",
        lengths.join(" or ")
    )
}

/// What a test found on each drive, and its charts, which a summary leaves out; nothing where it ran on none.
fn sections_of(test: PtsTest, compared: &Comparison<'_, Pts>) -> Vec<Section> {
    let found: Vec<OfTest<'_>> =
        compared.iter().filter_map(|one| Some(OfTest { one, found: one.findings.find(test)? })).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let is_alone = compared.len() == 1;
    // Whether the test was steady, on each drive.
    let state = |OfTest { one, found }: &OfTest<'_>| {
        let state = state(found);
        Block::Text(if is_alone { state } else { format!("{}: {state}", one.label()) })
    };
    let mut blocks: Vec<Block> = found.iter().map(state).collect();
    blocks.extend(mixes(test, &found));
    blocks.push(cells(test, &found));
    let detail = if is_alone { Detail::Summary } else { Detail::Full };
    let figures = Section { detail, ..Section::full(test.title(), blocks) };
    let charts = Section { heading: None, detail: Detail::Full, blocks: charts(test, &found) };
    [figures, charts].into_iter().filter(|section| !section.blocks.is_empty()).collect()
}
