//! `drivelab boot keep`: a boot is kept when it is over.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use drivelab_boot::{
    BOOT_SCHEMA, BootDrive, BootMachine, BootProcess, BootRecord, DriveCounters, MANAGER_PROPERTIES,
    ManagerTimes, ProcessorSample, TRACED_EVENTS, TargetTime, TraceParameters, UNIT_PROPERTIES,
    drive_counters, units,
};
use drivelab_program::{NoAnswer, answer, find};
use drivelab_runner::{
    Ending, Failure, environment, identities_of, monotonic, names_by_number, output, recorded_drives, say,
    started_at_unix, unix_nanos,
};
use drivelab_safety::{DriveIdentity, System};
use drivelab_system_calls::tracer::BootTrace;
use drivelab_trace::{Begin, Programs, Recording, TraceManifest};
use rustix::fs::{major, minor};

use crate::commands::identity::all_drives;

/// Waits for the end of the boot, and keeps it in a new folder below this one.
pub fn keep(boots: &Path) -> Result<Ending, Failure> {
    let command_line = text("/proc/cmdline");
    if TraceParameters::from_command_line(&command_line).is_none() {
        return Err(environment!(
            "this boot is not traced: the kernel was booted without the parameters that `drivelab boot enable \
             --print` shows; with --boot-loader manual you add them yourself"
        ));
    }
    let watched = until_finished()?;
    // Whatever is read between the two would be counted and not be in the trace.
    let counters = counters_of_all();
    let events = TRACED_EVENTS.map(|event| event.replace(':', "/"));
    // What is read and written from now on is in the trace no more.
    let trace = BootTrace::end(&events.each_ref().map(String::as_str))?;
    let traced_until_ns = monotonic();
    let drive = root_drive();
    let counters = drive.as_ref().and_then(|drive| counters.get(&drive.name).copied());
    let began_unix_ns = unix_nanos().saturating_sub(traced_until_ns);
    let boot_id = text("/proc/sys/kernel/random/boot_id");
    // A name that sorts by time: seconds since 1970, and the beginning of the boot's own identifier.
    let id: String = boot_id.chars().take(8).collect();
    let folder = boots.join(format!("boot-{}-{id}", began_unix_ns / 1_000_000_000));
    output::make_folder(boots)?;
    let traced = keep_trace(trace, &folder)?;
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
        units: units(&ask(&["show", "*", &format!("--property={UNIT_PROPERTIES}")])?),
        processes: traced.processes,
        processors: watched.processors,
        traced_until_ns,
        counters,
        notices,
    };
    record.write(&folder).map_err(|error| environment!("{error}"))?;
    say!("{}: {}", folder.display(), summary(&record.times, record.counters));
    Ok(Ending::Passed)
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

/// What came of the trace of a boot.
struct KeptTrace {
    manifest: TraceManifest,
    processes: Vec<BootProcess>,
}

/// Writes what was traced into a new folder. Times are those since the kernel began.
fn keep_trace(mut trace: BootTrace, folder: &Path) -> Result<KeptTrace, Failure> {
    let drives = recorded_drives(&[])?;
    let formats = trace.formats.clone();
    let unix_ns = unix_nanos().saturating_sub(monotonic());
    let begin = Begin {
        version: env!("CARGO_PKG_VERSION"),
        devices: names_by_number(&drives),
        drives: identities_of(&drives),
        formats: &formats,
        at: 0,
        unix_ns,
        started: started_at_unix(unix_ns),
        keep_at_most: None,
    };
    let mut recording = Recording::begin(folder, begin)?;
    let mut programs = Programs::new(&formats);
    let failed = |error: std::io::Error| Failure::io("the kernel's trace of the boot cannot be read", &error);
    trace
        .pages(|page| {
            programs.page(page.clone());
            recording.page(page);
        })
        .map_err(failed)?;
    recording.lost(trace.buffers.losses().map_err(failed)?);
    let manifest = recording.finish(|_| ())?.manifest;
    let processes = programs.finish().into_iter().map(|run| BootProcess {
        pid: run.pid,
        name: run.name,
        began_ns: run.began,
        ended_ns: run.ended,
    });
    Ok(KeptTrace { manifest, processes: processes.collect() })
}

/// More layers of device mapper than this lie on no machine.
const MAX_LAYERS: u32 = 8;

/// The drive, where the root file system lies on a single one.
fn root_drive() -> Option<BootDrive> {
    let name = whole_drive(&root_device()?, MAX_LAYERS)?;
    let mut drives = all_drives(&System::live());
    let DriveIdentity { model, serial, wwn, size, .. } = drives.find(|drive| drive.kernel_name == name)?;
    Some(BootDrive { name, model, serial, wwn, size_bytes: size.get() })
}

/// What the kernel counts of each drive, by its name. Which of them holds the root file system takes longer to find out.
fn counters_of_all() -> HashMap<String, DriveCounters> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let counted = entries.filter_map(|entry| {
        let counters = drive_counters(&fs::read_to_string(entry.path().join("stat")).ok()?)?;
        Some((entry.file_name().to_string_lossy().into_owned(), counters))
    });
    counted.collect()
}

