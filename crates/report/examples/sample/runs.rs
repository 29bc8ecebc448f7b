//! Sample comparisons: which made-up drives stand beside each other.

use drivelab_analysis::{ConsistencyFigures, GaugeCourse, Gauged, LoopKind, PhaseAnalysis, RunSpan};
use drivelab_block::{ByteCount, Instant, Nanos};
use drivelab_report::{
    Comparison, Condition, Drive, Ended, InjectedDelay, Notice, PhaseLine, Records, RunReport, Severity,
    SimulationTruth,
};
use drivelab_settings::{AddressMapping, ReplaySettings, ReplayTiming, Settings};

use crate::drives::{Temper, phase};

/// A made-up run before it is a report: what was tested, and what it did.
pub struct Made {
    model: &'static str,
    size_bytes: u64,
    reserve_percent: f64,
    seed: u64,
    millis: u64,
    phase: PhaseAnalysis,
}

const SANDPIPER: (&str, u64) = ("Sandpiper S240", 240_057_409_536);
const GRANITE: (&str, u64) = ("Granite G400", 400_088_457_216);
/// A drive that means harm, or has a broken firmware.
const RUDE: (&str, u64) = ("</script><img src=x onerror=alert(1)> \"'&", 128_035_676_160);

/// The runs of a kind of sample.
pub fn phases(kind: &str) -> Vec<Made> {
    match kind {
        "one" => vec![sandpiper(0.0, 7)],
        "eight" => (1..=2).flat_map(four).collect(),
        "odd" => odd(),
        "long" => vec![long()],
        _ => four(7),
    }
}

fn four(seed: u64) -> Vec<Made> {
    vec![sandpiper(0.0, seed), sandpiper(25.0, seed), granite(0.0, seed), granite(25.0, seed)]
}

fn sandpiper(reserve_percent: f64, seed: u64) -> Made {
    let temper = if reserve_percent <= 0.0 {
        Temper::Alternating { fresh_s: 84, low: 2_000.0, high: 50_000.0, high_share: 0.07 }
    } else {
        Temper::Alternating { fresh_s: 310, low: 11_500.0, high: 46_000.0, high_share: 0.16 }
    };
    made(SANDPIPER, reserve_percent, seed, (temper, 2_000_000, LoopKind::Closed))
}

fn granite(reserve_percent: f64, seed: u64) -> Made {
    let rate = if reserve_percent > 0.0 { 36_400.0 } else { 33_000.0 };
    made(
        GRANITE,
        reserve_percent,
        seed + 100,
        (Temper::Even { rate, spread: 0.012 }, 2_000_000, LoopKind::Closed),
    )
}

/// What a report must survive: an interruption, failures, seconds of zero, an open loop, rude names.
fn odd() -> Vec<Made> {
    let even = Temper::Even { rate: 20_000.0, spread: 0.02 };
    vec![
        made(SANDPIPER, 0.0, 1, (even, 300, LoopKind::Closed)),
        made(SANDPIPER, 6.7, 2, (Temper::Failing, 30_000, LoopKind::Closed)),
        made(GRANITE, 0.0, 3, (Temper::Stalling { rate: 8_000.0, every_s: 20 }, 400_000, LoopKind::Open)),
        made(RUDE, 0.0, 4, (even, 12_000, LoopKind::Closed)),
    ]
}

/// Three days at a few I/Os a second: more seconds than a picture has dots.
fn long() -> Made {
    let temper = Temper::Stalling { rate: 24.0, every_s: 9_000 };
    made(GRANITE, 0.0, 5, (temper, 260_000_000, LoopKind::Open))
}

fn made(drive: (&'static str, u64), reserve_percent: f64, seed: u64, run: (Temper, u64, LoopKind)) -> Made {
    let (temper, millis, loop_kind) = run;
    let phase = phase(temper, millis, loop_kind, seed, 1);
    Made { model: drive.0, size_bytes: drive.1, reserve_percent, seed, millis, phase }
}

/// The report of made-up runs.
pub fn comparison(made: &[Made]) -> Comparison<'_> {
    let title = match made.len() {
        1 => format!("Consistency of {}", made[0].model),
        count => format!("Consistency of {count} runs"),
    };
    Comparison { title, runs: made.iter().map(report).collect() }
}

