//! What the virtual machine boots into: an archive of programs with their libraries, of the kernel's modules, and of the tests.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::kernel::{Kernel, run};

/// Drivers that tests load, or that the kernel asks for by itself.
const MODULES: &[&str] = &[
    "ahci",
    "dm_delay",
    "dm_flakey",
    "ext4",
    "loop",
    "nvme",
    "nvme_tcp",
    "raid1",
    "scsi_debug",
    "sd_mod",
    "target_core_user",
    "tcm_loop",
    "virtio_blk",
    "virtio_pci",
    "virtio_scsi",
];

/// Programs that drivelab asks, and the one that loads modules.
const PROGRAMS: &[&str] = &["dmsetup", "mdadm", "mkfs.ext4", "modprobe", "nvme", "smartctl", "wipefs"];

/// The first program of the guest: it mounts what every Linux has, and hands over to the tests.
const INIT: &str = "#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t tracefs tracefs /sys/kernel/tracing
/bin/busybox mount -t tmpfs tmpfs /tmp
/bin/busybox mkdir -p /run /dev/shm /mnt
/bin/busybox --install -s /busybox
export PATH=/sbin:/bin:/busybox HOME=/tmp
for module in nvme ahci sd_mod virtio_pci virtio_blk virtio_scsi ext4; do modprobe $module; done
case $(cat /proc/cmdline) in
*drivelab.scenario=debian* | *drivelab.scenario=service*) exec /bin/inside --switch-root </dev/ttyS1 >/dev/ttyS1 2>&1 ;;
esac
/bin/inside </dev/ttyS1 >/dev/ttyS1 2>&1
/bin/busybox sync
/bin/busybox poweroff -f
";

/// Packs the archive from `kernel`'s modules, the programs of this machine, `program` (drivelab) and `inside` (the tests).
///
/// # Errors
/// Where a program is not installed, or something cannot be copied or packed.
pub fn pack(kernel: &Kernel, program: &Path, inside: &Path, folder: &Path) -> Result<PathBuf> {
    let root = folder.join("root");
    let _ = fs::remove_dir_all(&root);
    for part in ["bin", "busybox", "dev", "etc", "proc", "sbin", "sys", "tmp"] {
        fs::create_dir_all(root.join(part))?;
    }
    copy_modules(kernel, &root)?;
    for (built, name) in [(program, "bin/drivelab"), (inside, "bin/inside")] {
        install(built, &root, name)?;
        strip(&root.join(name))?;
    }
    install(&installed("busybox")?, &root, "bin/busybox")?;
    symlink("busybox", root.join("bin/sh"))?;
    for name in PROGRAMS {
        install(&installed(name)?, &root, &format!("sbin/{name}"))?;
    }
    fs::write(root.join("init"), INIT)?;
    fs::set_permissions(root.join("init"), fs::Permissions::from_mode(0o755))?;
    archive(&root, &folder.join("initramfs.cpio"))
}

/// A program of this machine.
fn installed(name: &str) -> Result<PathBuf> {
    let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].map(Path::new);
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
    found.with_context(|| {
        format!("{name} is not installed; docs/testing.md lists the packages that the guest needs")
    })
}

/// Copies a program and the libraries that it is linked with.
fn install(program: &Path, root: &Path, name: &str) -> Result<()> {
    fs::copy(program, root.join(name)).with_context(|| format!("{} cannot be copied", program.display()))?;
    // ldd fails for a program that is linked statically, which needs nothing else.
    let Ok(listed) = run(Command::new("ldd").arg(program)) else { return Ok(()) };
    for library in listed.split_whitespace().filter(|word| word.starts_with('/')) {
        let target = root.join(library.trim_start_matches('/'));
        if !target.exists() {
            fs::create_dir_all(target.parent().context("a library has a folder")?)?;
            fs::copy(library, &target)?;
        }
    }
    Ok(())
}

/// Takes the lines of the source out of a program: they are most of it, the guest holds all files of this archive in memory,
/// and its emulated processor reads a program from there whenever it starts it.
fn strip(program: &Path) -> Result<()> {
    let stripped = run(Command::new("strip").arg("--strip-debug").arg(program));
    stripped.map(drop).context("a program cannot be stripped; the package binutils has strip")
}

/// Copies the modules and those that they depend on, with the lists by which modprobe finds them.
fn copy_modules(kernel: &Kernel, root: &Path) -> Result<()> {
    let from = kernel.modules.join("lib/modules").join(&kernel.version);
    let into = root.join("lib/modules").join(&kernel.version);
    fs::create_dir_all(&into)?;
    let mut files = BTreeSet::new();
    for module in MODULES {
        let needed = run(Command::new("modprobe")
            .args(["--show-depends", "--set-version", &kernel.version, "-d"])
            .args([&kernel.modules, Path::new(module)]))?;
        let paths = needed.lines().filter_map(|line| line.strip_prefix("insmod ")?.split_whitespace().next());
        files.extend(paths.map(PathBuf::from));
    }
    for file in files {
        let target = into.join(file.strip_prefix(&from).context("a module lies with its kernel")?);
        fs::create_dir_all(target.parent().context("a module has a folder")?)?;
        fs::copy(&file, target)?;
    }
    for list in ["modules.dep", "modules.alias", "modules.softdep", "modules.builtin"] {
        fs::copy(from.join(list), into.join(list))?;
    }
    run(Command::new("depmod").arg("-b").arg(root).arg(&kernel.version))?;
    Ok(())
}

fn archive(root: &Path, target: &Path) -> Result<PathBuf> {
    let mut find = Command::new("find").arg(".").current_dir(root).stdout(Stdio::piped()).spawn()?;
    let names = find.stdout.take().context("find has an output")?;
    let packed = Command::new("cpio")
        .args(["--quiet", "-o", "-H", "newc"])
        .current_dir(root)
        .stdin(names)
        .stdout(File::create(target)?)
        .status()
        .context("cpio cannot be run; install it")?;
    ensure!(packed.success() && find.wait()?.success(), "the files of the guest cannot be packed");
    Ok(target.to_owned())
}
