//! Devices for the tests: loop and zram devices and mounts, taken away again whatever happens.

#![forbid(unsafe_code)]
#![allow(clippy::missing_panics_doc, reason = "what cannot be made for a test ends it")]

mod skip;

use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use tempfile::TempDir;

pub use skip::skipped;

/// Where tracefs is mounted as a rule.
const TRACEFS: &str = "/sys/kernel/tracing";
const ZRAM_CONTROL: &str = "/sys/class/zram-control";

fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Whether loop devices and mounts can be made here; says so where they cannot.
pub fn loops_can_be_made() -> bool {
    let possible = is_root() && Path::new("/dev/loop-control").exists() && has("losetup") && has("mkfs.ext4");
    if !possible {
        skipped("loop devices need root, losetup and mkfs.ext4");
    }
    possible
}

/// Whether zram devices can be made here; says so where they cannot.
pub fn zram_can_be_made() -> bool {
    let possible = is_root() && Path::new(ZRAM_CONTROL).join("hot_add").exists();
    if !possible {
        skipped("zram devices need root and the zram module");
    }
    possible
}

/// Whether file systems can be mounted here; says so where they cannot.
pub fn mounts_can_be_made() -> bool {
    if !is_root() {
        skipped("mounting needs root");
    }
    is_root()
}

/// Whether the kernel's events can be had here; says so where they cannot.
pub fn events_can_be_had() -> bool {
    let possible = is_root() && instances_folder().is_some();
    if !possible {
        skipped("tracing needs root and tracefs");
    }
    possible
}

/// The folder of the instances of tracefs. Where it is not mounted, this process sees it by a mount that is attached nowhere, as
/// drivelab does; none where it cannot be mounted either.
pub fn instances_folder() -> Option<PathBuf> {
    static OWN: OnceLock<Option<OwnedFd>> = OnceLock::new();
    let usual = Path::new(TRACEFS).join("instances");
    if usual.is_dir() {
        return Some(usual);
    }
    let mount = || {
        let tracefs = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC).ok()?;
        fsconfig_create(&tracefs).ok()?;
        fsmount(&tracefs, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty()).ok()
    };
    let own = OWN.get_or_init(mount).as_ref()?;
    Some(PathBuf::from(format!("/proc/self/fd/{}/instances", own.as_raw_fd())))
}

/// The instances of tracefs that drivelab has, of this process or any other.
pub fn tracing_instances() -> Vec<String> {
    let entries =
        instances_folder().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("drivelab-")).collect()
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether a program is installed.
pub fn has(program: &str) -> bool {
    ["/usr/sbin", "/sbin", "/usr/bin", "/bin"].iter().any(|folder| Path::new(folder).join(program).exists())
}

/// Runs a program and expects it to end well; its output.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().expect(program);
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A loop device on an image of its own.
#[derive(Debug)]
pub struct Loop {
    /// Its node.
    pub node: PathBuf,
    /// The file behind it.
    pub image: PathBuf,
    /// Kept so that the image outlives the device.
    _folder: TempDir,
    /// The file system that the image lies on, and the device below that: taken away in this order, after the device.
    mount: Option<Mount>,
    below: Option<Box<Loop>>,
}

impl Loop {
    /// A device of `mebibytes` zeros.
    pub fn of_zeros(mebibytes: u64) -> Loop {
        Loop::with(mebibytes, &[], |_| {})
    }

    /// A device with an ext4 file system.
    pub fn with_ext4(mebibytes: u64) -> Loop {
        Loop::with(mebibytes, &[], make_ext4)
    }

    /// A device of zeros that takes no discards: its image lies where nobody can punch a hole.
    pub fn without_discards(mebibytes: u64) -> Loop {
        Loop::inside(Mount::with(&["-t", "ramfs", "ramfs"]), mebibytes, &[], |_| {})
    }

    /// A device whose image lies on the file system of another one.
    pub fn over(below: Loop, mebibytes: u64, options: &[&str], prepare: impl FnOnce(&Path)) -> Loop {
        let mut device = Loop::inside(Mount::new(&below.node), mebibytes, options, prepare);
        device.below = Some(Box::new(below));
        device
    }

