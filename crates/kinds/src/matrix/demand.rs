//! From what a user asks for to settings with nothing left open.

use drivelab_block::{ByteCount, Caching, FileSystem, Geometry, Work};

use super::asks::RANDOM_STEP;
use super::findings::LeftOutCell;
use super::settings::MatrixSettings;
use crate::PlanError;

/// The size of a file system where nothing else is asked and the target is large enough: quickly made on any drive.
const FS_BYTES: ByteCount = ByteCount::new(8 << 30);
/// What the large files of a cell hold together where nothing else is asked and there is room.
const WORKING_SET: ByteCount = ByteCount::new(1 << 30);
/// Small files of a cell, as far as there is room: one for each of these many bytes of its file system, at most.
const FILES: u64 = 16_384;
const BYTES_A_FILE: u64 = 32 << 10;
/// The most bytes of a sequential read or write.
const BLOCK_SIZE_MAX: u64 = 1 << 30;

/// What a user asks for; what is not there has a default that follows from the target.
#[derive(Clone, Debug)]
pub struct MatrixDemand {
    /// What is asked: no file systems and no ways of caching are all of them, and no size of file systems is the usual one. What
    /// the files of a cell hold, and how many there are, is not in it yet.
    pub asked: MatrixSettings,
    /// What the large files of a cell hold together.
    pub working_set: Option<ByteCount>,
}

/// What a target can have.
pub struct MatrixOffer<'a> {
    /// Size and block sizes.
    pub geometry: Geometry,
    /// The I/O schedulers that it can have.
    pub schedulers: &'a [String],
    /// Why a file system of this size cannot be made; none where it can.
    pub unfit: &'a dyn Fn(FileSystem, ByteCount) -> Option<String>,
}

/// Why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DemandError {
    /// What was asked for makes no sense; the message says what to type instead.
    #[error(transparent)]
    Asked(#[from] PlanError),
    /// Nothing that was asked for can be had here.
    #[error("nothing is left to be measured ({0})")]
    NothingLeft(String),
}

/// Settings, and what was left out.
pub type Settled = (MatrixSettings, Vec<LeftOutCell>);

impl MatrixDemand {
    /// What leads to these settings, on the target that they are for.
    pub fn from_settings(settings: &MatrixSettings) -> MatrixDemand {
        let working_set = Some(ByteCount::new(settings.working_set_bytes));
        MatrixDemand { asked: settings.clone(), working_set }
    }

    /// The settings on a simulated drive, which has threads and work alone.
    ///
    /// # Errors
    /// Where something is asked for that it has not, or that makes no sense on it.
    pub fn on_simulated(&self, geometry: &Geometry) -> Result<Settled, DemandError> {
        let axes = [
            ("--fs", self.asked.file_systems.is_empty()),
            ("--schedulers", self.asked.schedulers.is_empty()),
            ("--caching", self.asked.caching.is_empty()),
            ("--fs-size", self.asked.file_system_bytes.is_none()),
        ];
        if let Some((option, _)) = axes.into_iter().find(|(_, is_empty)| !is_empty) {
            let text = format!("{option}: a simulated drive has threads and work alone; leave it out");
            return Err(PlanError(text).into());
        }
        let (work, others): (Vec<Work>, Vec<Work>) =
            self.asked.work.iter().partition(|work| !work.is_metadata() && **work != Work::Rewrite);
        let without_files = |work: &Work| left_out(work.word(), "a simulated drive has no files".to_owned());
        let working_set = self.working_set.unwrap_or(WORKING_SET.min(quarter(geometry.capacity)));
        let settings =
            MatrixSettings { work, working_set_bytes: working_set.get(), files: None, ..self.asked.clone() };
        check_bytes(&settings, geometry.capacity, geometry.logical_block)?;
        Ok((settings, others.iter().map(without_files).collect()))
    }

