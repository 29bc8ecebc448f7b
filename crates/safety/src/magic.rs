//! Which file system it is, by its number.

/// The magic number of a file system; the width of the field differs between processors.
pub(crate) fn magic_of(found: &rustix::fs::StatFs) -> u64 {
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "it is another type elsewhere")]
    let magic = found.f_type as u64 & 0xffff_ffff;
    magic
}
