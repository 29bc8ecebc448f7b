//! How a target is opened: so that no program which is started meanwhile inherits it, and without the page cache where that
//! is possible.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, Result};

/// Opens a path with these flags; `mode` is that of a file which is created.
pub(crate) fn opened(path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    open(path, flags | OFlags::CLOEXEC, mode)
}

/// Opens the node of a device for reading. A drive without a medium is not waited for.
pub(crate) fn opened_to_look(path: &Path) -> Result<OwnedFd> {
    opened(path, OFlags::NONBLOCK, Mode::empty())
}

/// Opens a path without the page cache where that is possible, and says whether it is.
pub(crate) fn opened_directly(path: &Path, flags: OFlags, mode: Mode) -> Result<(OwnedFd, bool)> {
    match opened(path, flags | OFlags::DIRECT, mode) {
        Err(Errno::INVAL) => {
            // A file may have been created before direct I/O was found not to be possible.
            let created = if flags.contains(OFlags::CREATE) { OFlags::EXCL } else { OFlags::empty() };
            Ok((opened(path, flags.difference(created), mode)?, false))
        }
        descriptor => Ok((descriptor?, true)),
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::fcntl_getfl;
    use rustix::io::{FdFlags, fcntl_getfd};

    use super::*;

    #[test]
    fn no_program_that_is_started_inherits_a_drive_and_none_is_waited_for() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let look = opened_to_look(&path).expect("a file");
        assert!(fcntl_getfl(&look).expect("its flags").contains(OFlags::NONBLOCK));
        let (direct, _) = opened_directly(&path, OFlags::RDONLY, Mode::empty()).expect("a file");
        for descriptor in [look, direct] {
            assert_eq!(fcntl_getfd(&descriptor), Ok(FdFlags::CLOEXEC));
        }
    }
}
