//! The same data by several paths before it is written: which files, in which order, how often, and the plan in words.

use std::path::PathBuf;

use drivelab_block::{ByteCount, ByteRange, Extent, Geometry, Op, OpSet, SECTOR_BYTES, Sector, SectorCount};
use drivelab_documents::MeasuredPhases;
use drivelab_method::{PhasePlan, check_range};
use drivelab_workload::{Ask, Next, Seed, Workload};

use super::{DataPath, FileLocation, Paths, PathsSettings};
use crate::{Outline, PlanError, PlanResult, PlannedTime, RangeOf, Test, TestNeeds, TestRules};

/// The length of a write, by every path.
pub const REQUEST: ByteCount = ByteCount::new(1 << 20);
/// What a cell writes where nothing else is asked and the range is large enough.
pub const CELL_BYTES: ByteCount = ByteCount::new(256_000_000);
/// Files are whole pages: a part of one would be read first, or refused.
const PAGE: u64 = 4096;
/// The most requests in flight on the raw paths.
const DEPTH_MAX: u32 = 1_024;

/// Which paths, files and runs.
#[derive(Clone, Debug, PartialEq)]
pub struct PathsPlan {
    /// The paths to be compared.
    pub paths: Vec<DataPath>,
    /// The lengths of files, in whole blocks.
    pub sizes: Vec<ByteCount>,
    /// What each cell writes, in whole files: at least one.
    pub bytes: ByteCount,
    /// Runs of every cell.
    pub runs: u16,
    /// The part of the drive that is written, in bytes: first and one past the last.
    pub range: ByteRange,
    /// Requests in flight on the raw paths.
    pub queue_depth: u32,
    /// Where the file-system paths have their files.
    pub files: FileLocation,
    /// The seed of the order of cells.
    pub seed: Seed,
}

/// Files of one size by one path, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The block of runs it belongs to.
    pub run: u16,
    /// The path.
    pub path: DataPath,
    /// The length of a file.
    pub file: ByteCount,
    /// Its place in the order of all cells, from 0.
    pub place: u64,
}

/// A file's length in whole pages, and in whole blocks where those are larger.
pub fn whole_blocks(size: ByteCount, logical_block: u32) -> ByteCount {
    ByteCount::new(size.get().next_multiple_of(PAGE.max(u64::from(logical_block))))
}

/// What is known of the target before it is claimed.
#[derive(Clone, Debug)]
pub struct PathsInput {
    /// The paths by which it may be reached.
    pub paths: Vec<DataPath>,
    /// The directory that is named besides a drive; none where none is named.
    pub directory: Option<FileDirectory>,
}

/// A directory in which the file-system paths have their files.
#[derive(Clone, Debug)]
pub struct FileDirectory {
    /// Where it is.
    pub path: PathBuf,
    /// The room in it.
    pub room: ByteCount,
}

impl Test for Paths {
    type Plan = PathsPlan;
    type Input = PathsInput;

    const RULES: TestRules = TestRules { takes_directories: true, ..TestRules::USUAL };
    const RANGE: RangeOf<PathsSettings> = |settings| Some(&mut settings.range);

    fn needs(_: &PathsSettings, _: &PathsInput) -> TestNeeds {
        TestNeeds::new(true, MeasuredPhases::Every)
    }

    fn plan(
        settings: &PathsSettings,
        input: &PathsInput,
        geometry: Geometry,
        seed: Seed,
    ) -> PlanResult<Self> {
        let range = settings.range.on(&geometry);
        let whole_range = range.length().get();
        let is_new = settings.files == FileLocation::NewExt4;
        // A file system takes its part of the range.
        let room = if is_new { whole_range / 4 * 3 } else { whole_range };
        let default_bytes = CELL_BYTES.min(ByteCount::new(room));
        let sizes = settings.file_bytes.iter();
        let plan = PathsPlan {
            paths: input.paths.clone(),
            sizes: sizes.map(|size| whole_blocks(ByteCount::new(*size), geometry.logical_block)).collect(),
            bytes: settings.cell_bytes.map_or(default_bytes, ByteCount::new),
            runs: settings.runs,
            range,
            queue_depth: settings.queue_depth,
            files: settings.files,
            seed,
        };
        plan.check(&geometry)?;
        if is_new {
            plan.check_new_file_system()?;
        }
        if let Some(directory) = &input.directory {
            plan.check_directory(directory.room)?;
        }
        Ok(plan)
    }

    fn outline(plan: &PathsPlan) -> Outline {
        let words: Vec<&str> = plan.paths.iter().map(|path| path.word()).collect();
        let made_anew = match plan.files {
            FileLocation::NewExt4 => ", on an ext4 made anew for each cell of the first two",
            FileLocation::Target | FileLocation::Directory => "",
        };
        let sentence = format!("{} cells by {}{made_anew}", plan.cells().len(), words.join(", "));
        let time = PlannedTime { unpaced: plan.all_bytes(), ..PlannedTime::default() };
        Outline { sentences: vec![sentence], written: Some(plan.all_bytes()), time: Some(time) }
    }
}

