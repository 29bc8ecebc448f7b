//! Finding the character device of a claimed namespace, and whether commands can go through it.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_block::{
    ByteCount, Extent, Instant, Op, PhaseId, QueueId, Request, SECTOR_BYTES, Sector, SectorCount,
};
use drivelab_safety::{DeviceNumber, DriveIdentity, Identity, WriteGrant};
use io_uring::{IoUring, cqueue, squeue};

use super::command::Form;
use crate::Obtained;
use crate::area::Area;
use crate::ring::{register_buffers, ring_with_best_flags};

/// `NVME_IOCTL_ID` of `linux/nvme_ioctl.h`: `_IO('N', 0x40)`.
const NVME_IOCTL_ID: libc::Ioctl = 0x4E40;
/// A command counts its blocks, less one, in 16 bits.
const BLOCKS_MAX: u64 = 1 << 16;
const PAGE: u64 = 4096;

/// A ring whose entries have room for a drive's command, and whose completions for its answer.
pub type CommandRing = IoUring<squeue::Entry128, cqueue::Entry32>;

/// Why a target cannot be reached by passthrough.
#[derive(Debug, thiserror::Error)]
pub enum NoPassthrough {
    /// It is a file, or a drive of another kind.
    #[error("the target is no NVMe drive")]
    NotNvme,
    /// Commands know no partitions.
    #[error("the target is a partition, which NVMe commands do not know of")]
    Partition,
    /// A block carries more than its data, or nobody says that it does not.
    #[error("the namespace's blocks carry metadata, or the kernel does not tell")]
    Metadata,
    /// There is no character device.
    #[error("the kernel has no character device for the namespace (Linux 5.13 and later)")]
    NoDevice,
    /// The character device is not the namespace's.
    #[error("{} is not the device that the kernel has for the namespace", .0.display())]
    OtherDevice(PathBuf),
    /// It could not be opened or asked.
    #[error("{}: {error}", .path.display())]
    Device {
        /// The character device.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A first read came back with an error.
    #[error("the kernel takes no NVMe commands on a ring (Linux 5.19 and later): {0}")]
    Refused(io::Error),
}

/// A namespace of an `NVMe` drive that takes commands on a ring. The claim on its block device lives as long as it.
#[derive(Debug)]
pub struct Namespace {
    device: File,
    grant: Arc<WriteGrant>,
    id: u32,
    longest: ByteCount,
    takes_registered_buffers: bool,
}

impl Namespace {
    /// The namespace whose block device is claimed, after one read through its character device.
    ///
    /// # Errors
    /// [`NoPassthrough`] says why commands do not get there.
    pub fn of(grant: &Arc<WriteGrant>) -> Result<Namespace, NoPassthrough> {
        let drive = nvme_drive(grant.identity())?;
        let Described { name, number } = described(Path::new("/sys"), drive.number)?;
        let path = Path::new("/dev").join(name);
        let failed = |error| NoPassthrough::Device { path: path.clone(), error };
        let device = File::options().read(true).write(true).open(&path).map_err(failed)?;
        if DeviceNumber::from_raw(device.metadata().map_err(failed)?.rdev()) != number {
            return Err(NoPassthrough::OtherDevice(path));
        }
        let id = namespace_id(&device).map_err(failed)?;
        let block = grant.geometry().logical_block;
        let longest = longest(drive, u64::from(block));
        let mut namespace =
            Namespace { device, grant: Arc::clone(grant), id, longest, takes_registered_buffers: true };
        // Linux 5.19 and 6.0 take commands, but not from registered buffers.
        namespace.takes_registered_buffers = namespace.read_once(true).is_ok();
        if !namespace.takes_registered_buffers {
            namespace.read_once(false).map_err(NoPassthrough::Refused)?;
        }
        Ok(namespace)
    }

    /// The longest read or write that is one command.
    pub fn longest(&self) -> ByteCount {
        self.longest
    }

    /// The sectors that were cleared.
    pub(super) fn allowed_range(&self) -> Range<Sector> {
        self.grant.allowed_range()
    }

    pub(super) fn takes_registered_buffers(&self) -> bool {
        self.takes_registered_buffers
    }

