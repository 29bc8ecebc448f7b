//! How each test goes.

use drivelab_block::Nanos;
use drivelab_method::{LoadPlan, StopRule};
use drivelab_stats::CellTable;

use super::Pts;
use super::asked::{MeasuredLoad, PtsRequest};
use super::cells;
use super::findings::{PtsHistogram, PtsTestFindings};
use super::plan::{PtsPlan, ROUNDS_MAX};
use super::settings::PtsTest;
use crate::CellDrive;

/// How often saturation writes the range at most, but for the end of its last round.
pub(super) const SATURATION_PASSES: u64 = 4;
/// A drive is steady while it is fresh, too; by so many times its range its flash is used up, whatever is kept back.
const FRESH: f64 = 2.0;
/// How long a burst after an idle time lasts.
const BURST: Nanos = Nanos::from_secs(5);
/// Bursts for each idle time.
const BURSTS: u64 = 20;
/// How often each part of cross stimulus is measured.
const STIMULI: u64 = 10;

/// Runs a test from its purge to its last cell, and shows what it found to `known` after each round, or each repetition of its
/// cells. What was cut short, by the user or by an error of the drive, is given back as far as it came.
pub fn run_test<D: CellDrive<Pts>>(
    plan: &PtsPlan,
    test: PtsTest,
    drive: &mut D,
    known: impl FnMut(&mut D, &PtsTestFindings),
) -> (PtsTestFindings, Result<(), D::Error>) {
    let (cells, tracked) = cells::list(test, plan);
    let table = CellTable::new(cells.len(), tracked);
    let found = PtsTestFindings { test, steady: None, whole: false, tracked, cells, histogram: None };
    let mut running = Running { plan, drive, found, table, loads: 0, known };
    let ended = running.run();
    running.found.whole = ended.is_ok();
    let ended = match ended {
        Err(CutShort::Broken(error)) => Err(error),
        Err(CutShort::Interrupted) | Ok(()) => Ok(()),
    };
    (running.found, ended)
}

struct Running<'a, D, K> {
    plan: &'a PtsPlan,
    drive: &'a mut D,
    /// What is found so far.
    found: PtsTestFindings,
    /// What each cell came to in each round.
    table: CellTable,
    /// Loads so far: each draws other places.
    loads: u64,
    /// Who is shown what is known so far.
    known: K,
}

/// Why a test does not come to its end.
enum CutShort<E> {
    /// The user ended it.
    Interrupted,
    /// The drive broke.
    Broken(E),
}

type PtsStep<T, E> = Result<T, CutShort<E>>;