impl PathsPlan {
    /// Checks that the range can hold a file system that holds the largest cell: an ext4 needs at most an eighth and 8 MiB for
    /// itself.
    fn check_new_file_system(&self) -> Result<(), PlanError> {
        let (start, end) = (self.range.start.get(), self.range.end.get());
        if start != 0 {
            let text = "--fs makes its file system at the beginning of the drive: begin --range at 0";
            return Err(PlanError(text.to_owned()));
        }
        let room = ByteCount::new((end - end / 8).saturating_sub(8 << 20));
        let largest = self.sizes.iter().map(|file| self.cell_bytes(*file)).max().unwrap_or_default();
        if largest <= room {
            return Ok(());
        }
        Err(PlanError(format!(
            "a cell comes to {largest}, and a file system in the range has room for {room}: use less of --cell-bytes or --sizes"
        )))
    }

    /// Checks that a folder with this room holds the files of the largest cell.
    fn check_directory(&self, room: ByteCount) -> Result<(), PlanError> {
        let too_large = self.sizes.iter().copied().find(|file| self.cell_bytes(*file) > room);
        too_large.map_or(Ok(()), |file| Err(PlanError(format!("--directory: {}", self.no_room(file, room)))))
    }

    /// That there is not so much room for a cell with files of this length.
    fn no_room(&self, file: ByteCount, room: ByteCount) -> String {
        let needed = self.cell_bytes(file);
        format!(
            "files of {file} come to {needed} a cell, and there is room for {room}: use less of --cell-bytes or --sizes"
        )
    }

    fn check(&self, geometry: &Geometry) -> Result<(), PlanError> {
        let block = PAGE.max(u64::from(geometry.logical_block));
        let (start, end) = (self.range.start.get(), self.range.end.get());
        if !(1..=1_000).contains(&self.runs) {
            return Err(PlanError(format!("--runs {} is not between 1 and 1000", self.runs)));
        }
        if !(1..=DEPTH_MAX).contains(&self.queue_depth) {
            return Err(PlanError(format!(
                "--queue-depth {} is not between 1 and {DEPTH_MAX}",
                self.queue_depth
            )));
        }
        check_range(self.range, geometry, block)?;
        let mut seen = Vec::new();
        for file in self.sizes.iter().copied() {
            let room = ByteCount::new(end.saturating_sub(start));
            let wrong = match file {
                size if size.get() == 0 => {
                    "--sizes: a file of 0 bytes is written by no path; give sizes above 0".to_owned()
                }
                size if seen.contains(&size) => {
                    format!(
                        "--sizes: {size} is named twice (sizes are rounded up to whole blocks); leave one out"
                    )
                }
                _ if self.cell_bytes(file) > room => self.no_room(file, room),
                _ => {
                    seen.push(file);
                    continue;
                }
            };
            return Err(PlanError(wrong));
        }
        Ok(())
    }

    /// How many files of this length a cell writes.
    pub fn files(&self, file: ByteCount) -> u64 {
        (self.bytes.get() / file.get().max(1)).max(1)
    }

    /// What a cell with files of this length writes.
    pub fn cell_bytes(&self, file: ByteCount) -> ByteCount {
        ByteCount::new(self.files(file).saturating_mul(file.get()))
    }

    /// What all cells write together.
    pub fn all_bytes(&self) -> ByteCount {
        let once: u64 = self.sizes.iter().map(|file| self.cell_bytes(*file).get()).sum();
        ByteCount::new(once.saturating_mul(self.paths.len() as u64).saturating_mul(u64::from(self.runs)))
    }

    /// Every cell, once in each block of runs, each block in an order of its own: what changes with time touches all
    /// cells alike.
    pub fn cells(&self) -> Vec<Cell> {
        let mut all = Vec::new();
        for run in 0..self.runs {
            let mut draw = self.seed.child("order of cells").numbered(u64::from(run)).draw();
            let mut block: Vec<Cell> = Vec::new();
            for path in &self.paths {
                block.extend(self.sizes.iter().map(|file| Cell { run, path: *path, file: *file, place: 0 }));
            }
            draw.shuffle(&mut block);
            all.extend(block);
        }
        for (cell, place) in all.iter_mut().zip(0..) {
            cell.place = place;
        }
        all
    }

    /// The phase of a raw path that takes requests of this length.
    pub fn phase(&self, file: ByteCount, request: ByteCount) -> PhasePlan {
        let (name, ops) = (format!("raw, files of {file}"), OpSet::EMPTY.with(Op::Write));
        PhasePlan::closed(name, self.depth(request), request.min(file), ops)
    }

