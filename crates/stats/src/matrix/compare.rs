//! Cells that differ in one thing, against each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::noise::Noise;
use super::pair::{Axis, Pair, pairs};
use super::{MatrixRun, MatrixSummary, PairedRatio, controls, holm, matrix_cells};
use crate::IntervalEnds;

/// Below this (Holm's adjusted) probability a difference is claimed.
const ALPHA: f64 = 0.05;

/// Whether two cells differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ComparisonVerdict")]
pub enum PairVerdict {
    /// A difference is shown.
    Difference,
    /// None is shown.
    NoDifference,
    /// Fewer than three blocks of runs have both.
    TooFewRuns,
}

/// Two cells that differ in one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellComparison {
    /// In what.
    pub axis: Axis,
    /// The first cell.
    pub first: usize,
    /// The second cell.
    pub second: usize,
    /// Blocks of runs that have both.
    pub blocks: u64,
    /// The second's rate over the first's.
    pub ratio: f64,
    /// Its 95 % confidence interval; null below three blocks.
    pub interval: Option<IntervalEnds>,
    /// The p-value of Student's paired test on logarithms, whose variance is at least what comparisons alike support; null
    /// below three blocks.
    pub p: Option<f64>,
    /// The same after Holm's adjustment over the whole matrix.
    pub p_holm: Option<f64>,
    /// Whether they differ.
    pub verdict: PairVerdict,
}

/// The fastest of a group of cells that differ in one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeaderFindings {
    /// In what.
    pub axis: Axis,
    /// The one with the highest mean rate of those that no other is shown to be faster than.
    pub best: usize,
    /// Whether it is shown to be the fastest: all others could be compared with it and are shown to be slower.
    pub wins: bool,
    /// Those that no difference from it is shown of.
    pub level_with: Vec<usize>,
    /// Those that too few blocks of runs have together with it.
    pub not_compared: Vec<usize>,
    /// The fastest that is shown to be slower, and by how much; null where none is.
    pub ahead_of: Option<RatioOfCells>,
    /// Where none is shown to be slower than the best: differences among the others.
    pub others: Vec<RatioOfCells>,
}

/// Two cells that are shown to differ, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatioOfCells {
    /// The faster one.
    pub faster: usize,
    /// The slower one.
    pub slower: usize,
    /// The faster one's rate over the slower one's.
    pub ratio: f64,
    /// Its 95 % confidence interval.
    pub interval: Option<IntervalEnds>,
}

/// The cells of a matrix, and what is found of them, which names them by their places.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedCells {
    /// Every cell that was measured.
    pub cells: Vec<MatrixSummary>,
    /// Cells that differ in one thing, against each other: along file systems, schedulers and ways of caching where there are
    /// several, and along threads where there are not several of any of these.
    pub comparisons: Vec<CellComparison>,
    /// Who leads in each group of cells that differ in one thing. Threads are no contest, and a single block tells nothing.
    pub leaders: Vec<LeaderFindings>,
}

/// Compares the cells of a matrix.
///
/// A difference is claimed where Student's paired test on logarithms of rates, over at least
/// [`LEAST_BLOCKS`](super::LEAST_BLOCKS) blocks, has a p-value below 5 % after Holm's adjustment over all comparisons. The
/// variance that it goes by is the pair's own, and not less than what comparisons alike support.
pub fn compare(runs: &[MatrixRun]) -> ComparedCells {
    let cells = matrix_cells(runs);
    let pairs = pairs(&cells, runs);
    let noise = Noise::from_pairs(&pairs, controls(runs));
    let one = |pair: &Pair| {
        let PairedRatio { blocks, ratio, interval, p } = pair.logs.ratio(noise.least_variance(pair));
        let Pair { axis, first, second, .. } = *pair;
        let (p_holm, verdict) = (None, PairVerdict::TooFewRuns);
        CellComparison { axis, first, second, blocks, ratio, interval, p, p_holm, verdict }
    };
    let mut comparisons: Vec<CellComparison> = pairs.iter().map(one).collect();
    judge(&mut comparisons);
    let leaders = leaders(&cells, &comparisons);
    ComparedCells { cells, comparisons, leaders }
}

fn judge(comparisons: &mut [CellComparison]) {
    let values: Vec<f64> = comparisons.iter().filter_map(|one| one.p).collect();
    let judged = comparisons.iter_mut().filter(|one| one.p.is_some());
    for (comparison, p) in judged.zip(holm(&values)) {
        comparison.p_holm = Some(p);
        comparison.verdict = if p < ALPHA { PairVerdict::Difference } else { PairVerdict::NoDifference };
    }
}