    fn inside(mount: Mount, mebibytes: u64, options: &[&str], prepare: impl FnOnce(&Path)) -> Loop {
        let mut device = Loop::on(mount.point.join("drive.img"), folder(), mebibytes, options, prepare);
        device.mount = Some(mount);
        device
    }

    /// A device on an image that `prepare` has filled.
    pub fn with(mebibytes: u64, options: &[&str], prepare: impl FnOnce(&Path)) -> Loop {
        let folder = folder();
        Loop::on(folder.path().join("drive.img"), folder, mebibytes, options, prepare)
    }

    fn on(
        image: PathBuf,
        folder: TempDir,
        mebibytes: u64,
        options: &[&str],
        prepare: impl FnOnce(&Path),
    ) -> Loop {
        File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
        prepare(&image);
        let arguments = [&["--find", "--show"], options, &[text(&image)]].concat();
        let node = PathBuf::from(run("losetup", &arguments));
        Loop { node, image, _folder: folder, mount: None, below: None }
    }

    /// The same device with a new image of zeros behind it, which `prepare` may fill.
    #[must_use]
    pub fn with_another_image(self, mebibytes: u64, prepare: impl FnOnce(&Path)) -> Loop {
        let (node, folder) = (self.node.clone(), folder());
        let image = folder.path().join("drive.img");
        File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
        prepare(&image);
        drop(self);
        // Another test may have got the device in between, and has it for as long as it takes.
        let attached = (0..12).any(|_| eventually(|| quietly("losetup", &[text(&node), text(&image)])));
        assert!(attached, "{} is in use for two minutes", node.display());
        Loop { node, image, _folder: folder, mount: None, below: None }
    }

    /// The flag that confirms the device.
    pub fn serial(&self) -> String {
        serial(&self.node)
    }

    /// The kernel's name, which confirms the device.
    pub fn name(&self) -> String {
        name(&self.node)
    }

    /// Its node as an argument.
    pub fn text(&self) -> &str {
        text(&self.node)
    }

    /// What the device holds, as a number that changes with every word.
    pub fn checksum(&self) -> u64 {
        checksum(&self.node)
    }

    /// The first two partitions, made known to the kernel.
    pub fn partitions(&self) -> [PathBuf; 2] {
        run("partx", &["--add", text(&self.node)]);
        ["p1", "p2"].map(|suffix| PathBuf::from(format!("{}{suffix}", text(&self.node))))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        quietly("partx", &["--delete", text(&self.node)]);
        quietly("losetup", &["--detach", text(&self.node)]);
    }
}

