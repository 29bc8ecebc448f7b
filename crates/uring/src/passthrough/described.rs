//! What the kernel says of a namespace, before anything of it is opened, and why commands do not get to it.

use std::path::Path;
use std::{fmt, fs};

use drivelab_block::ByteCount;
use drivelab_safety::DeviceNumber;

/// A command counts its blocks, less one, in 16 bits.
const BLOCKS_MAX: u64 = 1 << 16;
const PAGE: u64 = 4096;

/// The character device that the kernel has for a namespace.
#[derive(Debug, PartialEq, Eq)]
pub struct DescribedDevice {
    /// Its name in `/dev`.
    pub name: String,
    /// Its number.
    pub number: DeviceNumber,
    /// What one command moves at most.
    pub longest: Longest,
}

/// Finds it beside the block device, in this `/sys`.
pub fn described(sys: &Path, block: DeviceNumber) -> Result<DescribedDevice, NoPassthrough> {
    let folder = sys.join(format!("dev/block/{}:{}", block.major, block.minor));
    let no_device = || {
        let why = "the kernel has no character device for the namespace (Linux 5.13 and later)";
        NoPassthrough::NotPossible(why.to_owned())
    };
    let folder = folder.canonicalize().map_err(|_| no_device())?;
    if has_metadata(&folder) {
        let why = "the namespace's blocks carry metadata, or the kernel does not tell";
        return Err(NoPassthrough::NotPossible(why.to_owned()));
    }
    let name = generic_name(&folder).ok_or(NoPassthrough::NotNvme)?;
    let number = fs::read_to_string(folder.with_file_name(&name).join("dev")).ok();
    let number = number.and_then(|number| DeviceNumber::parse(number.trim()));
    let longest = Longest::read(&folder);
    number.map_or_else(|| Err(no_device()), |number| Ok(DescribedDevice { name, number, longest }))
}

/// `nvme0n1` has `ng0n1`. The head of a drive with several paths has its subsystem's number in both names; below a
/// controller, the character device has the controller's, and the block device may have the subsystem's all the same.
fn generic_name(block: &Path) -> Option<String> {
    let name = |path: &Path| path.file_name()?.to_str()?.strip_prefix("nvme").map(str::to_owned);
    let own = name(block)?;
    let (_, namespace) = own.split_once('n')?;
    let controller = block.parent().and_then(name).filter(|number| number.parse::<u32>().is_ok());
    Some(controller.map_or_else(|| format!("ng{own}"), |controller| format!("ng{controller}n{namespace}")))
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

/// What surely is one command: the block layer, which would cut it, is passed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest {
    /// The most bytes that the driver takes at once (`max_hw_sectors_kb`).
    bytes: u64,
    /// The most pieces of memory (`max_segments`), each of which may be no longer than a page.
    segments: u64,
}

impl Longest {
    fn read(block: &Path) -> Longest {
        let of = |attribute: &str| fs::read_to_string(block.join("queue").join(attribute)).ok();
        let number = |attribute: &str| of(attribute)?.trim().parse::<u64>().ok();
        Longest {
            bytes: number("max_hw_sectors_kb").map_or(PAGE, |kib| kib.saturating_mul(1024)),
            segments: number("max_segments").unwrap_or(1),
        }
    }

    /// In whole pages, and in whole blocks where those are longer.
    pub fn whole_blocks(self, block: u64) -> ByteCount {
        let longest = self.bytes.min(self.segments.saturating_mul(PAGE)).min(BLOCKS_MAX * block);
        let unit = PAGE.max(block);
        ByteCount::new((longest / unit).max(1) * unit)
    }
}

/// Why a target cannot be reached by passthrough.
#[derive(Debug, thiserror::Error)]
pub enum NoPassthrough {
    /// It is a file, or a drive of another kind.
    #[error("the target is no NVMe drive")]
    NotNvme,
    /// Commands know no partitions.
    #[error("the target is a partition, which NVMe commands do not know of")]
    Partition,
    /// Its blocks, its character device or the kernel do not let it: what is wrong.
    #[error("{0}")]
    NotPossible(String),
}

impl NoPassthrough {
    /// A first read came back with an error.
    pub(crate) fn first_read(error: impl fmt::Display) -> NoPassthrough {
        NoPassthrough::NotPossible(format!("a first read failed: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

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

    fn found(attributes: &[(&str, &str)]) -> Result<DescribedDevice, NoPassthrough> {
        described(shown(attributes).path(), DeviceNumber { major: 259, minor: 3 })
    }

    #[test]
    fn the_character_device_is_the_one_beside_the_block_device() {
        let device = ("ng0n2/dev", "241:1\n");
        let limits = [("nvme0n2/queue/max_hw_sectors_kb", "2047\n"), ("nvme0n2/queue/max_segments", "127\n")];
        let longest = Longest { bytes: 2047 << 10, segments: 127 };
        let number = DeviceNumber { major: 241, minor: 1 };
        for plain in [("nvme0n2/metadata_bytes", "0\n"), ("nvme0n2/integrity/format", "none\n")] {
            let found_now = found(&[device, plain, limits[0], limits[1]]).expect("a namespace");
            assert_eq!(found_now, DescribedDevice { name: "ng0n2".into(), number, longest });
            assert!(found(&[plain]).is_err_and(|error| error.to_string().contains("no character device")));
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
            let refused = found(attributes).map_err(|error| error.to_string());
            assert!(refused.is_err_and(|why| why.contains("carry metadata")), "{attributes:?}");
        }
    }

    #[test]
    fn commands_are_as_long_as_they_surely_may_be_in_whole_pages() {
        let longest = |bytes, segments, block| Longest { bytes, segments }.whole_blocks(block).get();
        assert_eq!(longest(512 << 10, 127, 512), 127 * PAGE);
        assert_eq!(longest(127 << 10, 1_000, 512), 124 << 10);
        assert_eq!(longest(u64::MAX, u64::MAX, 512), BLOCKS_MAX * 512);
        assert_eq!(longest(0, 0, 4096), 4096);
    }

    #[test]
    fn the_name_has_the_number_of_the_folder_that_it_is_in() {
        let name = |path: &str| generic_name(Path::new(path));
        assert_eq!(name("/sys/devices/pci/nvme/nvme1/nvme0n2").as_deref(), Some("ng1n2"));
        let head = "/sys/devices/virtual/nvme-subsystem/nvme-subsys3/nvme3n1";
        assert_eq!(name(head).as_deref(), Some("ng3n1"));
        assert_eq!(name("/sys/devices/virtual/block/loop0"), None);
    }
}
