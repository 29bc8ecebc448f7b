//! The tables of tests in rounds.

use drivelab_view::{Block, Cell, Column, Fold, Quantity, Table};

use super::Pts;
use super::findings::{PtsCellFindings, PtsTestFindings};
use super::settings::PtsTest;
use crate::ComparedResult;

/// So many cells are shown without being asked for.
const SHOWN_AT_ONCE: usize = 10;

/// What one test found on one drive.
pub(super) struct OfTest<'a> {
    /// The result.
    pub one: &'a ComparedResult<'a, Pts>,
    /// What the test found.
    pub found: &'a PtsTestFindings,
}

/// All cells of a test, folded away where they are many.
pub(super) fn cells(test: PtsTest, results: &[OfTest<'_>]) -> Block {
    let mut table = Table::new(&format!("{}-cells", test.id()), "Cells", "Cell", columns());
    for OfTest { one, found } in results {
        table.rows.extend(found.cells.iter().map(|cell| one.row(&cell.name, figures(cell))));
    }
    if table.rows.len() <= SHOWN_AT_ONCE {
        return Block::Table(table);
    }
    let summary = format!("All {} cells", table.rows.len());
    Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] })
}

fn columns() -> Vec<Column> {
    let times = ["Mean", "p50", "p99", "p99.9", "p99.99", "Max"];
    let mut columns =
        vec![Column::new("IOPS", Quantity::Number), Column::new("Rate", Quantity::BytesPerSecond)];
    columns.extend(times.map(|head| Column::new(head, Quantity::Nanoseconds)));
    columns.push(Column::new("Rounds", Quantity::Count));
    columns
}

fn figures(cell: &PtsCellFindings) -> Vec<Cell> {
    let Some(result) = cell.result else { return vec![Cell::Nothing; columns().len()] };
    let times = [result.p50_ns, result.p99_ns, result.p99_9_ns, result.p99_99_ns, result.max_ns];
    let mut cells = vec![
        Cell::number(Quantity::Number, Some(result.iops)),
        Cell::number(Quantity::BytesPerSecond, Some(result.mb_s * 1e6)),
        Cell::number(Quantity::Nanoseconds, Some(result.mean_ns)),
    ];
    cells.extend(times.map(|time| Cell::count(Quantity::Nanoseconds, Some(time))));
    cells.push(Cell::count(Quantity::Count, Some(cell.samples.len() as u64)));
    cells
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
