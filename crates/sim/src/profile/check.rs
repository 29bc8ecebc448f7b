//! Keys that contradict each other.

use super::error::ProfileError;
use super::parameters::{HealthKind, Kind, Parameters, SlcFull, SlcKind, ThermalParameters, WriteCache};
use super::shape::MAP_PAGE_BYTES;

/// Refuses parameters that contradict each other.
///
/// # Errors
/// The first contradiction, in one line that says what to change.
pub(super) fn check(parameters: &Parameters) -> Result<(), ProfileError> {
    check_blocks(parameters)?;
    check_stalls(parameters)?;
    check_health(parameters)?;
    check_caches(parameters)?;
    check_heat(&parameters.thermal, parameters.energy.idle_power)?;
    check_power_states(parameters)
}

fn check_caches(parameters: &Parameters) -> Result<(), ProfileError> {
    let flash = &parameters.flash;
    let is_volatile = flash.write_cache == WriteCache::Volatile;
    let of_flash = [
        ("flush_time", flash.flush_time > 0),
        ("map_cache", flash.map_cache > 0),
        ("write_cache", !is_volatile),
        ("slc_cache", flash.slc_cache > 0),
    ];
    if let Some((key, _)) = of_flash.iter().find(|(_, is_given)| parameters.kind == Kind::Disk && *is_given) {
        return refused(format!("{key} is of flash drives: leave it out of a disk"));
    }
    if !flash.map_cache.is_multiple_of(MAP_PAGE_BYTES) {
        return refused(format!("map_cache = {} is no multiple of 4MiB: give 1GiB", flash.map_cache));
    }
    if (flash.map_cache > 0) != (flash.map_miss > 0) {
        return refused("map_cache and map_miss go together: give both, or neither");
    }
    if flash.slc_share > 0 && (flash.slc_kind != SlcKind::Dynamic || flash.slc_cache == 0) {
        return refused(
            "slc_share needs slc_kind=dynamic, and slc_cache for the most that the cache grows to",
        );
    }
    if flash.slc_share * flash.bits_per_cell > 1_000_000 {
        return refused(format!(
            "slc_share = {}% is more than the free space holds with bits_per_cell = {}: give at most {}%",
            flash.slc_share as f64 / 1e4,
            flash.bits_per_cell,
            100 / flash.bits_per_cell
        ));
    }
    if flash.slc_min > 0 && (flash.slc_share == 0 || flash.slc_min > flash.slc_cache) {
        return refused(
            "slc_min needs slc_share, and is at most slc_cache: give a smaller one, or leave it out",
        );
    }
    if flash.slc_cache == 0 && (flash.slc_empty_rate > 0 || flash.slc_full == SlcFull::DirectThenFold) {
        return refused("slc_empty_rate and slc_full=direct_then_fold need an slc_cache: give its size");
    }
    if flash.slc_full == SlcFull::DirectThenFold && flash.slc_kind != SlcKind::Dynamic {
        return refused(
            "slc_full=direct_then_fold needs slc_kind=dynamic: a static cache has no free blocks to give back",
        );
    }
    if flash.slc_empty_rate > 0 && flash.idle_collect_after == 0 {
        return refused(
            "slc_empty_rate needs idle_collect_after, the idle time after which that begins: give 500ms",
        );
    }
    Ok(())
}

fn check_heat(thermal: &ThermalParameters, idle_power: u64) -> Result<(), ProfileError> {
    if thermal.resistance == 0 {
        return if thermal.limit == 0 {
            Ok(())
        } else {
            refused("thermal_limit needs thermal_resistance: without it the drive has no temperature")
        };
    }
    if u128::from(thermal.resistance) * u128::from(thermal.capacity) < 1_000_000 {
        return refused("thermal_resistance x heat_capacity is under a second: give a larger heat_capacity");
    }
    if thermal.limit == 0 {
        return Ok(());
    }
    // mK/W x uW are 10^-6 mK.
    let idle = thermal.ambient + thermal.resistance * idle_power / 1_000_000;
    if idle + thermal.hysteresis >= thermal.limit {
        return refused(format!(
            "the drive throttles for ever: it idles at {} C (ambient + thermal_resistance x idle_power), which is not below \
             thermal_limit less thermal_hysteresis = {} C: change one of these five",
            idle.div_ceil(1_000),
            thermal.limit.saturating_sub(thermal.hysteresis) / 1_000
        ));
    }
    if thermal.throttle == 0 {
        return refused("thermal_limit needs a thermal_throttle over 0%: give 50%, or leave the limit out");
    }
    Ok(())
}

