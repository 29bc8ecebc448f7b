//! The first sentence of a trace names who waited, when and for what, where that was planted, and nothing where it was not.

use drivelab_block::{Extent, Instant, Nanos, Op, ProcessId, Sector, SectorCount, TracedIo};
use drivelab_inspect::slow::{SlowReport, page_threshold};
use drivelab_inspect::trace::{
    AnalysedTrace, AskedLoad, TraceDeviceFindings, TraceFindings, TraceSpan, view,
};
use drivelab_stats::TraceAnalysis;
use drivelab_stats::waiting::AwaitedWrites;

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;
const PROCESSES: [&str; 4] = ["", "postgres", "rsync", "firefox"];

fn io(at: u64, op: Op, (process, sector, sectors): (u32, u64, u32), millis: u64) -> TracedIo {
    let extent = Extent { start: Sector::new(sector), length: SectorCount::new(sectors) };
    TracedIo {
        process: ProcessId(process),
        service: Some(Nanos::from_millis(millis)),
        ..TracedIo::new(Instant::from_nanos(at), op, extent)
    }
}

/// Five days of reads of a browser; with waits, a database behind the writes of a copy at 03:10 of each.
fn trace(with_waits: bool) -> TraceAnalysis {
    let mut ios: Vec<TracedIo> = Vec::new();
    for day in 0..5 {
        let reads = (0..500).map(|number| {
            io(day * DAY + number * 170 * SECOND, Op::Read, (3, number * 7_919 % 100_000, 8), 5)
        });
        ios.extend(reads);
        for number in (0..60).filter(|_| with_waits) {
            let at = day * DAY + (3 * 3600 + 600 + number * 2) * SECOND;
            ios.push(io(at, Op::Write, (2, 1_000_000 + number * 2_048, 2_048), 900));
            ios.push(io(at + SECOND / 10, Op::Read, (1, number * 7_919 % 100_000, 16), 300));
        }
    }
    ios.sort_by_key(|io| io.issued_at);
    let mut analysis = TraceAnalysis::default().with_awaited(AwaitedWrites::Synchronous);
    ios.iter().for_each(|io| analysis.add(io));
    analysis
}

/// The first words of its page.
fn answer(analysis: TraceAnalysis) -> String {
    let about = TraceFindings {
        trace: "server".to_owned(),
        source: "recorded".to_owned(),
        version: "1".to_owned(),
        began: Some("2026-11-02T00:00:00+01:00".parse().expect("a time")),
        machine: Some("server".to_owned()),
        devices: vec![TraceDeviceFindings {
            name: "sda".to_owned(),
            measured: TraceSpan::IssueToComplete,
            ..TraceDeviceFindings::default()
        }],
        ..TraceFindings::default()
    };
    let slow = SlowReport::from_analysis(&analysis, page_threshold(None, &[&analysis]));
    let processes = PROCESSES.map(str::to_owned);
    let found = about.with_figures(&analysis, &processes, &slow);
    view(&[AnalysedTrace { found, asked: AskedLoad::AsTraced, analysis, slow }]).answers().join(" ")
}

#[test]
fn the_process_and_the_hour_that_were_planted_are_named() {
    let answer = answer(trace(true));
    for words in [
        "Programs waited 300 times for 100 ms or longer, 90.0 s in all and 300 ms at most",
        "mostly between 03:00 and 04:00 UTC+01:00 (on 5 of 5 days; 100 % of the time waited)",
        "mostly for scattered reads of postgres (100 %)",
        "Meanwhile the queue held sequential writes of rsync (98 % of the time of other I/Os), in flight for 98 % of the time \
         that the waits lasted; for 0 % of it no I/O was in flight but those that programs waited for",
    ] {
        assert!(answer.contains(words), "{words}: {answer}");
    }
}

#[test]
fn nothing_unusual_is_said_of_a_trace_without_waits() {
    let answer = answer(trace(false));
    assert!(answer.contains("Nothing unusual: no program waited for 100 ms or longer in 5"), "{answer}");
}
