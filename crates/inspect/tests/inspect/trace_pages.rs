//! The page of traces as text: nothing of a trace's making gets into its markup, and it stays small.

use drivelab_block::{DeviceId, Extent, Instant, Nanos, Op, Sector, SectorCount, TracedIo};
use drivelab_documents::{Notice, PhaseReason, Severity};
use drivelab_inspect::slow::{SlowReport, page_threshold};
use drivelab_inspect::trace::{
    AnalysedTrace, AskedLoad, TraceDeviceFindings, TraceFindings, TracePhases, TraceSpan, view,
};
use drivelab_stats::TraceAnalysis;
use drivelab_view::{Page, html};
use proptest::prelude::*;

/// Reads and writes all over as many devices, for so long that columns and rows are joined many times.
fn analysis(devices: u16, requests: u64) -> TraceAnalysis {
    let mut analysis = TraceAnalysis::default().with_course();
    for number in 0..requests {
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 12;
        let extent = Extent { start: Sector::new(mixed % (1 << 40)), length: SectorCount::new(8) };
        let op = if mixed % 2 == 0 { Op::Read } else { Op::Write };
        let io = TracedIo::new(Instant::from_nanos(number * 700_000_000), op, extent);
        let device = DeviceId(u16::try_from(mixed % u64::from(devices)).expect("few devices"));
        analysis.add(&TracedIo { service: Some(Nanos::new(1_000 + mixed % 50_000_000)), device, ..io });
    }
    analysis
}

fn page(text: &str, analysis: TraceAnalysis, devices: u16) -> String {
    let measured = TraceSpan::IssueToComplete;
    let device = TraceDeviceFindings { name: text.to_owned(), measured, ..TraceDeviceFindings::default() };
    let about = TraceFindings {
        trace: text.to_owned(),
        source: text.to_owned(),
        version: text.to_owned(),
        machine: Some(text.to_owned()),
        phases: Some(TracePhases {
            shown: vec![text.to_owned()],
            of: vec![text.to_owned(), "fill".to_owned()],
            chosen: PhaseReason::Asked,
            left_out_requests: 5,
            processor_wait_ns: None,
        }),
        devices: vec![device; usize::from(devices)],
        rejected: [(text.to_owned(), 1)].into(),
        unpaired_reasons: [(text.to_owned(), 2)].into(),
        lost_events: 3,
        other_lines: 4,
        notices: vec![Notice { severity: Severity::Warning, text: text.to_owned() }],
        ..TraceFindings::default()
    };
    let slow = SlowReport::from_analysis(&analysis, page_threshold(None, &[&analysis]));
    let found = about.with_figures(&analysis, &[text.to_owned()], &slow);
    let trace = AnalysedTrace { found, asked: AskedLoad::AsTraced, analysis, slow };
    html(&Page::from_view(view(&[trace])))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn markup_never_holds_a_name_as_it_is(text in "[a-z<>&\"'/!\u{2028}\u{7}-]{0,12}[<&\"][a-z<>&\"'/!-]{1,12}") {
        let marked = format!("zq{text}qz");
        let page = page(&marked, analysis(2, 50), 2);
        let (markup, rest) = page.split_once("id=\"page-document\">").expect("the document is embedded");
        prop_assert!(!markup.contains(&marked));
        let (document, _) = rest.split_once("</script>").expect("the element is closed");
        prop_assert!(!document.contains('<'));
        prop_assert_eq!(page.matches("</script>").count(), 2);
        let document: serde_json::Value = serde_json::from_str(document).expect("the document is JSON");
        prop_assert_eq!(document["views"][0]["subjects"][0]["label"].as_str(), Some(&marked[..]));
    }
}

#[test]
fn a_page_of_many_devices_stays_small() {
    let page = page("many", analysis(40, 400_000), 40);
    assert!(page.len() < 8_000_000, "{}", page.len());
    assert!(page.contains("of further devices are in no map"));
}

#[test]
fn a_trace_of_nothing_has_a_page() {
    let page = page("nothing", TraceAnalysis::default().with_course(), 0);
    let (markup, _) = page.split_once("id=\"page-document\">").expect("the document is embedded");
    assert!(markup.contains("There are no requests in it.") && !markup.contains("NaN"), "{markup}");
}