fn report(made: &Made) -> RunReport<'_> {
    let duration = Nanos::from_millis(made.millis);
    let completed = made.phase.completed();
    RunReport {
        label: format!("{}, {} % kept back", made.model, made.reserve_percent),
        target: "sim:sample".to_owned(),
        drive: Drive { model: made.model.to_owned(), serial: None, size_bytes: made.size_bytes },
        settings: Some(settings()),
        reserve_percent: made.reserve_percent,
        reserve_is_of_range: false,
        seed: made.seed,
        folder: Some(format!("runs/sample-{}", made.seed)),
        method: "performance consistency".to_owned(),
        conditions: conditions(made),
        notices: notices(made),
        phases: phase_lines(made),
        measured: &made.phase,
        was_measured: true,
        duration,
        figures: ConsistencyFigures::of(&made.phase, duration, 60),
        records: Records {
            completions: completed + made.phase.failed(),
            failed: made.phase.failed(),
            lost: 0,
            bytes: completed * 9,
            completions_hash: Some(format!("{:016x}", completed.wrapping_mul(0x9E37_79B9_7F4A_7C15))),
        },
        gauges: gauges(made),
        energy: None,
        replay: None,
        slow: None,
        simulation: Some(SimulationTruth {
            write_amplification: Some(3.18 - made.reserve_percent / 20.0),
            collections: completed / 900,
            injected_delays: vec![InjectedDelay {
                at_s: 12.5,
                duration_ns: 804_000_000,
                bytes_since_previous: None,
            }],
        }),
        ended: if made.millis < 1_000_000 { Ended::Interrupted } else { Ended::Whole },
        withheld: None,
    }
}

fn settings() -> Settings {
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

/// Readings as a machine beside a run would give them: busier while it is fresh.
fn gauges(made: &Made) -> Vec<Gauged> {
    let at = |second: u64| Instant::from_nanos(second * 1_000_000_000);
    let seconds = made.millis / 1_000;
    // The phase begins at the clock's origin, so nothing was read before it.
    let span = RunSpan { began: at(0), shown_from: at(0), shown_until: at(seconds), ended: at(seconds) };
    let gauge = |name: &str, unit: &str, fresh: f64, late: f64| {
        let mut course = GaugeCourse::new(span);
        for second in 0..seconds + 2 {
            let level = if second < seconds / 5 { fresh } else { late };
            course.add(at(second), at(second + 1), level * (1.0 + (second % 7) as f64 / 20.0));
        }
        Gauged { name: name.to_owned(), unit: unit.to_owned(), course }
    };
    vec![
        gauge("processors user", "%", 11.0, 3.0),
        gauge("processors system", "%", 24.0, 6.0),
        gauge("processors I/O wait", "%", 4.0, 30.0),
        gauge("pressure I/O some", "%", 20.0, 60.0),
        gauge("device written", "MB/s", 190.0, 22.0),
        gauge("device busy", "%", 70.0, 75.0),
    ]
}

fn conditions(made: &Made) -> Vec<Condition> {
    let of = |group: &str, name: &str, value: &str| Condition {
        group: group.to_owned(),
        name: name.to_owned(),
        value: value.to_owned(),
    };
    vec![
        of("Drive", "Firmware", "S1.04"),
        of("Drive", "Write cache", "on"),
        of("Kernel", "Version", "6.12.9"),
        of("Kernel", "Scheduler", if made.model == GRANITE.0 { "none" } else { "mq-deadline" }),
        of("Workload", "Outstanding I/Os", "32"),
        of("Workload", "Block size", "4 KiB"),
        of("Workload", "Payload", "incompressible"),
        of("Ring", "Flags obtained", "SINGLE_ISSUER, DEFER_TASKRUN, registered buffers"),
        of("Not obtained", "I/O polling", "the queue does not support it"),
    ]
}

fn notices(made: &Made) -> Vec<Notice> {
    let of = |severity, text: &str| Notice { severity, text: text.to_owned() };
    let mut notices =
        vec![of(Severity::Note, "The drive has no secure erase: its whole range was trimmed instead.")];
    if made.millis < 1_000_000 {
        notices.push(of(Severity::Severe, "Interrupted: the run did not reach its planned 2,000 s."));
    }
    if made.phase.failed() > 0 {
        notices.push(of(Severity::Severe, "I/Os failed with error 5 (input/output error)."));
    }
    notices
}

fn phase_lines(made: &Made) -> Vec<PhaseLine> {
    let fill_s = made.size_bytes / 450_000_000;
    vec![
        PhaseLine {
            name: "fill sequentially".to_owned(),
            lasted: Nanos::from_secs(fill_s),
            bytes: ByteCount::new(made.size_bytes),
            completed: made.size_bytes / 131_072,
            failed: 0,
            loop_kind: LoopKind::Closed,
        },
        PhaseLine {
            name: "random writes, 4 KiB".to_owned(),
            lasted: Nanos::from_millis(made.millis),
            bytes: made.phase.bytes(),
            completed: made.phase.completed(),
            failed: made.phase.failed(),
            loop_kind: made.phase.loop_kind(),
        },
    ]
}
