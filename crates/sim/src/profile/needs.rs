//! Keys that say nothing without another one.

use super::error::{ProfileError, refused};
use super::load::Loaded;
use super::parameters::{Collection, HealthKind, Kind, Parameters, SlcKind};
use super::table::{TABLE, find};

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

/// Takes back the profile's deviation of a mean that an override gives without its own deviation: the mean is exact then.
pub(super) fn settle_spreads(loaded: &mut Loaded) {
    for (mean, deviation) in [("delay_every", "delay_every_deviation"), ("delay", "delay_deviation")] {
        if loaded.overrides.contains(mean) && !loaded.overrides.contains(deviation) {
            find(deviation).into_iter().for_each(|row| row.unset(&mut loaded.parameters));
        }
    }
}

/// Refuses keys that say nothing without another one that is not there. A key of the profile whose other one an override takes
/// away (`tlc-nvme?slc_cache=0B`) is as if it had not been given.
pub(super) fn settle(loaded: &mut Loaded) -> Result<(), ProfileError> {
    let kinds = [
        (Kind::Flash, "is of flash drives: leave it out of a disk"),
        (Kind::Disk, "is of disks: leave it out of a flash drive"),
    ];
    for (kind, text) in kinds {
        for row in TABLE.iter().filter(|row| row.kind == Some(kind)) {
            settle_key(row.name, |parameters| parameters.kind == kind, text, loaded)?;
        }
    }
    for need in NEEDS {
        for key in need.keys {
            settle_key(key, need.is_met, need.text, loaded)?;
        }
    }
    Ok(())
}

/// Refuses a key whose need, which is `text`, is not met, or takes it back.
fn settle_key(
    key: &str,
    is_met: impl Fn(&Parameters) -> bool,
    text: &str,
    loaded: &mut Loaded,
) -> Result<(), ProfileError> {
    let Some(row) = find(key) else { return Ok(()) };
    // A number of 0 stands for what is not there; words always say something.
    let is_lacking = |parameters: &Parameters| row.number(parameters) != Some(0) && !is_met(parameters);
    if !is_lacking(&loaded.parameters) {
        return Ok(());
    }
    if loaded.overrides.contains(key) || loaded.of_profile.contains(key) && is_lacking(&loaded.profile) {
        return refused(format!("{key} {text}"));
    }
    row.unset(&mut loaded.parameters);
    Ok(())
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
