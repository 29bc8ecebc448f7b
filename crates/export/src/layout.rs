//! Where each file lies below the destination.

use std::fmt;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;

use drivelab_documents::{ClockTime, MachineId};
use drivelab_trace::TraceManifest;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

/// The folder of the catalogue.
pub const CATALOGUE: &str = "catalogue";

/// The folder of the table of drives.
pub const DRIVES: &str = "drives";

/// The name of a file that holds the rollup of a day.
pub const ROLLUP_FILE: &str = "rollup.parquet";

/// Most bytes of a host's name as it is escaped: with what is put before and behind it, no file's name is longer than the 255
/// bytes that file systems take.
const HOST_BYTES_MAX: usize = 200;

pub const NANOS_PER_DAY: u64 = 86_400 * 1_000_000_000;

/// The name of a machine, which is not empty and can be a part of a folder's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostName(String);

impl HostName {
    /// As it is, without escapes.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<HostName, String> {
        if text.trim().is_empty() {
            return Err("a machine has a name: write one, such as lab-07".to_owned());
        }
        if text.contains(char::is_control) {
            return Err(
                "it holds a line end or another control character: write a name on one line, such as lab-07"
                    .to_owned(),
            );
        }
        let bytes = escaped(text).len();
        if bytes > HOST_BYTES_MAX {
            return Err(format!(
                "it takes {bytes} bytes in the name of a folder, and at most {HOST_BYTES_MAX} fit: write a shorter one, \
                 such as lab-07"
            ));
        }
        Ok(HostName(text.to_owned()))
    }
}

/// A value in the name of a folder, as Apache Hive escapes it: `FileUtils.escapePathName` of its sources writes the characters
/// that have a meaning in paths or patterns, and control characters, as `%` and two hexadecimal digits.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for character in value.chars() {
        let has_meaning = "\"#%'*/:=?\\{}[]^".contains(character);
        if has_meaning || character.is_ascii_control() {
            let _ = write!(text, "%{:02X}", u32::from(character));
        } else {
            text.push(character);
        }
    }
    text
}

/// What a part of a path says of this key, such as `lab` of `host=lab`; none where it is of another key.
pub fn partition_value(part: &str, key: &str) -> Option<String> {
    let value = part.strip_prefix(key)?.strip_prefix('=')?;
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|digits| str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%');
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).ok()
}

/// A letter, so that no engine takes it for a number, and 16 hexadecimal digits that are made of what identifies something.
pub fn id(letter: char, identity: &impl Serialize) -> String {
    // Whatever cannot become JSON did not come from a manifest.
    let text = serde_json::to_vec(identity).unwrap_or_default();
    format!("{letter}{:016x}", xxh3_64(&text))
}

/// What tells the files of a result from those of all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunKey {
    /// The ID of the run: a letter, so that no engine takes it for a number, and 16 hexadecimal digits.
    pub run: String,
    pub host: HostName,
    /// What tells it from another one of that name; none where that is not known, or the user named the machine.
    pub machine: Option<MachineId>,
}

/// The date of a day, counted from the beginning of 1970, such as `2026-11-24`.
pub fn date(day: u64) -> String {
    // 64 bits of nanoseconds end in 2554.
    ClockTime::in_utc(day.saturating_mul(NANOS_PER_DAY)).map_or_else(String::new, ClockTime::day)
}

impl RunKey {
    /// That of a recorded trace, which is known when the recording begins: no other one of the machine begins in the same
    /// nanosecond.
    pub fn of_recording(trace: &TraceManifest, host: HostName, machine: Option<MachineId>) -> RunKey {
        let identity = (&trace.source, &trace.origins, trace.started_unix_ns, &trace.started);
        RunKey { run: id('t', &identity), host, machine }
    }

    /// The path of a file of one day, counted from the beginning of 1970.
    pub fn day_file(&self, day: u64, name: &str) -> PathBuf {
        let (date, host) = (date(day), escaped(self.host.text()));
        PathBuf::from(format!("date={date}/host={host}/run={}/{name}", self.run))
    }

    pub fn catalogue_file(&self) -> PathBuf {
        self.file_in(CATALOGUE)
    }

    pub fn drives_file(&self) -> PathBuf {
        self.file_in(DRIVES)
    }

    fn file_in(&self, folder: &str) -> PathBuf {
        PathBuf::from(format!("{folder}/{}.{}.parquet", self.run, escaped(self.host.text())))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn key(host: &str) -> RunKey {
        RunKey { run: "r0123456789abcdef".to_owned(), host: host.parse().expect("a name"), machine: None }
    }

    #[test]
    fn names_are_escaped_as_hive_does() {
        let file = |host| key(host).day_file(20_781, "rollup.parquet").display().to_string();
        assert_eq!(file("lab"), "date=2026-11-24/host=lab/run=r0123456789abcdef/rollup.parquet");
        assert!(file("rack/7=a%").contains("/host=rack%2F7%3Da%25/run="), "{}", file("rack/7=a%"));
        for name in ["lab", "rack/7=a%", "Büro 1", "50%", "%zz"] {
            let part = format!("host={}", escaped(name));
            assert_eq!(partition_value(&part, "host").as_deref(), Some(name));
            assert_eq!(partition_value(&part, "run"), None);
        }
        assert!(file("..").contains("/host=../"), "no part of the path is .. alone");
        assert!(escaped("Büro 1\n").ends_with("%0A"), "{}", escaped("Büro 1\n"));
        let catalogue = key("a/b").catalogue_file();
        assert_eq!(catalogue, Path::new("catalogue/r0123456789abcdef.a%2Fb.parquet"));
    }

    #[test]
    fn a_name_that_no_folder_can_have_is_refused() {
        assert!("".parse::<HostName>().is_err() && " ".parse::<HostName>().is_err());
        assert!("x".repeat(200).parse::<HostName>().is_ok());
        let error = "/".repeat(67).parse::<HostName>().expect_err("201 bytes");
        assert!(error.contains("201 bytes") && error.contains("shorter"), "{error}");
    }
}
