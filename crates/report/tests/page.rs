//! The page as text: nothing of a drive's making gets into its markup, and it stays small.

mod support;

use drivelab_analysis::{LoopKind, PhaseAnalysis};
use drivelab_block::{ByteCount, Instant, Nanos, Status};
use drivelab_report::{Comparison, Condition, RunReport, TerminalStyle, html, svg_pictures, terminal};
use proptest::prelude::*;

/// The embedded document, as the page's own program would read it.
fn embedded(page: &str) -> serde_json::Value {
    let (_, after) = page.split_once("id=\"page-document\">").expect("the document is embedded");
    let (json, _) = after.split_once("</script>").expect("the element is closed");
    serde_json::from_str(json).expect("the document is JSON")
}

fn rude<'a>(phase: &'a PhaseAnalysis, text: &str) -> Comparison<'a> {
    let mut run = support::run(text, phase, Nanos::from_secs(8));
    text.clone_into(&mut run.target);
    run.drive.serial = Some(text.to_owned());
    text.clone_into(&mut run.method);
    run.conditions.push(Condition { group: text.to_owned(), name: text.to_owned(), value: text.to_owned() });
    Comparison { title: text.to_owned(), runs: vec![run] }
}

#[test]
fn a_model_that_closes_the_script_stays_text() {
    let phase = support::phase(&[5; 8], LoopKind::Closed);
    let model = "</script><script>alert(1)</script><!--";
    let page = html(&rude(&phase, model));
    assert!(!page.contains("<script>alert"));
    assert!(!page.contains("<!--"));
    assert_eq!(page.matches("</script>").count(), 2, "the document and the program");
    assert_eq!(embedded(&page)["runs"][0]["drive"], format!("{model} ({model})"));
    assert!(svg_pictures(&rude(&phase, model)).iter().all(|(_, svg)| !svg.contains("<script")));
}

/// Names with at least one character that means something in markup.
const RUDE: &str = "[a-z<>&\"'/!\u{2028}\u{7}-]{0,12}[<&\"][a-z<>&\"'/!-]{1,12}";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn markup_never_holds_a_model_as_it_is(text in RUDE) {
        let phase = support::phase(&[5; 8], LoopKind::Closed);
        let marked = format!("zq{text}qz");
        let page = html(&rude(&phase, &marked));
        let (markup, rest) = page.split_once("id=\"page-document\">").expect("the document is embedded");
        prop_assert!(!markup.contains(&marked));
        prop_assert!(rest.split_once("</script>").is_some_and(|(json, _)| !json.contains('<')));
        prop_assert_eq!(page.matches("</script>").count(), 2);
        let document = embedded(&page);
        prop_assert_eq!(document["schema"].as_str(), Some("drivelab.page/1"));
        for (name, svg) in svg_pictures(&rude(&phase, &marked)) {
            prop_assert!(!svg.contains(&marked));
            prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)), "{}", name);
        }
    }
}

#[test]
fn the_page_loads_nothing_and_says_so() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let page = html(&support::comparison([support::run("Granite", &phase, Nanos::from_secs(30))]));
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(!page.contains("unsafe-inline"));
    for outside in [" src=", "url(", "@import", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let addresses = page.match_indices("http").map(|(at, _)| &page[at..page.len().min(at + 40)]);
    for address in addresses {
        assert!(
            address.starts_with("http-equiv") || address.starts_with("http://www.w3.org/2000/svg"),
            "{address}"
        );
    }
}

#[test]
fn without_a_script_there_are_verdict_numbers_conditions_and_a_picture() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let page = html(&support::comparison([support::run("Granite", &phase, Nanos::from_secs(30))]));
    assert!(page.contains("Steady from 12"));
    assert!(page.contains("Granite was trimmed only."));
    assert!(page.contains("<table id=\"numbers\">"));
    assert!(page.contains("<table id=\"conditions\""));
    let (_, still) = page.split_once("<noscript>").expect("there is a part without scripts");
    assert!(still.split_once("</noscript>").expect("it is closed").0.contains("<svg"));
}

#[test]
fn nothing_at_all_is_a_page_too() {
    let page = html(&support::comparison([]));
    assert!(page.contains("There is no run to report on."));
    let nothing = support::nothing(LoopKind::Open);
    let page = html(&support::comparison([support::run("Empty", &nothing, Nanos::ZERO)]));
    assert!(page.contains("nothing to judge"));
}

/// A long, fast run with latencies over five decades. A hundred thousand I/Os a second would take minutes to
/// make; a hundredth of them, spread as widely, leaves as many cells and points.
fn long_run() -> PhaseAnalysis {
    let mut phase = PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Closed);
    let mut state = 1u64;
    for second in 100..2_100u64 {
        for step in 0..1_000u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let service = 20_000 << (state >> 60) | (state >> 20) & 0x3FFF;
            let mut write = support::write(0, 100, Status::OK);
            write.completed_at = Instant::from_nanos((second - 100) * 1_000_000_000 + step * 999_000);
            write.submitted_at = Instant::from_nanos(write.completed_at.as_nanos().saturating_sub(service));
            phase.add(&write);
        }
    }
    phase
}

