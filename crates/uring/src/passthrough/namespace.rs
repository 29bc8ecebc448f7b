//! Finding the character device of a claimed namespace, and whether commands can go through it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::Arc;

use drivelab_block::{
    ByteCount, Extent, Instant, Op, PhaseId, QueueId, Request, SECTOR_BYTES, Sector, SectorCount,
};
use drivelab_safety::{DeviceNumber, DriveIdentity, DriveKind, Identity, WriteGrant};
use io_uring::{IoUring, cqueue, squeue};
use rustix::fs::ioctl_blksszget;

use super::command::Form;
use super::described::{DescribedDevice, NoPassthrough, described};
use crate::FeatureReport;
use crate::area::Area;
use crate::ring::{register_buffers, ring_with_best_flags};

/// `NVME_IOCTL_ID` of `linux/nvme_ioctl.h`: `_IO('N', 0x40)`.
const NVME_IOCTL_ID: libc::Ioctl = 0x4E40;

/// A ring whose entries have room for a drive's command, and whose completions for its answer.
pub type CommandRing = IoUring<squeue::Entry128, cqueue::Entry32>;

/// A namespace of an NVMe drive that takes commands on a ring. The claim on its block device lives as long as it.
#[derive(Debug)]
pub struct Namespace {
    device: File,
    grant: Arc<WriteGrant>,
    id: u32,
    /// The longest read or write that is one command.
    pub longest: ByteCount,
    pub(super) takes_registered_buffers: bool,
}

impl Namespace {
    /// The namespace whose block device is claimed, after one read through its character device.
    ///
    /// # Errors
    /// [`NoPassthrough`] says why commands do not get there.
    pub fn open(grant: &Arc<WriteGrant>) -> Result<Namespace, NoPassthrough> {
        let drive = nvme_drive(grant.identity())?;
        let DescribedDevice { name, number, longest } = described(Path::new("/sys"), drive.number)?;
        let path = Path::new("/dev").join(name);
        let failed = |error| NoPassthrough::NotPossible(format!("{}: {error}", path.display()));
        let device = File::options().read(true).write(true).open(&path).map_err(failed)?;
        let found = device.metadata().map_err(failed)?;
        if !found.file_type().is_char_device() || DeviceNumber::from_raw(found.rdev()) != number {
            let path = path.display();
            return Err(NoPassthrough::NotPossible(format!(
                "{path} is not the device that the kernel has for the namespace"
            )));
        }
        // A command counts in blocks, and nobody below would notice other ones.
        let (now, cleared) = (ioctl_blksszget(grant.as_fd()), grant.geometry().logical_block);
        let now = now.map_err(|error| NoPassthrough::first_read(io::Error::from(error)))?;
        if now != cleared {
            return Err(NoPassthrough::NotPossible(format!(
                "the drive's blocks have {now} bytes, and it was cleared with blocks of {cleared}"
            )));
        }
        let id = namespace_id(device.as_fd()).map_err(failed)?;
        let longest = longest.whole_blocks(u64::from(cleared));
        let mut namespace =
            Namespace { device, grant: Arc::clone(grant), id, longest, takes_registered_buffers: true };
        match namespace.read_once(true).map_err(|error| (error.raw_os_error(), error)) {
            Ok(()) => return Ok(namespace),
            // Linux 5.19 and 6.0 take commands, but not from registered buffers.
            Err((Some(libc::EINVAL), _)) => namespace.takes_registered_buffers = false,
            // None can be registered, which the engine will say.
            Err((Some(libc::ENOMEM), _)) => {}
            Err((_, error)) => return Err(unreadable(error)),
        }
        namespace.read_once(false).map_err(unreadable)?;
        Ok(namespace)
    }

    /// The sectors that were cleared.
    pub(super) fn allowed_range(&self) -> Range<Sector> {
        self.grant.allowed_range()
    }

    /// Bytes of a block.
    pub(super) fn block(&self) -> u64 {
        u64::from(self.grant.geometry().logical_block)
    }

    /// What commands go through, and the claimed block device: a ring that holds both ends the claim only with the last
    /// command, however the program ends.
    pub(super) fn descriptors(&self) -> [BorrowedFd<'_>; 2] {
        [self.device.as_fd(), self.grant.as_fd()]
    }

    /// How its commands are built, with nothing registered.
    pub(super) fn form(&self) -> Form {
        Form {
            descriptor: self.device.as_raw_fd(),
            registered_file: false,
            registered_buffers: false,
            namespace: self.id,
            block_shift: (self.block() / SECTOR_BYTES).ilog2(),
        }
    }

    fn read_once(&self, registered: bool) -> io::Result<()> {
        let block = self.block();
        let area = Area::map(1, usize::try_from(block).unwrap_or(usize::MAX)).map_err(io::Error::other)?;
        // Declared behind the buffer, and so gone before it.
        let mut ring: CommandRing =
            ring_with_best_flags(1, &FeatureReport::default()).map_err(io::Error::other)?;
        if registered && !register_buffers(&ring.submitter(), &area, &FeatureReport::default()) {
            return Err(io::Error::from_raw_os_error(libc::ENOMEM));
        }
        let form = Form { registered_buffers: registered, ..self.form() };
        let sectors = u32::try_from(block / SECTOR_BYTES).unwrap_or(u32::MAX);
        let first = Extent { start: Sector::new(0), length: SectorCount::new(sectors) };
        let request = Request {
            op: Op::Read,
            extent: first,
            intended_at: Instant::ORIGIN,
            queue: QueueId(0),
            phase: PhaseId(0),
        };
        let entry = form.entry(&request, 0, area.address(0));
        // SAFETY: the entry's buffer is mapped until the completion is here, for which is waited below.
        unsafe { ring.submission().push(&entry) }.map_err(io::Error::other)?;
        while ring.completion().is_empty() {
            match ring.submit_and_wait(1) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    // The kernel may still write into it.
                    std::mem::forget(area);
                    return Err(error);
                }
                _ => {}
            }
        }
        match ring.completion().next().map_or(0, |entry| entry.result()) {
            0 => Ok(()),
            status if status > 0 => Err(io::Error::other(format!("NVMe status {status:#x}"))),
            error => Err(io::Error::from_raw_os_error(-error)),
        }
    }
}

fn unreadable(error: io::Error) -> NoPassthrough {
    match error.raw_os_error() {
        Some(libc::EOPNOTSUPP | libc::EINVAL | libc::ENOTTY) => NoPassthrough::NotPossible(format!(
            "the kernel takes no NVMe commands on a ring (Linux 5.19 and later): {error}"
        )),
        _ => NoPassthrough::first_read(error),
    }
}

/// The drive that a target is, where commands can be sent to all of it.
pub fn nvme_drive(identity: &Identity) -> Result<&DriveIdentity, NoPassthrough> {
    match identity {
        Identity::Drive(drive) if drive.kind == DriveKind::Nvme => match drive.parent {
            Some(_) => Err(NoPassthrough::Partition),
            None => Ok(drive),
        },
        Identity::Drive(_) | Identity::File(_) => Err(NoPassthrough::NotNvme),
    }
}

/// The identifier of a namespace.
pub fn namespace_id(device: BorrowedFd<'_>) -> io::Result<u32> {
    // SAFETY: the call takes no argument.
    let id = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ID) };
    u32::try_from(id).map_err(|_| io::Error::last_os_error())
}
