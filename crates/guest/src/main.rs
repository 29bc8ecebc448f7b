//! Boots virtual machines with real drivers under drivelab, runs its tests inside, and reports how they end.

#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a test waits for a machine, and for what runs in it")]

mod devices;
mod initramfs;
mod kernel;
mod machine;
mod protocol;
mod scenarios;

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use kernel::Kernel;
use machine::{Boot, Machine};
use protocol::Message;
use scenarios::{SCENARIOS, Scenario};

/// A machine of two emulated processors boots in ten seconds, and has this long for its tests.
const LONGEST: Duration = Duration::from_secs(240);

/// How many tests passed and failed.
#[derive(Default)]
struct Count {
    passed: u32,
    failed: u32,
}

fn main() -> ExitCode {
    match tests() {
        Ok(count) => {
            println!("guest: {} passed, {} failed", count.passed, count.failed);
            if count.failed == 0 && count.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("guest: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn tests() -> Result<Count> {
    let named: Vec<String> = env::args().skip(1).collect();
    if let Some(unknown) = named.iter().find(|name| SCENARIOS.iter().all(|one| one.name != **name)) {
        let names: Vec<&str> = SCENARIOS.iter().map(|one| one.name).collect();
        bail!("{unknown} is no scenario; there are {}", names.join(", "));
    }
    let programs = env::current_exe()?.parent().context("a program has a folder")?.to_owned();
    let folder = programs.join("guest");
    fs::create_dir_all(&folder)?;
    let kernel = Kernel::fetched_to(&folder)?;
    let inside = programs.join("drivelab-guest-inside");
    let initramfs = initramfs::pack(&kernel, &programs.join("drivelab"), &inside, &folder)?;
    let mut count = Count::default();
    for scenario in
        SCENARIOS.iter().filter(|one| named.is_empty() || named.iter().any(|name| name == one.name))
    {
        let began = Instant::now();
        if let Err(error) = run(scenario, &kernel, &initramfs, &folder, &mut count) {
            println!("guest {}: FAILED: {error:#}", scenario.name);
            count.failed += 1;
        }
        println!("guest {}: {:.0} s", scenario.name, began.elapsed().as_secs_f64());
    }
    Ok(count)
}

/// Boots the machine of a scenario, as often as its tests ask for, until they are done.
fn run(
    scenario: &Scenario,
    kernel: &Kernel,
    initramfs: &Path,
    folder: &Path,
    count: &mut Count,
) -> Result<()> {
    let drives = tempfile::tempdir_in(folder)?;
    for number in 0.. {
        let devices = (scenario.devices)(drives.path())?;
        let booted = Boot { kernel, initramfs, scenario: scenario.name, number, devices, folder };
        if follow(Machine::boot(&booted)?, count)? == Ending::Done {
            break;
        }
    }
    Ok(())
}

/// How a machine ended.
#[derive(PartialEq, Eq)]
enum Ending {
    /// Its tests were done.
    Done,
    /// Its power was cut, as its tests asked; they go on after another boot.
    PowerCut,
}

/// Does what the tests ask for, and counts those that pass and fail.
fn follow(machine: Machine, count: &mut Count) -> Result<Ending> {
    let until = Instant::now() + LONGEST;
    while let Some(line) = machine.line(until)? {
        match line.parse() {
            Ok(Message::Passed(test)) => {
                println!("test {test} ... ok");
                count.passed += 1;
            }
            Ok(Message::Failed(why)) => {
                println!("test {why}");
                count.failed += 1;
            }
            Ok(Message::Unplug(device)) => machine.unplug(&device)?,
            Ok(Message::CutPower) => {
                machine.cut_power()?;
                return Ok(Ending::PowerCut);
            }
            Ok(Message::Done) => return Ok(Ending::Done),
            Err(_) => println!("  {line}"),
        }
    }
    bail!("the machine ended before its tests did\n{}", machine.end_of_console())
}
