//! When and where something began.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

const NANOS_PER_SECOND: i128 = 1_000_000_000;
/// /etc/machine-id has 32 hexadecimal digits, or a word such as `uninitialized`.
const SHORTEST_MACHINE_ID: usize = 32;

/// A time of a clock on the wall, to the nanosecond, and how far that clock is ahead of UTC. Documents have it in the form of
/// ISO 8601, such as `2026-11-26T17:32:15+01:00` or `2026-11-26T17:32:15.25+01:00`; readers see whole seconds, as a clock shows
/// them.
/// Times are ordered by when they were, whatever their clocks showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockTime {
    at: Timestamp,
    offset: Offset,
}

impl ClockTime {
    /// A time in seconds since 1970, on a clock that is `ahead_of_utc_s` seconds ahead of UTC. None of a year outside -9999 to
    /// 9999, or of a clock that is more than 25:59:59 ahead or behind.
    pub fn new(unix_s: i64, ahead_of_utc_s: i32) -> Option<ClockTime> {
        let at = Timestamp::from_second(unix_s).ok()?;
        Some(ClockTime { at, offset: Offset::from_seconds(ahead_of_utc_s).ok()? })
    }

    /// A time in nanoseconds since 1970, in UTC. None after the year 9999.
    pub fn in_utc(unix_ns: u64) -> Option<ClockTime> {
        ClockTime { at: Timestamp::UNIX_EPOCH, offset: Offset::UTC }.at_unix_nanos(unix_ns)
    }

    /// What the same clock shows at a time in nanoseconds since 1970; none after the year 9999.
    pub fn at_unix_nanos(self, unix_ns: u64) -> Option<ClockTime> {
        let at = Timestamp::from_nanosecond(unix_ns.into()).ok()?;
        Some(ClockTime { at, offset: self.offset })
    }

    /// The time in nanoseconds since 1970; none before 1970, which a clock shows that was never set, and none after the year
    /// 2554.
    pub fn unix_nanos(self) -> Option<u64> {
        u64::try_from(self.at.as_nanosecond()).ok()
    }

    /// The time this many nanoseconds later; none after the year 9999.
    pub fn after(self, nanos: u64) -> Option<ClockTime> {
        self.shifted(nanos.into())
    }

    /// The time this many nanoseconds later, or earlier where they are negative; none outside the years -9999 to 9999.
    pub fn shifted(self, nanos: i128) -> Option<ClockTime> {
        let at = self.at.as_nanosecond().checked_add(nanos)?;
        Some(ClockTime { at: Timestamp::from_nanosecond(at).ok()?, offset: self.offset })
    }

    /// The nanoseconds that the clock has counted since it showed the beginning of 1970; negative before that.
    pub fn clock_nanos(self) -> i128 {
        self.at.as_nanosecond() + i128::from(self.offset.seconds()) * NANOS_PER_SECOND
    }

    /// The same in seconds, of which an axis is marked.
    pub fn clock_seconds(self) -> f64 {
        self.clock_nanos() as f64 / 1e9
    }

    /// The nanoseconds since the clock showed the beginning of its day: below 24 hours.
    pub fn nanos_of_day(self) -> u64 {
        u64::try_from(self.clock_nanos().rem_euclid(86_400 * NANOS_PER_SECOND)).unwrap_or(0)
    }

    /// When the clock shows the beginning of a day, by its number since 1970; none where no calendar has it.
    pub fn midnight_of(self, day: i64) -> Option<ClockTime> {
        let shown = day.checked_mul(86_400)?;
        ClockTime::new(shown.checked_sub(i64::from(self.offset.seconds()))?, self.offset.seconds())
    }

    /// The day that the clock shows, such as `2026-11-26`.
    pub fn day(self) -> String {
        self.formatted("%Y-%m-%d")
    }

    /// The day without its year, such as `Nov 26`.
    pub fn short_day(self) -> String {
        self.formatted("%b %-d")
    }

    /// The day of the week with the day, such as `Thu, Nov 26`.
    pub fn weekday(self) -> String {
        self.formatted("%a, %b %-d")
    }

    /// The time of the day that the clock shows, such as `17:32`.
    pub fn minute(self) -> String {
        self.formatted("%H:%M")
    }

    /// The time of the day that the clock shows, to the second, such as `17:32:15`.
    pub fn second(self) -> String {
        self.formatted("%H:%M:%S")
    }

