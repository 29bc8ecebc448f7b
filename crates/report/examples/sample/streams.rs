//! Made-up streams whose delays are known.

use std::collections::BTreeMap;

use drivelab_analysis::{DelayFigures, StreamWrites};
use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};
use drivelab_report::{
    Drive, Ended, FaultDocument, HealthFindings, HealthOutcome, HealthReading, HealthSource, Notice, Records,
    Severity, StallsFindings, StallsReport, VerificationDocument,
};

const BLOCK: u64 = 3 << 20;
const MS: u64 = 1_000_000;

/// A stream and its name.
pub struct Sample {
    label: &'static str,
    stream: StreamWrites,
    is_lying: bool,
}

/// The streams of a kind of sample; `None` where it is a kind of something else.
pub fn of_kind(kind: &str) -> Option<Vec<Sample>> {
    let rude = "</script><img src=x onerror=alert(1)>-with-a-very-long-name-that-never-ends";
    match kind {
        "stream" => Some(vec![sample("one drive", (12 * MS, 800 * MS), true)]),
        "streams" => Some(vec![
            sample("one drive", (12 * MS, 800 * MS), false),
            sample("another drive", (19 * MS, 113 * MS), false),
        ]),
        "even" => Some(vec![sample("no delays", (12 * MS, 0), false)]),
        "rudestream" => Some(vec![sample(rude, (12 * MS, 800 * MS), true)]),
        _ => None,
    }
}

/// 20,000 writes, of which every 5,000th takes `delay`, where that is not 0.
fn sample(label: &'static str, (write, delay): (u64, u64), is_lying: bool) -> Sample {
    let mut stream = StreamWrites::new(PhaseId(0), BLOCK);
    let mut now = 0;
    for number in 0..20_000u64 {
        let takes =
            if delay > 0 && number % 5_000 == 2_500 { delay } else { write + number * 7_919 % 997 * 2_000 };
        let submitted_at = Instant::from_nanos(now);
        now += takes;
        stream.accept(&[Completion {
            intended_at: submitted_at,
            submitted_at,
            issued_at: None,
            completed_at: Instant::from_nanos(now),
            extent: Extent { start: Sector::new(number % 1_000 * 6_144), length: SectorCount::new(6_144) },
            status: Status::OK,
            queue: QueueId(0),
            op: Op::Write,
            phase: PhaseId(0),
        }]);
    }
    Sample { label, stream, is_lying }
}

/// The streams as reports.
pub fn reports(samples: &[Sample]) -> Vec<StallsReport<'_>> {
    samples.iter().map(report).collect()
}

fn report(sample: &Sample) -> StallsReport<'_> {
    StallsReport {
        label: sample.label.to_owned(),
        target: sample.label.to_owned(),
        drive: Drive { model: "made up".to_owned(), serial: None, size_bytes: 1_000 * BLOCK },
        logical_block: 512,
        seed: 1,
        range: (0, 1_000 * BLOCK),
        queue_depth: 1,
        rate_asked: None,
        stream_rates: vec![60e6, 120e6],
        compared_by: None,
        stream: &sample.stream,
        figures: DelayFigures::of(&sample.stream),
        device: None,
        findings: if sample.is_lying { lies() } else { StallsFindings::default() },
        conditions: Vec::new(),
        notices: vec![Notice { severity: Severity::Note, text: "Made up.".to_owned() }],
        energy: None,
        records: Records::default(),
        ended: Ended::Whole,
        simulation: None,
    }
}

fn lies() -> StallsFindings {
    let fault = |kind: &str, lba: u64| FaultDocument {
        kind: kind.to_owned(),
        lba,
        wrong_lba: lba + 17,
        expected_write: 19_000,
        found: "write 18000".to_owned(),
    };
    let changed = BTreeMap::from([("183 Runtime_Bad_Block".to_owned(), (3, 5))]);
    StallsFindings {
        verification: Some(VerificationDocument {
            blocks: 1_000,
            torn: 1,
            stale: 1,
            faults: vec![fault("torn", 6_144), fault("stale", 614_400)],
            ..VerificationDocument::default()
        }),
        health: HealthFindings {
            source: HealthSource::Asked,
            readings: vec![HealthReading { at_s: 40.0, outcome: HealthOutcome::Read { changed } }],
            temperature_celsius: Vec::new(),
        },
        ..StallsFindings::default()
    }
}
