//! Commands that find a drive again, where it is gone and one is left that looks like it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::again::matrix_of;
use super::pairs::{Alike, PAIRS, Pair, Twin};
use super::{print_row, tries_all};
use crate::program::{drivelab, ended, run, wait_until};

/// How long a review may take to its second step.
const PATIENCE: Duration = Duration::from_secs(120);

/// Two steps that write.
const PLAN: &str = "[[step]]\ntest = \"load\"\nrw = \"randwrite\"\nduration = \"1s\"\n\n\
                    [[step]]\ntest = \"load\"\nrw = \"randwrite\"\nduration = \"10s\"\n";

fn spawn(words: &str) -> Result<Child> {
    let mut command = Command::new("/bin/drivelab");
    command.args(words.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().with_context(|| words.to_owned())
}

/// A review of a drive that is interrupted in its second step.
fn interrupted_review(drive: &Twin, kept: &str) -> Result<()> {
    fs::write("/tmp/twins.toml", PLAN)?;
    let child =
        spawn(&format!("review {} --plan /tmp/twins.toml {} -o {kept}", drive.node(), drive.confirmed()))?;
    let second = format!("{kept}/01-dev-{}/02-load/run.json", drive.name);
    wait_until(PATIENCE, "the second step does not begin", || Path::new(&second).exists())?;
    thread::sleep(Duration::from_secs(1));
    run(&format!("kill -INT {}", child.id()))?;
    let ended = ended(&child.wait_with_output()?);
    ensure!(ended.code == Some(130), "the review ended with {:?}: {}", ended.code, ended.complaint);
    Ok(())
}

pub fn a_review_goes_on_on_no_other_drive() -> Result<()> {
    let (mut cells, tries_all) = (Vec::new(), tries_all()?);
    for pair in PAIRS {
        if !tries_all && matches!(pair.alike, Alike::Nothing | Alike::Wwn) {
            cells.push("-".to_owned());
            continue;
        }
        let [first, second] = pair.drives()?;
        let kept = format!("/tmp/review-{}", pair.mebibytes);
        interrupted_review(&first, &kept)?;
        let resume = |serial: &str| {
            drivelab(&format!("review --resume {kept} --serial={serial} --destroy-data --dry-run"))
        };
        let both_there = resume(&first.short)?;
        let before = second.checksum()?;
        first.remove()?;
        let resumed = drivelab(&format!("review --resume {kept} --serial={} --destroy-data", second.short))?;
        let is_untouched = second.checksum()? == before;
        pair.bring_back()?;
        // One that has the same world-wide name is the same drive by all that can be known.
        let expected = if pair.alike == Alike::Wwn { 0 } else { 4 };
        ensure!(resumed.code == Some(expected), "{}: {:?} {}", pair.head, resumed.code, resumed.complaint);
        ensure!(is_untouched == (expected == 4), "{}: the other drive was written", pair.head);
        ensure!(both_there.code == Some(4), "{}: {:?} {}", pair.head, both_there.code, both_there.complaint);
        let says_what = resumed.complaint.contains(&format!("--serial={}", second.whole))
            || resumed.complaint.contains("connect that drive");
        ensure!(says_what || expected == 0, "{}: {}", pair.head, resumed.complaint);
        println!("{}: {}", pair.head, resumed.complaint.lines().next().unwrap_or_default());
        cells.push(format!("{:?} / {:?}", both_there.code, resumed.code));
    }
    print_row("review --resume, serial alone (both there / the other one left)", &cells);
    Ok(())
}

pub fn a_matrix_goes_on_on_no_drive_that_is_left() -> Result<()> {
    let (mut cells, tries_all) = (Vec::new(), tries_all()?);
    for pair in PAIRS {
        if !tries_all && pair.alike != Alike::SerialAlone {
            cells.push("-".to_owned());
            continue;
        }
        let [first, second] = pair.drives()?;
        let kept = format!("/tmp/left-{}", pair.mebibytes);
        matrix_of(&first, &kept)?;
        let before = second.checksum()?;
        first.remove()?;
        // Alone its serial number confirms it.
        let resumed = drivelab(&format!(
            "matrix {} --resume {kept} --serial={} --destroy-data",
            second.node(),
            second.short
        ))?;
        let is_untouched = second.checksum()? == before;
        pair.bring_back()?;
        // One that has the same world-wide name is the same drive by all that can be known.
        let expected = if pair.alike == Alike::Wwn { 0 } else { 4 };
        ensure!(resumed.code == Some(expected), "{}: {:?} {}", pair.head, resumed.code, resumed.complaint);
        ensure!(is_untouched == (expected == 4), "{}: the other drive was written", pair.head);
        cells.push(format!("{:?}", resumed.code));
    }
    print_row("matrix --resume on the one that is left, serial alone", &cells);
    Ok(())
}

/// Starts a command that writes a drive whose twin is gone, has the twin come back when `begun` is there, and sees it end well.
fn appears_during(pair: &Pair, words: &str, begun: &str) -> Result<()> {
    let [first, second] = pair.drives()?;
    second.remove()?;
    let child =
        spawn(&words.replace("DRIVE", &format!("{} --serial={} --destroy-data", first.node(), first.short)))?;
    wait_until(PATIENCE, "it does not begin", || Path::new(begun).exists())?;
    pair.bring_back()?;
    let ended = ended(&child.wait_with_output()?);
    ensure!(ended.code == Some(0), "{}: {words}: {:?} {}", pair.head, ended.code, ended.complaint);
    Ok(())
}

pub fn a_drive_that_appears_changes_nothing_for_a_run() -> Result<()> {
    let tries_all = tries_all()?;
    for pair in PAIRS.into_iter().filter(|pair| tries_all || pair.alike == Alike::Serial) {
        let kept = format!("/tmp/appears-{}", pair.mebibytes);
        let load = format!("load DRIVE --rw randwrite --duration 6s -o {kept}");
        appears_during(&pair, &load, &format!("{kept}/run.json"))?;
    }
    // Before each cell a matrix looks anew at what it was given.
    let [_, bare, ..] = PAIRS;
    let cells = "--fs ext4 --threads 1 --caching direct --work seq-write --runs 3 --cell-duration 100ms --working-set 8MiB";
    appears_during(&bare, &format!("matrix DRIVE {cells} -o /tmp/appears"), "/tmp/appears/findings.json")
}