    /// The time zone by its distance from UTC, such as `UTC+01:00`; `UTC` of a clock that shows UTC.
    pub fn zone(self) -> String {
        if self.offset.seconds() == 0 { "UTC".to_owned() } else { self.formatted("UTC%:z") }
    }

    fn formatted(self, format: &str) -> String {
        self.at.to_zoned(self.offset.to_time_zone()).strftime(format).to_string()
    }

    /// The time for a reader, such as `2026-11-26 17:32:15 +01:00`.
    pub fn in_words(self) -> String {
        self.formatted("%Y-%m-%d %H:%M:%S %:z")
    }
}

impl fmt::Display for ClockTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.display_with_offset(self.offset).fmt(out)
    }
}

impl FromStr for ClockTime {
    type Err = String;

    fn from_str(text: &str) -> Result<ClockTime, String> {
        let wrong = || format!("{text} is no time such as 2026-11-26T17:32:15+01:00");
        let at: Timestamp = text.parse().map_err(|_| wrong())?;
        let offset = Pieces::parse(text).ok().and_then(|pieces| pieces.to_numeric_offset());
        Ok(ClockTime { at, offset: offset.unwrap_or(Offset::UTC) })
    }
}

impl Serialize for ClockTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ClockTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ClockTime, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for ClockTime {
    fn schema_name() -> Cow<'static, str> {
        "ClockTime".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "date-time",
            "description": "A time with how far its clock is ahead of UTC, such as 2026-11-26T17:32:15+01:00.",
        })
    }
}

/// When and on which machine a run on a real drive began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// When, by the clock and the time zone of the machine.
    pub at: ClockTime,
    /// The machine's host name.
    pub machine: String,
    /// What tells the machine from another one of that name; absent where it is not known, or an earlier version began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_id: Option<MachineId>,
}

/// What tells a machine from others of its name: a letter and 16 hexadecimal digits. `m` and digits that are made from
/// /etc/machine-id, which cannot be found from them; without that file `b` and digits of the boot, so that the machine has
/// another one after its next start.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct MachineId(String);

impl MachineId {
    /// That of a machine with this content of /etc/machine-id and this ID of its boot; none where it has neither.
    pub fn from_ids(machine_id: Option<&str>, boot_id: Option<&str>) -> Option<MachineId> {
        let hashed = |kind: char, id: &str| {
            MachineId(format!("{kind}{:016x}", xxh3_64(format!("drivelab {}", id.trim()).as_bytes())))
        };
        // Until the first boot of a new system ends, the file may be empty or say so.
        let machine = machine_id.filter(|id| id.trim().len() >= SHORTEST_MACHINE_ID);
        let boot = boot_id.filter(|id| !id.trim().is_empty());
        machine.map(|id| hashed('m', id)).or_else(|| boot.map(|id| hashed('b', id)))
    }

    /// The letter and the digits.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it is the same after the next start of the machine.
    pub fn is_lasting(&self) -> bool {
        self.0.starts_with('m')
    }
}

