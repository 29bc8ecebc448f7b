//! Small runs made of a few completions, so that every figure is known beforehand.

#![allow(dead_code, reason = "each test file uses a part")]

use drivelab_analysis::{ConsistencyFigures, LoopKind, PhaseAnalysis};
use drivelab_block::{
    ByteCount, Completion, Extent, Instant, Nanos, Op, PhaseId, QueueId, Sector, SectorCount, Status,
};
use drivelab_report::{
    Comparison, Condition, Drive, Ended, InjectedDelay, Notice, PhaseLine, Records, RunReport, Severity,
    SimulationTruth,
};
use drivelab_settings::{AddressMapping, ReplaySettings, ReplayTiming, Settings};

/// When phases begin on the clock of these tests.
const START: u64 = 5_000_000_000;

/// A write of 4 KiB that ends `ends` nanoseconds into its phase after `service` nanoseconds.
pub fn write(ends: u64, service: u64, status: Status) -> Completion {
    let completed = START + ends;
    Completion {
        intended_at: Instant::from_nanos(completed - service - 1_000),
        submitted_at: Instant::from_nanos(completed - service),
        issued_at: None,
        completed_at: Instant::from_nanos(completed),
        extent: Extent { start: Sector::new(0), length: SectorCount::new(8) },
        status,
        queue: QueueId(0),
        op: Op::Write,
        phase: PhaseId(0),
    }
}

/// A phase without a completion.
pub fn nothing(loop_kind: LoopKind) -> PhaseAnalysis {
    PhaseAnalysis::new(Instant::from_nanos(START), loop_kind)
}

/// A phase with so many writes in every second; the service time is 100 us, and a tenth of it longer for
/// every further I/O of the second, up to twenty.
pub fn phase(rates: &[u64], loop_kind: LoopKind) -> PhaseAnalysis {
    let mut phase = nothing(loop_kind);
    for (second, rate) in (0u64..).zip(rates) {
        for step in 0..*rate {
            let ends = second * 1_000_000_000 + (step + 1) * 1_000_000_000 / (rate + 1);
            phase.add(&write(ends, 100_000 + step % 20 * 10_000, Status::OK));
        }
    }
    phase
}

/// The report of a phase on a drive of this model.
pub fn run<'a>(model: &str, measured: &'a PhaseAnalysis, duration: Nanos) -> RunReport<'a> {
    RunReport {
        label: format!("{model} at 25 %"),
        target: "sim:test".to_owned(),
        drive: Drive { model: model.to_owned(), serial: Some("X1".to_owned()), size_bytes: 240_057_409_536 },
        settings: Some(settings()),
        reserve_percent: 25.0,
        reserve_is_of_range: false,
        seed: 7,
        folder: None,
        method: "performance consistency".to_owned(),
        conditions: vec![Condition {
            group: "Kernel".to_owned(),
            name: "Version".to_owned(),
            value: "6.12".to_owned(),
        }],
        notices: vec![Notice { severity: Severity::Warning, text: format!("{model} was trimmed only.") }],
        phases: vec![PhaseLine {
            name: "random writes".to_owned(),
            lasted: duration,
            bytes: ByteCount::new(measured.bytes().get()),
            completed: measured.completed(),
            failed: measured.failed(),
            loop_kind: measured.loop_kind(),
        }],
        measured,
        was_measured: true,
        duration,
        figures: ConsistencyFigures::of(measured, duration, 1),
        records: Records {
            completions: measured.completed() + measured.failed(),
            failed: measured.failed(),
            lost: 0,
            bytes: 9 * measured.completed(),
            completions_hash: Some("00ff".to_owned()),
        },
        gauges: Vec::new(),
        energy: None,
        replay: None,
        slow: None,
        simulation: Some(SimulationTruth {
            write_amplification: Some(1.5),
            collections: 12,
            injected_delays: vec![InjectedDelay {
                at_s: 1.5,
                duration_ns: 2_000,
                bytes_since_previous: None,
            }],
        }),
        ended: Ended::Whole,
        withheld: None,
    }
}

/// What every run was asked to do, unless a test says otherwise.
pub fn settings() -> Settings {
    Settings::Replay(ReplaySettings {
        trace: "desktop".to_owned(),
        timing: ReplayTiming::Recorded,
        speed: 1.0,
        max_idle_ns: None,
        map: AddressMapping::Identity,
        device: None,
        duration_ns: None,
        queue_depth: 32,
        writes: true,
        discards: true,
        fill: None,
        compressibility_percent: 0,
    })
}

/// Several runs under one title.
pub fn comparison<'a>(runs: impl IntoIterator<Item = RunReport<'a>>) -> Comparison<'a> {
    Comparison { title: "Two drives".to_owned(), runs: runs.into_iter().collect() }
}

/// Twelve fresh seconds, then a steady low rate.
pub fn falling() -> Vec<u64> {
    let mut rates = vec![200; 12];
    rates.extend([20; 18]);
    rates
}
