//! `drivelab boot keep`: what the unit runs during each boot.

use std::fs;
use std::path::Path;

use drivelab_boot::{BOOT_SCHEMA, BootMachine, BootRecord, DriveCounters, ManagerTimes, TraceParameters};
use drivelab_runner::{Ending, Failure, monotonic, output, unix_nanos};

use super::kept::{KeptTrace, end_trace, keep};
use super::root_drive::{counters_of_all, root_drive};
use super::systemctl::{default_target, manager_times, started_units};
use super::watch::{WatchedBoot, until_finished};

/// Waits for the end of the boot, and keeps it in a new folder below this one.
pub fn main(boots: &Path) -> Result<Ending, Failure> {
    let command_line = text("/proc/cmdline");
    if TraceParameters::from_command_line(&command_line).is_none() {
        let message = "this boot is not traced: the kernel was booted without the parameters that `drivelab boot enable \
                       --print` shows; with --boot-loader manual you add them yourself";
        return Err(Failure::Environment(message.to_owned()));
    }
    let watched = until_finished()?;
    // Whatever is read between the two would be counted and not be in the trace.
    let counters = counters_of_all();
    let trace = end_trace()?;
    let traced_until_ns = monotonic();
    let drive = root_drive();
    let counters = drive.as_ref().and_then(|drive| counters.get(&drive.name).copied());
    let began_unix_ns = unix_nanos().saturating_sub(traced_until_ns);
    let boot_id = text("/proc/sys/kernel/random/boot_id");
    let folder = boots.join(name_of(began_unix_ns, &boot_id));
    output::make_folder(boots)?;
    let traced = keep(trace, &folder)?;
    let notices = notices(&watched, &traced);
    let record = BootRecord {
        schema: BOOT_SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        boot_id,
        began_unix_ns,
        machine: machine(command_line),
        drive,
        times: manager_times()?.unwrap_or_default(),
        target: default_target()?,
        units: started_units()?,
        processes: traced.processes,
        processors: watched.processors,
        traced_until_ns,
        counters,
        notices,
    };
    record.write(&folder).map_err(|error| Failure::Environment(error.to_string()))?;
    output::say(format_args!("{}: {}", folder.display(), summary(&record.times, record.counters)));
    Ok(Ending::Passed)
}

/// A name that sorts by time: seconds since 1970, and the beginning of the boot's own identifier.
fn name_of(began_unix_ns: u64, boot_id: &str) -> String {
    let id: String = boot_id.chars().take(8).collect();
    format!("boot-{}-{id}", began_unix_ns / 1_000_000_000)
}

fn notices(watched: &WatchedBoot, traced: &KeptTrace) -> Vec<String> {
    let mut notices = Vec::new();
    if !watched.has_finished {
        notices.push("The boot had not ended after 15 minutes: a job of systemd hangs.".to_owned());
    }
    let lost = traced.manifest.account.as_ref().map_or(0, |account| account.lost_events);
    if lost > 0 {
        notices.push(format!(
            "The kernel's buffer was full and {lost} later events are missing: enable again with a larger --buffer."
        ));
    }
    notices
}

fn machine(command_line: String) -> BootMachine {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    BootMachine {
        name: text("/proc/sys/kernel/hostname"),
        kernel: text("/proc/sys/kernel/osrelease"),
        command_line,
        processors: u32::try_from(processors).unwrap_or(u32::MAX),
    }
}

fn summary(times: &ManagerTimes, counters: Option<DriveCounters>) -> String {
    let finish = times.finish_us.map_or_else(
        || "the boot did not end".to_owned(),
        |finish| format!("booted in {:.2} s after the kernel began", finish as f64 / 1e6),
    );
    let read = counters
        .map_or_else(String::new, |counters| format!(", {} MB read", counters.read_bytes / 1_000_000));
    finish + &read
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}