impl Started {
    /// When, where and by which version of the program, for a reader.
    pub fn in_words(&self, version: &str) -> String {
        format!("{} on {} by drivelab {version}", self.at.in_words(), self.machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_it_is_written_whatever_its_zone() {
        for (unix_s, ahead_s, written, words) in [
            (1_795_710_735, 3_600, "2026-11-26T17:32:15+01:00", "2026-11-26 17:32:15 +01:00"),
            (1_795_710_735, -12_600, "2026-11-26T13:02:15-03:30", "2026-11-26 13:02:15 -03:30"),
            (0, 0, "1970-01-01T00:00:00+00:00", "1970-01-01 00:00:00 +00:00"),
            (-1, 0, "1969-12-31T23:59:59+00:00", "1969-12-31 23:59:59 +00:00"),
            // A day further on in the east.
            (1_795_737_599, 50_400, "2026-11-27T13:59:59+14:00", "2026-11-27 13:59:59 +14:00"),
        ] {
            let time = ClockTime::new(unix_s, ahead_s).expect("a time of a calendar");
            assert_eq!((time.to_string().as_str(), time.in_words().as_str()), (written, words));
            assert_eq!(written.parse::<ClockTime>(), Ok(time));
            assert_eq!(time.at.as_second(), unix_s);
            assert_eq!(time.unix_nanos().map(|nanos| nanos / 1_000_000_000), u64::try_from(unix_s).ok());
        }
        let utc: ClockTime = "2026-11-26T16:32:15Z".parse().expect("UTC by its letter");
        assert_eq!(utc, ClockTime::new(1_795_710_735, 0).expect("a time of a calendar"));
    }

    #[test]
    fn later_times_are_of_the_same_clock() {
        let time: ClockTime = "2026-11-26T23:30:15-03:30".parse().expect("a time");
        let later = time.after(1_800_250_000_000).expect("a time of a calendar");
        assert_eq!(later.to_string(), "2026-11-27T00:00:15.25-03:30");
        assert_eq!(later.to_string().parse(), Ok(later), "a document keeps all of it");
        let shown = [later.day(), later.short_day(), later.minute(), later.second(), later.zone()];
        assert_eq!(shown, ["2026-11-27", "Nov 27", "00:00", "00:00:15", "UTC-03:30"]);
        assert_eq!(later.nanos_of_day(), 15_250_000_000);
        let midnights = [time, later].map(|time| {
            let day = i64::try_from(time.clock_nanos().div_euclid(86_400_000_000_000)).expect("a day");
            time.midnight_of(day).map(|midnight| midnight.to_string())
        });
        assert_eq!(
            midnights,
            ["2026-11-26T00:00:00-03:30", "2026-11-27T00:00:00-03:30"].map(|text| Some(text.to_owned()))
        );
        assert_eq!(time.after(u64::MAX).map(ClockTime::day), Some("2611-06-17".to_owned()));
    }

    /// A clock that begins at 20.548 s shows 10 s later what it shows 30.548 s after the minute.
    #[test]
    fn parts_of_a_second_add_up() {
        let began = ClockTime::in_utc(1_793_577_620_548_000_000).expect("a time of a calendar");
        let shown = |nanos| began.after(nanos).map(ClockTime::second);
        assert_eq!(shown(0).as_deref(), Some("00:00:20"));
        assert_eq!(shown(451_999_999).as_deref(), Some("00:00:20"));
        assert_eq!(shown(452_000_000).as_deref(), Some("00:00:21"));
        assert_eq!(began.unix_nanos(), Some(1_793_577_620_548_000_000));
        let east: ClockTime = "2026-11-02T01:00:00+01:00".parse().expect("a time");
        let same = east.at_unix_nanos(1_793_577_620_548_000_000).map(|time| time.to_string());
        assert_eq!(same.as_deref(), Some("2026-11-02T01:00:20.548+01:00"));
    }

    #[test]
    fn what_is_no_time_is_refused_with_an_example() {
        for text in ["", "yesterday", "2026-11-26", "2026-11-26T17:32:15", "2026-13-26T17:32:15+01:00"] {
            let error = text.parse::<ClockTime>().expect_err("no time");
            assert!(error.contains("such as 2026-11-26T17:32:15+01:00"), "{text}: {error}");
        }
        assert_eq!(ClockTime::new(i64::MAX, 0), None);
        assert_eq!(ClockTime::new(0, i32::MAX), None);
    }

    #[test]
    fn a_begin_is_told_with_its_machine_and_the_version() {
        let at = ClockTime::in_utc(1_795_710_735_999_999_999).expect("a time of a calendar");
        let started = Started { at, machine: "lab".to_owned(), machine_id: None };
        assert_eq!(started.in_words("1.2"), "2026-11-26 16:32:15 +00:00 on lab by drivelab 1.2");
    }

    #[test]
    fn a_machine_is_told_by_its_own_id_and_without_one_by_its_boot() {
        let (id, boot) = ("0123456789abcdef0123456789abcdef\n", "5a4d6b1c-0000-0000-0000-000000000000");
        let own = MachineId::from_ids(Some(id), Some(boot)).expect("an ID");
        assert!(own.is_lasting() && own.text().len() == 17 && !own.text().contains("0123456789abcdef"));
        assert_eq!(MachineId::from_ids(Some(id.trim()), None), Some(own));
        let by_boot = MachineId::from_ids(Some("uninitialized"), Some(boot)).expect("an ID");
        assert!(!by_boot.is_lasting());
        assert_eq!(MachineId::from_ids(None, None), None);
    }

    #[test]
    fn a_schema_says_that_a_time_is_a_date_with_its_time() {
        let schema = schemars::schema_for!(Started).to_value();
        assert_eq!(schema["$defs"]["ClockTime"]["format"], "date-time", "{schema}");
        assert_eq!(schema["$defs"]["ClockTime"]["type"], "string", "{schema}");
    }
}