    /// Bytes of a block.
    pub(super) fn block(&self) -> u64 {
        u64::from(self.grant.geometry().logical_block)
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
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

    /// Reads the first block.
    fn read_once(&self, registered: bool) -> io::Result<()> {
        let mut ring: CommandRing =
            ring_with_best_flags(1, &Obtained::default()).map_err(io::Error::other)?;
        let block = self.block();
        let area = Area::map(1, usize::try_from(block).unwrap_or(usize::MAX)).map_err(io::Error::other)?;
        if registered && !register_buffers(&ring.submitter(), &area, &Obtained::default()) {
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

fn nvme_drive(identity: &Identity) -> Result<&DriveIdentity, NoPassthrough> {
    match identity {
        Identity::Drive(drive) if drive.kernel_name.starts_with("nvme") => match drive.parent {
            Some(_) => Err(NoPassthrough::Partition),
            None => Ok(drive),
        },
        Identity::Drive(_) | Identity::File(_) => Err(NoPassthrough::NotNvme),
    }
}

/// The character device that the kernel has for a namespace.
#[derive(Debug, PartialEq, Eq)]
struct Described {
    name: String,
    number: DeviceNumber,
}

/// Finds it beside the block device: `nvme0n1` has `ng0n1`, whether that is a path of the drive or the head of all.
fn described(sys: &Path, block: DeviceNumber) -> Result<Described, NoPassthrough> {
    let folder = sys.join(format!("dev/block/{}:{}", block.major, block.minor));
    let folder = folder.canonicalize().map_err(|_| NoPassthrough::NoDevice)?;
    if has_metadata(&folder) {
        return Err(NoPassthrough::Metadata);
    }
    let name = folder.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix("nvme"));
    let name = format!("ng{}", name.ok_or(NoPassthrough::NotNvme)?);
    let number = fs::read_to_string(folder.with_file_name(&name).join("dev")).ok();
    let number = number.and_then(|number| DeviceNumber::parse(number.trim()));
    number.map_or(Err(NoPassthrough::NoDevice), |number| Ok(Described { name, number }))
}

/// Whether blocks carry metadata, which a command would have to bring along. Kernels before 6.8 tell it by the format of
/// the blocks' integrity alone.
fn has_metadata(block: &Path) -> bool {
    let of = |attribute: &str| fs::read_to_string(block.join(attribute)).ok();
    match (of("metadata_bytes"), of("integrity/format")) {
        (Some(bytes), _) => bytes.trim() != "0",
        (None, Some(format)) => format.trim() != "none",
        (None, None) => true,
    }
}

/// The longest request that the drive and the kernel take whole: the block layer, which would cut it, is passed by.
fn longest(drive: &DriveIdentity, block: u64) -> ByteCount {
    let by_memory = drive.queue.segments.map_or(PAGE, |segments| u64::from(segments) * PAGE);
    let by_drive = drive.queue.longest_request.map_or(PAGE, ByteCount::get);
    let longest = by_memory.min(by_drive).min(BLOCKS_MAX * block);
    ByteCount::new((longest / block).max(1) * block)
}

fn namespace_id(device: &File) -> io::Result<u32> {
    // SAFETY: the call takes no argument.
    let id = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ID) };
    u32::try_from(id).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A namespace as the kernel shows it, with these attributes.
    fn shown(attributes: &[(&str, &str)]) -> tempfile::TempDir {
        let sys = tempfile::tempdir().expect("a temporary folder");
        let controller = sys.path().join("devices/pci/nvme/nvme0");
        let put = |path: &str, text: &str| {
            let path = controller.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        put("nvme0n2/dev", "259:3\n");
        attributes.iter().for_each(|(path, text)| put(path, text));
        fs::create_dir_all(sys.path().join("dev/block")).expect("a folder");
        symlink("../../devices/pci/nvme/nvme0/nvme0n2", sys.path().join("dev/block/259:3")).expect("a link");
        sys
    }

    fn found(attributes: &[(&str, &str)]) -> Result<Described, NoPassthrough> {
        described(shown(attributes).path(), DeviceNumber { major: 259, minor: 3 })
    }

    #[test]
    fn the_character_device_is_the_one_beside_the_block_device() {
        let device = ("ng0n2/dev", "241:1\n");
        let expected = Described { name: "ng0n2".into(), number: DeviceNumber { major: 241, minor: 1 } };
        for plain in [("nvme0n2/metadata_bytes", "0\n"), ("nvme0n2/integrity/format", "none\n")] {
            assert_eq!(found(&[device, plain]).expect("a namespace"), expected);
            assert!(matches!(found(&[plain]), Err(NoPassthrough::NoDevice)));
        }
    }

    #[test]
    fn blocks_with_metadata_or_without_a_word_about_it_are_left_alone() {
        let device = ("ng0n2/dev", "241:1\n");
        for attributes in [
            &[device][..],
            &[device, ("nvme0n2/metadata_bytes", "8\n"), ("nvme0n2/integrity/format", "none\n")],
            &[device, ("nvme0n2/integrity/format", "T10-DIF-TYPE1-CRC\n")],
        ] {
            assert!(matches!(found(attributes), Err(NoPassthrough::Metadata)), "{attributes:?}");
        }
    }
}
