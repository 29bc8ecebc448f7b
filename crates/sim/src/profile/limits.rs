//! Values that are too large for the drive that they are of.

use super::error::{ProfileError, refused};
use super::load::Loaded;
use super::parameters::SlcKind;
use super::shape::DriveShape;
use super::table::{find, shown};
use super::units::KeyUnit;

/// What the size of a drive follows from.
const SIZES: &[&str] = &["size", "raw", "over_provisioning", "bits_per_cell"];

/// Refuses values that are larger than the drive. Those of a profile are no errors where an override makes the drive smaller:
/// they are what that has room for.
pub(super) fn check(loaded: &Loaded) -> Result<(), ProfileError> {
    let (flash, size) = (&loaded.parameters.flash, loaded.parameters.size);
    for key in ["write_buffer", "map_segment", "wrap_at", "zeros_from", "fail_from"] {
        check_most(key, size, "the size of the drive", loaded)?;
    }
    // With a share, the size is no more than the most that it grows to.
    if flash.slc_kind == SlcKind::Dynamic && flash.slc_share == 0 {
        let in_slc_mode = flash.raw / flash.bits_per_cell.max(1);
        check_most("slc_cache", in_slc_mode, "all the flash in SLC mode", loaded)?;
    }
    if flash.map_cache >= size && is_own("map_cache", loaded) {
        return refused(format!(
            "{} holds the map of the whole drive ({}): give less, or leave out map_cache and map_miss",
            shown("map_cache", &loaded.parameters),
            shown("size", &loaded.parameters)
        ));
    }
    Ok(())
}

/// The same of the free flash that collection keeps.
pub(super) fn check_pools(loaded: &Loaded, shape: &DriveShape) -> Result<(), ProfileError> {
    let (flash, spare) = (&loaded.parameters.flash, shape.spare_bytes());
    check_most("collect_pool", spare / 4, "a quarter of the spare flash", loaded)?;
    check_most("idle_collect_pool", spare / 2, "half of the spare flash", loaded)?;
    if (1..flash.collect_pool).contains(&flash.idle_collect_pool) && is_own("idle_collect_pool", loaded) {
        return refused(format!(
            "{} is under {}, which is free in any case: give at least that",
            shown("idle_collect_pool", &loaded.parameters),
            shown("collect_pool", &loaded.parameters)
        ));
    }
    Ok(())
}

/// Whether the value of a key is meant for this drive: it is overridden, or it is the profile's and the size is, too.
fn is_own(key: &str, loaded: &Loaded) -> bool {
    let is_resized = SIZES.iter().any(|size| loaded.overrides.contains(*size));
    loaded.overrides.contains(key) || loaded.of_profile.contains(key) && !is_resized
}

/// Refuses a value of a key above `most`, which is `of`.
fn check_most(key: &str, most: u64, of: &str, loaded: &Loaded) -> Result<(), ProfileError> {
    let value = find(key).and_then(|row| row.number(&loaded.parameters));
    if value <= Some(most) || !is_own(key, loaded) {
        return Ok(());
    }
    refused(format!("{} is more than {of}: give at most {}", shown(key, &loaded.parameters), at_most(most)))
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
