//! Keys that say nothing without another one.

use super::error::ProfileError;
use super::keys::find;
use super::load::Loaded;
use super::parameters::{Collection, HealthKind, Kind, Parameters, SlcKind};
use super::row::Slot;

/// What some keys need.
struct Need {
    keys: &'static [&'static str],
    /// Whether a drive has it.
    is_met: fn(&Parameters) -> bool,
    /// What it is and what to do, as it goes on after the name of the key.
    text: &'static str,
}

/// Every need, those that others are about first.
const NEEDS: &[Need] = &[
    Need {
        keys: &[
            "raw",
            "over_provisioning",
            "dies",
            "channels",
            "planes",
            "page",
            "pages_per_block",
            "read",
            "queued_reads",
            "program",
            "erase",
            "bus",
            "move_time",
            "write_buffer",
            "write_cache",
            "flush_time",
            "collect",
            "collect_pool",
            "collect_quantum",
            "idle_collect_after",
            "idle_collect_pool",
            "trim",
            "trim_time",
            "bits_per_cell",
            "slc_cache",
            "slc_share",
            "slc_min",
            "slc_empty_rate",
            "slc_kind",
            "slc_full",
            "slc_program",
            "map_segment",
            "split_time",
            "map_cache",
            "map_miss",
            "read_energy",
            "program_energy",
            "slc_program_energy",
            "erase_energy",
        ],
        is_met: |p| p.kind == Kind::Flash,
        text: "is of flash drives: leave it out of a disk",
    },
    Need {
        keys: &["rpm", "outer_rate", "inner_rate", "seek_track", "seek_full", "read_ahead", "seek_energy"],
        is_met: |p| p.kind == Kind::Disk,
        text: "is of disks: leave it out of a flash drive",
    },
    Need {
        keys: &[
            "slc_share",
            "slc_min",
            "slc_empty_rate",
            "slc_kind",
            "slc_full",
            "slc_program",
            "slc_program_energy",
        ],
        is_met: |p| p.flash.slc_cache > 0,
        text: "needs an SLC cache, and the drive has none: give its size, such as slc_cache=20GB, or leave it out",
    },
    Need {
        keys: &["slc_share"],
        is_met: |p| p.flash.slc_kind == SlcKind::Dynamic,
        text: "needs slc_kind=dynamic, whose size follows the free space: give that, or leave it out",
    },
    Need {
        keys: &["slc_min"],
        is_met: |p| p.flash.slc_share > 0,
        text: "needs slc_share: without it the size of the SLC cache is slc_cache; give a share, or leave it out",
    },
    Need {
        keys: &["idle_collect_pool", "slc_empty_rate"],
        is_met: |p| p.flash.idle_collect_after > 0,
        text: "needs idle_collect_after, the idle time after which that begins: give 500ms, or leave it out",
    },
    Need {
        keys: &["collect_quantum"],
        is_met: |p| p.flash.collection == Collection::Foreground,
        text: "needs collect=foreground: interleaved collection has no bursts; give that, or leave it out",
    },
    Need {
        keys: &["map_miss"],
        is_met: |p| p.flash.map_cache > 0,
        text: "needs map_cache: without it all of the map is in memory; give both, or neither",
    },
    Need {
        keys: &["map_cache"],
        is_met: |p| p.flash.map_miss > 0,
        text: "needs map_miss, the time that a read outside of it waits for: give both, such as map_miss=60us, or neither",
    },
    Need {
        keys: &["map_segment"],
        is_met: |p| p.flash.split_time > 0,
        text: "needs split_time: without it the map has no coarse entries; give 1ms, or leave it out",
    },
    Need {
        keys: &["heat_capacity", "ambient", "thermal_limit", "thermal_hysteresis", "thermal_throttle"],
        is_met: |p| p.thermal.resistance > 0,
        text: "needs thermal_resistance, without which the drive has no temperature: give 12K/W, or leave it out",
    },
    Need {
        keys: &["thermal_hysteresis", "thermal_throttle"],
        is_met: |p| p.thermal.limit > 0,
        text: "needs thermal_limit, without which the drive never throttles: give 75C, or leave it out",
    },
    Need {
        keys: &["power_state_1_exit", "power_state_1_power"],
        is_met: |p| p.power_states[0].after > 0,
        text: "needs power_state_1_after, without which the drive has no such state: give 100ms, or leave it out",
    },
    Need {
        keys: &["power_state_2_exit", "power_state_2_power"],
        is_met: |p| p.power_states[1].after > 0,
        text: "needs power_state_2_after, without which the drive has no such state: give 2s, or leave it out",
    },
    Need {
        keys: &["power_state_3_exit", "power_state_3_power"],
        is_met: |p| p.power_states[2].after > 0,
        text: "needs power_state_3_after, without which the drive has no such state: give 10s, or leave it out",
    },
    Need {
        keys: &["power_state_4_exit", "power_state_4_power"],
        is_met: |p| p.power_states[3].after > 0,
        text: "needs power_state_4_after, without which the drive has no such state: give 60s, or leave it out",
    },
    Need {
        keys: &["rated_erases"],
        is_met: |p| p.health.kind != HealthKind::Absent,
        text: "needs health=ata or health=nvme: a drive without health counters reports no wear",
    },
    Need {
        keys: &["delay_bad_blocks"],
        is_met: |p| p.health.kind == HealthKind::Ata,
        text: "needs health=ata: no other health log has attribute 183; give that, or leave it out",
    },
    Need {
        keys: &["delay", "delay_deviation", "delay_every_deviation", "delay_bad_blocks"],
        is_met: |p| p.stalls.delay_every > 0,
        text: "needs delay_every, without which there are no delays: give 100GB, or leave it out",
    },
    Need {
        keys: &["delay_every", "delay_deviation"],
        is_met: |p| p.stalls.delay > 0,
        text: "needs delay, how long each of them takes: give 100ms, or leave it out",
    },
    Need {
        keys: &["freeze_for"],
        is_met: |p| p.stalls.freeze_every > 0,
        text: "needs freeze_every, without which there are no freezes: give 60s, or leave it out",
    },
    Need {
        keys: &["freeze_every"],
        is_met: |p| p.stalls.freeze_for > 0,
        text: "needs freeze_for, how long each of them lasts: give 1s, or leave it out",
    },
    Need {
        keys: &["hang_for"],
        is_met: |p| p.stalls.hang_at > 0,
        text: "needs hang_at, the time at which the drive hangs: give 5s, or leave it out",
    },
];

