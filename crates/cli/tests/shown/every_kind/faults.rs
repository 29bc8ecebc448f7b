//! Every kind of test, and every other command that does I/O on a simulated drive, on drives that fail, forget or do not answer:
//! the exit code and the first sentence of the terminal, the page and the document, as they are right.
//!
//! `faults.txt` says what is right; it was written down by eye. `DRIVELAB_WRITE_FAULTS=1` writes what is found instead, for
//! someone to judge line by line.

use std::path::Path;

use drivelab_record::RunFolder;

use crate::common::{Ended, drivelab, folder, text};
use crate::tested_kinds::{Faulty, FaultyTest, TESTED, faulty, words};

/// What was written down.
const RIGHT: &str = include_str!("faults.txt");

/// A drive that does not do what is asked.
struct Fault {
    /// What is wrong with it.
    name: &'static str,
    /// The keys that make it so; `AT` stands for the time in the middle of what is asked.
    keys: &'static str,
}

const FAULTS: [Fault; 10] = [
    // A whole number of the blocks of each test.
    Fault { name: "wraps", keys: "wrap_at=96MiB" },
    Fault { name: "zeros", keys: "zeros_from=64MiB" },
    Fault { name: "fails from", keys: "fail_from=64MiB" },
    Fault { name: "fails every 100th", keys: "fail_every=100" },
    Fault { name: "read-only midway", keys: "read_only_at=AT" },
    Fault { name: "hangs 20 s", keys: "hang_at=AT&hang_for=20s" },
    Fault { name: "hangs for ever", keys: "hang_at=AT" },
    Fault { name: "gone", keys: "gone_at=AT" },
    Fault { name: "flips blocks", keys: "flip_every=50" },
    Fault { name: "slow for 3 s", keys: "hang_at=AT&hang_for=3s" },
];

/// Other commands that do I/O on a drive, and forms of tests that read back what they wrote.
const OTHERS: [(&str, Faulty); 7] = [
    (
        "load, written at random and read back",
        faulty("load DRIVE --rw randwrite --duration 4s --verify end", "2s"),
    ),
    ("load, at a rate", faulty("load DRIVE --rw randread --rate 2000/s --duration 6s", "3s")),
    ("stalls, not read back", faulty("stalls DRIVE --bytes 1GiB --verify no", "2s")),
    ("quick, reading", faulty("quick DRIVE", "1s")),
    ("review", Faulty::Not("has a test of its own below")),
    (
        "purge, image, stream, trace record, lifetime, drives",
        Faulty::Not("refuse a simulated drive, which has no device"),
    ),
    (
        "--verify-after-crash",
        Faulty::Not("refuses a simulated drive, which is gone with the program that made it"),
    ),
];

