//! The recorder as a service of a Debian with systemd: it is killed, finds no room, its rollup has no destination for a while,
//! and its machine loses power.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::Test;
use crate::debian::{SERVICE, the_machine_boots_again};
use crate::program::{device_of, from_command_line, run, succeeds, wait_until};

const UNIT: &str = "drivelab-trace.service";
const CONF: &str = "/etc/drivelab/trace.conf";
const ROLLUP_CONF: &str = "/etc/drivelab/rollup.conf";
/// Lets the service write to the destination of its rollup.
const DROP_IN: &str = "/etc/systemd/system/drivelab-trace.service.d/rollup.conf";
const DESTINATION: &str = "/srv/rollup";
const METRICS: &str = "/var/lib/drivelab/drivelab.prom";
const STATE: &str = "/var/lib/drivelab";
const TRACES: &str = "/var/lib/drivelab/traces";

/// The unit waits for half a minute before it starts again, and an emulated machine is slow.
const PATIENCE: Duration = Duration::from_secs(180);

/// What is written under the eyes of the service, in bytes.
const WRITTEN: u64 = 8 << 20;

/// The tests of this boot: the power is cut after those of the first.
///
/// # Errors
/// Where the kernel's command line does not say which boot it is.
pub fn tests() -> Result<&'static [Test]> {
    let boot = from_command_line("drivelab.boot")?.context("the number of the boot")?;
    Ok(if boot.parse::<u32>()? == 0 {
        &[
            ("it_records_as_its_own_user", it_records_as_its_own_user),
            ("a_killed_recorder_is_started_again", a_killed_recorder_is_started_again),
            ("without_room_it_counts_what_is_lost", without_room_it_counts_what_is_lost),
            ("a_rollup_waits_for_its_destination", a_rollup_waits_for_its_destination),
            ("the_power_is_cut", the_machine_boots_again),
        ]
    } else {
        &[("it_goes_on_after_a_power_cut", it_goes_on_after_a_power_cut)]
    })
}

/// Switches the service on, as a user does who has installed it.
fn it_records_as_its_own_user() -> Result<()> {
    fs::create_dir_all("/etc/drivelab")?;
    let device = device_of(SERVICE)?;
    fs::write(CONF, format!("MAX_SIZE=256MiB\nOPTIONS=--device {device} --openmetrics {METRICS}\n"))?;
    run("systemd-sysusers drivelab.conf")?;
    run(&format!("systemctl enable --now {UNIT}"))?;
    let recording = begun_after(0)?;
    let user = run("id -u drivelab")?.trim().parse::<u32>()?;
    ensure!(user != 0, "the service has a user of its own");
    let process = fs::metadata(format!("/proc/{}", main_process()?))?;
    ensure!(process.uid() == user, "it runs as the user {}", process.uid());
    let folder = fs::metadata(&recording)?;
    ensure!(
        folder.uid() == user && folder.mode() & 0o777 == 0o700,
        "others may read {}",
        recording.display()
    );
    write()?;
    wait_until(PATIENCE, "no metrics are written", || fs::exists(METRICS).unwrap_or(false))?;
    wait_until(PATIENCE, "what was written is not in the recording", || {
        written_in(&recording).is_ok_and(|bytes| bytes >= WRITTEN)
    })
}

/// What a killed recorder has recorded stays, and another recording begins.
fn a_killed_recorder_is_started_again() -> Result<()> {
    let before = recordings()?;
    let first = before.last().context("a recording")?;
    // The recorder brings what it has to the disk once a second.
    thread::sleep(Duration::from_secs(2));
    let kept = written_in(first)?;
    run(&format!("systemctl kill --signal=SIGKILL {UNIT}"))?;
    begun_after(before.len())?;
    ensure!(written_in(first)? >= kept, "the killed recording has lost what it had");
    Ok(())
}

/// A full disk costs what is counted, and does not end the service.
fn without_room_it_counts_what_is_lost() -> Result<()> {
    run(&format!("systemctl stop {UNIT}"))?;
    run(&format!("mount -t tmpfs -o size=600k,mode=0700,uid=drivelab tmpfs {TRACES}"))?;
    let checked = lost_in_a_small_room();
    run(&format!("systemctl stop {UNIT}"))?;
    run(&format!("umount {TRACES}"))?;
    checked?;
    let before = recordings()?.len();
    run(&format!("systemctl start {UNIT}"))?;
    begun_after(before)?;
    Ok(())
}

fn lost_in_a_small_room() -> Result<()> {
    run(&format!("systemctl start {UNIT}"))?;
    begun_after(0)?;
    // Small I/Os, each a record, until there is no room. The journal has what the service says, which has no room either.
    wait_until(PATIENCE, "the service does not say that requests are lost", || {
        run("dd if=/dev/zero of=/var/tmp/small bs=4k count=5000 oflag=direct conv=notrunc status=none")
            .is_ok()
            && run(&format!("journalctl --no-pager --unit {UNIT}"))
                .is_ok_and(|journal| journal.contains("cannot be written any more"))
    })?;
    let state = run(&format!("systemctl is-active {UNIT}"))?;
    ensure!(state.trim() == "active", "the service is {state}");
    Ok(())
}

