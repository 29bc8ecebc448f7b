//! What a target's name means, and opening it.

use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::sharing::{Places, clear_abandoned};
use drivelab_block::{ByteCount, Geometry, Payload};
use drivelab_documents::{Drive, Notice};
use drivelab_probe::{Presence, Roots, presence};
use drivelab_safety::{
    DeviceNumber, DriveIdentity, Identity, Released, System, Target, UsageMonitor, WriteGrant,
    open_for_reading,
};
use drivelab_sim::{Profile, Spec, shipped_profiles};
use drivelab_uring::{Access, Clock, EngineOptions, UringEngine};
use drivelab_workload::verify::{Described, RunId, SharedVerification};

use crate::confirm::claim;
use crate::{Failure, SafetyOptions, try_again};

/// A target as it was typed, understood.
#[derive(Clone, Debug)]
pub enum TargetName {
    /// `sim:...`
    Simulated(Box<Profile>),
    /// A path.
    Path(PathBuf),
}

/// How the name of a simulated drive begins.
const SIMULATED: &str = "sim:";

/// Whether a target is a simulated drive.
pub fn is_simulated(target: &str) -> bool {
    target.starts_with(SIMULATED)
}

impl TargetName {
    /// Understands a target's name.
    ///
    /// # Errors
    /// Where there is no such simulated drive, and where a bare name is that of a drive and of no file.
    pub fn parse(text: &str) -> Result<TargetName, Failure> {
        if text.trim().is_empty() {
            return Err(usage!(
                "a target without a name: name a drive such as /dev/sdb, a file, or sim:consistent"
            ));
        }
        match text.strip_prefix(SIMULATED) {
            Some(spec) => Ok(TargetName::Simulated(Box::new(Spec::parse(spec)?))),
            None => whole_name(text).map_or_else(
                || Ok(TargetName::Path(PathBuf::from(text))),
                |whole| Err(usage!("there is no file {text} here: write {whole} for the drive")),
            ),
        }
    }
}

/// The whole name of a drive of which only the last part was typed; `None` for the path of a file.
fn whole_name(text: &str) -> Option<String> {
    if text.contains('/') || Path::new(text).symlink_metadata().is_ok() {
        return None;
    }
    let device = Path::new("/dev").join(text);
    if device.metadata().is_ok_and(|found| found.file_type().is_block_device()) {
        return Some(device.display().to_string());
    }
    let profile = text.split('?').next().unwrap_or_default();
    shipped_profiles().any(|known| known == profile).then(|| format!("sim:{text}"))
}

/// What is to be said where the drive with this number and kernel name is no longer there; `found` is by what that was noticed.
pub fn gone(number: DeviceNumber, name: &str, found: &str) -> Option<Failure> {
    let text = match presence(&Roots::live(), number.major, number.minor) {
        Presence::Present => return None,
        Presence::Gone => format!(
            "the drive is gone: {found}, and the kernel no longer lists {name}; check its connection, and look at the \
             kernel's log (dmesg)"
        ),
        Presence::Offline => {
            format!(
                "the drive is offline: {found}, and the kernel has given {name} up; look at its log (dmesg)"
            )
        }
    };
    Some(Failure::DriveFailed(text))
}

/// A simulated drive as a manifest names it.
pub fn simulated_drive(profile: &Profile) -> Drive {
    Drive {
        model: format!("simulated {}", profile.name()),
        size_bytes: profile.user_capacity().get(),
        simulated: true,
        ..Drive::default()
    }
}

/// A drive of this machine as a manifest names it.
pub fn drive_of(drive: &DriveIdentity) -> Drive {
    let (which, place) = (drive.which(), drive.place());
    Drive {
        model: which.model.unwrap_or_else(|| drive.kernel_name.clone()),
        serial: which.serial,
        wwn: which.wwn,
        firmware: drive.firmware.clone(),
        size_bytes: drive.size.get(),
        simulated: false,
        subsystem: which.subsystem,
        namespace: which.namespace,
        partition: which.partition,
        partition_start: which.start.map(ByteCount::get),
        behind: which.behind,
        kernel_name: place.kernel_name,
        path: place.path,
    }
}

