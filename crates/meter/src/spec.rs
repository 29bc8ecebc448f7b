//! What a meter is called on the command line.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which meter is to be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeterSpec {
    /// The batteries of the machine, while it runs on them.
    #[error("battery")]
    Battery,
    /// The energy counters of the processor packages.
    #[error("rapl")]
    Rapl,
    /// A sensor of hwmon, by its name (`ina226`) or its folder (`hwmon3`).
    #[error("hwmon:{0}")]
    Hwmon(String),
    /// An instrument that speaks SCPI.
    #[error("scpi:{0}")]
    Scpi(ScpiPlace),
    /// What another program logged: columns `time` and `watts`.
    #[error("csv:{0}")]
    Csv(PathBuf),
    /// The simulated drive's own account.
    #[error("sim")]
    Sim,
}

impl MeterSpec {
    /// Whether it may tell amperes, of which volts make watts.
    pub fn may_be_ammeter(&self) -> bool {
        matches!(self, MeterSpec::Hwmon(_) | MeterSpec::Scpi(_))
    }
}

/// Where an instrument is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScpiPlace {
    /// A host and a port of TCP.
    Network {
        /// The host's name or address.
        host: String,
        /// The port; 5025 is the usual one.
        port: u16,
    },
    /// A serial line, 8 data bits, no parity, 1 stop bit.
    Serial {
        /// Its device file.
        path: PathBuf,
        /// Bits a second.
        speed: u32,
    },
}

/// The usual speed of an instrument's serial line; one over USB ignores it.
const SPEED: u32 = 9_600;

const KINDS: &str = "battery, rapl, hwmon:NAME, scpi:HOST:PORT, scpi:/dev/ttyUSB0, csv:FILE or sim";

impl FromStr for MeterSpec {
    type Err = String;

    /// Reads a meter's name.
    ///
    /// # Errors
    /// What it should have been, in words.
    fn from_str(text: &str) -> Result<MeterSpec, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match (kind, rest) {
            ("battery", "") => Ok(MeterSpec::Battery),
            ("rapl", "") => Ok(MeterSpec::Rapl),
            ("sim", "") => Ok(MeterSpec::Sim),
            ("hwmon", name) if !name.is_empty() && !name.contains('/') => {
                Ok(MeterSpec::Hwmon(name.to_owned()))
            }
            ("scpi", place) if !place.is_empty() => place.parse().map(MeterSpec::Scpi),
            ("csv", path) if !path.is_empty() => Ok(MeterSpec::Csv(PathBuf::from(path))),
            _ => Err(format!("a meter is one of {KINDS}")),
        }
    }
}

impl FromStr for ScpiPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<ScpiPlace, String> {
        if text.starts_with('/') {
            let (path, speed) = text.split_once('@').unwrap_or((text, ""));
            let speed = if speed.is_empty() { Ok(SPEED) } else { speed.parse() };
            let speed = speed
                .ok()
                .filter(|speed| *speed > 0)
                .ok_or("behind @ stands the speed of the serial line, such as scpi:/dev/ttyUSB0@115200")?;
            return Ok(ScpiPlace::Serial { path: PathBuf::from(path), speed });
        }
        let (host, port) = text.rsplit_once(':').unwrap_or((text, ""));
        let port = port.parse().ok().filter(|port| *port > 0);
        match port {
            Some(port) if !host.is_empty() => Ok(ScpiPlace::Network { host: unbracketed(host), port }),
            _ => Err("an instrument is at HOST:PORT (usually port 5025) or at /dev/ttyUSB0".to_owned()),
        }
    }
}

/// An address of IPv6 stands in brackets before its port.
fn unbracketed(host: &str) -> String {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).to_owned()
}

impl fmt::Display for ScpiPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScpiPlace::Network { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            ScpiPlace::Network { host, port } => write!(f, "{host}:{port}"),
            ScpiPlace::Serial { path, speed: SPEED } => write!(f, "{}", path.display()),
            ScpiPlace::Serial { path, speed } => write!(f, "{}@{speed}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_and_shown_as_it_was_typed() {
        let typed = [
            "battery",
            "rapl",
            "sim",
            "hwmon:ina226",
            "scpi:10.0.0.7:5025",
            "scpi:[::1]:5025",
            "scpi:/dev/ttyACM0",
            "scpi:/dev/ttyS0@115200",
            "csv:a/b.csv",
        ];
        for text in typed {
            assert_eq!(text.parse::<MeterSpec>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_meter_is_told_what_meters_there_are() {
        for text in ["", "watts", "rapl:0", "hwmon:", "hwmon:../x", "csv:", "scpi:", "scpi:host", "scpi::1"] {
            assert!(text.parse::<MeterSpec>().is_err(), "{text}");
        }
        for text in ["scpi:host:99999", "scpi:host:0", "scpi:/dev/ttyS0@fast", "scpi:/dev/ttyS0@0"] {
            assert!(text.parse::<MeterSpec>().is_err(), "{text}");
        }
    }
}
