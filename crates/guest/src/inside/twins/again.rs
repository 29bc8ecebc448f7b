//! Commands that find a drive again, where another one looks like it and both are there.

use std::fs;

use anyhow::{Context as _, Result, ensure};

use super::pairs::{Alike, PAIRS, Twin};
use super::{print_row, tries_all};
use crate::program::{Ended, drivelab, succeeds};

/// What a command that finds a drive again is expected to do: on the drive itself, on the other one, and on each of them if the
/// user names it in full.
struct Expected {
    own: i32,
    other: i32,
    own_named: i32,
    other_named: i32,
}

impl Expected {
    /// The exit codes for a pair; on the other drive a command ends with `found_wrong` that goes on there.
    fn new(alike: Alike, found_wrong: i32) -> Expected {
        match alike {
            // The world-wide names say which is which.
            Alike::Serial => Expected { own: 0, other: 4, own_named: 0, other_named: 4 },
            // Nothing tells them apart: the user does.
            Alike::SerialAlone | Alike::Nothing | Alike::Wwn => {
                Expected { own: 4, other: 4, own_named: 0, other_named: found_wrong }
            }
        }
    }

    fn check(&self, head: &str, found: &[Ended; 4]) -> Result<String> {
        let codes = found.each_ref().map(|ended| ended.code.unwrap_or(-1));
        let expected = [self.own, self.other, self.own_named, self.other_named];
        let complaints: Vec<&str> = found.iter().map(|ended| ended.complaint.as_str()).collect();
        ensure!(codes == expected, "{head}: {codes:?}, not {expected:?}: {}", complaints.join(" / "));
        Ok(codes.map(|code| code.to_string()).join(" / "))
    }
}

pub fn a_verification_reads_no_other_drive() -> Result<()> {
    let mut cells = Vec::new();
    for pair in PAIRS {
        let [first, second] = pair.drives()?;
        let kept = format!("/tmp/verified-{}", pair.mebibytes);
        let load = format!("load {} --rw randwrite --verify end --rate 100/s --duration 1s", first.node());
        succeeds(&format!("{load} {} -o {kept}", first.confirmed()))?;
        let verify = |drive: &Twin, more: &str| {
            drivelab(&format!("load {} --verify-after-crash {kept} {more}", drive.node()))
        };
        let named = |drive: &Twin| format!("--serial={}", drive.whole);
        let found = [
            verify(&first, "")?,
            verify(&second, "")?,
            verify(&first, &named(&first))?,
            verify(&second, &named(&second))?,
        ];
        cells.push(Expected::new(pair.alike, 1).check(pair.head, &found)?);
        let [_, other, _, other_named] = &found;
        if pair.alike == Alike::Serial {
            ensure!(
                other.complaint.contains("another drive (its world-wide name differs)"),
                "{}",
                other.complaint
            );
        } else {
            ensure!(other.complaint.contains("cannot be told from each other"), "{}", other.complaint);
            ensure!(other.complaint.contains(&format!("--serial={}", second.whole)), "{}", other.complaint);
            let first_line =
                format!("Nothing that the run wrote is on {}: this may be another drive", second.node());
            let words = other_named.output.split_whitespace().collect::<Vec<_>>().join(" ");
            ensure!(words.contains(&first_line), "{words}");
        }
    }
    print_row("load --verify-after-crash (own / other / own named / other named)", &cells);
    Ok(())
}

/// A matrix of two cells of which one is left.
pub fn matrix_of(drive: &Twin, kept: &str) -> Result<()> {
    let cells = "--fs ext4 --threads 1 --caching direct --work seq-write --runs 2 --cell-duration 100ms --working-set 8MiB";
    succeeds(&format!("matrix {} {cells} {} -o {kept}", drive.node(), drive.confirmed()))?;
    let path = format!("{kept}/findings.json");
    let mut found: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    found["findings"]["controls"].as_array_mut().context("controls")?.truncate(1);
    found["findings"]["cells"] = serde_json::json!([]);
    found["findings"]["measured"] = 1.into();
    fs::write(&path, found.to_string())?;
    Ok(())
}