/// Makes a file system that has nothing left to write by itself once it is mounted.
pub fn make_ext4(path: &Path) {
    run("mkfs.ext4", &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", text(path)]);
}

/// Writes an MBR with two partitions of 16 MiB into an image.
pub fn partition_in_two(image: &Path) {
    let mut sector = vec![0_u8; 512];
    for (index, start) in [2048_u32, 2048 + 32768].into_iter().enumerate() {
        let entry = 446 + 16 * index;
        sector[entry + 4] = 0x83;
        sector[entry + 8..entry + 12].copy_from_slice(&start.to_le_bytes());
        sector[entry + 12..entry + 16].copy_from_slice(&32768_u32.to_le_bytes());
    }
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    let file = File::options().write(true).open(image).expect("the image");
    std::os::unix::fs::FileExt::write_all_at(&file, &sector, 0).expect("a partition table");
}

/// A zram device of its own.
#[derive(Debug)]
pub struct Zram {
    /// Its node.
    pub node: PathBuf,
    number: String,
}

/// Bytes of the smallest area that `mkswap` makes: ten pages. The kernel may write to any but the first at any time.
const SWAP_AREA: u64 = 10 * SWAP_HEADER;
const SWAP_HEADER: u64 = 4096;

impl Zram {
    /// A device of this many mebibytes, which may take at most `limit` of memory where there is one.
    pub fn new(mebibytes: u64, limit: Option<u64>) -> Zram {
        let added = fs::read_to_string(Path::new(ZRAM_CONTROL).join("hot_add")).expect("a zram device");
        let number = added.trim().to_owned();
        let zram = Zram { node: PathBuf::from(format!("/dev/zram{number}")), number };
        zram.set("disksize", &format!("{mebibytes}M")).expect("a size");
        if let Some(limit) = limit {
            zram.set("mem_limit", &format!("{limit}M")).expect("a limit");
        }
        zram
    }

    /// The flag that confirms the device.
    pub fn serial(&self) -> String {
        serial(&self.node)
    }

    /// The kernel's name, which confirms the device.
    pub fn name(&self) -> String {
        name(&self.node)
    }

    /// Lets the kernel swap to the first pages of the device.
    pub fn swap_on(&self) {
        run("mkswap", &[text(&self.node), &(SWAP_AREA / 1024).to_string()]);
        run("swapon", &[text(&self.node)]);
    }

    fn set(&self, attribute: &str, value: &str) -> io::Result<()> {
        fs::write(format!("/sys/block/zram{}/{attribute}", self.number), value)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        quietly("swapoff", &[text(&self.node)]);
        eventually(|| self.set("reset", "1").is_ok());
        let _ = fs::write(Path::new(ZRAM_CONTROL).join("hot_remove"), &self.number);
    }
}

/// The flag that confirms a device without a serial number.
pub fn serial(node: &Path) -> String {
    format!("--serial={}", name(node))
}

fn name(node: &Path) -> String {
    node.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Runs a program without a word; whether it ended well.
fn quietly(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A mount, unmounted at the end.
#[derive(Debug)]
pub struct Mount {
    /// Where.
    pub point: PathBuf,
    _folder: TempDir,
}

impl Mount {
    /// Mounts a device.
    pub fn new(node: &Path) -> Mount {
        Mount::with(&[text(node)])
    }

    /// Mounts a device so that its file system writes nothing to it.
    pub fn for_reading(node: &Path) -> Mount {
        Mount::with(&["-o", "ro", text(node)])
    }

    /// A file system in memory of this size.
    pub fn tmpfs(size: &str) -> Mount {
        Mount::with(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
    }

    fn with(arguments: &[&str]) -> Mount {
        let folder = folder();
        let point = folder.path().join("mnt");
        fs::create_dir(&point).expect("a mount point");
        run("mount", &[arguments, &[text(&point)]].concat());
        Mount { point, _folder: folder }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // A ring that still holds a device on it is taken apart a moment after its program let go of it.
        eventually(|| quietly("umount", &[text(&self.point)]));
    }
}

/// Tries until something is so, for ten seconds at most; whether it ever was.
pub fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    for _ in 0..1000 {
        if is_so() {
            return true;
        }
        #[expect(clippy::disallowed_methods, reason = "a test waits for the kernel")]
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Waits until nobody has a device or a file for himself any more.
pub fn wait_until_free(path: &Path) {
    eventually(|| is_free(path));
}

/// Whether nobody has a device or a file for himself.
pub fn is_free(path: &Path) -> bool {
    let exclusive = rustix::fs::OFlags::EXCL.bits().cast_signed();
    let is_device = path.starts_with("/dev") && !path.starts_with("/dev/shm");
    let opened = if is_device {
        File::options().read(true).custom_flags(exclusive).open(path)
    } else {
        File::open(path).and_then(|file| {
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            Ok(file)
        })
    };
    // Busy is what passes; everything else is for the program to find out.
    !opened
        .is_err_and(|error| [io::ErrorKind::ResourceBusy, io::ErrorKind::WouldBlock].contains(&error.kind()))
}

/// What a file or device holds, as a number that changes with every word.
pub fn checksum(path: &Path) -> u64 {
    checksum_of(File::open(path).expect("something to read"))
}

/// What a device holds that [`Zram::swap_on`] was called for, but for the pages that the kernel writes by itself.
pub fn checksum_beyond_swap(path: &Path) -> u64 {
    let file = || File::open(path).expect("something to read");
    let mut beyond = file();
    beyond.seek(SeekFrom::Start(SWAP_AREA)).expect("a device that is larger");
    checksum_of(file().take(SWAP_HEADER).chain(beyond))
}

fn checksum_of(mut file: impl Read) -> u64 {
    let mut piece = vec![0_u8; 1 << 20];
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    loop {
        let length = file.read(&mut piece).expect("its bytes");
        if length == 0 {
            return sum;
        }
        for word in piece[..length].chunks(8) {
            let word = word.iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
            sum = (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        }
    }
}