impl<D: CellDrive<Pts>, K: FnMut(&mut D, &PtsTestFindings)> Running<'_, D, K> {
    fn run(&mut self) -> PtsStep<(), D::Error> {
        self.ask(&PtsRequest::Purge { asked: self.plan.purge, range: self.plan.range })?;
        let test = self.found.test;
        if let Some(pass) = self.plan.one_pass.as_ref().filter(|_| test.takes_one_pass()) {
            self.drive.notice(pass.notice());
        }
        if let Some(load) = self.plan.preconditioning(test) {
            self.measure_load(load)?;
        }
        match test {
            PtsTest::Iops | PtsTest::ThroughputLarge | PtsTest::ThroughputSmall => self.until_steady(),
            PtsTest::Latency => self.latency(),
            PtsTest::Saturation => self.saturation(),
            PtsTest::IdleRecovery => self.idle_recovery(),
            PtsTest::CrossStimulus => self.cross_stimulus(),
            PtsTest::Demand => self.demand(),
        }
    }

    fn show(&mut self) {
        (self.known)(self.drive, &self.found);
    }

    /// Measures a cell, and keeps what it came to; its bytes a second.
    fn measure(&mut self, index: usize) -> PtsStep<f64, D::Error> {
        let load = self.next_load(index);
        self.add(index, load)
    }

    /// A cell's load, which draws other places than all before.
    fn next_load(&mut self, index: usize) -> LoadPlan {
        let load = self.plan.load(&self.found.cells[index], self.loads);
        self.loads += 1;
        load
    }

    fn ask(&mut self, request: &PtsRequest) -> PtsStep<MeasuredLoad, D::Error> {
        self.drive.measure(request).map_err(CutShort::Broken)?.ok_or(CutShort::Interrupted)
    }

    fn measure_load(&mut self, load: LoadPlan) -> PtsStep<MeasuredLoad, D::Error> {
        self.ask(&PtsRequest::Load(Box::new(load)))
    }

    fn add(&mut self, index: usize, load: LoadPlan) -> PtsStep<f64, D::Error> {
        let MeasuredLoad { sample, service } = self.measure_load(load)?;
        self.table.add(index, sample);
        let cell = &mut self.found.cells[index];
        cell.samples.push(sample);
        cell.result = self.table.result(index);
        if cell.rounds_long > 1 {
            self.found.histogram = Some(PtsHistogram::from_service(&service));
        }
        Ok(sample.mb_s * 1e6)
    }

    /// All cells, round after round, until the tracked one is steady.
    fn until_steady(&mut self) -> PtsStep<(), D::Error> {
        self.found.steady = Some(false);
        for _ in 0..ROUNDS_MAX {
            for index in 0..self.found.cells.len() {
                if self.found.cells[index].rounds_long == 1 {
                    self.measure(index)?;
                }
            }
            self.show();
            if self.table.is_steady() {
                self.found.steady = Some(true);
                break;
            }
        }
        Ok(())
    }

    /// Then the long look, steady or not.
    fn latency(&mut self) -> PtsStep<(), D::Error> {
        self.until_steady()?;
        match self.found.cells.iter().position(|cell| cell.rounds_long > 1) {
            Some(long) => self.measure(long).map(drop),
            None => Ok(()),
        }
    }

    /// Until steady, or until the range was written four times; a drive that writes nothing at all in a round ends it, too.
    fn saturation(&mut self) -> PtsStep<(), D::Error> {
        let length = self.plan.range.length().get() as f64;
        let mut written = 0.0;
        self.found.steady = Some(false);
        while written < SATURATION_PASSES as f64 * length {
            let rate = self.measure(0)?;
            written += rate * self.plan.round.as_secs_f64();
            self.show();
            if self.table.is_steady() && written >= FRESH * length {
                self.found.steady = Some(true);
                break;
            }
            if rate <= 0.0 {
                break;
            }
        }
        Ok(())
    }

    fn idle_recovery(&mut self) -> PtsStep<(), D::Error> {
        for _ in 0..BURSTS {
            for index in 0..self.found.cells.len() {
                let rest = Nanos::from_secs(self.found.cells[index].idle_s);
                if rest > Nanos::ZERO {
                    self.ask(&PtsRequest::Rest(rest))?;
                }
                let stop = StopRule { duration: Some(BURST), bytes: None };
                let burst = LoadPlan { stop, ..self.next_load(index) };
                self.add(index, burst)?;
            }
            self.show();
        }
        Ok(())
    }

    /// One part after the other.
    fn cross_stimulus(&mut self) -> PtsStep<(), D::Error> {
        for index in 0..self.found.cells.len() {
            for _ in 0..STIMULI {
                self.measure(index)?;
            }
            self.show();
        }
        Ok(())
    }

    /// The heaviest cell until it is steady, and then each cell once.
    fn demand(&mut self) -> PtsStep<(), D::Error> {
        let Some(heaviest) = self.found.cells.len().checked_sub(1) else { return Ok(()) };
        self.settle(heaviest)?;
        for index in 0..self.found.cells.len() {
            self.measure(index)?;
            self.show();
        }
        Ok(())
    }

    /// Rounds of one cell until it is steady: preconditioning that depends on the workload.
    fn settle(&mut self, index: usize) -> PtsStep<(), D::Error> {
        let mut rounds = CellTable::new(1, Some(0));
        self.found.steady = Some(false);
        for _ in 0..ROUNDS_MAX {
            let load = self.next_load(index);
            rounds.add(0, self.measure_load(load)?.sample);
            if rounds.is_steady() {
                self.found.steady = Some(true);
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, ByteRange, Geometry};
    use drivelab_documents::Notice;
    use drivelab_stats::PtsSample;
    use drivelab_workload::Seed;

    use super::*;
    use crate::PurgeOption;
    use crate::pts::PtsFindings;

    /// A drive whose rate falls from load to load to a level, and that notes what is done to it.
    #[derive(Default)]
    struct Falling {
        purges: u64,
        idled: u64,
        loads: Vec<LoadPlan>,
        ends_after: Option<usize>,
        breaks_after: Option<usize>,
        notices: Vec<Notice>,
    }

    impl CellDrive<Pts> for Falling {
        type Error = ();

        fn check_target(&mut self) -> Result<(), ()> {
            Ok(())
        }

        fn measure(&mut self, asked: &PtsRequest) -> Result<Option<MeasuredLoad>, ()> {
            match asked {
                PtsRequest::Purge { .. } => self.purges += 1,
                PtsRequest::Rest(time) => self.idled += time.get() / 1_000_000_000,
                PtsRequest::Load(load) => return self.load(load),
            }
            Ok(Some(MeasuredLoad::default()))
        }

        fn is_interrupted(&self) -> bool {
            false
        }

        fn notice(&mut self, notice: Notice) {
            self.notices.push(notice);
        }

        fn say(&mut self, _text: &str) {}

        fn keep(&mut self, _: &PtsFindings) -> Result<(), ()> {
            Ok(())
        }
    }

    impl Falling {
        fn load(&mut self, load: &LoadPlan) -> Result<Option<MeasuredLoad>, ()> {
            self.loads.push(load.clone());
            if self.breaks_after == Some(self.loads.len()) {
                return Err(());
            }
            if self.ends_after == Some(self.loads.len()) {
                return Ok(None);
            }
            let rate = 1e6 * (1.0 + 100.0 / self.loads.len().pow(2) as f64);
            let sample = PtsSample { mb_s: rate / 1e6, iops: rate / 4096.0, ..PtsSample::default() };
            Ok(Some(MeasuredLoad { sample, ..MeasuredLoad::default() }))
        }
    }

    fn plan(logical_block: u32) -> PtsPlan {
        let capacity = ByteCount::new(1 << 30);
        PtsPlan {
            geometry: Geometry { capacity, logical_block, physical_block: 4096 },
            range: ByteRange::new(ByteCount::new(0), capacity),
            purge: PurgeOption::Discard,
            one_pass: None,
            round: Nanos::from_secs(60),
            queue_depth: 32,
            seed: Seed::new(1),
        }
    }

    fn run(test: PtsTest, drive: &mut Falling) -> PtsTestFindings {
        let (result, ended) = run_test(&plan(512), test, drive, |_, _| {});
        ended.expect("it never breaks");
        result
    }

    #[test]
    fn what_is_known_is_shown_round_by_round_and_outlives_an_error() {
        let mut bench = Falling { breaks_after: Some(1 + 2 * 56 + 7), ..Falling::default() };
        let mut shown = Vec::new();
        let (result, ended) = run_test(&plan(512), PtsTest::Iops, &mut bench, |_, known| {
            shown.push(known.cells[0].samples.len());
        });
        assert_eq!((shown, ended), (vec![1, 2], Err(())));
        assert_eq!(result.cells.iter().map(|cell| cell.samples.len()).sum::<usize>(), 2 * 56 + 6);
        assert!(!result.whole);
        let mut shown = Vec::new();
        let (result, _) = run_test(&plan(512), PtsTest::Demand, &mut Falling::default(), |_, known| {
            shown.push(known.cells.iter().filter(|cell| !cell.samples.is_empty()).count());
        });
        assert_eq!(shown, (1..=result.cells.len()).collect::<Vec<_>>());
    }

    #[test]
    fn rounds_of_all_cells_go_on_until_the_tracked_one_is_steady() {
        let mut bench = Falling::default();
        let result = run(PtsTest::Iops, &mut bench);
        assert_eq!((result.cells.len(), result.steady, result.whole), (56, Some(true), true));
        let rounds = result.cells[0].samples.len();
        assert!(rounds >= 5 && result.cells.iter().all(|cell| cell.samples.len() == rounds));
        assert_eq!((bench.purges, bench.loads.len()), (1, 1 + 56 * rounds));
        assert_eq!(bench.loads[0].stop.bytes, Some(ByteCount::new(2 << 30)), "the range twice");
        let tracked = &result.cells[result.tracked.expect("a cell")];
        assert_eq!((tracked.block_bytes, tracked.read_percent), (4096, 0));
        let mut seeds: Vec<_> = bench.loads.iter().map(|load| load.seed.get()).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), bench.loads.len(), "no two loads touch the same places in the same order");
    }

    #[test]
    fn each_test_measures_what_it_is_called_after() {
        let counts = |test| {
            let result = run(test, &mut Falling::default());
            assert!(result.whole);
            result.cells.iter().map(|cell| cell.samples.len()).collect::<Vec<_>>()
        };
        let latency = counts(PtsTest::Latency);
        assert!(run(PtsTest::Latency, &mut Falling::default()).histogram.is_some());
        assert_eq!((latency.len(), latency[9]), (10, 1), "nine cells in rounds, and the long look once");
        assert_eq!(counts(PtsTest::IdleRecovery), [20; 6]);
        assert_eq!(counts(PtsTest::CrossStimulus), [10; 3]);
        assert_eq!(counts(PtsTest::Demand), [1; 24]);
        let mut bench = Falling::default();
        run(PtsTest::IdleRecovery, &mut bench);
        assert_eq!(bench.idled, 20 * (5 + 10 + 15 + 25 + 50));
    }

    #[test]
    fn saturation_is_not_preconditioned_and_writes_the_range_at_least_twice() {
        let mut bench = Falling::default();
        let result = run(PtsTest::Saturation, &mut bench);
        assert!(bench.loads.iter().all(|load| load.stop.bytes.is_none()));
        let written: f64 = result.cells[0].samples.iter().map(|sample| sample.mb_s * 1e6 * 60.0).sum();
        assert!(written >= 2.0 * f64::from(1 << 30), "{written}");
    }

    #[test]
    fn a_drive_of_long_blocks_is_tested_with_those() {
        for (test, cells) in [(PtsTest::Iops, 35), (PtsTest::Latency, 4), (PtsTest::Saturation, 1)] {
            let (found, tracked) = cells::list(test, &plan(16 << 10));
            assert_eq!(found.len(), cells, "{test:?}");
            assert!(found.iter().all(|cell| cell.block_bytes >= 16 << 10), "{test:?}");
            let tracked = &found[tracked.expect("it is judged by one")];
            assert_eq!((tracked.block_bytes, tracked.read_percent), (16 << 10, 0), "{test:?}");
        }
    }

    #[test]
    fn blocks_smaller_than_the_drives_are_left_out_and_an_end_keeps_what_there_is() {
        let cells = cells::list(PtsTest::Iops, &plan(4096)).0;
        assert!(cells.len() == 49 && cells.iter().all(|cell| cell.block_bytes >= 4096));
        let mut bench = Falling { ends_after: Some(30), ..Falling::default() };
        let result = run(PtsTest::Iops, &mut bench);
        assert!(!result.whole);
        assert_eq!(result.cells.iter().map(|cell| cell.samples.len()).sum::<usize>(), 28);
    }
}