fn leaders(cells: &[MatrixSummary], comparisons: &[CellComparison]) -> Vec<LeaderFindings> {
    let mut found: Vec<LeaderFindings> = Vec::new();
    let is_told = |one: &&CellComparison| one.axis != Axis::Threads && one.verdict != PairVerdict::TooFewRuns;
    for comparison in comparisons.iter().filter(is_told) {
        let axis = comparison.axis;
        let rest = axis.rest(&cells[comparison.first].cell);
        let own = || (0..cells.len()).filter(|place| axis.rest(&cells[*place].cell) == rest);
        if found.iter().any(|one| one.axis == axis && axis.rest(&cells[one.best].cell) == rest) {
            continue;
        }
        let faster = |first: usize, other: usize| {
            let (ratio, verdict) = against(axis, first, other, comparisons)?;
            (verdict == PairVerdict::Difference && ratio.ratio > 1.0).then_some(ratio)
        };
        let by_rate = |one: &usize, other: &usize| cells[*one].rate.mean.total_cmp(&cells[*other].rate.mean);
        // Means are over whatever blocks a cell has, and pairs over those that both have: these decide.
        let unbeaten = own().filter(|cell| own().all(|other| faster(other, *cell).is_none()));
        let Some(best) = unbeaten.max_by(by_rate) else { continue };
        let with = |wanted: PairVerdict| -> Vec<usize> {
            let verdict = |cell: &usize| against(axis, best, *cell, comparisons).map(|(_, verdict)| verdict);
            let others = own().filter(|cell| *cell != best);
            others.filter(|cell| verdict(cell).unwrap_or(PairVerdict::TooFewRuns) == wanted).collect()
        };
        let (level_with, not_compared) = (with(PairVerdict::NoDifference), with(PairVerdict::TooFewRuns));
        let next = own().filter(|cell| faster(best, *cell).is_some()).max_by(by_rate);
        let ahead_of = next.and_then(|next| faster(best, next));
        let others = own().flat_map(|first| own().filter_map(move |other| faster(first, other)));
        found.push(LeaderFindings {
            axis,
            best,
            wins: level_with.is_empty() && not_compared.is_empty() && ahead_of.is_some(),
            others: others.filter(|_| ahead_of.is_none()).collect(),
            level_with,
            not_compared,
            ahead_of,
        });
    }
    found
}

/// The first's rate over the other's.
fn against(
    axis: Axis,
    first: usize,
    other: usize,
    comparisons: &[CellComparison],
) -> Option<(RatioOfCells, PairVerdict)> {
    let own = |one: &&CellComparison| {
        one.axis == axis && [(first, other), (other, first)].contains(&(one.first, one.second))
    };
    let found = comparisons.iter().find(own)?;
    let ratio = RatioOfCells { faster: first, slower: other, ratio: found.ratio, interval: found.interval };
    Some((if found.second == first { ratio } else { ratio.inverse() }, found.verdict))
}