/// A destination that cannot be written when a recording ends lacks the end of its rollup, which the recorder says; an export
/// writes it. The next recording writes it by itself.
fn a_rollup_waits_for_its_destination() -> Result<()> {
    fs::create_dir_all(DESTINATION)?;
    fs::create_dir_all(Path::new(DROP_IN).parent().context("a folder")?)?;
    run(&format!("mount -t tmpfs -o mode=0700,uid=drivelab tmpfs {DESTINATION}"))?;
    fs::write(ROLLUP_CONF, format!("ROLLUP=--rollup-to {DESTINATION}\n"))?;
    fs::write(DROP_IN, format!("[Service]\nReadWritePaths={DESTINATION}\n"))?;
    run("systemctl daemon-reload")?;
    run(&format!("systemctl stop {UNIT}"))?;
    let checked = written_later();
    run(&format!("systemctl stop {UNIT}"))?;
    fs::remove_file(ROLLUP_CONF)?;
    fs::remove_file(DROP_IN)?;
    run("systemctl daemon-reload")?;
    run(&format!("umount {DESTINATION}"))?;
    checked?;
    let before = recordings()?.len();
    run(&format!("systemctl start {UNIT}"))?;
    begun_after(before)?;
    Ok(())
}

fn written_later() -> Result<()> {
    let away = record_and_stop(|| run(&format!("mount -o remount,ro {DESTINATION}")).map(drop))?;
    ensure!(
        said("the last state of the rollup was not written")?,
        "the service does not say what is missing"
    );
    run(&format!("mount -o remount,rw {DESTINATION}"))?;
    let export =
        format!("runuser -u drivelab -- drivelab export {} --destination {DESTINATION}", away.display());
    run(&export)?;
    let files = || run(&format!("find {DESTINATION} -name *.parquet")).map(|found| found.lines().count());
    let exported = files()?;
    ensure!(exported > 0, "nothing was exported");
    record_and_stop(|| Ok(()))?;
    ensure!(said("rollup: run ")?, "the service does not say that it has written the rollup");
    ensure!(files()? > exported, "the second recording has no files");
    Ok(())
}

/// Records what is written, and stops the service after something was done to the machine.
fn record_and_stop(meanwhile: impl FnOnce() -> Result<()>) -> Result<PathBuf> {
    let before = recordings()?.len();
    run(&format!("systemctl start {UNIT}"))?;
    let recording = begun_after(before)?;
    write()?;
    meanwhile()?;
    run(&format!("systemctl stop {UNIT}"))?;
    Ok(recording)
}

/// Whether the service has said this since it was first switched on.
fn said(words: &str) -> Result<bool> {
    Ok(run(&format!("journalctl --no-pager --unit {UNIT}"))?.contains(words))
}

/// After a power cut the service records again, and what it had is there.
fn it_goes_on_after_a_power_cut() -> Result<()> {
    // One each of the start, the kill and the full disk, three of the rollup; the last one is that of this boot.
    begun_after(6)?;
    let all = recordings()?;
    ensure!(written_in(&all[0])? >= WRITTEN, "the first recording is not what it was");
    for recording in &all[..all.len() - 1] {
        written_in(recording).with_context(|| format!("{} cannot be read", recording.display()))?;
    }
    run(&format!("systemctl disable --now {UNIT}"))?;
    ensure!(fs::metadata(STATE)?.mode() & 0o777 == 0o700, "others may look into {STATE}");
    Ok(())
}

/// Its process; an error while it has none.
fn main_process() -> Result<u32> {
    let shown = run(&format!("systemctl show {UNIT} --property=MainPID --value"))?;
    let process = shown.trim().parse()?;
    ensure!(process != 0, "the service does not run");
    Ok(process)
}

/// The recording that comes after this number of others, as soon as it has begun.
fn begun_after(count: usize) -> Result<PathBuf> {
    let newest = || recordings().ok().filter(|all| all.len() > count)?.pop();
    let has_begun = || newest().is_some_and(|recording| recording.join("trace.json").is_file());
    let status = || run(&format!("systemctl status --no-pager --lines=20 {UNIT}")).unwrap_or_default();
    wait_until(PATIENCE, "no recording has begun", has_begun).with_context(status)?;
    newest().context("a recording")
}

/// The folders of recordings, the oldest first.
fn recordings() -> Result<Vec<PathBuf>> {
    let folders = fs::read_dir(TRACES)?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
    let mut folders: Vec<_> = folders.collect();
    folders.sort();
    Ok(folders)
}

fn written_in(recording: &Path) -> Result<u64> {
    let shown = succeeds(&format!("trace show {}", recording.display()))?;
    shown["findings"]["bytes"]["write"].as_u64().context("the bytes that were written")
}

fn write() -> Result<()> {
    run("dd if=/dev/zero of=/var/tmp/written bs=1M count=8 oflag=direct conv=notrunc status=none").map(drop)
}
