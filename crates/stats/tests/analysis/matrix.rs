//! Matrices made up with known differences: how often one is claimed that is none, and whether one is found that is there.

use drivelab_block::{Caching, FileSystem, Nanos, Work};
use drivelab_stats::{CellComparison, ComparedCells, MatrixCell, MatrixRun, PairVerdict, Position, compare};

/// Matrices of each kind.
const MATRICES: u64 = 1_000;
/// The share of matrices that may claim a difference where there is none, as documented at [`compare`].
const CLAIMED_AT_MOST: f64 = 0.05;
const FILE_SYSTEMS: [FileSystem; 4] =
    [FileSystem::Ext2, FileSystem::Ext4, FileSystem::Xfs, FileSystem::Btrfs];
const WORKS: [Work; 2] = [Work::SeqRead, Work::RandomWrite];

/// The generator of Steele, Lea and Flood (2014).
struct Draws(u64);

impl Draws {
    /// Uniform, above 0 and at most 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON / 2.0
    }

    /// Normal, of mean 0 and deviation 1 (Box and Muller 1958).
    fn normal(&mut self) -> f64 {
        let (radius, turn) = ((-2.0 * self.uniform().ln()).sqrt(), self.uniform());
        radius * (std::f64::consts::TAU * turn).cos()
    }
}

/// The logarithm of what a run of the cell of this number is faster by.
type Scatter = fn(&mut Draws, usize) -> f64;

/// Every cell scatters by 3 %.
fn even(draws: &mut Draws, _: usize) -> f64 {
    0.03 * draws.normal()
}

/// One cell scatters by 0.3 %, the next by twice as much, and so on up to 38 %.
fn uneven(draws: &mut Draws, cell: usize) -> f64 {
    0.003 * f64::from(1 << cell) * draws.normal()
}

/// Runs lie within 0.1 % of each other, but for one of five that is a third slower.
fn rarely_slow(draws: &mut Draws, _: usize) -> f64 {
    let slower = if draws.uniform() < 0.2 { 0.75f64.ln() } else { 0.0 };
    slower + 0.001 * draws.normal()
}

fn run(fs: FileSystem, work: Work, (run, position): (u16, Position), rate: f64) -> MatrixRun {
    let cell = MatrixCell { work, caching: Some(Caching::Direct), scheduler: None, threads: 1, fs: Some(fs) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate above zero")]
    let done = (rate * 1e6) as u64;
    let (place, elapsed) = (0, Nanos::from_secs(1));
    MatrixRun { cell, run, position, place, operations: done, bytes: done, elapsed, latency: None }
}

/// A matrix whose blocks differ by 30 %, with a control before and after each; xfs is faster by a factor.
fn matrix(draws: &mut Draws, blocks: u16, scatter: Scatter, xfs: f64) -> Vec<MatrixRun> {
    let mut runs = Vec::new();
    for block in 0..blocks {
        let of_block = 0.3 * draws.normal();
        for position in [Position::First, Position::Last] {
            let rate = (of_block + scatter(draws, 0)).exp();
            runs.push(run(FILE_SYSTEMS[0], WORKS[0], (block, position), rate));
        }
        let cells = WORKS.into_iter().flat_map(|work| FILE_SYSTEMS.map(|fs| (work, fs)));
        for (number, (work, fs)) in cells.enumerate() {
            let factor = if fs == FileSystem::Xfs { xfs } else { 1.0 };
            let rate = factor * (of_block + scatter(draws, number)).exp();
            runs.push(run(fs, work, (block, Position::Within), rate));
        }
    }
    runs
}

#[test]
fn where_nothing_differs_few_matrices_claim_that_something_does() {
    let kinds: [(&str, Scatter); 3] = [("even", even), ("uneven", uneven), ("rarely slow", rarely_slow)];
    for (seed, (kind, scatter)) in (1..).zip(kinds) {
        for blocks in [2, 3, 5] {
            let mut draws = Draws(seed * 1_000 + u64::from(blocks));
            let claims = (0..MATRICES).filter(|_| {
                let found = compare(&matrix(&mut draws, blocks, scatter, 1.0)).comparisons;
                assert_eq!(found.len(), 12);
                found.iter().any(|one| one.verdict == PairVerdict::Difference)
            });
            let share = claims.count() as f64 / MATRICES as f64;
            assert!(share <= CLAIMED_AT_MOST, "{kind} noise, {blocks} runs: {share} of matrices claim one");
            assert!(blocks > 2 || share == 0.0, "{kind}: two runs claim a difference");
        }
    }
}

#[test]
fn a_difference_of_30_percent_is_found_in_5_runs_of_3_percent_of_noise() {
    let mut draws = Draws(7);
    let found = (0..MATRICES).filter(|_| {
        let ComparedCells { cells, comparisons, .. } = compare(&matrix(&mut draws, 5, even, 1.3));
        let has_xfs = |one: &&CellComparison| {
            [one.first, one.second].map(|place| cells[place].cell.fs).contains(&Some(FileSystem::Xfs))
        };
        let of_xfs = comparisons.iter().filter(has_xfs);
        assert_eq!(of_xfs.clone().count(), 6);
        of_xfs.clone().all(|one| one.verdict == PairVerdict::Difference)
    });
    let share = found.count() as f64 / MATRICES as f64;
    assert!(share >= 0.95, "all six differences are found in {share} of matrices");
}
