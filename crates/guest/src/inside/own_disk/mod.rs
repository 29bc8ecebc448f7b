//! An ATA drive of our own, for the security feature set that QEMU's does not have. The kernel's user-space SCSI target
//! (`target_core_user`) hands us each command, its loopback adapter makes a drive of it, and the kernel's own `sd` driver is in
//! front. Sources: ACS-4, SAT-3, SPC-4, SBC-3.

mod ata;
mod ring;
mod scsi;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::program::{device_of, run};
pub use ata::AtaDisk;
use ring::Ring;

/// The serial number of the drive.
pub const SERIAL: &str = "own-disk";
/// Where targets are set up.
const TARGETS: &str = "/sys/kernel/config/target";

/// A drive that serves commands for as long as the program runs.
pub struct OwnDisk(Arc<Mutex<AtaDisk>>);

impl OwnDisk {
    /// Begins to serve, and has the kernel show the drive. Its erase takes this long.
    ///
    /// # Errors
    /// Where the kernel has no user-space target, or shows no drive.
    pub fn connected(erase_takes: Duration) -> Result<OwnDisk> {
        run("modprobe target_core_user")?;
        run("modprobe tcm_loop")?;
        if !Path::new(TARGETS).exists() {
            run("mount -t configfs configfs /sys/kernel/config")?;
        }
        let disk = OwnDisk(Arc::new(Mutex::new(AtaDisk::new(erase_takes))));
        let core = Path::new(TARGETS).join("core/user_0/own");
        fs::create_dir_all(&core).context("the kernel has no user-space target")?;
        let size = ata::BLOCKS * ata::BLOCK as u64;
        let control = format!("dev_config=own/disk,dev_size={size},hw_block_size=512,nl_reply_supported=-1");
        fs::write(core.join("control"), control).context("the target takes no settings")?;
        fs::write(core.join("enable"), "1").context("the target cannot be enabled")?;
        let mut ring = Ring::open(&uio_device()?)?;
        let shared = Arc::clone(&disk.0);
        thread::spawn(move || ring.serve(|command, data| scsi::answer(&shared, command, data)));
        let adapter = Path::new(TARGETS).join("loopback/naa.5001405000000001/tpgt_1");
        let unit = adapter.join("lun/lun_0");
        fs::create_dir_all(&unit).context("the kernel has no loopback adapter")?;
        fs::write(adapter.join("nexus"), "naa.5001405000000002").context("the adapter takes no port")?;
        symlink(&core, unit.join("own")).context("the adapter takes no drive")?;
        for _ in 0..100 {
            if device_of(SERIAL).is_ok_and(|drive| fs::metadata(drive).is_ok()) {
                return Ok(disk);
            }
            thread::sleep(Duration::from_millis(100));
        }
        anyhow::bail!("the kernel has the target, and shows no drive")
    }

    /// The drive's state.
    pub fn state(&self) -> MutexGuard<'_, AtaDisk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The device through which the target hands commands over.
fn uio_device() -> Result<PathBuf> {
    for entry in fs::read_dir("/sys/class/uio")?.flatten() {
        if fs::read_to_string(entry.path().join("name"))?.starts_with("tcm-user/") {
            return Ok(entry.path());
        }
    }
    anyhow::bail!("the target has no device")
}
