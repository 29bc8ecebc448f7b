//! The conditions of a run: drive, system, engine.

use std::path::Path;
use std::time::SystemTime;

use drivelab_documents::{ClockTime, Condition, MachineId, Started};
use drivelab_probe::{Roots, device_conditions, environment};
use drivelab_safety::{DriveIdentity, Identity};
use drivelab_sim::Profile;
use drivelab_uring::{FeatureReport, NvmeQueries};
use rustix::time::{ClockId, clock_gettime};

use crate::Real;
use crate::link_conditions::link_conditions;
use crate::nvme_conditions::{latency_conditions, nvme_conditions};

fn program_condition() -> Condition {
    Condition::new("Program", "drivelab", env!("CARGO_PKG_VERSION"))
}

/// When and on which machine a run on a real drive begins; none where the clock is past any calendar.
pub fn started_now() -> Option<Started> {
    started_at(&jiff::Zoned::now())
}

/// When and on which machine something began, from its time in nanoseconds since 1970; none where that is past any calendar.
pub fn started_at_unix(nanos: u64) -> Option<Started> {
    let at = jiff::Timestamp::from_nanosecond(nanos.into()).ok()?;
    started_at(&at.to_zoned(jiff::tz::TimeZone::system()))
}

fn started_at(time: &jiff::Zoned) -> Option<Started> {
    let at = ClockTime::new(time.timestamp().as_second(), time.offset().seconds());
    let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Some(Started { at: at?, machine, machine_id: machine_id() })
}

fn machine_id() -> Option<MachineId> {
    let [machine, boot] = ["/etc/machine-id", "/proc/sys/kernel/random/boot_id"]
        .map(|path| drivelab_files::read(Path::new(path), drivelab_files::SMALL).ok())
        .map(|text| text.map(|text| String::from_utf8_lossy(&text).into_owned()));
    MachineId::from_ids(machine.as_deref(), boot.as_deref())
}

/// The date of what was read from a drive, in seconds since 1970.
pub fn unix_seconds() -> u64 {
    unix_nanos() / 1_000_000_000
}

/// The date in nanoseconds since 1970, to tell one run from another.
#[expect(clippy::disallowed_methods, reason = "a run on a real drive has a date")]
pub fn unix_nanos() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// `CLOCK_MONOTONIC` in nanoseconds: the clock of the kernel's events.
pub fn monotonic() -> u64 {
    nanos_of(ClockId::Monotonic)
}

/// What a clock of the system shows, in nanoseconds.
pub fn nanos_of(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// What machine this is, and the program itself.
pub fn machine_conditions() -> Vec<Condition> {
    let found = environment(&Roots::live());
    let mut lines = vec![program_condition()];
    let mut add = |name: &str, value: Option<String>| {
        lines.extend(value.map(|value| Condition::new("System", name, value)));
    };
    add("Kernel", found.kernel_release);
    add("Distribution", found.distribution);
    add("Processor", found.cpu_model);
    add("Processors online", found.cpus_online.map(|count| count.to_string()));
    add("Memory", found.memory.map(|bytes| bytes.to_string()));
    add("Hypervisor", found.hypervisor);
    add("Clock source", found.clocksource);
    add("Frequency governor", (!found.cpu_governors.is_empty()).then(|| found.cpu_governors.join(", ")));
    add("Mitigations", found.mitigations);
    lines
}

/// Under what a command begins to work on a real target.
pub fn real_conditions(real: &Real) -> Vec<Condition> {
    let mut lines = drive_conditions(real.identity());
    if let Ok(drive) = NvmeQueries::open(&real.access) {
        lines.extend(nvme_conditions(&drive));
    }
    lines.extend(machine_conditions());
    lines
}

fn drive_conditions(identity: &Identity) -> Vec<Condition> {
    match identity {
        Identity::Drive(drive) => block_device_conditions(drive),
        Identity::File(file) => vec![
            Condition::new("Drive", "File", file.path.display().to_string()),
            Condition::new(
                "Drive",
                "File system",
                file.file_system.clone().unwrap_or_else(|| "not known".to_owned()),
            ),
            Condition::new("Drive", "Size", file.size.to_string()),
        ],
    }
}

fn block_device_conditions(drive: &DriveIdentity) -> Vec<Condition> {
    let mut lines = vec![
        Condition::new("Drive", "Device", drive.kernel_name.clone()),
        Condition::new("Drive", "Size", format!("{} ({} bytes)", drive.size, drive.size.get())),
        Condition::new("Drive", "Logical block", format!("{} bytes", drive.logical_block)),
        Condition::new("Drive", "Physical block", format!("{} bytes", drive.physical_block)),
    ];
    let optional = [
        ("Model", drive.model.clone()),
        ("Serial", drive.serial.clone()),
        ("WWN", drive.wwn.clone()),
        ("Firmware", drive.firmware.clone()),
        ("By id", drive.by_id.first().cloned()),
        ("Backing file", drive.backing_file.as_ref().map(|file| file.display().to_string())),
    ];
    lines
        .extend(optional.into_iter().filter_map(|(name, value)| Some(Condition::new("Drive", name, value?))));
    let whole = drive.whole_name();
    let roots = Roots::live();
    let settings = device_conditions(&roots, whole);
    lines.extend(
        settings.into_iter().map(|setting| Condition::new("Block layer", setting.name, setting.value)),
    );
    lines.extend(link_conditions(&roots, whole));
    lines.extend(latency_conditions(&roots, whole));
    lines
}

/// What is known of a simulated drive, and the program itself.
pub fn simulated_conditions(profile: &Profile) -> Vec<Condition> {
    vec![
        Condition::new("Drive", "Profile", profile.name()),
        Condition::new("Drive", "Description", profile.description()),
        Condition::new("Drive", "User capacity", profile.user_capacity().to_string()),
        Condition::new("Drive", "Raw flash", profile.raw_capacity().to_string()),
        Condition::new(
            "Drive",
            "Over-provisioning",
            format!("{:.1} % ((raw - user) / user)", profile.over_provisioning() * 100.0),
        ),
        Condition::new("Drive", "Clock", "virtual"),
        program_condition(),
    ]
}

/// The groups of what the engines got from the kernel.
const ENGINE: &str = "Engine";
const NOT_OBTAINED: &str = "Not obtained";

pub fn is_obtained(line: &Condition) -> bool {
    [ENGINE, NOT_OBTAINED].contains(&line.group.as_str())
}

/// What an engine got from the kernel so far.
pub fn obtained_conditions(obtained: &FeatureReport) -> Vec<Condition> {
    let line = |group: &'static str| move |(name, what): (&str, String)| Condition::new(group, name, what);
    let got = obtained.features().into_iter().map(line(ENGINE));
    got.chain(obtained.refusals().into_iter().map(line(NOT_OBTAINED))).collect()
}
