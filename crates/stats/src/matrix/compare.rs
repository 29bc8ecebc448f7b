//! Cells that differ in one thing, against each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::noise::Noise;
use super::pair::{Axis, Pair, pairs};
use super::{MatrixCell, MatrixRun, PairedRatio, controls, holm, matrix_cells};

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
#[derive(Clone, Debug, PartialEq)]
pub struct PairComparison {
    /// In what.
    pub axis: Axis,
    /// The first.
    pub first: MatrixCell,
    /// The second.
    pub second: MatrixCell,
    /// The second's rate over the first's.
    pub ratio: PairedRatio,
    /// The probability after Holm's adjustment over all comparisons of the matrix.
    pub p_holm: Option<f64>,
    /// What is said.
    pub verdict: PairVerdict,
}

/// All comparisons of a matrix: along file systems, schedulers and ways of caching where it has several, and along threads
/// where it has none of these.
///
/// A difference is claimed where Student's paired test on logarithms of rates, over at least
/// [`LEAST_BLOCKS`](super::LEAST_BLOCKS) blocks, has a p-value below 5 % after Holm's adjustment over all comparisons. The
/// variance that it goes by is the pair's own, and not less than what comparisons alike support.
pub fn compare(runs: &[MatrixRun]) -> Vec<PairComparison> {
    let cells: Vec<MatrixCell> = matrix_cells(runs).into_iter().map(|summary| summary.cell).collect();
    let pairs = pairs(&cells, runs);
    let noise = Noise::from_pairs(&pairs, controls(runs));
    let one = |pair: &Pair| PairComparison {
        axis: pair.axis,
        first: pair.first.clone(),
        second: pair.second.clone(),
        ratio: pair.logs.ratio(noise.least_variance(pair)),
        p_holm: None,
        verdict: PairVerdict::TooFewRuns,
    };
    let mut found: Vec<PairComparison> = pairs.iter().map(one).collect();
    judge(&mut found);
    found
}

fn judge(comparisons: &mut [PairComparison]) {
    let values: Vec<f64> = comparisons.iter().filter_map(|one| one.ratio.p).collect();
    let judged = comparisons.iter_mut().filter(|one| one.ratio.p.is_some());
    for (comparison, p) in judged.zip(holm(&values)) {
        comparison.p_holm = Some(p);
        comparison.verdict = if p < ALPHA { PairVerdict::Difference } else { PairVerdict::NoDifference };
    }
}

/// The fastest of those that were compared, and those that are not shown to be slower.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaders {
    /// In what the cells differ.
    pub axis: Axis,
    /// The one with the highest mean rate of those that no other is shown to be faster than.
    pub best: MatrixCell,
    /// Those that no difference from it was detected of.
    pub level: Vec<MatrixCell>,
    /// Those that too few blocks have together with it to tell.
    pub untold: Vec<MatrixCell>,
    /// The fastest of those that are slower, and the best's rate over its, with its interval.
    pub next: Option<(MatrixCell, PairedRatio)>,
    /// Differences among the others where nobody is behind the best: the faster, the slower, and the ratio of their rates. Over
    /// few blocks the best may vary too much to be told from a cell that another one is told from.
    pub apart: Vec<(MatrixCell, MatrixCell, PairedRatio)>,
}

