//! File systems in which the kernel shows itself: their files are switches and reports, and no place for
//! data.

use std::path::Path;

use rustix::fs::{StatFs, statfs};

/// What each is, and its magic number (linux/magic.h, and the sources of those that have none there).
const KERNEL_OWNED: [(u64, &str); 31] = [
    (0x9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0x6265_6570, "configfs"),
    (0x7363_6673, "securityfs"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x4341_5d53, "smackfs"),
    (0x6165_676c, "pstore"),
    (0xde5e_81e4, "efivarfs"),
    (0xcafe_4a11, "bpf"),
    (0x4249_4e4d, "binfmt_misc"),
    (0x6c6f_6f70, "binder"),
    (0x6e73_6673, "nsfs"),
    (0x5049_4446, "pidfs"),
    (0x1cd1, "devpts"),
    (0x5049_5045, "pipefs"),
    (0x534f_434b, "sockfs"),
    (0x0904_1934, "anon_inodefs"),
    (0x1980_0202, "mqueue"),
    (0x0765_5821, "resctrl"),
    (0x6573_5543, "fusectl"),
    (0x6759_6969, "rpc_pipefs"),
    (0x6e66_7364, "nfsd"),
    (0x9fa1, "openpromfs"),
    (0x0187, "autofs"),
    (0x5345_434d, "secretmem"),
    (0x6462_6774, "gadgetfs"),
    (0xabba_1974, "xenfs"),
];

/// The magic number of a file system; the width of the field differs between processors.
pub(crate) fn magic_of(found: &StatFs) -> u64 {
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "it is another type elsewhere")]
    let magic = found.f_type as u64 & 0xffff_ffff;
    magic
}

/// The name of the kernel's own file system that a path lies on; `None` for a file system that holds data.
pub fn kernel_owned(path: &Path) -> Option<&'static str> {
    let magic = magic_of(&statfs(path).ok()?);
    KERNEL_OWNED.iter().find(|(number, _)| *number == magic).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_files_are_told_from_others() {
        assert_eq!(kernel_owned(Path::new("/proc/version")), Some("proc"));
        assert_eq!(kernel_owned(Path::new(env!("CARGO_MANIFEST_DIR"))), None);
    }
}