    /// The settings on a drive, or on a part of one.
    ///
    /// # Errors
    /// Where something makes no sense on it, or nothing that was asked for can be had.
    pub fn on_drive(&self, offer: &MatrixOffer<'_>) -> Result<Settled, DemandError> {
        let capacity = offer.geometry.capacity;
        let size = self.asked.file_system_bytes.map_or(FS_BYTES.min(capacity), ByteCount::new);
        if size > capacity {
            let text = format!("--fs-size {}: the target has {} bytes", size.get(), capacity.get());
            return Err(PlanError(text).into());
        }
        let (file_systems, unfit) = self.file_systems_of(size, offer);
        let (schedulers, others): (Vec<String>, Vec<String>) =
            self.asked.schedulers.iter().cloned().partition(|name| offer.schedulers.contains(name));
        let not_offered = |name: &String| left_out(&format!("scheduler {name}"), not_offered(name, offer));
        let left_out: Vec<LeftOutCell> = unfit.into_iter().chain(others.iter().map(not_offered)).collect();
        if file_systems.is_empty() || (schedulers.is_empty() && !self.asked.schedulers.is_empty()) {
            let all: Vec<String> = left_out.iter().map(|one| format!("{}: {}", one.what, one.why)).collect();
            return Err(DemandError::NothingLeft(all.join("; ")));
        }
        let caching = asked_or_all(&self.asked.caching, &Caching::ALL);
        let working_set = self.working_set.unwrap_or(WORKING_SET.min(quarter(size)));
        let settings = MatrixSettings {
            file_systems,
            schedulers,
            caching,
            file_system_bytes: Some(size.get()),
            working_set_bytes: working_set.get(),
            files: Some(FILES.min(size.get() / BYTES_A_FILE)),
            ..self.asked.clone()
        };
        check_bytes(&settings, ByteCount::new(size.get() / 2), offer.geometry.logical_block)?;
        Ok((settings, left_out))
    }

    /// The file systems that can be made, and why the others cannot.
    fn file_systems_of(
        &self,
        size: ByteCount,
        offer: &MatrixOffer<'_>,
    ) -> (Vec<FileSystem>, Vec<LeftOutCell>) {
        let (mut fit, mut unfit) = (Vec::new(), Vec::new());
        for kind in asked_or_all(&self.asked.file_systems, &FileSystem::ALL) {
            match (offer.unfit)(kind, size) {
                Some(why) => unfit.push(left_out(kind.word(), why)),
                None => fit.push(kind),
            }
        }
        (fit, unfit)
    }
}

/// The values that were asked for; all of them where none was.
fn asked_or_all<T: Copy>(asked: &[T], all: &[T]) -> Vec<T> {
    if asked.is_empty() { all.to_vec() } else { asked.to_vec() }
}

/// Checks that every thread has at least one step, and that all have room.
fn check_bytes(settings: &MatrixSettings, room: ByteCount, logical_block: u32) -> Result<(), PlanError> {
    let (bytes, step) = (settings.working_set_bytes, settings.block_size_bytes);
    let block = u64::from(logical_block).max(RANDOM_STEP.get());
    if step == 0 || !step.is_multiple_of(block) || step > BLOCK_SIZE_MAX {
        let text = format!("--block-size {step} is not a multiple of {block} bytes up to 1 GiB");
        return Err(PlanError(text));
    }
    let most = u64::from(settings.threads.iter().copied().max().unwrap_or(1).max(1));
    if bytes / most < step {
        return Err(PlanError(format!(
            "--working-set {bytes}: {most} threads need at least {} for a request each; give more, or use fewer threads",
            most * step
        )));
    }
    if bytes > room.get() {
        return Err(PlanError(format!(
            "--working-set {bytes}: there is room for {} bytes; give less, or a larger file system",
            room.get()
        )));
    }
    Ok(())
}

/// Schedulers of kernels before 5.0, and what does their work now.
const FORMER_SCHEDULERS: [(&str, &str); 3] = [("cfq", "bfq"), ("deadline", "mq-deadline"), ("noop", "none")];

/// Why a scheduler is left out that the drive does not have.
fn not_offered(name: &str, offer: &MatrixOffer<'_>) -> String {
    let there = format!("the drive has {}", list(offer.schedulers));
    match FORMER_SCHEDULERS.iter().find(|(former, _)| *former == name) {
        Some((_, now)) => format!("kernels since 5.0 have {now} in its place; {there}"),
        None => there,
    }
}

fn left_out(what: &str, why: String) -> LeftOutCell {
    LeftOutCell { what: what.to_owned(), why }
}

fn quarter(size: ByteCount) -> ByteCount {
    ByteCount::new(size.get() / 4)
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "no choice".to_owned() } else { names.join(", ") }
}
