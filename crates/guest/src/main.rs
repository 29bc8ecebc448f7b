//! Boots virtual machines with real drivers under drivelab, runs its tests inside, and reports how they end.

#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a test waits for a machine, and for what runs in it")]

mod debian;
mod devices;
mod initramfs;
mod kernel;
mod machine;
mod protocol;
mod scenarios;
mod volatile;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use kernel::Kernel;
use machine::{Boot, Machine};
use protocol::Message;
use scenarios::{SCENARIOS, Scenario};
use volatile::VolatileDrive;

/// A machine of two emulated processors boots in ten seconds, and has this long for its tests.
const LONGEST: Duration = Duration::from_secs(800);
/// What it has besides for each round of a test that depends on chance.
const LONGEST_ROUND: Duration = Duration::from_secs(20);

/// How long a machine may boot; usually ten seconds.
const LONGEST_BOOT: Duration = Duration::from_secs(120);

/// How many boots of a scenario may come to nothing.
const FAILED_BOOTS_MAX: u32 = 2;

/// Machines that run at the same time.
const AT_ONCE: usize = 2;

/// How many tests passed, which failed, and what is to be printed of them.
#[derive(Default)]
struct Count {
    passed: u32,
    /// The lines of those that failed.
    failed: Vec<String>,
    lines: Vec<String>,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
    }

    fn passed(&mut self, test: &str) {
        self.lines.push(format!("test {test} ... ok"));
        self.passed += 1;
    }

    fn failed(&mut self, why: &str) {
        self.fail(format!("test {why}"));
    }

    fn fail(&mut self, line: String) {
        self.lines.push(line.clone());
        self.failed.push(line);
    }

    /// A test of what is known to be read from a drive inside, against what the hypervisor has counted.
    fn compare(&mut self, device: &str, bytes: u64, counted: u64) {
        let test = format!("{device}::what_is_traced_is_what_the_hypervisor_counted");
        let words = format!("{bytes} bytes are traced, {counted} were counted");
        if bytes.abs_diff(counted) * 50 <= counted {
            self.passed(&format!("{test} ({words})"));
        } else {
            self.failed(&format!("{test} ... FAILED: {words}"));
        }
    }
}

fn main() -> ExitCode {
    match tests() {
        Ok(count) => {
            // Machines run beside each other: what failed may stand far above what was printed last.
            count.failed.iter().for_each(|line| println!("{line}"));
            println!("guest: {} passed, {} failed", count.passed, count.failed.len());
            if count.failed.is_empty() && count.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
    let asked: Vec<&Scenario> = SCENARIOS
        .iter()
        .filter(|one| named.iter().any(|name| name == one.name) || named.is_empty() && !one.only_by_name)
        .collect();
    let next = AtomicUsize::new(0);
    let one_after_another = || {
        let mut count = Count::default();
        while let Some(scenario) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
            count.add(report(scenario, |count| run(scenario, (&kernel, &initramfs), &folder, count)));
        }
        count
    };
    let count = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(one_after_another)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).fold(Count::default(), |mut all, one| {
            all.add(one);
            all
        })
    });
    Ok(count)
}

/// The parameters with which a kernel traces its boot, as the program says that they are to be set by hand.
fn trace_parameters(folder: &Path, buffer: &str) -> Result<String> {
    let program = folder.with_file_name("drivelab");
    let mut command = Command::new(&program);
    command.args(["boot", "enable", "--print", "--boot-loader", "manual", "--buffer", buffer]);
    let printed = kernel::run(&mut command)?;
    let parameters = printed.lines().map(str::trim).find(|line| line.starts_with("trace_event="));
    Ok(parameters.context("drivelab boot enable prints no parameters")?.to_owned())
}

/// Runs the tests of a scenario and prints what came of them, together, since other machines run meanwhile.
fn report(scenario: &Scenario, run: impl FnOnce(&mut Count) -> Result<()>) -> Count {
    let (began, mut count) = (Instant::now(), Count::default());
    if let Err(error) = run(&mut count) {
        count.fail(format!("guest {}: FAILED: {error:#}", scenario.name));
    }
    count.lines.push(format!("guest {}: {:.0} s", scenario.name, began.elapsed().as_secs_f64()));
    println!("{}", count.lines.join("\n"));
    count
}