/// A real drive or file that is open, and was checked for what is to be done with it.
pub struct Real {
    /// What may be done, and the descriptor it may be done through.
    pub access: Access,
    /// The path that it was named by.
    pub path: PathBuf,
    /// What the reader of the run should know about it.
    pub notes: Vec<String>,
    /// The clock of the run.
    pub clock: Clock,
}

impl Real {
    /// Opens a path for reading: no claim, no ceremony.
    pub fn open_for_reading(path: &Path) -> Result<Real, Failure> {
        let system = System::live();
        let target = Target::resolve(&system, path)?;
        let access = open_for_reading(&system, &target)?;
        let buffered =
            "The page cache is in use (O_DIRECT was refused): much of this is the speed of memory.";
        let mut notes = if access.direct { Vec::new() } else { vec![buffered.to_owned()] };
        notes.extend(holes(path));
        Ok(Real::opened(path, Access::Read(Arc::new(access)), notes))
    }

    /// Claims a path for writing, by all the rules.
    pub fn open_for_writing(
        path: &Path,
        safety: &SafetyOptions,
        output: Option<&Path>,
    ) -> Result<Real, Failure> {
        let target = Target::resolve(&System::live(), path)?;
        let (grant, notes) = claim(&target, safety, output)?;
        Ok(Real::opened(path, Access::Write(Arc::new(grant)), notes))
    }

    fn opened(path: &Path, access: Access, notes: Vec<String>) -> Real {
        put_back_what_kills_left();
        Real { access, path: path.to_owned(), notes, clock: Clock::start() }
    }

    /// Self-describing blocks of a run, made and judged by this target's clock.
    pub fn self_describing(&self, run: RunId, verification: SharedVerification) -> Box<dyn Payload> {
        let clock = self.clock;
        Box::new(Described::new(run, verification, move || clock.now()))
    }

    /// An engine for a worker.
    pub fn engine(&self, payload: Box<dyn Payload>, cpus: &[usize]) -> UringEngine {
        let options = EngineOptions { cpus: cpus.to_vec(), ..EngineOptions::default() };
        UringEngine::new(self.access.clone(), self.clock, payload, options)
    }

    /// Size and block sizes.
    pub fn geometry(&self) -> Geometry {
        self.access.geometry()
    }

    /// Who the target is.
    pub fn identity(&self) -> &Identity {
        self.access.identity()
    }

    /// What the kernel calls the whole drive, of which the target may be a partition; none of a file.
    pub fn whole_device(&self) -> Option<&str> {
        let Identity::Drive(drive) = self.identity() else { return None };
        Some(drive.whole_name())
    }

    /// What the reader of a result on it has to know.
    pub fn notices(&self) -> Vec<Notice> {
        let notes = self.notes.iter().map(Notice::note);
        notes.chain(self.file_is_cached().then(|| Notice::warning(FILE_IS_CACHED))).collect()
    }

    /// Whether it is a loop device whose file is read and written through the page cache.
    pub fn file_is_cached(&self) -> bool {
        let Some(whole) = self.whole_device() else { return false };
        let direct = std::fs::read_to_string(format!("/sys/block/{whole}/loop/dio"));
        direct.is_ok_and(|direct| direct.trim() == "0")
    }

    /// The device that its I/Os end at, as far as the kernel tells.
    pub fn device(&self) -> DeviceNumber {
        match self.identity() {
            Identity::Drive(drive) => drive.number,
            Identity::File(file) => file.device,
        }
    }

    /// What is to be said where the drive is no longer there; `found` is by what that was noticed.
    pub fn gone(&self, found: &str) -> Option<Failure> {
        let Identity::Drive(drive) = self.identity() else { return None };
        gone(drive.number, &drive.kernel_name, found)
    }