/// Who leads in each group of cells that differ in one thing. Threads are no contest, and a single block tells nothing.
pub fn leaders(runs: &[MatrixRun], comparisons: &[PairComparison]) -> Vec<Leaders> {
    let summaries = matrix_cells(runs);
    let rate = |cell: &MatrixCell| {
        summaries.iter().find(|summary| summary.cell == *cell).map_or(0.0, |summary| summary.rate.mean)
    };
    let mut found: Vec<Leaders> = Vec::new();
    let is_told = |one: &&PairComparison| one.axis != Axis::Threads && one.verdict != PairVerdict::TooFewRuns;
    for comparison in comparisons.iter().filter(is_told) {
        let (axis, rest) = (comparison.axis, comparison.axis.rest(&comparison.first));
        if found.iter().any(|one| one.axis == axis && axis.rest(&one.best) == rest) {
            continue;
        }
        let own = || summaries.iter().map(|summary| &summary.cell).filter(|cell| axis.rest(cell) == rest);
        let against = |first: &MatrixCell, other: &MatrixCell| against(axis, first, other, comparisons);
        let is_faster = |first: &MatrixCell, other: &MatrixCell| {
            against(first, other)
                .is_some_and(|(ratio, verdict)| verdict == PairVerdict::Difference && ratio.ratio > 1.0)
        };
        // Means are over whatever blocks a cell has, and pairs over those that both have: these decide.
        let unbeaten = own().filter(|cell| !own().any(|other| is_faster(other, cell)));
        let Some(best) = unbeaten.max_by(|one, other| rate(one).total_cmp(&rate(other))) else { continue };
        let others = || own().filter(|cell| *cell != best);
        let verdict =
            |cell: &MatrixCell| against(best, cell).map_or(PairVerdict::TooFewRuns, |(_, verdict)| verdict);
        let with = |wanted: PairVerdict| others().filter(|cell| verdict(cell) == wanted).cloned().collect();
        let slower = others().filter(|cell| is_faster(best, cell));
        let next = slower.max_by(|one, other| rate(one).total_cmp(&rate(other)));
        let apart = |faster: &'_ MatrixCell| {
            let slower = own().filter(|slower| next.is_none() && is_faster(faster, slower));
            let pairs = slower.filter_map(|slower| Some((slower.clone(), against(faster, slower)?.0)));
            pairs.map(|(slower, ratio)| (faster.clone(), slower, ratio)).collect::<Vec<_>>()
        };
        found.push(Leaders {
            axis,
            apart: own().flat_map(apart).collect(),
            best: best.clone(),
            level: with(PairVerdict::NoDifference),
            untold: with(PairVerdict::TooFewRuns),
            next: next.and_then(|cell| Some((cell.clone(), against(best, cell)?.0))),
        });
    }
    found
}

/// The first's rate over the other's.
fn against(
    axis: Axis,
    first: &MatrixCell,
    other: &MatrixCell,
    comparisons: &[PairComparison],
) -> Option<(PairedRatio, PairVerdict)> {
    let own = |one: &&PairComparison| {
        one.axis == axis
            && ((&one.first, &one.second) == (first, other) || (&one.first, &one.second) == (other, first))
    };
    let found = comparisons.iter().find(own)?;
    let ratio = if found.second == *first { found.ratio } else { inverse(found.ratio) };
    Some((ratio, found.verdict))
}

