//! What Get Features returns: dword 0 of the completion, and for some features a structure.

use drivelab_block::ByteCount;

use super::bytes::dword;
use super::celsius;
use crate::Celsius;

/// The power state in dword 0 of Power Management (02h, bits 4:0).
pub fn current_power_state(result: u32) -> u8 {
    u8::try_from(result & 0x1f).unwrap_or(0)
}

/// Whether dword 0 of Volatile Write Cache (06h, bit 0) says that the cache is enabled.
pub fn is_write_cache_enabled(result: u32) -> bool {
    result & 1 != 0
}

/// Whether dword 0 of Autonomous Power State Transition (0Ch, bit 0) says that the transitions are enabled.
pub fn are_transitions_enabled(result: u32) -> bool {
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
        Some(if result & 1 == 0 { HostMemory::NotEnabled } else { HostMemory::Enabled(size) })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_hold_their_value_in_the_bits_of_the_specification() {
        assert_eq!(current_power_state(0xffff_ffe4), 4);
        assert!(is_write_cache_enabled(1) && !is_write_cache_enabled(2));
        assert!(are_transitions_enabled(1) && !are_transitions_enabled(2));
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
}
