//! What Get Features returns: dword 0 of the completion, and for some features a structure.

use drivelab_block::ByteCount;
use drivelab_decode::dword;

use super::celsius;
use crate::Celsius;

/// The power state in dword 0 of Power Management (02h, bits 4:0).
pub fn current_power_state(result: u32) -> u8 {
    u8::try_from(result & 0x1f).unwrap_or(0)
}

/// Whether dword 0 of Volatile Write Cache (06h, bit 0), or of Autonomous Power State Transition (0Ch, bit 0), says that the
/// feature is enabled.
pub fn is_enabled(result: u32) -> bool {
    result & 1 != 0
}

/// The host memory buffer that a controller has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostMemory {
    /// None is enabled.
    NotEnabled,
    /// It has this much of the host's memory.
    Enabled(ByteCount),
}

impl HostMemory {
    /// Bytes of the structure.
    const LENGTH: usize = 4096;
    /// In what HSIZE counts: pages of the controller, which are of 4 KiB under Linux.
    const PAGE: u64 = 4096;

    /// Reads dword 0 of Host Memory Buffer (0Dh, bit 0: enabled) and its 4,096 bytes (HSIZE, bytes 3:0); `None` for any other
    /// length.
    pub fn parse(result: u32, data: &[u8]) -> Option<HostMemory> {
        if data.len() != HostMemory::LENGTH {
            return None;
        }
        let size = ByteCount::new(u64::from(dword(data, 0)) * HostMemory::PAGE);
        Some(if is_enabled(result) { HostMemory::Enabled(size) } else { HostMemory::NotEnabled })
    }
}

/// The temperatures at which the host has a controller throttle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThermalThresholds {
    /// From where on it throttles lightly (TMT1, bits 31:16); `None` where that is off.
    pub light: Option<Celsius>,
    /// From where on it throttles heavily (TMT2, bits 15:0); `None` where that is off.
    pub heavy: Option<Celsius>,
}

impl ThermalThresholds {
    /// Reads dword 0 of Host Controlled Thermal Management (10h).
    pub fn parse(result: u32) -> ThermalThresholds {
        let half = |bits: u32| u16::try_from(bits & 0xffff).ok().and_then(celsius);
        ThermalThresholds { light: half(result >> 16), heavy: half(result) }
    }
}

/// Bytes of the table of Autonomous Power State Transition (0Ch): 32 entries of 8.
const TABLE_BYTES: usize = 256;

/// An idle time after which a controller enters a power state by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleTransition {
    /// The state that it is in.
    pub from: u8,
    /// The state that it enters (ITPS, bits 7:3).
    pub to: u8,
    /// How long it has to be idle, in milliseconds (ITPT, bits 31:8).
    pub idle_ms: u32,
}

/// The transitions of the 256 bytes of the table, an entry for each power state; `None` for any other length.
pub fn idle_transitions(data: &[u8]) -> Option<Vec<IdleTransition>> {
    if data.len() != TABLE_BYTES {
        return None;
    }
    let entry = |from: u8| {
        let entry = dword(data, usize::from(from) * 8);
        let to = u8::try_from(entry >> 3 & 0x1f).ok()?;
        // A time of zero means that the controller does not leave this state by itself.
        (entry >> 8 != 0).then_some(IdleTransition { from, to, idle_ms: entry >> 8 })
    };
    Some((0..32).filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_hold_their_value_in_the_bits_of_the_specification() {
        assert_eq!(current_power_state(0xffff_ffe4), 4);
        assert!(is_enabled(1) && !is_enabled(2));
        let thresholds = ThermalThresholds { light: Some(Celsius(80)), heavy: None };
        assert_eq!(ThermalThresholds::parse(353 << 16), thresholds);
    }

    #[test]
    fn host_memory_is_counted_in_pages_where_it_is_enabled() {
        let mut data = vec![0; 4096];
        data[1] = 0x40;
        let size = ByteCount::new(64 << 20);
        assert_eq!(HostMemory::parse(1, &data), Some(HostMemory::Enabled(size)));
        assert_eq!(HostMemory::parse(0, &data), Some(HostMemory::NotEnabled));
        assert_eq!(HostMemory::parse(1, &data[1..]), None);
    }

    #[test]
    fn entries_with_a_time_are_transitions() {
        let mut data = vec![0; TABLE_BYTES];
        data[0..4].copy_from_slice(&(100_u32 << 8 | 3 << 3).to_le_bytes());
        data[24..28].copy_from_slice(&(2_000_u32 << 8 | 4 << 3).to_le_bytes());
        // A state without a time is no transition.
        data[32] = 0x18;
        let found = idle_transitions(&data).expect("a table");
        let expected = [
            IdleTransition { from: 0, to: 3, idle_ms: 100 },
            IdleTransition { from: 3, to: 4, idle_ms: 2_000 },
        ];
        assert_eq!(found, expected);
        assert_eq!(idle_transitions(&data[..255]), None);
        assert_eq!(idle_transitions(&[]), None);
    }
}
