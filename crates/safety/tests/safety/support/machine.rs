//! A machine made of files: /sys, /proc and /run as a kernel would show them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use drivelab_safety::{DeviceNumber, DriveIdentity, OpenHandles, System, UsageScan, Use};
use tempfile::TempDir;

/// The machine, and the folder it lies in.
pub struct Machine {
    root: TempDir,
}

impl Machine {
    pub fn new() -> Machine {
        let machine = Machine { root: TempDir::new().expect("a folder") };
        for folder in ["sys/dev/block", "sys/class/block", "sys/block", "proc/self", "run/udev/data", "dev"] {
            fs::create_dir_all(machine.path(folder)).expect("a folder");
        }
        machine
    }

    pub fn system(&self) -> System {
        System::rooted_at(self.root.path())
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Writes a file, with its folders.
    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Machine {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    /// Makes a link that says `target`.
    pub fn link(&self, path: &str, target: impl AsRef<Path>) -> &Machine {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        symlink(target, path).expect("a link");
        self
    }

    /// A whole drive of 1 GiB.
    pub fn drive(&self, name: &str, number: &str) -> &Machine {
        let folder = format!("sys/devices/block/{name}");
        self.device(&folder, name, number, 1 << 21);
        self.link(&format!("sys/block/{name}"), self.path(&folder));
        self.file(&format!("{folder}/queue/logical_block_size"), "512\n");
        self.file(&format!("{folder}/queue/physical_block_size"), "4096\n");
        self.file(&format!("{folder}/diskseq"), "7\n")
    }

    /// A partition of 100 MiB that begins at sector `start`.
    pub fn partition(&self, drive: &str, name: &str, number: &str, start: u64) -> &Machine {
        let folder = format!("sys/devices/block/{drive}/{name}");
        self.device(&folder, name, number, 204_800);
        let index = name.trim_start_matches(drive).trim_start_matches('p');
        self.file(&format!("{folder}/partition"), index);
        self.file(&format!("{folder}/start"), start.to_string())
    }

    fn device(&self, folder: &str, name: &str, number: &str, sectors: u64) {
        self.file(&format!("{folder}/dev"), number);
        self.file(&format!("{folder}/size"), sectors.to_string());
        self.file(&format!("{folder}/ro"), "0\n");
        fs::create_dir_all(self.path(&format!("{folder}/holders"))).expect("holders");
        self.link(&format!("sys/dev/block/{number}"), self.path(folder));
        self.link(&format!("sys/class/block/{name}"), self.path(folder));
    }

    /// Builds `holder` on `device`; both are whole drives or `drive/partition`.
    pub fn holder(&self, device: &str, holder: &str) -> &Machine {
        let target = self.path(&format!("sys/devices/block/{holder}"));
        self.link(&format!("sys/devices/block/{device}/holders/{holder}"), target)
    }

    /// A file in a drive's folder of sysfs.
    pub fn shows(&self, device: &str, file: &str, text: impl AsRef<[u8]>) -> &Machine {
        self.file(&format!("sys/devices/block/{device}/{file}"), text)
    }

    pub fn identity(&self, number: &str) -> DriveIdentity {
        let number = DeviceNumber::parse(number).expect("a number");
        DriveIdentity::read(&self.system(), number).expect("a drive")
    }

    pub fn uses(&self, number: &str) -> Vec<Use> {
        UsageScan::take(&self.system()).uses_of_drive(&self.identity(number), &[], OpenHandles::Everybody)
    }

    /// What a refusal would say, a line a use.
    pub fn said(&self, number: &str) -> Vec<String> {
        self.uses(number).iter().map(ToString::to_string).collect()
    }
}
