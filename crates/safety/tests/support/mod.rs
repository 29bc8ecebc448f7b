//! Loop and zram devices for the tests, taken away again whatever happens.

#![allow(dead_code, reason = "each test file uses its own part of these")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use drivelab_safety::{
    ClaimOptions, Confirmation, Reason, Refusal, SafetyError, System, Target, WriteGrant, claim_for_writing,
};
use tempfile::TempDir;

/// Says why a test was skipped, and that it was.
pub fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// Whether devices can be made here; says so where they cannot.
pub fn devices_can_be_made() -> bool {
    let root = rustix::process::geteuid().is_root();
    let possible = root && Path::new("/dev/loop-control").exists() && has("losetup");
    if !possible {
        skipped("loop devices need root and losetup");
    }
    possible
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
pub struct Loop {
    pub node: PathBuf,
    pub image: PathBuf,
    /// Kept so that the image outlives the device.
    _folder: TempDir,
}

impl Loop {
    /// A device of `mebibytes` zeros.
    pub fn of_zeros(mebibytes: u64) -> Loop {
        Loop::with(mebibytes, &[], |_| {})
    }

    /// A device on an image that `prepare` has filled.
    pub fn with(mebibytes: u64, options: &[&str], prepare: impl FnOnce(&Path)) -> Loop {
        let folder = TempDir::new().expect("a folder for the image");
        let image = folder.path().join("drive.img");
        File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
        prepare(&image);
        let image_text = image.to_str().expect("a plain path").to_owned();
        let mut arguments = vec!["--find", "--show"];
        arguments.extend(options);
        arguments.push(&image_text);
        let node = PathBuf::from(run("losetup", &arguments));
        Loop { node, image, _folder: folder }
    }

    /// The kernel's name, which confirms a loop device.
    pub fn name(&self) -> String {
        self.node.file_name().expect("a name").to_string_lossy().into_owned()
    }

    /// What the device holds, as a number that changes with every word.
    pub fn checksum(&self) -> u64 {
        checksum(&self.node)
    }

    /// The two partitions of [`partition_in_two`], made known to the kernel.
    pub fn partitions(&self) -> [PathBuf; 2] {
        run("partx", &["--add", self.text()]);
        ["p1", "p2"].map(|suffix| PathBuf::from(format!("{}{suffix}", self.text())))
    }

    pub fn text(&self) -> &str {
        self.node.to_str().expect("a plain path")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("partx").args(["--delete"]).arg(&self.node).stderr(Stdio::null()).status();
        let _ = Command::new("losetup").arg("--detach").arg(&self.node).status();
    }
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

/// What a file or device holds, as a number that changes with every word.
pub fn checksum(path: &Path) -> u64 {
    use std::io::Read;
    let mut file = File::open(path).expect("something to read");
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

/// A mount, unmounted at the end.
pub struct Mount {
    pub point: PathBuf,
    _folder: TempDir,
}

impl Mount {
    pub fn of(node: &Path) -> Mount {
        let folder = TempDir::new().expect("a folder to mount at");
        let point = folder.path().join("mnt");
        fs::create_dir(&point).expect("a mount point");
        run("mount", &[node.to_str().expect("a plain path"), point.to_str().expect("a plain path")]);
        Mount { point, _folder: folder }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.point).status();
    }
}

/// Resolves a path on this machine.
pub fn resolve(path: &Path) -> Target {
    Target::resolve(&System::live(), path).expect("a target")
}

/// A claim with everything confirmed that can be.
pub fn claim(path: &Path, serial: Option<&str>, discard_contents: bool) -> Result<WriteGrant, SafetyError> {
    let confirmation = Confirmation { serial: serial.map(String::from), discard_contents };
    claim_for_writing(&System::live(), &resolve(path), &confirmation, &ClaimOptions::default())
}

/// The refusal of a claim that must not be granted, shown in the test's output.
pub fn refused(claimed: Result<WriteGrant, SafetyError>) -> Refusal {
    match claimed {
        Err(SafetyError::Refused(refusal)) => {
            println!("{refusal}");
            refusal
        }
        Err(other) => panic!("not refused, but: {other}"),
        Ok(grant) => panic!("granted: {:?}", grant.identity()),
    }
}

/// Whether one of the reasons is as wanted.
pub fn has_reason(refusal: &Refusal, wanted: impl Fn(&Reason) -> bool) -> bool {
    refusal.reasons.iter().any(wanted)
}