fn check_power_states(parameters: &Parameters) -> Result<(), ProfileError> {
    let states = &parameters.power_states;
    for (number, state) in (1..).zip(states) {
        if state.after == 0 && (state.exit > 0 || state.power > 0) {
            return refused(format!(
                "power_state_{number}_exit and _power need power_state_{number}_after: give it"
            ));
        }
        if state.after > 0 && state.power > parameters.energy.idle_power {
            return refused(format!("power_state_{number}_power is over idle_power: give at most that"));
        }
    }
    for (number, pair) in (2..).zip(states.windows(2)) {
        if pair[1].after > 0 && (pair[0].after == 0 || pair[1].after <= pair[0].after) {
            return refused(format!(
                "power_state_{number}_after has to be over power_state_{}_after, which has to be over 0: give a longer one",
                number - 1
            ));
        }
        if pair[1].after > 0 && (pair[1].exit < pair[0].exit || pair[1].power > pair[0].power) {
            return refused(format!(
                "power_state_{number} is deeper than power_state_{}: give it at least its _exit, and at most its _power",
                number - 1
            ));
        }
    }
    Ok(())
}

fn check_health(parameters: &Parameters) -> Result<(), ProfileError> {
    if parameters.health.delay_reallocates > 0 && parameters.health.kind != HealthKind::Ata {
        return refused("delay_reallocates needs health=ata: no other health log counts reallocated blocks");
    }
    Ok(())
}

fn refused<T>(message: impl Into<String>) -> Result<T, ProfileError> {
    Err(ProfileError::new(message))
}

fn check_blocks(parameters: &Parameters) -> Result<(), ProfileError> {
    if ![512, 4096].contains(&parameters.logical_block) {
        let message = format!("logical_block = {} cannot be: give 512 or 4096", parameters.logical_block);
        return Err(ProfileError::new(message));
    }
    if !parameters.flash.map_segment.is_power_of_two() {
        let message = format!("map_segment = {} is no power of two: give 1MiB", parameters.flash.map_segment);
        return Err(ProfileError::new(message));
    }
    if parameters.disk.inner_rate > parameters.disk.outer_rate {
        return Err(ProfileError::new(format!(
            "inner_rate = {} is over outer_rate = {}: a track is longest at the first address",
            parameters.disk.inner_rate, parameters.disk.outer_rate
        )));
    }
    if parameters.disk.seek_track > parameters.disk.seek_full {
        return Err(ProfileError::new(format!(
            "seek_track = {} ns is over seek_full = {} ns: give a shorter one",
            parameters.disk.seek_track, parameters.disk.seek_full
        )));
    }
    Ok(())
}

fn check_stalls(parameters: &Parameters) -> Result<(), ProfileError> {
    let stalls = &parameters.stalls;
    if stalls.freeze_every > 0 && stalls.freeze_for >= stalls.freeze_every {
        return Err(ProfileError::new(format!(
            "freeze_for = {} ns is not less than freeze_every = {} ns: the drive would never answer",
            stalls.freeze_for, stalls.freeze_every
        )));
    }
    let spread = |deviation: u64, mean: u64| deviation.saturating_mul(2) > mean;
    if spread(stalls.delay_deviation, stalls.delay) {
        return Err(ProfileError::new(format!(
            "delay_deviation = {} ns is over half of delay = {} ns: give a smaller one",
            stalls.delay_deviation, stalls.delay
        )));
    }
    if spread(stalls.delay_every_deviation, stalls.delay_every) {
        return Err(ProfileError::new(format!(
            "delay_every_deviation = {} is over half of delay_every = {}: give a smaller one",
            stalls.delay_every_deviation, stalls.delay_every
        )));
    }
    Ok(())
}
