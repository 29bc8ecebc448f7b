//! Values that are too large for the drive that they are of.

use super::error::ProfileError;
use super::load::Loaded;
use super::parameters::SlcKind;
use super::shape::DriveShape;
use super::units::KeyUnit;

/// What the size of a drive follows from.
const SIZES: &[&str] = &["size", "raw", "over_provisioning", "bits_per_cell"];

/// A value of a key that is compared with the drive.
struct ComparedKey {
    key: &'static str,
    value: u64,
    most: u64,
    /// What `most` is.
    of: &'static str,
}

/// Refuses values that are larger than the drive. Those of a profile are no errors where an override makes the drive smaller:
/// they are what that has room for.
///
/// # Errors
/// The first of them, in one line that says what to give.
pub(super) fn check(loaded: &Loaded) -> Result<(), ProfileError> {
    let (flash, size) = (&loaded.parameters.flash, loaded.parameters.size);
    let in_slc_mode = flash.raw / flash.bits_per_cell.max(1);
    // With a share, the size is no more than the most that it grows to.
    let is_of_size = flash.slc_kind == SlcKind::Dynamic && flash.slc_share == 0;
    let all = [
        ("write_buffer", flash.write_buffer, size, "the size of the drive"),
        ("map_segment", flash.map_segment, size, "the size of the drive"),
        ("wrap_at", loaded.parameters.faults.wrap_at, size, "the size of the drive"),
        ("zeros_from", loaded.parameters.faults.zeros_from, size, "the size of the drive"),
        ("fail_from", loaded.parameters.faults.fail_from, size, "the size of the drive"),
        ("slc_cache", if is_of_size { flash.slc_cache } else { 0 }, in_slc_mode, "all the flash in SLC mode"),
    ];
    for (key, value, most, of) in all {
        ComparedKey { key, value, most, of }.check(loaded)?;
    }
    if flash.map_cache >= size && is_own("map_cache", loaded) {
        return Err(ProfileError::new(format!(
            "map_cache = {} holds the map of the whole drive (size = {}): give less, or leave out map_cache and map_miss",
            KeyUnit::Bytes.format(flash.map_cache),
            KeyUnit::Bytes.format(size)
        )));
    }
    Ok(())
}

/// The same of the free flash that collection keeps.
///
/// # Errors
/// As [`check`].
pub(super) fn check_pools(loaded: &Loaded, shape: &DriveShape) -> Result<(), ProfileError> {
    let (flash, spare) = (&loaded.parameters.flash, shape.spare_bytes());
    let all = [
        ("collect_pool", flash.collect_pool, spare / 4, "a quarter of the spare flash"),
        ("idle_collect_pool", flash.idle_collect_pool, spare / 2, "half of the spare flash"),
    ];
    for (key, value, most, of) in all {
        ComparedKey { key, value, most, of }.check(loaded)?;
    }
    let (pool, idle_pool) = (flash.collect_pool, flash.idle_collect_pool);
    if (1..pool).contains(&idle_pool) && is_own("idle_collect_pool", loaded) {
        return Err(ProfileError::new(format!(
            "idle_collect_pool = {} is under collect_pool = {}, which is free in any case: give at least that",
            KeyUnit::Bytes.format(idle_pool),
            KeyUnit::Bytes.format(pool)
        )));
    }
    Ok(())
}

/// Whether the value of a key is meant for this drive: it is overridden, or it is the profile's and the size is, too.
fn is_own(key: &str, loaded: &Loaded) -> bool {
    let is_resized = SIZES.iter().any(|size| loaded.overrides.has(size));
    loaded.overrides.has(key) || loaded.of_profile.has(key) && !is_resized
}

impl ComparedKey {
    fn check(&self, loaded: &Loaded) -> Result<(), ProfileError> {
        let ComparedKey { key, value, most, of } = *self;
        if value <= most || !is_own(key, loaded) {
            return Ok(());
        }
        Err(ProfileError::new(format!(
            "{key} = {} is more than {of}: give at most {}",
            KeyUnit::Bytes.format(value),
            at_most(most)
        )))
    }
}

/// A size that is not above another one, short enough to be typed.
fn at_most(most: u64) -> String {
    let exact = KeyUnit::Bytes.format(most);
    let tenths = |unit: u64, name: &str| format!("{}.{}{name}", most / unit, most % unit * 10 / unit);
    match most {
        _ if exact.len() <= 6 => exact,
        1_000_000_000.. => tenths(1_000_000_000, "GB"),
        1_000_000.. => tenths(1_000_000, "MB"),
        _ => exact,
    }
}
