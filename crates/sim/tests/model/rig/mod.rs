//! A closed loop over a simulated drive, and what it counts.

#![allow(dead_code, reason = "each test file uses a part of the rig")]

pub mod formula;

use drivelab_block::{
    Batch, ByteCount, Completion, Engine, Extent, Instant, Limits, Op, OpSet, PhaseId, QueueId, Request,
    Sector, SectorCount,
};
use drivelab_sim::{Counts, Profile, SimDrive, Spec};

pub const SECOND: u64 = 1_000_000_000;
pub const UNIT_SECTORS: u64 = 8;

/// A seeded generator of the tests' own.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u64::try_from((u128::from(self.0) * u128::from(bound)) >> 64).unwrap()
    }
}

pub fn request(op: Op, start: u64, sectors: u64) -> Request {
    let length = SectorCount::new(u32::try_from(sectors).unwrap());
    Request {
        intended_at: Instant::ORIGIN,
        extent: Extent { start: Sector::new(start), length },
        op,
        phase: PhaseId(0),
        queue: QueueId(0),
    }
}

/// The FNV-1a of completions.
pub struct CompletionHash(u64);

impl CompletionHash {
    pub fn new() -> CompletionHash {
        CompletionHash(0xCBF2_9CE4_8422_2325)
    }

    pub fn add(&mut self, completion: &Completion) {
        let fields = [
            completion.submitted_at.as_nanos(),
            completion.completed_at.as_nanos(),
            completion.extent.start.get(),
            u64::from(completion.op.code()),
        ];
        for field in fields {
            self.0 = (self.0 ^ field).wrapping_mul(0x0100_0000_01B3);
        }
    }

    pub fn value(&self) -> u64 {
        self.0
    }
}

/// A drive, and the loop around it.
pub struct Rig {
    pub profile: Profile,
    pub drive: SimDrive,
    pub depth: u32,
    batch: Batch,
    counted_from: Counts,
}

impl Rig {
    pub fn new(spec: &str) -> Rig {
        let profile = Spec::parse(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let drive = SimDrive::new(&profile, 1);
        let (batch, counted_from) = (Batch::with_capacity(64), Counts::default());
        let mut rig = Rig { profile, drive, depth: 32, batch, counted_from };
        rig.set_depth(32);
        rig
    }

    pub fn set_depth(&mut self, depth: u32) {
        self.prepare(depth, OpSet::EMPTY.with(Op::Read).with(Op::Write).with(Op::Flush));
    }

    /// The same with discards, of a drive that has them.
    pub fn allow_discards(&mut self) {
        let ops = OpSet::EMPTY.with(Op::Read).with(Op::Write).with(Op::Flush);
        self.prepare(self.depth, ops.with(Op::Discard));
    }

    fn prepare(&mut self, depth: u32, ops: OpSet) {
        self.depth = depth;
        let limits = Limits { queue_depth: depth, max_transfer: ByteCount::new(4 << 20), ops };
        self.drive.prepare(limits).unwrap();
    }

    /// Asks nothing of the drive for a while.
    pub fn rest(&mut self, nanos: u64) {
        let wake = Instant::from_nanos(self.drive.now().as_nanos() + nanos);
        self.batch.clear();
        self.drive.reap(wake, &mut self.batch).unwrap();
    }

    pub fn sectors(&self) -> u64 {
        self.profile.user_capacity().whole_sectors()
    }

    /// Runs requests until `next` has no more or, where it is given, the clock passes `until`; hands each
    /// completion to `seen`.
    pub fn run(
        &mut self,
        until: Option<Instant>,
        mut next: impl FnMut() -> Option<Request>,
        mut seen: impl FnMut(&Completion),
    ) {
        let mut in_flight = 0;
        let mut is_over = false;
        loop {
            while !is_over && in_flight < self.depth {
                match next().filter(|_| until.is_none_or(|until| self.drive.now() < until)) {
                    Some(request) => self.drive.submit(request).unwrap(),
                    None => is_over = true,
                }
                in_flight += u32::from(!is_over);
            }
            if in_flight == 0 {
                return;
            }
            self.batch.clear();
            self.drive.reap(Instant::NEVER, &mut self.batch).unwrap();
            for completion in self.batch.as_slice() {
                assert!(completion.status.is_ok(), "{completion:?}");
                seen(completion);
                in_flight -= 1;
            }
        }
    }

    /// Writes `bytes` of the drive from its start, wrapping around, in requests of `sectors`.
    pub fn write_sequentially(&mut self, bytes: u64, sectors: u64, seen: impl FnMut(&Completion)) {
        let count = self.sectors() / sectors;
        let mut requests =
            (0..bytes / (sectors * 512)).map(|i| request(Op::Write, i % count * sectors, sectors));
        self.run(None, || requests.next(), seen);
    }

    /// Writes the first `share_percent` of the drive once, in requests of 128 KiB.
    pub fn fill(&mut self, share_percent: u64) {
        let end = self.sectors() / UNIT_SECTORS * share_percent / 100 * UNIT_SECTORS;
        let mut start = 0;
        self.run(
            None,
            || {
                let length = (end - start).min(256);
                start += length;
                (length > 0).then(|| request(Op::Write, start - length, length))
            },
            |_| {},
        );
    }

    /// `count` random 4 KiB writes within the first `share_percent` of the drive.
    pub fn write_randomly(
        &mut self,
        count: u64,
        share_percent: u64,
        seed: u64,
        seen: impl FnMut(&Completion),
    ) {
        let units = self.sectors() / UNIT_SECTORS * share_percent / 100;
        let mut dice = Dice::new(seed);
        let mut left = count;
        self.run(
            None,
            || {
                left = left.checked_sub(1)?;
                Some(request(Op::Write, dice.below(units) * UNIT_SECTORS, UNIT_SECTORS))
            },
            seen,
        );
    }

    /// Random 4 KiB writes for so many virtual seconds; returns the completions of each whole second.
    pub fn write_randomly_for(&mut self, seconds: u64, share_percent: u64, seed: u64) -> Vec<u64> {
        let units = self.sectors() / UNIT_SECTORS * share_percent / 100;
        let mut dice = Dice::new(seed);
        let start = self.drive.now().as_nanos();
        let mut counts = vec![0; usize::try_from(seconds).unwrap()];
        self.run(
            Some(Instant::from_nanos(start + seconds * SECOND)),
            || Some(request(Op::Write, dice.below(units) * UNIT_SECTORS, UNIT_SECTORS)),
            |completion| {
                let second = (completion.completed_at.as_nanos() - start) / SECOND;
                if let Some(count) = counts.get_mut(usize::try_from(second).unwrap()) {
                    *count += 1;
                }
            },
        );
        counts
    }

    /// Counts from here on.
    pub fn reset_counts(&mut self) {
        self.counted_from = self.drive.ground_truth().lifetime;
    }

    /// What the drive did since that.
    pub fn counts(&mut self) -> Counts {
        self.drive.ground_truth().lifetime.since(&self.counted_from)
    }

    pub fn write_amplification(&mut self) -> f64 {
        self.counts().write_amplification()
    }

    pub fn check(mut self) {
        self.drive.check_invariants().unwrap();
    }
}

pub fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len() as f64
}

pub fn deviation(values: &[u64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|&value| (value as f64 - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[track_caller]
pub fn assert_near(actual: f64, expected: f64, tolerance: f64, what: &str) {
    let off = actual / expected - 1.0;
    assert!(
        off.abs() <= tolerance,
        "{what}: {actual:.4}, expected {expected:.4} +-{tolerance}, off by {off:+.4}"
    );
}
