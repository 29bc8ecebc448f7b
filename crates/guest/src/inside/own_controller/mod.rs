//! An NVMe controller of our own, for what QEMU's does not have: it is reached over TCP on the loopback address, so that the
//! kernel's own driver sends it every command. Sources: NVM Express Base Specification 2.0, NVMe/TCP Transport Specification
//! 1.0.

mod answers;
mod identity;
mod little_endian;
mod wire;

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::program::{device_of, run, wait_until};
use answers::Controller;
pub use answers::{FLASH_FACTOR, Settings, VendorLog};

/// The serial number of the drive.
pub const SERIAL: &str = "own";
/// The name of the subsystem.
const SUBSYSTEM: &str = "nqn.2026-11.test.drivelab:own";

/// A controller that serves connections for as long as the program runs.
pub struct OwnController(Arc<Mutex<Controller>>);

/// The controller of all tests, made as they want it; the first one has the kernel connect.
///
/// # Errors
/// Where the kernel does not connect, or shows no drive.
pub fn own_controller(settings: Settings) -> Result<&'static OwnController> {
    static CONNECTED: OnceLock<OwnController> = OnceLock::new();
    let controller = if let Some(connected) = CONNECTED.get() {
        connected
    } else {
        let connected = OwnController::connected()?;
        CONNECTED.get_or_init(|| connected)
    };
    controller.locked().make(settings);
    Ok(controller)
}

impl OwnController {
    fn connected() -> Result<OwnController> {
        run("modprobe nvme_tcp")?;
        run("ifconfig lo 127.0.0.1 up")?;
        let controller = OwnController(Arc::new(Mutex::new(Controller::new())));
        let listener = TcpListener::bind("127.0.0.1:4420").context("no port")?;
        let shared = Arc::clone(&controller.0);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A connection that the kernel gives up ends in an error.
                thread::spawn(move || wire::serve(stream, &shared));
            }
        });
        let words = format!(
            "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn={SUBSYSTEM},nr_io_queues=1,reconnect_delay=1"
        );
        let mut fabrics = OpenOptions::new().read(true).write(true).open("/dev/nvme-fabrics")?;
        fabrics.write_all(words.as_bytes()).context("the kernel does not connect")?;
        let is_shown = || device_of(SERIAL).is_ok_and(|drive| fs::metadata(drive).is_ok());
        wait_until(Duration::from_secs(5), "the kernel connected, and shows no drive", is_shown)?;
        Ok(controller)
    }

    /// How many sanitizes were begun, and whether one goes on.
    pub fn sanitizes(&self) -> (u32, bool) {
        let controller = self.locked();
        (controller.sanitizes_begun(), controller.is_sanitizing())
    }

    /// The secure erase settings of each format that was carried out.
    pub fn formats(&self) -> Vec<u32> {
        self.locked().formats().to_vec()
    }

    fn locked(&self) -> MutexGuard<'_, Controller> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
