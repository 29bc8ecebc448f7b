//! Keys that contradict each other.

use super::error::ProfileError;
use super::parameters::{HealthKind, Parameters};

/// Refuses parameters that contradict each other.
///
/// # Errors
/// The first contradiction, in one line that says what to change.
pub(super) fn check(parameters: &Parameters) -> Result<(), ProfileError> {
    check_blocks(parameters)?;
    check_stalls(parameters)?;
    check_health(parameters)
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
