//! A power state descriptor.

use super::bytes::{byte, dword, word};

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
