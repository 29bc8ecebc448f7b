//! What comparisons claim of simulated drives: a planted difference, and none where there is none.

use drivelab_block::{FileSystem, Nanos, Work};
use drivelab_kinds::matrix::{MatrixSettings, PlannedCell};
use drivelab_method::Interrupt;
use drivelab_sim::{Profile, Spec};
use drivelab_stats::{CellComparison, MatrixCell, MatrixRun, PairVerdict, Position, compare};
use drivelab_workload::Seed;

use super::simulated::SimulatedCells;
use crate::served::Served;

const BLOCKS: u16 = 5;

fn cells(profile: &Profile, seed: u64) -> SimulatedCells {
    let settings = MatrixSettings {
        file_systems: Vec::new(),
        schedulers: Vec::new(),
        caching: Vec::new(),
        threads: Vec::new(),
        work: Vec::new(),
        runs: BLOCKS,
        cell_duration_ns: 20_000_000,
        file_system_bytes: None,
        working_set_bytes: 64 << 20,
        block_size_bytes: 64 << 10,
        files: None,
    };
    SimulatedCells { profile: profile.clone(), settings, seed: Seed::new(seed) }
}

/// Five blocks of two cells alike, the second `slower` times as slow; each run on a drive with a seed of its own.
fn compared(profile: &Profile, seed: u64, slower: f64) -> CellComparison {
    let mut runs: Vec<MatrixRun> = Vec::new();
    for run in 0..BLOCKS {
        for (fs, number) in [FileSystem::Ext4, FileSystem::Xfs].into_iter().zip(0..) {
            let cell = MatrixCell {
                work: Work::RandomWrite,
                caching: None,
                scheduler: None,
                threads: 4,
                fs: Some(fs),
            };
            let step =
                PlannedCell { place: u64::from(run) * 2 + number, run, position: Position::Within, cell };
            let outcome = cells(profile, seed)
                .measure(&step, &Interrupt::default(), &mut Served::default())
                .expect("a simulated drive")
                .expect("it was not interrupted");
            runs.push(outcome.expect("every I/O did what was asked"));
        }
    }
    for run in runs.iter_mut().filter(|run| run.cell.fs == Some(FileSystem::Xfs)) {
        let elapsed = run.elapsed.get() as f64 * slower;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few milliseconds")]
        let elapsed = elapsed as u64;
        run.elapsed = Nanos::new(elapsed);
    }
    compare(&runs).comparisons.into_iter().next().expect("a comparison")
}

#[test]
fn a_cell_slowed_by_5_percent_is_found_and_equal_cells_are_not_told_apart() {
    let profile = Spec::parse("sm2246en?size=1GiB").expect("a profile");
    let claimed = |slower| {
        let one = |seed| compared(&profile, seed, slower).verdict == PairVerdict::Difference;
        (0..100).filter(|seed| one(*seed)).count()
    };
    let (planted, equal) = (claimed(1.05), claimed(1.0));
    assert!(planted >= 90, "{planted} of 100 planted differences were found");
    assert!(equal <= 10, "{equal} of 100 differences were claimed where there is none");
}