fn inverse(ratio: PairedRatio) -> PairedRatio {
    let interval = ratio.interval.map(|(low, high)| (1.0 / high, 1.0 / low));
    PairedRatio { ratio: 1.0 / ratio.ratio, interval, ..ratio }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Position, drift};
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
        let found = leaders(&runs, &compare(&runs));
        assert_eq!(found[0].best, cell(FileSystem::Xfs, 1), "{found:?}");
        let (next, ratio) = found[0].next.clone().expect("ext4 is slower");
        assert!(next == cell(FileSystem::Ext4, 1) && ratio.ratio > 1.0, "{ratio:?}");
        // Of ext2 there is one block.
        runs.extend(rates(FileSystem::Ext2, &[5_000]));
        let found = leaders(&runs, &compare(&runs));
        assert_eq!((found[0].level.len(), &found[0].untold[..]), (0, &[cell(FileSystem::Ext2, 1)][..]));
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
        let found = leaders(&runs, &compare(&runs));
        assert_eq!((&found[0].best, found[0].level.len()), (&cell(FileSystem::Ext4, 1), 4));
        assert_eq!(found[0].apart.len(), 3, "{found:?}");
        for (_, slower, ratio) in &found[0].apart {
            assert_eq!(slower, &cell(FileSystem::Btrfs, 1));
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
        let found = compare(&runs);
        assert!(found.iter().all(|one| one.verdict == PairVerdict::NoDifference), "{found:?}");
    }

    #[test]
    fn a_difference_is_found_through_a_drift_that_is_larger() {
        let runs = runs();
        let comparisons = compare(&runs);
        let verdict = |first: FileSystem, second: FileSystem| {
            let own = |one: &&PairComparison| (one.first.fs, one.second.fs) == (Some(first), Some(second));
            comparisons.iter().find(own).expect("a comparison").verdict
        };
        assert_eq!(comparisons.len(), 3);
        assert_eq!(verdict(FileSystem::Ext4, FileSystem::Xfs), PairVerdict::Difference);
        assert_eq!(verdict(FileSystem::Ext2, FileSystem::Xfs), PairVerdict::Difference);
        assert_eq!(verdict(FileSystem::Ext2, FileSystem::Ext4), PairVerdict::NoDifference);
        let leaders = leaders(&runs, &comparisons);
        assert_eq!((leaders.len(), leaders[0].level.len()), (1, 1));
        let (next, ratio) = leaders[0].next.clone().expect("a slower one");
        assert_eq!(next.fs, Some(FileSystem::Xfs));
        assert!((ratio.ratio - 1.0 / 0.95).abs() < 0.01, "{ratio:?}");
        let drift = drift(&runs).expect("controls");
        assert!((drift.ratio - 0.9).abs() < 1e-6 && drift.blocks == 5);
    }

    #[test]
    fn one_run_claims_nothing_and_threads_are_compared_alone() {
        let first = runs().into_iter().filter(|run| run.run == 0).collect::<Vec<_>>();
        let comparisons = compare(&first);
        assert!(comparisons.iter().all(|one| one.verdict == PairVerdict::TooFewRuns));
        assert_eq!(leaders(&first, &comparisons), []);
        let threads: Vec<MatrixRun> = [1, 2, 8]
            .into_iter()
            .flat_map(|threads| {
                (0..3).map(move |block| run(cell(FileSystem::Ext4, threads), block, Position::Within, 1_000))
            })
            .collect();
        let found = compare(&threads);
        assert_eq!(found.iter().map(|one| one.second.threads).collect::<Vec<_>>(), [2, 8]);
        assert!(
            found.iter().all(|one| one.verdict == PairVerdict::NoDifference && one.axis == Axis::Threads)
        );
    }

    #[test]
    fn a_ratio_the_other_way_round_has_its_interval_the_other_way_round() {
        let ratio = PairedRatio { blocks: 5, ratio: 2.0, interval: Some((1.6, 2.5)), p: Some(0.01) };
        let turned = PairedRatio { blocks: 5, ratio: 0.5, interval: Some((0.4, 0.625)), p: Some(0.01) };
        assert_eq!(inverse(ratio), turned);
        assert_eq!(inverse(PairedRatio { interval: None, ..ratio }).interval, None);
    }

    #[test]
    fn each_kind_of_work_has_leaders_of_its_own() {
        let both = runs().into_iter().flat_map(|run| {
            let write = MatrixCell { work: Work::SeqWrite, ..run.cell.clone() };
            [MatrixRun { cell: write, ..run.clone() }, run]
        });
        let both: Vec<MatrixRun> = both.collect();
        let found = leaders(&both, &compare(&both));
        let works: Vec<Work> = found.iter().map(|one| one.best.work).collect();
        assert!(works.len() == 2 && works.contains(&Work::SeqRead) && works.contains(&Work::SeqWrite));
        assert!(found.iter().all(|one| one.axis == Axis::FileSystem));
    }

    #[test]
    fn a_probability_of_five_per_cent_is_no_difference() {
        let verdict = |p: f64| {
            let mut comparisons = [PairComparison {
                axis: Axis::FileSystem,
                first: cell(FileSystem::Ext4, 1),
                second: cell(FileSystem::Xfs, 1),
                ratio: PairedRatio { blocks: 5, ratio: 2.0, interval: Some((1.0, 4.0)), p: Some(p) },
                p_holm: None,
                verdict: PairVerdict::TooFewRuns,
            }];
            judge(&mut comparisons);
            comparisons[0].verdict
        };
        assert_eq!((verdict(0.049), verdict(0.05)), (PairVerdict::Difference, PairVerdict::NoDifference));
    }
}