/// A mean and its deviation, which was measured together with it.
struct KeyWithDeviation {
    mean: &'static str,
    deviation: &'static str,
}

/// Every mean that has a deviation.
const SPREADS: &[KeyWithDeviation] = &[
    KeyWithDeviation { mean: "delay_every", deviation: "delay_every_deviation" },
    KeyWithDeviation { mean: "delay", deviation: "delay_deviation" },
];

/// Takes back the profile's deviation of a mean that an override gives without its own deviation: the mean is exact then.
pub(super) fn settle_spreads(loaded: &mut Loaded) {
    for spread in SPREADS {
        if loaded.overrides.has(spread.mean) && !loaded.overrides.has(spread.deviation) {
            take_back(spread.deviation, &mut loaded.parameters);
        }
    }
}

/// Refuses keys that say nothing without another one that is not there. A key of the profile whose other one an override takes
/// away (`tlc-nvme?slc_cache=0B`) is as if it had not been given.
///
/// # Errors
/// The first such key, in one line that says what to do.
pub(super) fn settle(loaded: &mut Loaded) -> Result<(), ProfileError> {
    for need in NEEDS {
        for key in need.keys.iter().copied() {
            let is_lacking =
                |parameters: &Parameters| says_something(key, parameters) && !(need.is_met)(parameters);
            if !is_lacking(&loaded.parameters) {
                continue;
            }
            let by_the_profile = loaded.of_profile.has(key) && is_lacking(&loaded.profile);
            if loaded.overrides.has(key) || by_the_profile {
                return Err(ProfileError::new(format!("{key} {}", need.text)));
            }
            take_back(key, &mut loaded.parameters);
        }
    }
    Ok(())
}

/// Whether a key has a value other than 0, which stands for what is not there. Words always say something.
fn says_something(key: &str, parameters: &Parameters) -> bool {
    find(key).is_some_and(|row| match &row.slot {
        Slot::Number { at, .. } => *at(&mut parameters.clone()) > 0,
        Slot::Word { .. } | Slot::Text { .. } => true,
    })
}

/// Gives a key the value that it has where it is not given.
fn take_back(key: &str, parameters: &mut Parameters) {
    match find(key).map(|row| &row.slot) {
        Some(Slot::Number { at, .. }) => *at(parameters) = *at(&mut Parameters::default()),
        Some(Slot::Word { set, unset, .. }) => set(parameters, *unset),
        Some(Slot::Text { .. }) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_is_of_keys_that_there_are() {
        for key in NEEDS.iter().flat_map(|need| need.keys) {
            assert!(find(key).is_some(), "{key}");
        }
    }
}