/// Boots the machine of a scenario, as often as its tests ask for, until they are done.
fn run(
    scenario: &Scenario,
    (kernel, initramfs): (&Kernel, &Path),
    folder: &Path,
    count: &mut Count,
) -> Result<()> {
    let drives = tempfile::tempdir_in(folder)?;
    let serve = |(name, size): &(&str, u64)| VolatileDrive::serve(&drives.path().join(name), *size);
    let volatile: Vec<VolatileDrive> = scenario.volatile.iter().map(serve).collect::<Result<_>>()?;
    let rounds = rounds()?;
    let parameters =
        scenario.traces_boot.map_or(Ok(String::new()), |buffer| trace_parameters(folder, buffer))?;
    let (mut number, mut note, mut failed_boots) = (0, String::new(), 0);
    loop {
        let devices = (scenario.devices)(drives.path())?;
        let (name, parameters) = (scenario.name, parameters.as_str());
        let booted = Boot {
            kernel,
            initramfs,
            scenario: name,
            number,
            rounds,
            note: &note,
            parameters,
            devices,
            folder,
        };
        match follow(Machine::boot(&booted)?, rounds, count, &mut note)? {
            Ending::Done => return Ok(()),
            Ending::PowerCut => {
                for (place, drive) in volatile.iter().enumerate() {
                    drive.cut_power(u64::from(number) << 8 | place as u64)?;
                }
                number += 1;
            }
            Ending::NotUp(console) if failed_boots == FAILED_BOOTS_MAX => {
                bail!("the kernel did not come up, {} times\n{console}", failed_boots + 1);
            }
            Ending::NotUp(_) => failed_boots += 1,
        }
    }
}

/// How often tests that depend on chance are repeated: `ROUNDS` of the environment, once by default.
fn rounds() -> Result<u32> {
    let Ok(text) = env::var("ROUNDS") else { return Ok(1) };
    let rounds = text.parse().ok().filter(|rounds| *rounds > 0);
    rounds.with_context(|| format!("ROUNDS={text}: write a number of rounds, such as ROUNDS=8"))
}

/// What a kernel says that meets the breakpoint by which it changes its own code, and does not know it: a fault of the emulation.
const STOPPED_AT_BREAKPOINT: &str = "Oops: int3";

/// How a machine ended.
enum Ending {
    /// The kernel did not reach the tests, or stopped before the first of them ended: the end of its console. An emulated
    /// processor sometimes fails while the kernel changes its own code at boot.
    NotUp(String),
    /// Its tests were done.
    Done,
    /// Its power was cut, as its tests asked; they go on after another boot.
    PowerCut,
}

/// Does what the tests ask for, and counts those that pass and fail.
fn follow(machine: Machine, rounds: u32, count: &mut Count, note: &mut String) -> Result<Ending> {
    let until = Instant::now() + LONGEST + LONGEST_ROUND * rounds;
    let (mut is_up, mut has_result, mut counted) = (false, false, 0);
    loop {
        let line = match machine.line(if is_up { until } else { until.min(Instant::now() + LONGEST_BOOT) }) {
            Ok(Some(line)) => line,
            Ok(None) | Err(_) if !is_up => return Ok(Ending::NotUp(machine.end_of_console())),
            Ok(None) if !has_result && machine.end_of_console().contains(STOPPED_AT_BREAKPOINT) => {
                return Ok(Ending::NotUp(machine.end_of_console()));
            }
            Ok(None) => bail!("the machine ended before its tests did\n{}", machine.end_of_console()),
            Err(error) => return Err(error),
        };
        let message = line.parse();
        has_result |= matches!(message, Ok(Message::Passed(_) | Message::Failed(_)));
        match message {
            Ok(Message::Started) => is_up = true,
            Ok(Message::Passed(test)) => count.passed(&test),
            Ok(Message::Failed(why)) => count.failed(&why),
            Ok(Message::Unplug(device)) => machine.unplug(&device)?,
            Ok(Message::Pause(seconds)) => machine.pause(Duration::from_secs(seconds.into()))?,
            Ok(Message::Throttle(device, iops)) => machine.throttle(&device, iops)?,
            Ok(Message::Count(device)) => counted = machine.bytes_read(&device)?,
            Ok(Message::HasRead(device, bytes)) => count.compare(&device, bytes, counted),
            Ok(Message::Note(text)) => *note = text,
            Ok(Message::CutPower) => {
                machine.cut_power()?;
                return Ok(Ending::PowerCut);
            }
            Ok(Message::Done) => return Ok(Ending::Done),
            Err(_) => count.lines.push(format!("  {line}")),
        }
    }
}