impl RatioOfCells {
    /// The same cells, with the ratio the other way round.
    fn inverse(self) -> RatioOfCells {
        RatioOfCells { ratio: 1.0 / self.ratio, interval: self.interval.map(IntervalEnds::inverse), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{MatrixCell, Position, drift};
    use drivelab_block::{Caching, FileSystem, Nanos, Work};

    fn cell(fs: FileSystem, threads: u16) -> MatrixCell {
        MatrixCell {
            work: Work::SeqRead,
            caching: Some(Caching::Direct),
            scheduler: None,
            threads,
            fs: Some(fs),
        }
    }

    fn run(cell: MatrixCell, run: u16, position: Position, bytes: u64) -> MatrixRun {
        MatrixRun {
            cell,
            run,
            position,
            place: 0,
            operations: 1,
            bytes,
            elapsed: Nanos::from_secs(1),
            latency: None,
        }
    }

    /// Millionths that three cells are faster by, in five blocks.
    const NOISE: [[u64; 5]; 3] = [
        [9_439, 1_109, 5_761, 278, 3_255],
        [2_196, 7_198, 3_415, 4_731, 1_280],
        [4_190, 1_448, 1_960, 2_043, 8_923],
    ];

    /// Five blocks that drift by a factor of 2, with 1 % of noise; xfs is 5 % slower than the two others.
    fn runs() -> Vec<MatrixRun> {
        let mut runs = Vec::new();
        for block in 0..5u16 {
            let base = 1_000_000 << block;
            let noise = |cell: usize| NOISE[cell][usize::from(block)] * (base / 1_000_000);
            runs.push(run(cell(FileSystem::Ext4, 1), block, Position::First, base));
            runs.push(run(cell(FileSystem::Ext4, 1), block, Position::Within, base + noise(0)));
            runs.push(run(cell(FileSystem::Ext2, 1), block, Position::Within, base + noise(1)));
            runs.push(run(cell(FileSystem::Xfs, 1), block, Position::Within, (base + noise(2)) / 100 * 95));
            runs.push(run(cell(FileSystem::Ext4, 1), block, Position::Last, base * 9 / 10));
        }
        runs
    }

    #[test]
    fn a_winner_is_found_in_pairs_and_one_block_is_no_draw() {
        let rates = |fs: FileSystem, rates: &[u64]| -> Vec<MatrixRun> {
            let of = |(block, rate): (u16, &u64)| run(cell(fs, 1), block, Position::Within, *rate);
            (0..).zip(rates).map(of).collect()
        };
        // The run ended before ext4 had the slow block of a drive that gets slower: its mean is the higher one.
        let mut runs = rates(FileSystem::Ext4, &[10_000, 8_000, 7_000]);
        runs.extend(rates(FileSystem::Xfs, &[10_500, 8_410, 7_345, 2_000]));
        let ComparedCells { cells, leaders, .. } = compare(&runs);
        assert_eq!(cells[leaders[0].best].cell, cell(FileSystem::Xfs, 1), "{leaders:?}");
        let ahead = leaders[0].ahead_of.expect("ext4 is slower");
        assert!(cells[ahead.slower].cell == cell(FileSystem::Ext4, 1) && ahead.ratio > 1.0, "{ahead:?}");
        assert!(leaders[0].wins, "{leaders:?}");
        // Of ext2 there is one block.
        runs.extend(rates(FileSystem::Ext2, &[5_000]));
        let ComparedCells { cells, leaders, .. } = compare(&runs);
        let untold: Vec<&MatrixCell> =
            leaders[0].not_compared.iter().map(|place| &cells[*place].cell).collect();
        assert_eq!((leaders[0].level_with.len(), &untold[..]), (0, &[&cell(FileSystem::Ext2, 1)][..]));
        assert!(!leaders[0].wins, "{leaders:?}");
    }

    #[test]
    fn cells_that_differ_behind_a_best_that_varies_are_told() {
        let rates = |fs: FileSystem, rates: [u64; 3]| {
            (0..).zip(rates).map(move |(block, rate)| run(cell(fs, 1), block, Position::Within, rate))
        };
        let mut runs: Vec<MatrixRun> = rates(FileSystem::Ext4, [30_000, 3_000, 15_000]).collect();
        runs.extend(rates(FileSystem::Xfs, [10_000, 10_010, 10_005]));
        runs.extend(rates(FileSystem::Ext2, [10_007, 10_003, 9_998]));
        runs.extend(rates(FileSystem::Ext3, [10_002, 10_008, 10_001]));
        runs.extend(rates(FileSystem::Btrfs, [5_000, 5_003, 5_001]));
        let ComparedCells { cells, leaders, .. } = compare(&runs);
        let best = &cells[leaders[0].best].cell;
        assert_eq!((best, leaders[0].level_with.len()), (&cell(FileSystem::Ext4, 1), 4));
        assert_eq!(leaders[0].others.len(), 3, "{leaders:?}");
        for ratio in &leaders[0].others {
            assert_eq!(cells[ratio.slower].cell, cell(FileSystem::Btrfs, 1));
            assert!((ratio.ratio - 2.0).abs() < 0.01, "{ratio:?}");
        }
    }

    #[test]
    fn runs_that_lie_close_by_chance_show_nothing_among_others_that_do_not() {
        let rates = |fs: FileSystem, rates: [u64; 3]| {
            (0..).zip(rates).map(move |(block, rate)| run(cell(fs, 1), block, Position::Within, rate))
        };
        let mut runs: Vec<MatrixRun> = rates(FileSystem::Ext4, [10_000, 10_010, 10_005]).collect();
        runs.extend(rates(FileSystem::Xfs, [14_650, 14_660, 14_655]));
        runs.extend(rates(FileSystem::Ext2, [15_000, 9_000, 12_000]));
        runs.extend(rates(FileSystem::Btrfs, [9_500, 16_000, 13_000]));
        let found = compare(&runs).comparisons;
        assert!(found.iter().all(|one| one.verdict == PairVerdict::NoDifference), "{found:?}");
    }

    #[test]
    fn a_difference_is_found_through_a_drift_that_is_larger() {
        let runs = runs();
        let ComparedCells { cells, comparisons, leaders } = compare(&runs);
        let verdict = |first: FileSystem, second: FileSystem| {
            let own = |one: &&CellComparison| {
                [one.first, one.second].map(|place| cells[place].cell.fs) == [Some(first), Some(second)]
            };
            comparisons.iter().find(own).expect("a comparison").verdict
        };
        assert_eq!(comparisons.len(), 3);
        assert_eq!(verdict(FileSystem::Ext4, FileSystem::Xfs), PairVerdict::Difference);
        assert_eq!(verdict(FileSystem::Ext2, FileSystem::Xfs), PairVerdict::Difference);
        assert_eq!(verdict(FileSystem::Ext2, FileSystem::Ext4), PairVerdict::NoDifference);
        assert_eq!((leaders.len(), leaders[0].level_with.len()), (1, 1));
        let ratio = leaders[0].ahead_of.expect("a slower one");
        assert_eq!(cells[ratio.slower].cell.fs, Some(FileSystem::Xfs));
        assert!((ratio.ratio - 1.0 / 0.95).abs() < 0.01, "{ratio:?}");
        let drift = drift(&runs).expect("controls");
        assert!((drift.ratio - 0.9).abs() < 1e-6 && drift.blocks == 5);
    }

    #[test]
    fn one_run_claims_nothing_and_threads_are_compared_alone() {
        let first = runs().into_iter().filter(|run| run.run == 0).collect::<Vec<_>>();
        let ComparedCells { comparisons, leaders, .. } = compare(&first);
        assert!(comparisons.iter().all(|one| one.verdict == PairVerdict::TooFewRuns));
        assert_eq!(leaders, []);
        let threads: Vec<MatrixRun> = [1, 2, 8]
            .into_iter()
            .flat_map(|threads| {
                (0..3).map(move |block| run(cell(FileSystem::Ext4, threads), block, Position::Within, 1_000))
            })
            .collect();
        let ComparedCells { cells, comparisons: found, .. } = compare(&threads);
        assert_eq!(found.iter().map(|one| cells[one.second].cell.threads).collect::<Vec<_>>(), [2, 8]);
        assert!(
            found.iter().all(|one| one.verdict == PairVerdict::NoDifference && one.axis == Axis::Threads)
        );
    }

    #[test]
    fn a_ratio_the_other_way_round_has_its_interval_the_other_way_round() {
        let ends = |low, high| Some(IntervalEnds { low, high });
        let ratio = RatioOfCells { faster: 0, slower: 1, ratio: 2.0, interval: ends(1.6, 2.5) };
        let turned = RatioOfCells { ratio: 0.5, interval: ends(0.4, 0.625), ..ratio };
        assert_eq!(ratio.inverse(), turned);
        assert_eq!(RatioOfCells { interval: None, ..ratio }.inverse().interval, None);
    }

    #[test]
    fn each_kind_of_work_has_leaders_of_its_own() {
        let both = runs().into_iter().flat_map(|run| {
            let write = MatrixCell { work: Work::SeqWrite, ..run.cell.clone() };
            [MatrixRun { cell: write, ..run.clone() }, run]
        });
        let both: Vec<MatrixRun> = both.collect();
        let ComparedCells { cells, leaders, .. } = compare(&both);
        let works: Vec<Work> = leaders.iter().map(|one| cells[one.best].cell.work).collect();
        assert!(works.len() == 2 && works.contains(&Work::SeqRead) && works.contains(&Work::SeqWrite));
        assert!(leaders.iter().all(|one| one.axis == Axis::FileSystem));
    }

    #[test]
    fn a_probability_of_five_per_cent_is_no_difference() {
        let verdict = |p: f64| {
            let mut comparisons = [CellComparison {
                axis: Axis::FileSystem,
                first: 0,
                second: 1,
                blocks: 5,
                ratio: 2.0,
                interval: Some(IntervalEnds { low: 1.0, high: 4.0 }),
                p: Some(p),
                p_holm: None,
                verdict: PairVerdict::TooFewRuns,
            }];
            judge(&mut comparisons);
            comparisons[0].verdict
        };
        assert_eq!((verdict(0.049), verdict(0.05)), (PairVerdict::Difference, PairVerdict::NoDifference));
    }
}