    /// The drive as a manifest names it.
    pub fn drive(&self) -> Drive {
        let size_bytes = self.geometry().capacity.get();
        match self.identity() {
            Identity::Drive(drive) => Drive { size_bytes, ..drive_of(drive) },
            Identity::File(file) => {
                let kind = file.file_system.as_deref().unwrap_or("an unknown file system");
                Drive { model: format!("file on {kind}"), size_bytes, ..Drive::default() }
            }
        }
    }

    /// What looks whether the kernel begins to use the target; none if it is only read.
    pub fn usage_monitor(&self) -> Option<UsageMonitor> {
        Some(self.grant().ok()?.sentry())
    }

    /// The claim; a failure of what is only read.
    pub fn grant(&self) -> Result<&WriteGrant, Failure> {
        match &self.access {
            Access::Read(_) => Err(not_writable()),
            Access::Write(grant) => Ok(grant),
        }
    }

    /// Gives the claim up for as long as `borrowing` needs the drive, and takes it back.
    pub fn lend<T>(self, borrowing: impl FnOnce(&Released) -> T) -> Result<(Real, T), Failure> {
        let Real { access: Access::Write(grant), path, notes, clock } = self else {
            return Err(not_writable());
        };
        let grant = Arc::try_unwrap(grant)
            .map_err(|_| Failure::Environment("the target is still being written".to_owned()))?;
        let released = grant.release();
        let borrowed = borrowing(&released);
        let access = Access::Write(Arc::new(retake(released)?));
        Ok((Real { access, path, notes, clock }, borrowed))
    }

    /// Checks again, before a destructive phase, that the target is still the one that was cleared.
    pub fn verify_again(&self) -> Result<(), Failure> {
        match &self.access {
            Access::Read(_) => Ok(()),
            Access::Write(grant) => Ok(grant.verify_again()?),
        }
    }
}

/// That a target cannot be written which is only read, or lent to a cell.
pub fn not_writable() -> Failure {
    Failure::Environment("the target is not open for writing".to_owned())
}

/// What is to be said of a loop device whose own page cache is bypassed, while that of its file is not.
const FILE_IS_CACHED: &str = "The page cache of the loop device's file takes part in every figure: attach it with losetup \
                                  --direct-io=on to measure the drive below.";

/// Nothing is measured under a scheduler or a limit that a killed run left. Called once the target is open: a target that
/// is refused gets its error alone, and changes nothing of the machine.
fn put_back_what_kills_left() {
    clear_abandoned(&Places::live()).iter().for_each(|undone| say!("drivelab: {undone}"));
}

/// What is to be said of a file that takes less room than it is long.
fn holes(path: &Path) -> Option<String> {
    let found = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let (long, there) = (found.len(), found.blocks().saturating_mul(512));
    (there < long).then(|| {
        let [long, there] = [long, there].map(ByteCount::new);
        format!("The file is {long} long and takes {there}: it has holes or is packed, and a hole is read without the drive.")
    })
}

/// Takes a claim back. The kernel lets go of a file system a moment after the last that was open in it.
fn retake(released: Released) -> Result<WriteGrant, Failure> {
    let verify = || released.verify(&[]);
    try_again((50, Duration::from_millis(20)), verify(), |_| true, verify)?;
    Ok(released.retake()?)
}

/// What is known of a target's geometry before it is opened; `None` for a file that is not there and has no
/// size given.
pub fn geometry_of(target: &Target, file_size: Option<ByteCount>) -> Option<Geometry> {
    match target {
        Target::Drive(drive) => Some(drive.identity().geometry()),
        Target::File(file) => {
            let capacity =
                file.existing().map(|found| found.size).filter(|size| size.get() > 0).or(file_size)?;
            // The least block that any file takes; what O_DIRECT asks for is known when it is open.
            Some(Geometry { capacity, logical_block: 512, physical_block: 4096 })
        }
    }
}
