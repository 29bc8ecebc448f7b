//! Boots of a Debian with systemd, from a fast drive and then from a slow one: what drivelab says of them is held against what
//! systemd and the hypervisor say.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{device_of, drivelab, from_command_line, run, succeeds, wait_until};
use crate::protocol::Message;

/// The word with which the first program of the machine is told to hand over to the system on a drive.
pub const SWITCH_ROOT: &str = "--switch-root";
/// The scenario of the recorder as a service, and the drive that holds its system.
pub const SERVICE: &str = "service";

const BOOTS: &str = "/var/lib/drivelab/boots";
const OTHER_DRIVE: &str = "/mnt";

/// How long after its boot a busy machine may take to keep it.
const PATIENCE: Duration = Duration::from_secs(120);

/// Which of the boots this is.
#[derive(Clone, Copy)]
struct Place {
    /// How many were before it.
    number: usize,
    /// How many there are of each drive.
    rounds: usize,
}

impl Place {
    fn of_this_boot() -> Result<Place> {
        let number = from_command_line("drivelab.boot")?.context("the number of the boot")?.parse()?;
        let rounds = from_command_line("drivelab.rounds")?.context("the number of rounds")?.parse()?;
        Ok(Place { number, rounds })
    }

    /// The drive that holds the system.
    const fn drive(self) -> &'static str {
        if self.number < self.rounds { "fast" } else { "slow" }
    }

    const fn is_last_of_drive(self) -> bool {
        (self.number + 1).is_multiple_of(self.rounds)
    }

    const fn is_last(self) -> bool {
        self.number + 1 == 2 * self.rounds
    }
}

/// The tests of this boot.
///
/// # Errors
/// Where the kernel's command line does not say which boot it is.
pub fn tests() -> Result<&'static [Test]> {
    let place = Place::of_this_boot()?;
    Ok(if place.is_last() {
        &[
            TIMES,
            ("the_slow_drive_is_known_for_slow", the_slow_drive_is_known_for_slow),
            ("nothing_is_left_of_what_was_enabled", nothing_is_left_of_what_was_enabled),
        ]
    } else if place.is_last_of_drive() {
        &[
            TIMES,
            ("the_boot_is_replayed_on_a_simulated_disk", the_boot_is_replayed_on_a_simulated_disk),
            AGAIN,
        ]
    } else {
        &[TIMES, AGAIN]
    })
}

const TIMES: Test = ("the_times_of_a_boot_are_those_of_systemd", the_times_of_a_boot_are_those_of_systemd);
const AGAIN: Test = ("the_machine_boots_again", the_machine_boots_again);

/// Hands over to the system on the drive of this boot; this process becomes its systemd.
///
/// # Errors
/// Where the drive is not there, or cannot be mounted.
pub fn switch_root() -> Result<()> {
    let scenario = from_command_line("drivelab.scenario")?;
    let name = if scenario.as_deref() == Some(SERVICE) { SERVICE } else { Place::of_this_boot()?.drive() };
    wait_until(PATIENCE, &format!("the drive {name} is not there"), || device_of(name).is_ok())?;
    run(&format!("/busybox/mount -t ext4 {} {OTHER_DRIVE}", device_of(name)?))?;
    Err(Command::new("/busybox/switch_root").args([OTHER_DRIVE, "/sbin/init"]).exec().into())
}

fn the_times_of_a_boot_are_those_of_systemd() -> Result<()> {
    // It fails where a unit did, which is no matter here.
    Command::new("systemctl").args(["is-system-running", "--wait"]).output()?;
    let drive = Place::of_this_boot()?.drive();
    println!("{}", Message::Count(drive.to_owned()));
    let keeper = || run("systemctl show drivelab-boot.service --property=ActiveState,Result");
    wait_until(PATIENCE, "the boot is not kept", || {
        keeper().is_ok_and(|state| state.contains("ActiveState=inactive"))
    })?;
    ensure!(keeper()?.contains("Result=success"), "the boot was not kept: {}", keeper()?);
    let shown = succeeds(&format!("boot show {}", newest_boot()?.display()))?;
    let boot = &shown["findings"]["boots"][0];
    let total =
        boot["seconds"]["total"].as_f64().with_context(|| format!("the boot has not ended: {boot}"))?;
    let analyzed = run("systemd-analyze time")?;
    let expected = seconds(&analyzed).with_context(|| format!("no time in {analyzed}"))?;
    ensure!((total - expected).abs() <= expected / 100.0, "{total} s, where systemd-analyze has {analyzed}");
    let bytes = boot["read_bytes"].as_u64().context("bytes that were read")?;
    ensure!(bytes > 10 << 20, "a system reads more than {bytes} bytes");
    println!("{}", Message::HasRead(drive.to_owned(), bytes));
    println!("  {total:.1} s from the {drive} drive, which is busy for {:.1} s", busy(boot)?);
    Ok(())
}

