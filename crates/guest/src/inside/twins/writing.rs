//! What confirms that a drive may be written, where another one looks like it.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::pairs::{Alike, PAIRS, Pair, Twin};
use super::{print_row, tries_all};
use crate::program::{drivelab, succeeds};

/// Every command that writes, with `DRIVE` for its target.
const WRITERS: &[&str] = &[
    "load DRIVE --rw write --duration 1s",
    "consistency DRIVE --duration 1s",
    "fill DRIVE --block-size 64KiB",
    "trim DRIVE",
    "pts DRIVE",
    "stalls DRIVE --duration 1s",
    "matrix DRIVE --fs ext4 --work seq-write --working-set 8MiB",
    "paths DRIVE",
    "quick DRIVE --write",
    "working-set DRIVE --precondition fill",
    "offered-load DRIVE --rw randwrite",
    "replay /tmp/twins-trace DRIVE",
    "stream record DRIVE --channel a=synthetic,size=100KB,rate=10/s --duration 1s",
    "purge DRIVE --purge discard",
    "review DRIVE --plan short -o /tmp/twins-review",
];

pub fn drives_names_all_that_look_alike() -> Result<()> {
    let listed = drivelab("drives")?;
    println!("{}", listed.output);
    let document = succeeds("drives")?;
    for pair in PAIRS {
        let [first, second] = pair.drives()?;
        for drive in [&first, &second] {
            let own = of_drive(&document, drive)?;
            let needs = own["needs"][0].as_str().context("an option")?;
            let expected = if pair.alike == Alike::Nothing { &drive.short } else { &drive.whole };
            ensure!(needs == format!("--serial={expected}"), "{}: {needs}", drive.name);
            let notes = own["notes"].to_string();
            let are_named = [&first, &second].iter().all(|one| notes.contains(&format!("{} (", one.name)));
            ensure!(are_named == (pair.alike != Alike::Nothing), "{}: {notes}", pair.head);
        }
    }
    Ok(())
}

fn of_drive<'a>(document: &'a Value, drive: &Twin) -> Result<&'a Value> {
    let drives = document["drives"].as_array().context("a list of drives")?;
    drives.iter().find(|own| own["device"] == drive.node().as_str()).context("the drive is listed")
}

pub fn every_command_that_writes_wants_one_drive() -> Result<()> {
    fs::write(
        "/tmp/twins.csv",
        "128166372000000000,guest,0,Write,0,4096,0\n128166372005000000,guest,0,Write,4096,4096,0\n",
    )?;
    succeeds("trace import --format msr /tmp/twins.csv -o /tmp/twins-trace")?;
    println!(
        "| writes (serial alone / in full / of the other one) | one serial | one serial, no WWN | no serial | one WWN |"
    );
    let mut wrong = Vec::new();
    let tries_all = tries_all()?;
    for (number, writer) in WRITERS.iter().enumerate() {
        let mut cells = Vec::new();
        for (place, pair) in PAIRS.iter().enumerate() {
            let depth = match pair.alike {
                _ if number == 0 || tries_all => Some(Depth::Whole),
                Alike::Serial => Some(Depth::InFull),
                // The other pairs take turns.
                _ => (number % 3 + 1 == place).then_some(Depth::Alone),
            };
            cells.push(match depth {
                Some(depth) => writes(writer, pair, depth, &mut wrong)?,
                None => "-".to_owned(),
            });
        }
        print_row(writer.split(" DRIVE").next().unwrap_or(writer), &cells);
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("; "));
    Ok(())
}

/// What a command that writes is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    /// The serial number alone.
    Alone,
    /// What confirms the drive, too.
    InFull,
    /// And what confirms the other one.
    Whole,
}

/// What a command does with the first of a pair, in exit codes; what is wrong with that is added.
fn writes(writer: &str, pair: &Pair, depth: Depth, wrong: &mut Vec<String>) -> Result<String> {
    let [first, second] = pair.drives()?;
    // What has no serial number is confirmed by the name of the kernel, which no other one has.
    let alone = if pair.alike == Alike::Nothing { 0 } else { 4 };
    let tries = [
        (Depth::Alone, &first.short, alone),
        (Depth::InFull, &first.whole, 0),
        (Depth::Whole, &second.whole, 4),
    ];
    let mut codes = Vec::new();
    for (_, serial, expected) in tries.into_iter().filter(|(at, ..)| *at <= depth) {
        let words = writer.replace("DRIVE", &first.node());
        let ended = drivelab(&format!("{words} --serial={serial} --destroy-data --dry-run"))?;
        if ended.code != Some(expected) {
            wrong.push(format!(
                "{words} --serial={serial}, {}: {:?}: {}",
                pair.head, ended.code, ended.complaint
            ));
        }
        if ended.code == Some(4) && !ended.complaint.contains(&format!("--serial={}", first.short)) {
            wrong.push(format!("{writer}: it is not said what to type: {}", ended.complaint));
        }
        codes.push(ended.code.map_or_else(|| "?".to_owned(), |code| code.to_string()));
    }
    Ok(codes.join(" / "))
}