#[test]
fn a_long_fast_run_stays_well_below_three_megabytes() {
    let phase = long_run();
    let run: RunReport = support::run("Fast", &phase, Nanos::from_secs(2_000));
    let page = html(&support::comparison([run]));
    let kilobytes = page.len() / 1_000;
    assert!(kilobytes < 400, "{kilobytes} kB");
}

/// Two runs that go up and down by half in turn, so that neither is ever steady.
fn unsteady(low: u64) -> Vec<u64> {
    (0..60).map(|second| if second / 3 % 2 == 0 { low } else { low * 2 }).collect()
}

#[test]
fn a_run_without_steady_state_has_no_steady_part_and_is_never_the_best() {
    let (slow, fast) =
        (support::phase(&unsteady(40), LoopKind::Closed), support::phase(&unsteady(90), LoopKind::Closed));
    let lasted = Nanos::from_secs(60);
    let comparison =
        support::comparison([support::run("Slow", &slow, lasted), support::run("Fast", &fast, lasted)]);
    let page = html(&comparison);
    let (markup, _) = page.split_once("<script").expect("there is a script");
    assert!(markup.contains("<h3>The last 30 % of the run</h3>"));
    assert!(markup.contains("IOPS over the last 30\u{a0}% of the run"));
    assert!(!markup.to_lowercase().contains("steady part"), "none was reached");
    let (_, numbers) = markup.split_once("<table id=\"numbers\">").expect("a table");
    let (rates, _) = numbers.split_once("Course of the run").expect("the rates come first");
    assert!(rates.contains("Rate, the last 30 % of the run") && !rates.contains("class=\"best\""));
    let text = terminal(&comparison, TerminalStyle::default());
    assert!(text.contains("the last 30 % of the run") && !text.contains("steady part"), "{text}");
    assert!(svg_pictures(&comparison).iter().all(|(_, svg)| !svg.contains("steady part")));
}

#[test]
fn latencies_of_runs_of_another_length_are_not_compared() {
    let (slow, fast) =
        (support::phase(&[50; 60], LoopKind::Closed), support::phase(&[10; 30], LoopKind::Closed));
    let best = |slow_s: u64| {
        let comparison = support::comparison([
            support::run("Slow", &slow, Nanos::from_secs(slow_s)),
            support::run("Fast", &fast, Nanos::from_secs(30)),
        ]);
        let page = html(&comparison);
        let (_, latencies) = page.split_once("Service time, whole run").expect("latencies");
        let (latencies, _) = latencies.split_once("Amounts").expect("amounts come next");
        latencies.contains("class=\"best")
    };
    assert!(best(30) && !best(60));
}

#[test]
fn a_run_of_fewer_than_five_rounds_is_too_short_to_judge() {
    let phase = support::phase(&[90; 4], LoopKind::Closed);
    let comparison = support::comparison([support::run("Granite", &phase, Nanos::from_secs(4))]);
    let (page, text) = (html(&comparison), terminal(&comparison, TerminalStyle::default()));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Too short to judge (5 rounds of 1 s needed, 4 were run)"), "{text}");
    assert!(page.contains("Too short to judge</span>") && page.contains("<td>too short to judge</td>"));
    assert!(!page.contains("No steady state") && !text.contains("No steady state"));
}

#[test]
fn a_purge_of_no_time_has_no_speed() {
    let phase = support::phase(&[90; 8], LoopKind::Closed);
    let mut run = support::run("Granite", &phase, Nanos::from_secs(8));
    run.phases[0].name = "purge".to_owned();
    run.phases[0].lasted = Nanos::new(1_000);
    run.phases[0].bytes = ByteCount::new(10_737_418_240);
    let page = html(&support::comparison([run]));
    assert!(page.contains("<th scope=\"row\">purge</th><td>0.0 s</td><td>10.7 GB</td><td>-</td>"));
}

#[test]
fn the_worst_seconds_name_the_span_they_are_taken_from() {
    let named = |seconds: [u64; 2]| {
        let phases = seconds.map(|seconds| {
            let rates = vec![5; usize::try_from(seconds).expect("a few")];
            support::phase(&rates, LoopKind::Closed)
        });
        let runs = phases.iter().zip(seconds);
        let runs = runs.map(|(phase, seconds)| support::run("Granite", phase, Nanos::from_secs(seconds)));
        html(&support::comparison(runs))
    };
    assert!(named([30, 30]).contains("Worst 1 % of the last 30 s <"));
    assert!(named([500, 30]).contains("Worst 1 % of at most the last 400 s <"));
    assert!(named([500, 500]).contains("Worst 1 % of the last 400 s <"));
}
