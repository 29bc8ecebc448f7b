//! Keys that contradict each other.

use super::error::{ProfileError, refused};
use super::parameters::{Parameters, SlcFull, SlcKind};
use super::shape::MAP_PAGE_BYTES;
use super::table::{THERMAL_LIMIT_MAX, find, shown};
use super::units::KeyUnit;

/// Refuses parameters that contradict each other.
pub(super) fn check(parameters: &Parameters) -> Result<(), ProfileError> {
    check_blocks(parameters)?;
    check_stalls(parameters)?;
    check_caches(parameters)?;
    check_heat(parameters)?;
    check_power_states(parameters)
}

fn check_caches(parameters: &Parameters) -> Result<(), ProfileError> {
    let (flash, shown) = (&parameters.flash, |key: &str| shown(key, parameters));
    if !flash.map_cache.is_multiple_of(MAP_PAGE_BYTES) {
        let below = flash.map_cache / MAP_PAGE_BYTES * MAP_PAGE_BYTES;
        let above = bytes(below + MAP_PAGE_BYTES);
        let either = if below > 0 { format!("{} or {above}", bytes(below)) } else { above };
        return refused(format!("{} is no multiple of 4MiB: give {either}", shown("map_cache")));
    }
    if flash.slc_cache == 0 {
        return Ok(());
    }
    if flash.bits_per_cell == 1 {
        return refused(
            "slc_cache needs a bits_per_cell over 1: all of the flash is in SLC mode; leave the cache out",
        );
    }
    let slower = ": the SLC cache would be slower than the flash behind it; give a shorter one";
    check_not_over("slc_program", "program", slower, parameters)?;
    if flash.slc_share * flash.bits_per_cell > 1_000_000 {
        return refused(format!(
            "{} is more than the free space holds with {}: give at most {}%",
            shown("slc_share"),
            shown("bits_per_cell"),
            100 / flash.bits_per_cell
        ));
    }
    check_not_over(
        "slc_min",
        "slc_cache",
        ", the most that the cache grows to: give at most that",
        parameters,
    )?;
    if flash.slc_full == SlcFull::DirectThenFold && flash.slc_kind != SlcKind::Dynamic {
        return refused(
            "slc_full=direct_then_fold needs slc_kind=dynamic, as a static cache has no free blocks to give back: give \
             slc_full=direct or slc_full=fold",
        );
    }
    Ok(())
}

fn check_heat(parameters: &Parameters) -> Result<(), ProfileError> {
    let (thermal, idle_power) = (&parameters.thermal, parameters.energy.idle_power);
    if thermal.resistance == 0 {
        return Ok(());
    }
    if u128::from(thermal.resistance) * u128::from(thermal.capacity) < 1_000_000 {
        return refused(format!(
            "{} times {} is under a second: give a larger heat_capacity, such as 30J/K",
            shown("thermal_resistance", parameters),
            shown("heat_capacity", parameters)
        ));
    }
    if thermal.limit == 0 {
        return Ok(());
    }
    // mK/W x uW are 10^-6 mK.
    let idle = thermal.ambient + thermal.resistance * idle_power / 1_000_000;
    if idle + thermal.hysteresis >= thermal.limit {
        let shown = |milli: u64| KeyUnit::Temperature.format(milli.div_ceil(1_000) * 1_000);
        // A degree more than the limits, so that what is typed is taken.
        let coolest =
            (thermal.limit.saturating_sub(thermal.hysteresis + thermal.resistance * idle_power / 1_000_000))
                .saturating_sub(1_000);
        let hottest = idle + thermal.hysteresis + 1_000;
        // What is advised has to be within the ranges of the keys.
        let cooler = (coolest >= 1_000).then(|| {
            format!("an ambient of {} or less", KeyUnit::Temperature.format(coolest / 1_000 * 1_000))
        });
        let higher =
            (hottest <= THERMAL_LIMIT_MAX).then(|| format!("a thermal_limit of {} or more", shown(hottest)));
        let instead: Vec<String> = [cooler, higher].into_iter().flatten().collect();
        let instead = if instead.is_empty() {
            "less idle_power, or a smaller thermal_resistance".to_owned()
        } else {
            instead.join(", or ")
        };
        return refused(format!(
            "a drive that has begun to throttle would not stop while it is awake: idle it is at {} (ambient + thermal_resistance \
             x idle_power), and throttling ends under {} (thermal_limit - thermal_hysteresis): give {instead}",
            shown(idle),
            shown(thermal.limit.saturating_sub(thermal.hysteresis))
        ));
    }
    if thermal.throttle == 0 {
        return refused("thermal_limit needs a thermal_throttle over 0%: give 50%, or leave the limit out");
    }
    Ok(())
}

