//! Made-up drives: a rate for every second and a service time for every I/O.

use drivelab_analysis::{LoopKind, PhaseAnalysis};
use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};

/// Outstanding I/Os of the closed loop.
const OUTSTANDING: f64 = 32.0;

/// When the measured phase begins on the made-up clock, in nanoseconds: its first I/Os began before.
const START: u64 = 60_000_000_000;

/// A small generator (splitmix64): the same seed gives the same sample.
pub struct Draws(u64);

impl Draws {
    pub fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Between 0 and 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal, mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        (0..6).map(|_| self.share()).sum::<f64>() * std::f64::consts::SQRT_2 - 3.0 * std::f64::consts::SQRT_2
    }
}

/// How a made-up drive behaves.
#[derive(Clone, Copy)]
pub enum Temper {
    /// Fresh at 50 thousand for so many seconds, then alternating between a high and a low rate.
    Alternating { fresh_s: u64, low: f64, high: f64, high_share: f64 },
    /// One rate with a small deviation, as a share.
    Even { rate: f64, spread: f64 },
    /// Even, but it stands still for two seconds of every `every_s`.
    Stalling { rate: f64, every_s: u64 },
    /// Every I/O fails.
    Failing,
}

impl Temper {
    fn rate(self, second: u64, draws: &mut Draws) -> f64 {
        match self {
            Temper::Alternating { fresh_s, .. } if second < fresh_s => {
                50_000.0 * (1.0 + 0.006 * draws.normal())
            }
            Temper::Alternating { low, high, high_share, .. } => {
                let level = if draws.share() < high_share { high } else { low };
                level * (1.0 + 0.08 * draws.normal())
            }
            Temper::Even { rate, spread } => rate * (1.0 + spread * draws.normal()),
            Temper::Stalling { every_s, .. } if second % every_s >= every_s - 2 => 0.0,
            Temper::Stalling { rate, .. } => rate * (1.0 + 0.04 * draws.normal()),
            Temper::Failing => 900.0,
        }
    }
}

/// The analysis of so many milliseconds of 4 KiB random writes on such a drive; `keep` of 1 in so many I/Os.
pub fn phase(temper: Temper, millis: u64, loop_kind: LoopKind, seed: u64, keep: u64) -> PhaseAnalysis {
    let mut draws = Draws::new(seed);
    let mut phase = PhaseAnalysis::new(Instant::from_nanos(START), loop_kind);
    for second in 0..millis.div_ceil(1_000) {
        let rate = temper.rate(second, &mut draws).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive rate")]
        let count = (rate as u64) / keep;
        for step in 0..count {
            let ends = second * 1_000_000_000 + (step * 1_000_000_000 + 500_000_000) / count;
            if ends < millis * 1_000_000 {
                phase.add(&completion(ends, service(rate, &mut draws), temper, loop_kind, &mut draws));
            }
        }
    }
    phase
}

/// A service time around what the outstanding I/Os leave each one, with a thin long tail.
fn service(rate: f64, draws: &mut Draws) -> u64 {
    let mean = OUTSTANDING / rate * 1e9;
    let usual = mean * (0.25 * draws.normal()).exp();
    let tail = match draws.share() {
        share if share < 2e-7 => 60.0,
        share if share < 1e-5 => 18.0,
        share if share < 5e-4 => 6.0,
        share if share < 0.01 => 2.5,
        _ => 1.0,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive span")]
    let nanos = (usual * tail * (0.6 + 0.4 * draws.share())).min(1.9e9) as u64;
    nanos.max(18_000)
}

fn completion(ends: u64, service: u64, temper: Temper, loop_kind: LoopKind, draws: &mut Draws) -> Completion {
    let status = if matches!(temper, Temper::Failing) { Status::errno(5) } else { Status::OK };
    let late = match loop_kind {
        LoopKind::Open if draws.share() < 0.02 => service * 4,
        _ => 0,
    };
    let ends = START + ends;
    let submitted = ends.saturating_sub(service);
    Completion {
        intended_at: Instant::from_nanos(submitted.saturating_sub(late)),
        submitted_at: Instant::from_nanos(submitted),
        issued_at: None,
        completed_at: Instant::from_nanos(ends),
        extent: Extent { start: Sector::new(0), length: SectorCount::new(8) },
        status,
        queue: QueueId(0),
        op: Op::Write,
        phase: PhaseId(0),
    }
}
