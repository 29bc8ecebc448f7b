//! What systemd reports of each unit, as `systemctl show '*'` prints it.
//!
//! Source: org.freedesktop.systemd1(5), "Unit Objects" and "Service Unit Objects".

use serde::{Deserialize, Serialize};

/// What has to be asked for with `systemctl show '*' --property=`.
pub const UNIT_PROPERTIES: &str = "Id,InactiveExitTimestampMonotonic,ActiveEnterTimestampMonotonic,\
                                   InactiveEnterTimestampMonotonic,CPUUsageNSec,IOReadBytes,IOWriteBytes";

/// One unit that a boot started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitTimes {
    /// Its name, such as `dbus.service`.
    pub name: String,
    /// When its start began, in microseconds from the kernel's beginning.
    pub began_us: u64,
    /// When it was started, or had ended where it runs only once; none where its start did not come to an end.
    pub started_us: Option<u64>,
    /// The processor time of its processes, in nanoseconds; none where systemd does not count it.
    pub processor_ns: Option<u64>,
    /// What its processes read from drives, in bytes.
    pub read_bytes: Option<u64>,
    /// What they wrote.
    pub written_bytes: Option<u64>,
}

impl UnitTimes {
    /// How long its start took, in microseconds, by the rule of `systemd-analyze blame`.
    pub fn took_us(&self) -> Option<u64> {
        self.started_us.map(|started| started.saturating_sub(self.began_us))
    }
}

/// The units that were started, in the order in which that began. Units are separated by empty lines.
pub fn units(text: &str) -> Vec<UnitTimes> {
    let mut found: Vec<UnitTimes> = text.split("\n\n").filter_map(unit).collect();
    found.sort_by(|one, other| (one.began_us, &one.name).cmp(&(other.began_us, &other.name)));
    found
}

fn unit(text: &str) -> Option<UnitTimes> {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let time = |name: &str| value(name)?.parse::<u64>().ok().filter(|time| *time > 0);
    // What is not counted is `[not set]`, or the largest number.
    let count = |name: &str| value(name)?.parse::<u64>().ok().filter(|count| *count < u64::MAX);
    let began_us = time("InactiveExitTimestampMonotonic")?;
    let is_later = |at: &u64| *at >= began_us;
    let active = time("ActiveEnterTimestampMonotonic").filter(is_later);
    let ended = time("InactiveEnterTimestampMonotonic").filter(is_later);
    Some(UnitTimes {
        name: value("Id")?.to_owned(),
        began_us,
        started_us: active.or(ended),
        processor_ns: count("CPUUsageNSec"),
        read_bytes: count("IOReadBytes"),
        written_bytes: count("IOWriteBytes"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: &str = "Id=late.service\nInactiveExitTimestampMonotonic=300\nActiveEnterTimestampMonotonic=350\n\
        InactiveEnterTimestampMonotonic=0\nCPUUsageNSec=42000\nIOReadBytes=8192\nIOWriteBytes=0\n\n\
        Id=never.service\nInactiveExitTimestampMonotonic=0\nActiveEnterTimestampMonotonic=0\n\n\
        Id=once.service\nInactiveExitTimestampMonotonic=100\nActiveEnterTimestampMonotonic=0\n\
        InactiveEnterTimestampMonotonic=180\nCPUUsageNSec=[not set]\nIOReadBytes=18446744073709551615\n\n\
        Id=again.service\nInactiveExitTimestampMonotonic=200\nActiveEnterTimestampMonotonic=120\n\
        InactiveEnterTimestampMonotonic=0\n";

    #[test]
    fn a_start_ends_where_the_unit_is_active_or_had_run_once() {
        let found = units(SHOWN);
        let took: Vec<(&str, Option<u64>)> =
            found.iter().map(|unit| (unit.name.as_str(), unit.took_us())).collect();
        assert_eq!(took, [("once.service", Some(80)), ("again.service", None), ("late.service", Some(50))]);
        assert_eq!((found[2].processor_ns, found[2].read_bytes), (Some(42_000), Some(8_192)));
        assert_eq!((found[0].processor_ns, found[0].read_bytes), (None, None));
    }
}