fn check_power_states(parameters: &Parameters) -> Result<(), ProfileError> {
    let states = &parameters.power_states;
    let key = |number: usize, end: &str| format!("power_state_{number}_{end}");
    for (number, _) in (1..).zip(states).filter(|(_, state)| state.after > 0) {
        check_not_over(&key(number, "power"), "idle_power", ": give at most that", parameters)?;
    }
    for (number, pair) in (2..).zip(states.windows(2)) {
        let ([before, after], above) = ([&pair[0], &pair[1]], number - 1);
        let both = |end: &str, relation: &str| {
            let [own, other] = [number, above].map(|number| shown(&key(number, end), parameters));
            format!("{own} {relation} {other}")
        };
        if after.after == 0 {
            continue;
        }
        if before.after == 0 {
            return refused(format!(
                "power_state_{number}_after needs power_state_{above}_after, as states are numbered without gaps: give that, or \
                 power_state_{number}_after=0s"
            ));
        }
        if after.after <= before.after {
            return refused(format!("{}: give a longer one", both("after", "has to be over")));
        }
        if after.exit < before.exit {
            return refused(format!(
                "{}, and a deeper state takes longer to leave: give at least that",
                both("exit", "is under")
            ));
        }
        let deeper = ", and a deeper state draws less: give at most that";
        check_not_over(&key(number, "power"), &key(above, "power"), deeper, parameters)?;
    }
    Ok(())
}

fn bytes(value: u64) -> String {
    KeyUnit::Bytes.format(value)
}

fn check_blocks(parameters: &Parameters) -> Result<(), ProfileError> {
    let segment = parameters.flash.map_segment;
    let shown = |key: &str| shown(key, parameters);
    if ![512, 4096].contains(&parameters.logical_block) {
        return refused(format!("{} cannot be: give 512B or 4KiB", shown("logical_block")));
    }
    if !segment.is_power_of_two() {
        let above = segment.next_power_of_two();
        let (below, above) = (bytes(above / 2), bytes(above));
        return refused(format!("{} is no power of two: give {below} or {above}", shown("map_segment")));
    }
    let longest = ", and a track is longest at the first address: give at most that";
    check_not_over("inner_rate", "outer_rate", longest, parameters)?;
    check_not_over("seek_track", "seek_full", ": give a shorter one", parameters)
}

/// Refuses a value of one key above that of another; `advice` says why, and what to give.
fn check_not_over(key: &str, other: &str, advice: &str, parameters: &Parameters) -> Result<(), ProfileError> {
    let value = |key: &str| find(key).and_then(|row| row.number(parameters));
    if value(key) <= value(other) {
        return Ok(());
    }
    refused(format!("{} is over {}{advice}", shown(key, parameters), shown(other, parameters)))
}

fn check_stalls(parameters: &Parameters) -> Result<(), ProfileError> {
    let (stalls, shown) = (&parameters.stalls, |key: &str| shown(key, parameters));
    if stalls.freeze_every > 0 && stalls.freeze_for >= stalls.freeze_every {
        return refused(format!(
            "{} is not less than {}, and the drive would never answer: give a shorter one",
            shown("freeze_for"),
            shown("freeze_every")
        ));
    }
    for (mean, deviation, key) in [
        (stalls.delay, stalls.delay_deviation, "delay"),
        (stalls.delay_every, stalls.delay_every_deviation, "delay_every"),
    ] {
        if deviation.saturating_mul(2) > mean {
            let given = shown(&format!("{key}_deviation"));
            return refused(format!("{given} is over half of {}: give a smaller one", shown(key)));
        }
    }
    Ok(())
}
