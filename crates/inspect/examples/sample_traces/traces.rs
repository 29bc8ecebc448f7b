//! Made-up traces whose slow I/Os, idle times and addresses are known.

use drivelab_block::{DeviceId, Extent, Instant, Nanos, Op, Sector, SectorCount, TracedIo};
use drivelab_documents::{Notice, Severity};
use drivelab_inspect::slow::{SlowReport, page_threshold};
use drivelab_inspect::trace::{AnalysedTrace, AskedLoad, TraceDeviceFindings, TraceFindings, TraceSpan};
use drivelab_stats::TraceAnalysis;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3_600 * SECOND;

/// A trace and its name.
pub struct Sample {
    label: &'static str,
    devices: Vec<TraceDeviceFindings>,
    analysis: TraceAnalysis,
}

/// The traces of a kind of sample; `None` where it is a kind of something else.
pub fn of_kind(kind: &str) -> Option<Vec<Sample>> {
    match kind {
        "trace" => Some(vec![desktop("desktop", 2, 1)]),
        "traces" => {
            Some(vec![desktop("desktop, old drive", 2, 1), desktop("desktop, new drive", 1, 5), server(true)])
        }
        "untimed" => Some(vec![server(false)]),
        "rude" => Some(vec![desktop(
            "</script><img src=x onerror=alert(1)>-with-a-very-long-name-that-never-ends",
            20,
            1,
        )]),
        _ => None,
    }
}

/// The traces as they are shown.
pub fn analysed(samples: Vec<Sample>) -> Vec<AnalysedTrace> {
    let analysed = samples.into_iter().map(|sample| {
        let about = TraceFindings {
            trace: sample.label.to_owned(),
            source: "blktrace".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            began: "2026-11-02T00:00:20+01:00".parse().ok(),
            devices: sample.devices,
            rejected: [("malformed row".to_owned(), 3)].into(),
            notices: vec![Notice {
                severity: Severity::Note,
                text: "The trace was not ended: what there is of it is shown.".to_owned(),
            }],
            ..TraceFindings::default()
        };
        let threshold = page_threshold(None, &[&sample.analysis]);
        let slow = SlowReport::from_analysis(&sample.analysis, threshold);
        let found = about.with_figures(&sample.analysis, &[], &slow);
        AnalysedTrace { found, asked: AskedLoad::AsTraced, analysis: sample.analysis, slow }
    });
    analysed.collect()
}

fn devices(count: u16, measured: TraceSpan) -> Vec<TraceDeviceFindings> {
    let device = |number| TraceDeviceFindings {
        name: format!("8,{}", number * 16),
        measured,
        ..TraceDeviceFindings::default()
    };
    (0..count).map(device).collect()
}

fn io(at: u64, op: Op, sector: u64, sectors: u32, service: Option<u64>) -> TracedIo {
    let extent = Extent { start: Sector::new(sector), length: SectorCount::new(sectors) };
    TracedIo { service: service.map(Nanos::new), ..TracedIo::new(Instant::from_nanos(at), op, extent) }
}

/// Three weeks of work in the daytime: reads all over the drive, writes one after another that stall every 64 MB.
fn desktop(label: &'static str, devices_count: u16, faster: u64) -> Sample {
    let mut analysis = TraceAnalysis::default().with_course();
    let (mut at, mut written, mut draw) = (0, 0u64, 1u64);
    for day in 0..21 {
        at = at.max(day * 24 * HOUR);
        for number in 0..4_000u64 {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = draw >> 33;
            at += random % (2 * SECOND / 50);
            let device = DeviceId(u16::try_from(random % 7).unwrap_or(0).min(devices_count - 1));
            let spread = 1 + random % 100;
            let io = if random % 5 < 3 {
                let slow = if random % 701 == 0 { 60_000_000 } else { 0 };
                io(
                    at,
                    Op::Read,
                    (random * 4_096) % 400_000_000,
                    8,
                    Some((90_000 + spread * 9_000 + slow) / faster),
                )
            } else {
                written += 131_072;
                let stalls = written % 67_108_864 < 4 * 131_072;
                let slow = if stalls { 150_000_000 + spread * 1_000_000 } else { 0 };
                io(
                    at,
                    Op::Write,
                    20_000_000 + written / 512,
                    256,
                    Some((60_000 + spread * 2_000 + slow) / faster),
                )
            };
            analysis.add(&TracedIo { device, ..io });
            if number % 1_000 == 999 {
                at += HOUR;
            }
        }
    }
    Sample { label, devices: devices(devices_count, TraceSpan::IssueToComplete), analysis }
}

/// Two seconds without a pause.
fn server(timed: bool) -> Sample {
    let mut analysis = TraceAnalysis::default().with_course();
    for number in 0..40_000u64 {
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let op = if mixed % 3 == 0 { Op::Write } else { Op::Read };
        let service = timed.then_some(200_000 + mixed % 300_000);
        analysis.add(&io(number * 50_000, op, mixed % 900_000_000, 16, service));
    }
    Sample {
        label: "server",
        devices: devices(1, if timed { TraceSpan::QueueToComplete } else { TraceSpan::Nothing }),
        analysis,
    }
}