    /// Requests of this length in flight that come to as many bytes as [`PathsPlan::queue_depth`] of [`REQUEST`] do, up to
    /// 1,024.
    fn depth(&self, request: ByteCount) -> u32 {
        let pieces = u32::try_from(REQUEST.get().div_ceil(request.get().max(1))).unwrap_or(u32::MAX);
        self.queue_depth.saturating_mul(pieces).min(DEPTH_MAX)
    }

    /// The writes of a raw path that takes requests of this length.
    pub fn writes(&self, file: ByteCount, request: ByteCount) -> FileWrites {
        let (at, left) = (self.range.start.get(), self.files(file));
        FileWrites { at, file: file.get(), request: request.get(), in_file: 0, left }
    }
}

/// Files one behind the other, each in requests of one length and a rest.
#[derive(Clone, Debug)]
pub struct FileWrites {
    at: u64,
    file: u64,
    request: u64,
    in_file: u64,
    left: u64,
}

impl Workload for FileWrites {
    fn next_ask(&mut self) -> Next {
        if self.left == 0 {
            return Next::End;
        }
        let length = self.request.min(self.file - self.in_file);
        let sectors = u32::try_from(length / SECTOR_BYTES).unwrap_or(u32::MAX);
        let extent = Extent { start: Sector::new(self.at / SECTOR_BYTES), length: SectorCount::new(sectors) };
        self.at += length;
        self.in_file += length;
        if self.in_file >= self.file {
            (self.in_file, self.left) = (0, self.left - 1);
        }
        Next::Ask(Ask { due: None, op: Op::Write, extent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> PathsPlan {
        PathsPlan {
            paths: DataPath::ALL.to_vec(),
            sizes: [1_000_000, 8_000_000].map(|size| whole_blocks(ByteCount::new(size), 512)).to_vec(),
            bytes: ByteCount::new(20_000_000),
            runs: 3,
            range: ByteRange::new(ByteCount::new(1 << 20), ByteCount::new(64 << 20)),
            queue_depth: 8,
            files: FileLocation::Target,
            seed: Seed::new(1),
        }
    }

    #[test]
    fn every_block_of_runs_has_every_cell_once_in_another_order() {
        let (plan, mut orders) = (plan(), Vec::new());
        for run in plan.cells().chunks(12) {
            let order: Vec<_> = run.iter().map(|cell| (cell.path, cell.file)).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 12);
            assert!(!orders.contains(&order) && order != sorted, "{order:?}");
            orders.push(order);
        }
        assert_eq!(orders.len(), 3);
        assert_eq!(plan.cells(), plan.cells());
    }

    #[test]
    fn the_raw_path_writes_every_byte_of_every_file_once_in_order() {
        let plan = plan();
        let of = |request| plan.sizes.iter().map(move |file| (*file, request));
        for (file, request) in of(REQUEST).chain(of(ByteCount::new(252 << 10))) {
            let (mut writes, mut at) = (plan.writes(file, request), plan.range.start.get());
            while let Next::Ask(ask) = writes.next_ask() {
                assert_eq!(ask.extent.start.byte_offset(), at);
                assert!(ask.extent.length.bytes() <= plan.phase(file, request).limits.max_transfer);
                at += ask.extent.length.bytes().get();
            }
            assert_eq!(at - plan.range.start.get(), plan.cell_bytes(file).get());
            let depth = plan.phase(file, request).limits.queue_depth;
            assert_eq!(depth, if request == REQUEST { 8 } else { 8 * 5 }, "as many bytes in flight");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_named() {
        let geometry =
            Geometry { capacity: ByteCount::new(64 << 20), logical_block: 512, physical_block: 4096 };
        assert_eq!(plan().check(&geometry), Ok(()));
        let wrong = |change: fn(&mut PathsPlan)| {
            let mut plan = plan();
            change(&mut plan);
            plan.check(&geometry).map_err(|error| error.to_string())
        };
        let names = |found: Result<(), String>, word: &str| found.is_err_and(|text| text.contains(word));
        assert!(names(wrong(|plan| plan.bytes = ByteCount::new(1 << 30)), "--cell-bytes"));
        assert!(names(wrong(|plan| plan.sizes.push(ByteCount::new(0))), "--sizes"));
        assert!(names(wrong(|plan| plan.sizes.push(plan.sizes[0])), "twice"));
        assert!(names(wrong(|plan| plan.runs = 0), "--runs"));
        assert!(names(wrong(|plan| plan.queue_depth = 0), "--queue-depth"));
        assert!(names(wrong(|plan| plan.range.start = ByteCount::new(512)), "--range"));
        assert!(names(wrong(|plan| plan.range.end = ByteCount::new(65 << 20)), "--range"));
    }
}
