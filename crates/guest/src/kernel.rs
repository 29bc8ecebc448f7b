//! The kernel that is booted: the one of the distribution's next suite, whose package comes through apt. The machine's own
//! sources and lists of packages are not touched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

/// The suite after the machine's own: its kernel has all drivers as modules, `ublk` among them.
pub const SUITE: &str = "trixie";
/// The package that depends on the suite's newest kernel.
const NEWEST: &str = "linux-image-amd64";

/// How long is waited before packages are asked for again.
const WAITS: [Duration; 3] = [Duration::from_secs(10), Duration::from_secs(60), Duration::from_secs(180)];

/// A kernel with its modules.
pub struct Kernel {
    /// The image that is booted.
    pub image: PathBuf,
    /// The folder that holds `lib/modules/VERSION`.
    pub modules: PathBuf,
    /// The version, as `uname -r` prints it.
    pub version: String,
}

impl Kernel {
    /// The kernel that an earlier run has fetched to `folder`, or one that is fetched now.
    ///
    /// # Errors
    /// Where apt cannot fetch it, or its package does not hold what is expected.
    pub fn fetched_to(folder: &Path) -> Result<Kernel> {
        let unpacked = folder.join("kernel");
        if !unpacked.join("complete").is_file() {
            fetch_with_retries(|| fetch(folder, &unpacked))?;
        }
        Kernel::unpacked_in(&unpacked)
    }

    fn unpacked_in(folder: &Path) -> Result<Kernel> {
        let modules = folder.join("usr");
        let entries =
            fs::read_dir(modules.join("lib/modules")).context("the kernel's package holds no modules")?;
        let version = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).next();
        let version = version.context("the kernel's package holds no modules")?;
        Ok(Kernel { image: folder.join(format!("boot/vmlinuz-{version}")), modules, version })
    }
}

fn fetch(folder: &Path, unpacked: &Path) -> Result<()> {
    let apt = Apt::in_folder(&folder.join("apt"))?;
    apt.command("apt-get", &["-qq", "update"])?;
    let depends = apt.command("apt-cache", &["depends", NEWEST])?;
    let package = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: linux-image-"));
    let package = package.with_context(|| format!("{NEWEST} of {SUITE} depends on no kernel"))?;
    apt.command("apt-get", &["-qq", "download", &format!("linux-image-{package}")])?;
    let mut fetched = fs::read_dir(&apt.folder)?.flatten().map(|entry| entry.path());
    let archive = fetched.find(|path| path.extension().is_some_and(|ending| ending == "deb"));
    let archive = archive.context("apt-get download left no package")?;
    let _ = fs::remove_dir_all(unpacked);
    run(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(unpacked))?;
    let kernel = Kernel::unpacked_in(unpacked)?;
    run(Command::new("depmod").arg("-b").arg(&kernel.modules).arg(&kernel.version))?;
    apt.remove()?;
    fs::write(unpacked.join("complete"), "")?;
    Ok(())
}

/// apt with sources, lists and packages of its own.
pub struct Apt {
    folder: PathBuf,
}

impl Apt {
    /// Makes them in this folder, for the packages of [`SUITE`].
    ///
    /// # Errors
    /// Where this machine's own sources do not say where packages come from.
    pub fn in_folder(folder: &Path) -> Result<Apt> {
        let _ = fs::remove_dir_all(folder);
        for part in ["lists/partial", "cache/archives/partial", "parts"] {
            fs::create_dir_all(folder.join(part))?;
        }
        let source = "/etc/apt/sources.list.d/debian.sources";
        let own = fs::read_to_string(source)
            .with_context(|| format!("{source} names the distribution's packages"))?;
        let value = |key: &str| own.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        let (Some(uri), Some(keyring)) = (value("URIs:"), value("Signed-By:")) else {
            bail!("{source} has no URIs or no Signed-By");
        };
        fs::write(folder.join("sources.list"), format!("deb [signed-by={keyring}] {uri} {SUITE} main\n"))?;
        Ok(Apt { folder: folder.to_owned() })
    }

    /// The file that says where packages come from.
    pub fn sources(&self) -> PathBuf {
        self.folder.join("sources.list")
    }

    /// Removes what was fetched.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn remove(self) -> Result<()> {
        Ok(fs::remove_dir_all(&self.folder)?)
    }

    /// Runs one of apt's programs, and returns its output.
    fn command(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let at = |part: &str| self.folder.join(part).display().to_string();
        let mut command = Command::new(program);
        for (option, part) in [
            ("Dir::Etc::sourcelist", "sources.list"),
            ("Dir::Etc::sourceparts", "parts"),
            ("Dir::State::lists", "lists"),
            ("Dir::Cache", "cache"),
        ] {
            command.arg("-o").arg(format!("{option}={}", at(part)));
        }
        command.args(["-o", "Acquire::Languages=none", "-o", "APT::Sandbox::User=root"]);
        run(command.args(arguments).current_dir(&self.folder))
    }
}

/// Fetches packages, and again after each of [`WAITS`] where that fails: an archive may refuse or be away for a moment.
///
/// # Errors
/// The last failure.
pub fn fetch_with_retries(fetch: impl Fn() -> Result<()>) -> Result<()> {
    for wait in WAITS {
        let Err(failure) = fetch() else { return Ok(()) };
        // A program that is missing, or a folder that cannot be written, stays so.
        if failure.is::<io::Error>() {
            return Err(failure);
        }
        eprintln!("guest: {failure:#}; trying again in {} s", wait.as_secs());
        thread::sleep(wait);
    }
    fetch()
}

/// Runs a program to its end, and returns its standard output.
///
/// # Errors
/// Where it cannot be run or fails: its own words.
pub fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} cannot be run; install it"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {}", complaint.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