pub fn several_targets_take_one_serial_each() -> Result<()> {
    let mut cells = Vec::new();
    for pair in PAIRS {
        let [first, second] = pair.drives()?;
        let both = |serials: &str| {
            let words = format!("consistency {} {} --duration 1s --dry-run", first.node(), second.node());
            drivelab(&format!("{words} {serials} --destroy-data"))
        };
        let one = both(&format!("--serial={}", first.whole))?;
        let twice = both(&format!("--serial={} --serial={}", first.short, first.short))?;
        let each = both(&format!("--serial={} --serial={}", first.whole, second.whole))?;
        let found = [one.code, twice.code, each.code];
        ensure!(found[0] == Some(4) && found[2] == Some(0), "{}: {found:?}: {}", pair.head, each.complaint);
        ensure!(twice.code != Some(0), "{}: one number confirms both: {}", pair.head, twice.complaint);
        cells.push(format!("{found:?}"));
    }
    print_row("consistency A B (one / the same twice / one each)", &cells);
    Ok(())
}

pub fn namespaces_are_confirmed_each_by_itself() -> Result<()> {
    let document = succeeds("drives")?;
    let drives = document["drives"].as_array().context("a list")?;
    let spaces: Vec<&Value> =
        drives.iter().filter(|drive| drive["serial"] == "space" && drive["partition_of"].is_null()).collect();
    ensure!(spaces.len() == 2, "{} namespaces", spaces.len());
    let flags = spaces.iter().map(|space| space["needs"][0].as_str()).collect::<Option<Vec<&str>>>();
    let flags = flags.context("options")?;
    ensure!(
        flags[0] != flags[1] && flags.iter().all(|flag| flag.starts_with("--serial=space@")),
        "{flags:?}"
    );
    let node = spaces[0]["device"].as_str().context("a device")?;
    // The kernel numbers its names as it finds the namespaces, which is not always the order of their own numbers.
    let number = fs::read_to_string(format!("/sys/block/{}/nsid", node.trim_start_matches("/dev/")))?;
    let by_number = format!("--serial=space@namespace-{}", number.trim());
    let ended = |flag: &str| {
        drivelab(&format!("load {node} --rw write --duration 1s --dry-run {flag} --destroy-data"))
    };
    let found = [ended("--serial=space")?, ended(flags[0])?, ended(flags[1])?, ended(&by_number)?];
    let codes: Vec<Option<i32>> = found.iter().map(|ended| ended.code).collect();
    println!("| load on {node} (serial alone / own / of the other namespace / by its number) | {codes:?} |");
    ensure!(codes == [Some(4), Some(0), Some(4), Some(0)], "{codes:?}: {}", found[0].complaint);
    ensure!(found[0].complaint.contains("are namespaces of one drive"), "{}", found[0].complaint);
    Ok(())
}

pub fn what_is_written_is_the_drive_that_was_named() -> Result<()> {
    // One pair is confirmed by world-wide names, the other one by places.
    let [named, placed, ..] = PAIRS;
    for pair in [named, placed] {
        let [first, second] = pair.drives()?;
        let before = [first.checksum()?, second.checksum()?];
        let refused = drivelab(&format!(
            "load {} --rw write --duration 1s --serial={} --destroy-data",
            first.node(),
            second.whole
        ))?;
        ensure!(refused.code == Some(4), "{}: {:?} {}", pair.head, refused.code, refused.complaint);
        ensure!(
            before == [first.checksum()?, second.checksum()?],
            "{}: a refused run has written",
            pair.head
        );
        succeeds(&format!("load {} --rw write --bytes 8MiB {}", second.node(), second.confirmed()))?;
        ensure!(first.checksum()? == before[0], "{}: the other drive was written", pair.head);
        ensure!(second.checksum()? != before[1], "{}: nothing was written", pair.head);
    }
    Ok(())
}
