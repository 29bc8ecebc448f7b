//! How a target is named that may be an image of a drive.

/// How a target begins that is an image of a drive.
pub const IMAGE: &str = "image:";

/// The target as it is named from every folder, for a run that goes on from another.
pub fn from_anywhere(target: &str) -> String {
    let (kind, path) = target.strip_prefix(IMAGE).map_or(("", target), |path| (IMAGE, path));
    let absolute = std::path::absolute(path).ok();
    absolute.and_then(|path| Some(format!("{kind}{}", path.to_str()?))).unwrap_or_else(|| target.to_owned())
}