/// The folder in /sys of the device that `/` is mounted from. btrfs has a number of its own: its source is asked instead.
fn root_device() -> Option<PathBuf> {
    let number = fs::metadata("/").ok()?.dev();
    let folder = PathBuf::from(format!("/sys/dev/block/{}:{}", major(number), minor(number)));
    fs::canonicalize(folder).ok().or_else(|| {
        let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
        let source = mounts.lines().rev().find_map(|line| {
            let mut words = line.split(' ');
            let source = words.next()?;
            (words.next() == Some("/")).then_some(source)
        })?;
        let name = fs::canonicalize(source).ok()?.file_name()?.to_owned();
        fs::canonicalize(Path::new("/sys/class/block").join(name)).ok()
    })
}

/// The name of the drive below a device: of a partition the whole, of a mapped device the single one below it.
fn whole_drive(device: &Path, layers: u32) -> Option<String> {
    if device.join("partition").is_file() {
        return whole_drive(device.parent()?, layers);
    }
    let below: Vec<PathBuf> = fs::read_dir(device.join("slaves"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    match below.as_slice() {
        [] => Some(device.file_name()?.to_string_lossy().into_owned()),
        [one] if layers > 0 => whole_drive(&fs::canonicalize(one).ok()?, layers - 1),
        _ => None,
    }
}

/// How long systemd may be silent: it answers late while a machine is busy with its boot.
const SYSTEMD_TIMEOUT: Duration = Duration::from_secs(30);

/// The times of this boot; none while systemd does not report any.
fn manager_times() -> Result<Option<ManagerTimes>, Failure> {
    let text = ask(&["show", &format!("--property={MANAGER_PROPERTIES}")])?;
    Ok(ManagerTimes::parse(&text))
}

/// The target that the boot leads to, and when it was reached; none where it was not.
fn default_target() -> Result<Option<TargetTime>, Failure> {
    let text = ask(&["show", "default.target", "--property=Id,ActiveEnterTimestampMonotonic"])?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let reached = value("ActiveEnterTimestampMonotonic=").and_then(|time| time.parse().ok());
    let target = value("Id=").zip(reached.filter(|time| *time > 0));
    Ok(target.map(|(name, reached_us)| TargetTime { name: name.to_owned(), reached_us }))
}

fn ask(arguments: &[&str]) -> Result<String, Failure> {
    let failed = |why: String| environment!("systemctl {}: {why}", arguments.join(" "));
    let program = find("systemctl").ok_or_else(|| failed("it is not installed".to_owned()))?;
    match answer(&program, arguments, None, SYSTEMD_TIMEOUT) {
        Ok(answer) if answer.status.success() => Ok(String::from_utf8_lossy(&answer.output).into_owned()),
        Ok(answer) => Err(failed(answer.failure())),
        Err(NoAnswer::NotRun(error)) => Err(failed(error.to_string())),
        Err(NoAnswer::Silent) => Err(failed("it does not answer".to_owned())),
        Err(NoAnswer::Endless) => Err(failed("its answer has no end".to_owned())),
    }
}

/// How often the processors are looked at.
const EVERY: Duration = Duration::from_millis(100);
/// A boot that takes longer has a job that hangs: what there is of it is kept. In nanoseconds.
const LONGEST: u64 = 900 * 1_000_000_000;
/// Samples between two tries to wait for systemd, which does not answer in its first moments.
const RETRY: u32 = 10;

/// What was seen until the boot was over.
struct WatchedBoot {
    processors: Vec<ProcessorSample>,
    has_finished: bool,
}

/// Looks at the processors until systemd has done all jobs of the boot.
#[expect(clippy::disallowed_methods, reason = "the machine boots meanwhile")]
fn until_finished() -> Result<WatchedBoot, Failure> {
    let mut processors = Vec::new();
    let mut waiting = WaitingProgram::default();
    loop {
        let now = monotonic();
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        processors.extend(ProcessorSample::parse(now, &text));
        let has_finished = waiting.has_finished()?;
        if has_finished || now > LONGEST {
            return Ok(WatchedBoot { processors, has_finished });
        }
        std::thread::sleep(EVERY);
    }
}

/// A program that ends with the boot, so that systemd is not asked again and again while it is busy.
#[derive(Default)]
struct WaitingProgram {
    child: Option<Child>,
    samples: u32,
}

impl WaitingProgram {
    fn has_finished(&mut self) -> Result<bool, Failure> {
        if let Some(child) = &mut self.child {
            // Its exit code is that of a system with failed units, or without.
            if !matches!(child.try_wait(), Ok(None)) {
                self.child = None;
                return Ok(manager_times()?.is_some_and(|times| times.finish_us.is_some()));
            }
            return Ok(false);
        }
        if self.samples.is_multiple_of(RETRY) {
            let mut command = Command::new("systemctl");
            command.args(["is-system-running", "--wait"]).stdin(Stdio::null());
            let command = command.stdout(Stdio::null()).stderr(Stdio::null());
            self.child = command.spawn().ok();
        }
        self.samples += 1;
        Ok(false)
    }
}

impl Drop for WaitingProgram {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
