//! The terminal's summary, and the CSV tables, word for word.

mod support;

use drivelab_analysis::LoopKind;
use drivelab_block::Nanos;
use drivelab_report::{Notice, Severity, TerminalStyle, csv, terminal};

const GOLDEN: &str = include_str!("golden/terminal.txt");
const GOLDEN_ASCII: &str = include_str!("golden/terminal-ascii.txt");
const GOLDEN_NUMBERS: &str = include_str!("golden/numbers.csv");

/// Compares with a kept text; with `UPDATE_GOLDEN` set, keeps the new one instead.
fn assert_kept(name: &str, kept: &str, found: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
        std::fs::write(path, found).expect("the golden text can be written");
        return;
    }
    assert_eq!(found, kept, "{name} is another; UPDATE_GOLDEN=1 keeps the new text");
}

#[test]
fn the_summary_reads_as_kept() {
    let (falling, even) =
        (support::phase(&support::falling(), LoopKind::Closed), support::phase(&[90; 30], LoopKind::Open));
    let lasted = Nanos::from_secs(30);
    let comparison = support::comparison([
        support::run("Sandpiper", &falling, lasted),
        support::run("Granite", &even, lasted),
    ]);
    assert_kept("terminal.txt", GOLDEN, &terminal(&comparison, TerminalStyle::default()));
    let ascii = TerminalStyle { ascii: true, ..TerminalStyle::default() };
    assert_kept("terminal-ascii.txt", GOLDEN_ASCII, &terminal(&comparison, ascii));
    let tables = csv(&comparison);
    let numbers = tables.iter().find(|(name, _)| name == "numbers.csv").map(|(_, text)| text.as_str());
    assert_kept("numbers.csv", GOLDEN_NUMBERS, numbers.unwrap_or(""));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let comparison = support::comparison([support::run(
        "A drive with a name of some length",
        &phase,
        Nanos::from_secs(30),
    )]);
    for width in [40, 60, 80, 132] {
        let style = TerminalStyle { width, ..TerminalStyle::default() };
        let widest = terminal(&comparison, style).lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(width), "{widest:?} in {width}");
    }
}

#[test]
fn ascii_is_ascii_and_plain_is_plain() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let comparison = support::comparison([support::run("µ-drive", &phase, Nanos::from_secs(30))]);
    let ascii = terminal(&comparison, TerminalStyle { ascii: true, ..TerminalStyle::default() });
    assert!(ascii.is_ascii());
    assert!(!ascii.contains('\u{1b}'));
}

#[test]
fn every_second_and_every_io_is_in_the_tables() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let tables = csv(&support::comparison([support::run("Sandpiper", &phase, Nanos::from_secs(30))]));
    let table =
        |end: &str| tables.iter().find(|(name, _)| name.ends_with(end)).map_or("", |(_, text)| text.as_str());
    assert_eq!(table("whole.csv").lines().count(), 31);
    assert_eq!(table("whole.csv").lines().nth(13), Some("12,0,20,0,0,0,81920,290000"));
    assert_eq!(table("steady.csv").lines().count(), 19);
    let cells =
        table("heat.csv").lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse::<u64>().ok());
    assert_eq!(cells.sum::<u64>(), 12 * 200 + 18 * 20);
    assert!(table("exceedance.csv").lines().last().is_some_and(|line| line.contains(",service,290000,1,")));
}

#[test]
fn runs_are_told_apart_by_their_whole_names_and_a_shared_note_is_said_once() {
    let phase = support::phase(&support::falling(), LoopKind::Closed);
    let note = "Purge: a discard stands in.";
    let run = |kept_back: &str| {
        let mut run = support::run("Sandpiper", &phase, Nanos::from_secs(30));
        run.target = "sim:sandpiper?size=2GiB".to_owned();
        run.label = format!("{}, {kept_back} kept back", run.target);
        run.notices = vec![Notice { severity: Severity::Note, text: note.to_owned() }];
        run
    };
    let text = terminal(&support::comparison([run("25 %"), run("50 %")]), TerminalStyle::default());
    assert_eq!(text.matches(note).count(), 1, "{text}");
    assert!(!text.contains('…'), "{text}");
    // Each is named above its curve and in the table, and its target nowhere else.
    assert_eq!(text.matches("sim:sandpiper?size=2GiB").count(), 4, "{text}");
}
