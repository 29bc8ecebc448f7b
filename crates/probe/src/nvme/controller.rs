//! Identify Controller, and the power state descriptors in it.

use drivelab_block::ByteCount;
use drivelab_decode::{byte, dword, word};

use super::celsius;
use crate::Celsius;

/// Bytes of the structure.
const LENGTH: usize = 4096;
/// Where the power state descriptors begin, and how many there may be.
const POWER_STATES: (usize, usize) = (2048, 32);
/// In what the sizes of the host memory buffer are counted: 4 KiB.
const HOST_MEMORY_UNIT: u64 = 4096;

/// What a controller reports of its power, its heat and its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerFacts {
    /// Its power states, from 0 on (NPSS, byte 263, and the descriptors from byte 2048 on).
    pub power_states: Vec<PowerState>,
    /// Whether it enters power states by itself after idle times (APSTA, byte 265, bit 0).
    pub has_idle_transitions: bool,
    /// The host memory buffer that it asks for (HMPRE, bytes 275:272, and HMMIN, bytes 279:276); `None` where it uses none.
    pub host_memory: Option<HostMemoryWish>,
    /// Whether it has a volatile write cache (VWC, byte 525, bit 0).
    pub has_volatile_cache: bool,
    /// From which composite temperature on it warns (WCTEMP, bytes 267:266).
    pub warning: Option<Celsius>,
    /// At which composite temperature it is too hot to go on (CCTEMP, bytes 269:268).
    pub critical: Option<Celsius>,
    /// Whether the host may set the temperatures at which it throttles (HCTMA, bytes 323:322, bit 0).
    pub has_thermal_thresholds: bool,
}

/// The host memory buffer that a controller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostMemoryWish {
    /// What it would like to have.
    pub preferred: ByteCount,
    /// The least that is of use to it.
    pub least: ByteCount,
}

impl ControllerFacts {
    /// Reads the 4,096 bytes of Identify Controller; `None` for any other length.
    pub fn parse(data: &[u8]) -> Option<ControllerFacts> {
        if data.len() != LENGTH {
            return None;
        }
        let (from, most) = POWER_STATES;
        let states = (usize::from(byte(data, 263)) + 1).min(most);
        let power_states = data[from..].chunks_exact(PowerState::LENGTH).take(states);
        let size = |at| ByteCount::new(u64::from(dword(data, at)) * HOST_MEMORY_UNIT);
        let host_memory = HostMemoryWish { preferred: size(272), least: size(276) };
        Some(ControllerFacts {
            power_states: power_states.filter_map(PowerState::parse).collect(),
            has_idle_transitions: byte(data, 265) & 1 != 0,
            host_memory: (host_memory.preferred.get() > 0).then_some(host_memory),
            has_volatile_cache: byte(data, 525) & 1 != 0,
            warning: celsius(word(data, 266)),
            critical: celsius(word(data, 268)),
            has_thermal_thresholds: word(data, 322) & 1 != 0,
        })
    }
}

/// A power state of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerState {
    /// The most power that it draws, in microwatts (MP with its scale MXPS); `None` where it is not reported.
    pub max_microwatts: Option<u64>,
    /// Whether it serves I/O in this state (NOPS, bit 25, is 0).
    pub is_operational: bool,
    /// The longest time to enter it, in microseconds (ENLAT); `None` where it is not reported.
    pub entry_us: Option<u32>,
    /// The longest time to leave it, in microseconds (EXLAT); `None` where it is not reported.
    pub exit_us: Option<u32>,
}

impl PowerState {
    /// Bytes of a descriptor.
    pub(super) const LENGTH: usize = 32;

    /// Reads the 32 bytes of a descriptor; `None` for any other length.
    pub fn parse(data: &[u8]) -> Option<PowerState> {
        if data.len() != PowerState::LENGTH {
            return None;
        }
        let flags = byte(data, 3);
        // Hundredths of a watt, or ten-thousandths.
        let unit = if flags & 1 == 0 { 10_000 } else { 100 };
        let reported = |value: u32| (value != 0).then_some(value);
        Some(PowerState {
            max_microwatts: reported(word(data, 0).into()).map(|power| u64::from(power) * unit),
            is_operational: flags & 0b10 == 0,
            entry_us: reported(dword(data, 4)),
            exit_us: reported(dword(data, 8)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_specification_has_them() {
        let mut data = vec![0; LENGTH];
        data[263] = 1;
        data[265] = 1;
        data[266..270].copy_from_slice(&[0x66, 0x01, 0x6b, 0x01]);
        data[272] = 0x40;
        data[277] = 0x01;
        data[322] = 1;
        data[525] = 0b111;
        data[2048..2050].copy_from_slice(&800_u16.to_le_bytes());
        data[2080..2082].copy_from_slice(&5_u16.to_le_bytes());
        let found = ControllerFacts::parse(&data).expect("facts");
        let centiwatts: Vec<_> = found.power_states.iter().map(|state| state.max_microwatts).collect();
        assert_eq!(centiwatts, [Some(8_000_000), Some(50_000)], "one more than NPSS");
        assert_eq!((found.warning, found.critical), (Some(Celsius(85)), Some(Celsius(90))));
        let wish = HostMemoryWish { preferred: ByteCount::new(64 * 4096), least: ByteCount::new(256 * 4096) };
        assert_eq!(found.host_memory, Some(wish));
        assert!(found.has_idle_transitions && found.has_volatile_cache && found.has_thermal_thresholds);
    }

    #[test]
    fn nothing_is_made_of_zeros_or_of_another_length() {
        let none = ControllerFacts::parse(&[0; LENGTH]).expect("facts");
        assert_eq!((none.host_memory, none.warning, none.critical), (None, None, None));
        assert_eq!(none.power_states.len(), 1);
        for length in [0, 1, LENGTH - 1, LENGTH + 1] {
            assert_eq!(ControllerFacts::parse(&vec![0xff; length]), None, "{length}");
        }
        assert_eq!(ControllerFacts::parse(&[0xff; LENGTH]).map(|all| all.power_states.len()), Some(32));
    }

    #[test]
    fn a_sleeping_state_has_its_fine_scale_and_its_latencies() {
        let mut data = [0; 32];
        data[0..2].copy_from_slice(&50_u16.to_le_bytes());
        data[3] = 0b11;
        data[4..8].copy_from_slice(&10_000_u32.to_le_bytes());
        data[8..12].copy_from_slice(&45_000_u32.to_le_bytes());
        let sleeping = PowerState {
            max_microwatts: Some(5_000),
            is_operational: false,
            entry_us: Some(10_000),
            exit_us: Some(45_000),
        };
        assert_eq!(PowerState::parse(&data), Some(sleeping));
        assert_eq!(PowerState::parse(&data[1..]), None);
        let silent = PowerState { max_microwatts: None, is_operational: true, entry_us: None, exit_us: None };
        assert_eq!(PowerState::parse(&[0; 32]), Some(silent));
    }
}