fn the_boot_is_replayed_on_a_simulated_disk() -> Result<()> {
    let (folder, drive) = (newest_boot()?, device_of("fast")?);
    let device = drive.trim_start_matches("/dev/");
    let replay = format!(
        "replay {} sim:hdd-7200 --trace-device {device} --timing dependent -o /tmp/replayed",
        folder.display()
    );
    let replayed = succeeds(&replay)?;
    let shown = succeeds(&format!("boot show {}", folder.display()))?;
    let (trace, done) = (&replayed["findings"]["trace"], &replayed["findings"]["replayed"]);
    let made =
        ["read", "write", "flush", "discard"].iter().filter_map(|kind| done["requests"][kind].as_u64());
    let made: u64 = made.sum();
    ensure!(trace["requests"] == made && made > 100, "{made} requests of {trace}");
    // Replayed is what was traced to the end of the trace, which is later than that of the boot.
    let (read, of_boot) =
        (done["bytes"]["read"].as_u64(), shown["findings"]["boots"][0]["read_bytes"].as_u64());
    ensure!(read >= of_boot && of_boot.is_some(), "{read:?} bytes were read again, {of_boot:?} at the boot");
    let seconds = |value: &Value| value["span_ns"].as_f64().map(|span| span / 1e9).context("a time");
    let (first, again) = (seconds(trace)?, seconds(done)?);
    println!("  {made} requests: {first:.1} s as traced, {again:.1} s on a simulated disk");
    ensure!(again > busy(&shown["findings"]["boots"][0])?, "a disk is no faster than this drive");
    Ok(())
}

/// Has the power cut. No test comes after it in this boot.
pub fn the_machine_boots_again() -> Result<()> {
    run("sync")?;
    println!("{}", Message::CutPower);
    thread::sleep(Duration::from_secs(60));
    bail!("the power was not cut")
}

fn the_slow_drive_is_known_for_slow() -> Result<()> {
    run(&format!("mount -o ro {} {OTHER_DRIVE}", device_of("fast")?))?;
    let shown = succeeds(&format!("boot show {OTHER_DRIVE}{BOOTS} {BOOTS}"))?;
    run(&format!("umount {OTHER_DRIVE}"))?;
    let findings = &shown["findings"];
    let comparison = &findings["comparisons"][0];
    let (fastest, other) = (&comparison["fastest"], &comparison["other"]);
    println!("  {comparison}");
    let drives = findings["drives"].as_array().context("drives")?;
    let labelled = |label: &Value| {
        drives.iter().find(|one| one["label"] == *label).with_context(|| format!("no {label}: {findings}"))
    };
    let total = |label: &Value| -> Result<f64> {
        labelled(label)?["total_s"]["mean"].as_f64().context("the time of a whole boot")
    };
    // A machine that is busy with something else may take longer for the boot from the fast drive: compared is what was seen.
    let times = total(other)? / total(fastest)?;
    let said = comparison["times_as_long"].as_f64().context("how many times")?;
    ensure!(times >= 1.0 && (said - times).abs() < 1e-6, "{times} and not {comparison}");
    let boots = findings["boots"].as_array().context("boots")?;
    let busy_s = |drive: &Value| -> Result<f64> {
        let own = boots.iter().filter(|boot| boot["drive"] == *drive);
        let times = own.map(busy).collect::<Result<Vec<f64>>>()?;
        ensure!(times.len() == Place::of_this_boot()?.rounds, "{} boots of {drive}", times.len());
        Ok(times.iter().sum())
    };
    let of_serial = |serial: &str| {
        let found = drives.iter().find(|one| one["serial"] == *serial);
        found.map(|one| &one["label"]).with_context(|| format!("no drive {serial}: {findings}"))
    };
    let (fast, slow) = (of_serial("fast")?, of_serial("slow")?);
    ensure!([fastest, other].iter().all(|one| [fast, slow].contains(one)), "which is which: {comparison}");
    ensure!(busy_s(slow)? > 2.0 * busy_s(fast)?, "the slow drive was not busy for longer");
    Ok(())
}

fn nothing_is_left_of_what_was_enabled() -> Result<()> {
    let ended = drivelab("boot disable")?;
    ensure!(ended.code == Some(0), "{ended:?}");
    for path in ["system/drivelab-boot.service", "system.conf.d/drivelab-boot.conf"] {
        ensure!(!fs::exists(format!("/etc/systemd/{path}"))?, "{path} is left");
    }
    let unit = run("systemctl show drivelab-boot.service --property=LoadState")?;
    ensure!(unit.contains("not-found"), "systemd still knows the unit: {unit}");
    ensure!(newest_boot()?.is_dir(), "boots that were kept stay");
    Ok(())
}

/// How long the drive was busy in a boot, in seconds.
fn busy(boot: &Value) -> Result<f64> {
    boot["drive_busy_s"].as_f64().with_context(|| format!("how long the drive was busy: {boot}"))
}

/// The folder of the boot that was kept last; a folder's name begins with the second in which its boot began.
fn newest_boot() -> Result<PathBuf> {
    let folders = fs::read_dir(BOOTS)?.flatten().map(|entry| entry.path());
    folders.max().context("no boot was kept")
}

/// The sum at the end of the first line of `systemd-analyze time`, such as `= 1min 2.345s`, in seconds.
fn seconds(analyzed: &str) -> Option<f64> {
    let (_, sum) = analyzed.lines().next()?.rsplit_once('=')?;
    sum.split_whitespace().try_fold(0.0, |seconds, word| {
        let number = |unit| word.strip_suffix(unit).and_then(|text: &str| text.parse::<f64>().ok());
        let part = number("min").map(|minutes| 60.0 * minutes);
        Some(seconds + part.or_else(|| number("ms").map(|one| one / 1000.0)).or_else(|| number("s"))?)
    })
}
