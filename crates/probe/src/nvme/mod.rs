//! What an NVMe drive returns about itself, from bytes to facts. Each reader takes exactly as many bytes as the specification
//! gives the structure, and nothing of another length.
//!
//! Sources: NVM Express Base Specification 2.0, figures 275 (Identify Controller), 276 (power state descriptor), 207 (SMART log),
//! 321 to 337 (features); NVM Command Set Specification 1.0, figures 97 and 98 (Identify Namespace).

mod controller;
mod features;
mod health_log;
mod namespace;

pub use controller::{ControllerFacts, HostMemoryWish, PowerState};
pub use features::{
    HostMemory, IdleTransition, ThermalThresholds, current_power_state, idle_transitions, is_enabled,
};
pub use health_log::{OcpLog, ThermalCounters, data_units_written};
pub use namespace::{BlockFormat, NamespaceFormats};

use drivelab_decode::byte;

/// Degrees Celsius of a temperature in whole kelvins, as the kernel's sensors and smartctl round it; `None` for 0, which stands
/// for "not reported".
fn celsius(kelvins: u16) -> Option<crate::Celsius> {
    (kelvins != 0).then(|| crate::Celsius(i32::from(kelvins) - 273))
}

/// A field of 16 bytes.
fn wide(data: &[u8], at: usize) -> u128 {
    (0..16).rev().fold(0, |value, place| value << 8 | u128::from(byte(data, at + place)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A drive may return anything.
        #[test]
        fn whatever_a_drive_returns_is_read_without_a_panic(
            data in proptest::collection::vec(any::<u8>(), 4096),
            length in 0_usize..=4096,
            result in any::<u32>(),
        ) {
            for data in [&data[..], &data[..length], &data[..512], &data[..256], &data[..32]] {
                let _ = (ControllerFacts::parse(data), NamespaceFormats::parse(data), PowerState::parse(data));
                let _ = (ThermalCounters::parse(data), idle_transitions(data), HostMemory::parse(result, data));
                let _ = (OcpLog::parse(data), data_units_written(data));
            }
            let _ = (ThermalThresholds::parse(result), current_power_state(result));
        }
    }
}
