//! The cells of each test.

use super::findings::PtsCellFindings;
use super::plan::{PtsPlan, SMALL_BLOCK};
use super::settings::PtsTest;

const KIB: u64 = 1024;
/// Reads of a hundred I/Os, in the mixes of the test of random I/O.
const MIXES: [u8; 7] = [100, 95, 65, 50, 35, 5, 0];
/// Blocks of random I/O, in bytes.
const BLOCKS: [u64; 8] = [1024 * KIB, 128 * KIB, 64 * KIB, 32 * KIB, 16 * KIB, 8 * KIB, 4 * KIB, KIB / 2];
/// Threads and depths of the test of demand.
const THREADS: [u16; 4] = [1, 2, 4, 8];
const DEPTHS: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// How many rounds the writes at the end of the test of latency last.
const LONG_ROUNDS: u64 = 20;
/// Idle times, in seconds, before bursts of writes; the first are writes without a pause.
const IDLES: [u64; 6] = [0, 5, 10, 15, 25, 50];

/// The cells of a test that fit the drive's blocks, and the one by which its state is judged. Where a test's own blocks are
/// all shorter than the drive's, it has the drive's.
pub(super) fn list(test: PtsTest, plan: &PtsPlan) -> (Vec<PtsCellFindings>, Option<usize>) {
    let depth = plan.queue_depth;
    let by = |mixes: &[u8], blocks: &[u64], depth| -> Vec<PtsCellFindings> {
        let blocks = plan.fitting(blocks);
        let of_mix = |mix: &u8| {
            let cells = blocks.iter().map(|block| PtsCellFindings::random(*block, *mix, depth));
            cells.collect::<Vec<_>>()
        };
        mixes.iter().flat_map(of_mix).collect()
    };
    let (small, eight) = (plan.at_least(SMALL_BLOCK), plan.at_least(8 * KIB));
    let (mut cells, tracked) = match test {
        PtsTest::Iops => (by(&MIXES, &BLOCKS, depth), Some(PtsCellFindings::random(small, 0, depth))),
        PtsTest::ThroughputLarge => throughput(plan.at_least(1024 * KIB), depth),
        PtsTest::ThroughputSmall => throughput(plan.at_least(128 * KIB), depth),
        PtsTest::Latency => {
            let writes = PtsCellFindings::random(small, 0, 1);
            let mut cells = by(&[100, 65, 0], &[8 * KIB, 4 * KIB, KIB / 2], 1);
            cells.push(PtsCellFindings { rounds_long: LONG_ROUNDS, ..writes.clone() });
            (cells, Some(writes))
        }
        PtsTest::Saturation => {
            let writes = PtsCellFindings::random(small, 0, depth);
            (vec![writes.clone()], Some(writes))
        }
        PtsTest::IdleRecovery => {
            let writes = PtsCellFindings::random(small, 0, depth);
            (IDLES.map(|idle_s| PtsCellFindings { idle_s, ..writes.clone() }).to_vec(), None)
        }
        PtsTest::CrossStimulus => {
            let sequential = |part: &str| {
                let name = part.to_owned();
                let writes = PtsCellFindings::sequential(plan.at_least(1024 * KIB), 0, depth);
                PtsCellFindings { name, ..writes }
            };
            let random = PtsCellFindings::random(eight, 0, depth);
            (vec![sequential("before"), random, sequential("after")], None)
        }
        PtsTest::Demand => {
            let of_threads = |threads: u16| {
                DEPTHS.map(|depth| PtsCellFindings { threads, ..PtsCellFindings::random(eight, 65, depth) })
            };
            (THREADS.into_iter().flat_map(of_threads).collect(), None)
        }
    };
    let tracked = tracked.and_then(|tracked| cells.iter().position(|cell| *cell == tracked));
    for cell in &mut cells {
        cell.name = cell.full_name();
    }
    (cells, tracked)
}

impl PtsPlan {
    /// The block, or the drive's own where that is longer: both are powers of two.
    pub(super) fn at_least(&self, block: u64) -> u64 {
        block.max(u64::from(self.geometry.logical_block))
    }

    /// The blocks that the drive takes; its own where it takes none of them.
    fn fitting(&self, blocks: &[u64]) -> Vec<u64> {
        let own = u64::from(self.geometry.logical_block);
        let fitting: Vec<u64> = blocks.iter().copied().filter(|&block| block >= own).collect();
        if fitting.is_empty() { vec![own] } else { fitting }
    }
}

fn throughput(block: u64, depth: u32) -> (Vec<PtsCellFindings>, Option<PtsCellFindings>) {
    let writes = PtsCellFindings::sequential(block, 0, depth);
    (vec![PtsCellFindings::sequential(block, 100, depth), writes.clone()], Some(writes))
}

impl PtsCellFindings {
    /// A cell that is not measured yet, and has no name.
    pub(super) fn random(block_bytes: u64, read_percent: u8, queue_depth: u32) -> PtsCellFindings {
        PtsCellFindings {
            name: String::new(),
            block_bytes,
            read_percent,
            sequential: false,
            queue_depth,
            threads: 1,
            idle_s: 0,
            rounds_long: 1,
            samples: Vec::new(),
            result: None,
        }
    }

    fn sequential(block_bytes: u64, read_percent: u8, queue_depth: u32) -> PtsCellFindings {
        PtsCellFindings {
            sequential: true,
            ..PtsCellFindings::random(block_bytes, read_percent, queue_depth)
        }
    }

    /// What tells it from the others; the name that it has tells it from one that is like it otherwise.
    fn full_name(&self) -> String {
        let PtsCellFindings { name, read_percent, queue_depth, threads, idle_s, rounds_long, .. } = self;
        let order = if self.sequential { "sequential" } else { "random" };
        let block = self.block_bytes as f64 / 1024.0;
        let idle = if *idle_s > 0 { format!(", {idle_s} s idle before") } else { String::new() };
        let part = if name.is_empty() { String::new() } else { format!(", {name}") };
        let long = if *rounds_long > 1 { format!(", {rounds_long} rounds long") } else { String::new() };
        format!(
            "{order} {block} KiB, {read_percent}/{}, {threads} x {queue_depth}{idle}{part}{long}",
            100 - read_percent
        )
    }
}
