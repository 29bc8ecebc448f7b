//! The name of a device, as readers are shown it.

use std::borrow::Cow;

/// A name that is only the kernel's number of a device (major and minor, such as `8:0`) is said to be that of a device; others
/// are shown as the source has them.
pub(super) fn in_words(name: &str) -> Cow<'_, str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.split_once(':') {
        Some((major, minor)) if is_number(major) && is_number(minor) => Cow::Owned(format!("device {name}")),
        _ => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_alone_is_said_to_be_a_device() {
        assert_eq!(in_words("8:0"), "device 8:0");
        for name in ["sda", "hm:0", "8:", "nvme0n1", ""] {
            assert_eq!(in_words(name), name);
        }
    }
}