pub fn a_matrix_goes_on_on_no_other_drive() -> Result<()> {
    let (mut cells, tries_all) = (Vec::new(), tries_all()?);
    for pair in PAIRS {
        let [first, second] = pair.drives()?;
        let kept = format!("/tmp/matrix-{}", pair.mebibytes);
        matrix_of(&first, &kept)?;
        let before = second.checksum()?;
        let resumed = |drive: &Twin, serial: &str| {
            drivelab(&format!("matrix {} --resume {kept} --serial={serial} --destroy-data", drive.node()))
        };
        let refused = resumed(&second, &second.short)?;
        ensure!(refused.code == Some(4), "{}: {:?} {}", pair.head, refused.code, refused.complaint);
        if !tries_all && matches!(pair.alike, Alike::Nothing | Alike::Wwn) {
            cells.push(format!("{:?}", refused.code));
            continue;
        }
        let own = resumed(&first, &first.whole)?;
        ensure!(second.checksum()? == before, "{}: the other drive was written", pair.head);
        let other = resumed(&second, &second.whole)?;
        // What tells the drives apart keeps the other one out; where nothing does, the user has named it, and it is said.
        let expected = if pair.alike == Alike::Serial { 4 } else { 0 };
        ensure!(own.code == Some(0), "{}: {:?} {}", pair.head, own.code, own.complaint);
        ensure!(other.code == Some(expected), "{}: {:?} {}", pair.head, other.code, other.complaint);
        if expected == 0 {
            ensure!(other.complaint.contains("may be another drive"), "{}", other.complaint);
            let words = other.output.split_whitespace().collect::<Vec<_>>().join(" ");
            ensure!(words.contains("may be another drive"), "not in the result: {words}");
        } else {
            ensure!(second.checksum()? == before, "{}: a refused run has written", pair.head);
        }
        cells.push(format!("{:?} / {:?} / {:?}", refused.code, own.code, other.code));
    }
    print_row("matrix --resume (other, serial alone / own in full / other in full)", &cells);
    Ok(())
}

pub fn lifetimes_of_two_drives_are_not_compared() -> Result<()> {
    let kept = "/tmp/lifetimes";
    succeeds(&format!("lifetime -o {kept}"))?;
    let mut cells = Vec::new();
    for pair in PAIRS {
        let [first, _] = pair.drives()?;
        let ended = drivelab(&format!("lifetime {} --since {kept} --json", first.node()))?;
        // Two that cannot be told apart are not compared.
        let expected = if pair.alike == Alike::Serial { 0 } else { 4 };
        ensure!(ended.code == Some(expected), "{}: {:?} {}", pair.head, ended.code, ended.complaint);
        cells.push(format!("{expected}"));
    }
    print_row("lifetime DRIVE --since", &cells);
    Ok(())
}

pub fn results_are_told_by_their_drives() -> Result<()> {
    let (mut indexed, mut exported) = (Vec::new(), Vec::new());
    for pair in PAIRS {
        let kept = format!("/tmp/results-{}", pair.mebibytes);
        let [first, second] = pair.drives()?;
        for drive in [&first, &second] {
            succeeds(&format!(
                "load {} --rw randread --duration 200ms -o {kept}/{}",
                drive.node(),
                drive.name
            ))?;
        }
        let index = succeeds(&format!("index {kept} --report /tmp/index.html"))?;
        let drives =
            index.pointer("/findings/drives").and_then(|drives| drives.as_array()).context("drives")?;
        let has_doubt = drives.iter().any(|drive| drive["doubt"].is_string());
        // Of one serial number alone it is not known whether they are one: that is said. One name of their own is one drive.
        let expected = match pair.alike {
            Alike::Serial | Alike::Nothing => (2, false),
            Alike::SerialAlone => (1, true),
            Alike::Wwn => (1, false),
        };
        ensure!((drives.len(), has_doubt) == expected, "{}: {} drives, {has_doubt}", pair.head, drives.len());
        indexed.push(format!("{} drives{}", drives.len(), if has_doubt { ", doubt is said" } else { "" }));
        let destination = format!("/tmp/fleet-{}", pair.mebibytes);
        succeeds(&format!("export {kept} --destination {destination} --host web1"))?;
        let fleet = succeeds(&format!("fleet report {destination}"))?;
        let found =
            fleet.pointer("/findings/drives").and_then(serde_json::Value::as_u64).context("a count")?;
        let expected = if matches!(pair.alike, Alike::Serial) { 2 } else { 1 };
        // Without a serial number the name of the device in the result stands for it, which is the model of both.
        ensure!(found == expected, "{}: {found} drives in the fleet", pair.head);
        exported.push(format!("{found} drives"));
    }
    print_row("index", &indexed);
    print_row("export, fleet report", &exported);
    Ok(())
}
