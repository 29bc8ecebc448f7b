//! Every command that measures a drive, once on an NVMe drive and once on a SATA drive.

use std::fs;

use anyhow::{Context as _, Result, ensure};

use crate::Test;
use crate::program::{device_of, drivelab};

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("on_an_nvme_drive", || on_drive("alpha", &["passthrough"])),
    ("on_a_sata_drive", || on_drive("disk-a", &[])),
];

/// The commands, in their shortest forms; the first one leaves the trace that `replay` takes.
const COMMANDS: &[(&str, &str)] = &[
    ("load", "--rw randwrite --rate 200/s --duration 2s"),
    ("quick", ""),
    ("consistency", "--duration 3s --window 1s"),
    ("trim", "--precondition random:1s --runs 2 --range 0%-25%"),
    ("pts", "--tests saturation --cell-duration 500ms --range 0%-10%"),
    ("stalls", "--bytes 64MiB"),
    ("paths", "--sizes 1MB --cell-bytes 4MB --runs 1"),
    (
        "matrix",
        "--fs ext4 --threads 1 --caching direct --work seq-read --runs 1 --cell-duration 500ms --working-set 16MiB",
    ),
];

fn on_drive(serial: &str, said_of_paths: &[&str]) -> Result<()> {
    let drive = device_of(serial)?;
    let _ = fs::remove_dir_all("/tmp/kept");
    fs::create_dir("/tmp/kept")?;
    for (command, own) in COMMANDS {
        let confirmed =
            if *command == "quick" { String::new() } else { format!("--serial {serial} --destroy-data") };
        let document = run(&format!("{command} {drive} {own} {confirmed}"), command)?;
        ensure!(document.contains(&format!("\"serial\":\"{serial}\"")), "{command} does not name the drive");
        if *command == "paths" {
            ensure!(
                said_of_paths.iter().all(|word| document.contains(word)),
                "paths without {said_of_paths:?}"
            );
        }
    }
    run(&format!("replay /tmp/kept/load {drive} --serial {serial} --destroy-data"), "replay")?;
    let all = drivelab("report /tmp/kept --report /tmp/kept/all.html")?;
    ensure!(matches!(all.code, Some(0 | 1)), "one page of all ended with {:?}: {}", all.code, all.complaint);
    let page = fs::read_to_string("/tmp/kept/all.html")?;
    let missing = COMMANDS.iter().find(|(command, _)| !page.contains(&format!("id=\"{command}\"")));
    ensure!(missing.is_none(), "{missing:?} is not on the page of all");
    Ok(())
}

/// Runs a command that keeps its result; a check of it may fail on an emulated drive. Returns its document.
fn run(words: &str, command: &str) -> Result<String> {
    let ended = drivelab(&format!("{words} -o /tmp/kept/{command} --json"))?;
    ensure!(matches!(ended.code, Some(0 | 1)), "{words} ended with {:?}: {}", ended.code, ended.complaint);
    let document = ended.document().with_context(|| words.to_owned())?;
    let notices = document.pointer("/run/notices").map(ToString::to_string).unwrap_or_default();
    ensure!(!notices.contains("I/Os failed"), "{words}: {notices}");
    Ok(document.to_string())
}