/// What a command says first, everywhere that it says something.
fn said(asked: &FaultyTest, fault: &Fault, beside: &Path) -> String {
    let kept = beside.join("kept");
    let _ = std::fs::remove_dir_all(&kept);
    let target = format!("{}&{}", asked.drive, fault.keys.replace("AT", asked.at));
    let command = words(asked.words, &target, beside);
    let command: Vec<&str> = command.iter().map(String::as_str).chain(["-o", text(&kept)]).collect();
    let ended = drivelab(&command);
    for printed in [&ended.stdout, &ended.stderr] {
        assert!(
            !printed.contains("dmesg") && !printed.contains("kernel's log"),
            "{target} has none: {printed}"
        );
    }
    let code = ended.code.map_or("killed".to_owned(), |code| code.to_string());
    let (page, document) = (on_page(&kept), in_document(&kept));
    let terminal = on_terminal(&ended, &page);
    let mut lines = vec![format!("  {}: exit code {code}", fault.name)];
    lines.push(format!("    {terminal}"));
    if page != terminal {
        lines.push(format!("    page: {page}"));
    }
    // The document has no marks, and says nothing where nothing is wrong.
    if !document.is_empty() && !terminal.contains(&document) {
        lines.push(format!("    document: {document}"));
    }
    if document.is_empty() {
        lines.push("    document: nothing".to_owned());
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The first sentence of a text.
fn first_sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split_once(". ").map_or(text.clone(), |(first, _)| format!("{first}."))
}

/// The mark and the first sentence of the first verdict of a page.
fn on_page(kept: &Path) -> String {
    let Ok(page) = std::fs::read_to_string(kept.join("report.html")) else { return "no page".to_owned() };
    let inside = |from: &str| {
        let (_, rest) = page.split_once(from)?;
        let (_, rest) = rest.split_once('>')?;
        rest.split_once("</").map(|(inside, _)| inside.replace("&amp;", "&").replace("&quot;", "\""))
    };
    match (inside("class=\"word "), inside("class=\"sentence\"")) {
        (Some(mark), Some(sentence)) => format!("{}: {}", mark.trim(), first_sentence(&sentence)),
        _ => "no verdict".to_owned(),
    }
}

/// The same of what a command printed, which is the title, what the drive is, and then the verdict; of one that has no result,
/// why.
fn on_terminal(ended: &Ended, page: &str) -> String {
    let printed = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    if ended.stdout.is_empty() {
        return first_sentence(ended.stderr.lines().last().unwrap_or_default());
    }
    let answer = ended.stdout.split("\n\n").nth(1).unwrap_or_default();
    let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    if answer.starts_with(page) || printed.contains(page) && answer.is_empty() {
        return page.to_owned();
    }
    first_sentence(&answer)
}

/// The first sentence of what the drive did not do, in the document of the run; nothing where it did everything.
fn in_document(kept: &Path) -> String {
    // A test of several results has a folder of each.
    let first = std::fs::read_dir(kept).ok().and_then(|all| all.flatten().map(|one| one.path()).min());
    let opened = RunFolder::open(kept).or_else(|_| RunFolder::open(&first.unwrap_or_default()));
    let Ok((_, run)) = opened else { return "no document".to_owned() };
    let lapses = run.outcome.and_then(|outcome| outcome.lapses);
    lapses.map_or_else(String::new, |lapses| first_sentence(&lapses.sentence))
}

#[test]
fn what_is_wrong_with_a_drive_is_said_first_by_every_kind() {
    let folder = folder();
    let mut found = String::new();
    let kinds = TESTED.iter().map(|row| (row.name, &row.faulty));
    for (name, asked) in kinds.chain(OTHERS.iter().map(|(name, asked)| (*name, asked))) {
        found += &format!("{name}\n");
        match asked {
            Faulty::Not(why) => found += &format!("  not on a simulated drive: {why}\n"),
            Faulty::Asked(asked) => {
                found += &format!("  {} (AT = {})\n", asked.words, asked.at);
                for fault in &FAULTS {
                    found += &said(asked, fault, folder.path());
                }
            }
        }
        found.push('\n');
    }
    if std::env::var_os("DRIVELAB_WRITE_FAULTS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shown/every_kind/faults.txt");
        std::fs::write(path, &found).expect("room");
        return;
    }
    let wrong: Vec<String> = (found.lines().zip(RIGHT.lines()))
        .filter(|(found, right)| found != right)
        .map(|(found, right)| format!("right: {right}\nfound: {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(found.lines().count(), RIGHT.lines().count(), "as many lines as were written down");
}

/// A plan of two tests.
const PLAN: &str = "[[step]]\ntest = \"quick\"\nwrite = true\n\n\
                    [[step]]\ntest = \"load\"\nrw = \"randread\"\nduration = \"1s\"\n";

#[test]
fn a_review_says_first_what_a_drive_did_not_do_and_calls_it_the_best_in_nothing() {
    let folder = folder();
    let plan = folder.path().join("plan.toml");
    std::fs::write(&plan, PLAN).expect("room");
    let kept = folder.path().join("review");
    // The drive that fails is the faster one.
    let targets = ["sim:consistent?size=512MiB&fail_from=64MiB", "sim:sm2246en?size=512MiB&link=100MB/s"];
    let asked = [&["review"][..], &targets, &["--plan", text(&plan), "-o", text(&kept)]].concat();
    let ended = drivelab(&asked).with_code(1);
    let page = on_page(&kept);
    assert!(page.starts_with("Failed: ") && page.contains("all at and beyond 66.5 MB"), "{page}");
    assert!(page.contains("% of the capacity"), "{page}");
    let terminal = on_terminal(&ended, &page);
    assert!(terminal.contains("all at and beyond 66.5 MB"), "{terminal}");
    let all = std::fs::read_to_string(kept.join("report.html")).expect("a page");
    assert!(!all.contains("has the best value"), "a drive that fails is compared with none");
    let index = drivelab(&["index", text(&kept), "--markdown"]).with_code(0).stdout;
    assert!(
        index.contains("fail\\_from=64MiB: 1,492 of 1,700 I/Os failed"),
        "the index names it, too: {index}"
    );
    assert!(index.contains("all at and beyond 66.5 MB"), "{index}");
}
