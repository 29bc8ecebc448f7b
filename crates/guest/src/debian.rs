//! A Debian with systemd that drivelab is installed and enabled in, as the image of a drive.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context as _, Result, anyhow};

use crate::kernel::{Apt, SUITE, fetch_with_retries, run};

/// What a system needs to be started by systemd and to find its drives.
const PACKAGES: &str = "systemd,systemd-sysv,udev,dbus";

/// The tests run as a unit of the system. Its boot does not wait for them: they wait for the end of the boot.
const TESTS_UNIT: &str = "[Unit]
Description=Tests of drivelab in this system

[Service]
Type=exec
ExecStart=/usr/local/bin/inside
StandardOutput=file:/dev/ttyS1
StandardError=file:/dev/ttyS1

[Install]
WantedBy=multi-user.target
";

/// What belongs to the service; its test enables it.
const SERVICE: [(&str, &str); 2] = [
    (
        "usr/lib/systemd/system/drivelab-trace.service",
        include_str!("../../../packaging/systemd/drivelab-trace.service"),
    ),
    ("usr/lib/sysusers.d/drivelab.conf", include_str!("../../../packaging/systemd/drivelab.sysusers")),
];

/// Held while something is done in the folder of the system.
static ROOT: Mutex<()> = Mutex::new(());

/// What drivelab looks for before it enables the keeping of boots. The folders are empty in the image, and hidden by what the
/// kernel and systemd mount over them as soon as it boots.
const LOOKED_FOR: [&str; 2] = ["run/systemd/system", "sys/kernel/tracing/events/block/block_rq_issue"];

/// Enables the keeping of boots in the system in the folder that is the first argument. What is mounted is seen by this script
/// alone, and systemctl is not to ask the system that runs.
const ENABLE: &str = "mount -t proc proc \"$1/proc\" &&
    SYSTEMD_OFFLINE=1 exec chroot \"$1\" /usr/local/bin/drivelab boot enable --boot-loader manual";

/// Makes the image of a drive with this name in `drives`, or returns the one that is there. `folder` keeps what is fetched.
///
/// # Errors
/// Where a package cannot be fetched, or a program is missing or fails.
pub fn image(drives: &Path, folder: &Path, name: &str) -> Result<PathBuf> {
    let image = drives.join(format!("{name}.img"));
    if !image.exists() {
        // Two machines may want one at the same time, and both are made from one folder.
        let _alone = ROOT.lock().map_err(|_| anyhow!("another image could not be made"))?;
        let root = system(folder)?;
        install(&root, folder.parent().context("the programs lie there")?)?;
        let mut command = Command::new("mkfs.ext4");
        command.args(["-q", "-F", "-d"]).arg(&root).arg(&image).arg("1G");
        run(&mut command)?;
    }
    Ok(image)
}

/// The system that an earlier run has left in `folder`, or one that is fetched now.
fn system(folder: &Path) -> Result<PathBuf> {
    let root = folder.join("debian");
    if !root.is_dir() {
        fetch_with_retries(|| fetch(folder, &root))?;
    }
    Ok(root)
}

/// Installs a new system in `root`, by way of a folder that is renamed once all of it is there.
fn fetch(folder: &Path, root: &Path) -> Result<()> {
    let apt = Apt::in_folder(&folder.join("apt-debian"))?;
    let unfinished = folder.join("debian-unfinished");
    let _ = fs::remove_dir_all(&unfinished);
    // Not quiet: what apt says of a failure would not be shown either.
    let mut command = Command::new("mmdebstrap");
    command.args(["--mode=root", "--variant=minbase"]).arg(format!("--include={PACKAGES}"));
    command.arg(SUITE).arg(&unfinished).arg(apt.sources());
    run(&mut command)?;
    apt.remove()?;
    fs::rename(&unfinished, root)?;
    Ok(())
}

/// Installs the programs of this run, and enables what is to be started at a boot.
fn install(root: &Path, programs: &Path) -> Result<()> {
    for (from, to) in [("drivelab", "drivelab"), ("drivelab-guest-inside", "inside")] {
        fs::copy(programs.join(from), root.join("usr/local/bin").join(to))?;
    }
    for (path, contents) in SERVICE {
        fs::write(root.join(path), contents)?;
    }
    let program = root.join("usr/bin/drivelab");
    if !program.is_symlink() {
        symlink("/usr/local/bin/drivelab", program)?;
    }
    let units = root.join("etc/systemd/system");
    fs::write(units.join("tests.service"), TESTS_UNIT)?;
    let wanted = units.join("multi-user.target.wants");
    fs::create_dir_all(&wanted)?;
    let link = wanted.join("tests.service");
    if !link.is_symlink() {
        symlink("/etc/systemd/system/tests.service", link)?;
    }
    LOOKED_FOR.iter().try_for_each(|path| fs::create_dir_all(root.join(path)))?;
    let mut enable = Command::new("unshare");
    enable.args(["--mount", "sh", "-c", ENABLE, "sh"]).arg(root);
    run(&mut enable)?;
    Ok(())
}
