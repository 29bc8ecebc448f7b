//! Tests in cells, from their settings to their results: the same way on a real target and on a simulated drive.

pub(crate) mod matrix;
mod paths;
mod pts;

use std::ops::ControlFlow;
use std::path::Path;

use drivelab_block::{ByteCount, Geometry};
use drivelab_kinds::{CellDrive, CellTest};
use drivelab_method::Interrupt;
use drivelab_record::{Drive, Notice};
use drivelab_sim::Profile;

use crate::request::{RunOrigin, TestRequest};
use crate::run_tests::{Recording, prepare};
use crate::{
    CellLine, Ending, Failure, HostMonitors, NamedTarget, Real, Served, TargetName, UnrecordedRun,
    UnrecordedStart, condition, machine_conditions, output, real_conditions, signals, simulated_conditions,
    simulated_drive, started_now,
};

/// What a run that is given up leaves, where it can go on.
const GOES_ON: &str = "with -o, the folder holds every cell so far, and --resume goes on";

/// A test in cells whose cells this program can measure.
pub trait MeasurableTest: CellTest {
    /// Gets ready to measure cells on a target.
    ///
    /// # Errors
    /// Where the target does not have what the test needs.
    fn open<'a>(
        target: CellTarget<'a>,
        plan: Self::Plan,
        context: &CellContext<'a, '_, Self>,
    ) -> Result<OpenedCells<'a, Self>, Failure>;

    /// How many cells the plan has; none where that depends on the drive.
    fn count(plan: &Self::Plan) -> Option<CellCount>;

    /// What a cell is called in the line of progress; none of what is no measurement.
    fn cell_name(cell: &Self::Cell) -> Option<String>;
}

/// How many cells a plan has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellCount {
    /// All of them.
    pub all: usize,
    /// Those that an earlier start of the program has measured.
    pub there: usize,
}

/// What measures the cells of a test on one target.
pub trait MeasureCells<T: CellTest> {
    /// Keeps what a run needs to go on, as soon as its folder is there.
    fn begin(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Checks again that the target is the one that was cleared for writing.
    fn check_target(&mut self) -> Result<(), Failure>;

    /// Measures a cell; none where the user ended it before it was whole.
    fn measure(&mut self, cell: &T::Cell) -> Result<Option<T::Measured>, Failure>;

    /// What the reader of the result has to know of the cells since the last call.
    fn take_notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }
}

/// Where cells are measured.
pub enum CellTarget<'a> {
    /// On a simulated drive.
    Simulated(&'a Profile),
    /// On a claimed drive or file, which was named by this path.
    Claimed(Box<Real>, &'a Path),
    /// In files of a directory with this room.
    Directory(&'a Path, Geometry),
}

impl<'a> CellTarget<'a> {
    fn claim<T: CellTest>(
        request: &TestRequest<'_, T>,
        target: &'a NamedTarget,
    ) -> Result<CellTarget<'a>, Failure> {
        Ok(match (target.name(), target.room) {
            (TargetName::Simulated(profile), _) => CellTarget::Simulated(profile),
            (TargetName::Path(path), Some(room)) => CellTarget::Directory(path, room),
            (TargetName::Path(path), None) => {
                let real = request.open_target(path, request.destination.folder)?;
                CellTarget::Claimed(Box::new(real), path)
            }
        })
    }

    /// Where a run on the target begins.
    fn origin(&self) -> RunOrigin {
        match self {
            CellTarget::Simulated(profile) => RunOrigin {
                drive: simulated_drive(profile),
                conditions: simulated_conditions(profile),
                started: None,
                geometry: profile.geometry(),
            },
            CellTarget::Claimed(real, _) => RunOrigin {
                drive: real.drive(),
                conditions: real_conditions(real),
                started: started_now(),
                geometry: real.geometry(),
            },
            CellTarget::Directory(path, room) => {
                let mut conditions = vec![condition("Drive", "Directory", path.display().to_string())];
                conditions.extend(machine_conditions());
                RunOrigin {
                    drive: Drive { model: "directory".to_owned(), ..Drive::default() },
                    conditions,
                    started: started_now(),
                    geometry: *room,
                }
            }
        }
    }
}

/// What is known before the target is opened.
pub struct CellContext<'a, 'b, T: CellTest> {
    /// What is asked.
    pub request: &'b TestRequest<'a, T>,
    /// The user's wish to stop.
    pub interrupt: &'b Interrupt,
    /// What the drive did of what it was asked.
    pub served: &'b Served,
    /// The size of the target.
    pub capacity: ByteCount,
}

/// Refuses a directory.
fn no_directory(path: &Path) -> Failure {
    Failure::Usage(format!("{} is a directory: name a drive or a file", path.display()))
}

/// Cells that are ready to be measured.
pub struct OpenedCells<'a, T: CellTest> {
    /// The plan, with what only the open target shows.
    pub plan: T::Plan,
    /// What is known before the first cell.
    pub findings: T::Findings,
    /// What the reader of the result has to know.
    pub notices: Vec<Notice>,
    /// What measures the cells.
    pub measurer: Box<dyn MeasureCells<T>>,
    /// The real machine, which is watched; none of a simulated drive.
    pub surroundings: Option<HostMonitors<'a>>,
}

/// Runs a test in cells, keeps what is known of its result where a folder was named, and shows it.
///
/// # Errors
/// Where something stands against the test, or the target broke.
pub fn run_cell_test<T: MeasurableTest>(request: &TestRequest<'_, T>) -> Result<Ending, Failure> {
    request.destination.check([request.target])?;
    let (requests, output) = (std::slice::from_ref(request), request.destination.folder);
    let targets = match prepare(requests, output, Recording::Cells)? {
        ControlFlow::Continue(targets) => targets,
        ControlFlow::Break(ending) => return Ok(ending),
    };
    let interrupt = match T::HOOKS.resumed_by {
        Some(_) => signals::interrupt_leaving(GOES_ON)?,
        None => signals::interrupt()?,
    };
    let target = CellTarget::claim(request, &targets[0])?;
    let origin = target.origin();
    let plan = request.plan(origin.geometry)?;
    let settings = T::comparable(request.settings.clone(), origin.geometry);
    let served = Served::default();
    let capacity = origin.geometry.capacity;
    let context = CellContext { request, interrupt: &interrupt, served: &served, capacity };
    let manifest = request.manifest(&plan, origin);
    let opened = T::open(target, plan, &context)?;
    let start = UnrecordedStart {
        manifest,
        settings,
        destination: request.destination,
        interrupt,
        surroundings: opened.surroundings,
        served,
    };
    let run = match output.filter(|_| request.goes_on) {
        Some(folder) => UnrecordedRun::resume(start, folder)?,
        None => UnrecordedRun::begin(start)?,
    };
    let parent = request.destination.parent;
    let line = match T::count(&opened.plan) {
        Some(CellCount { all, there }) => CellLine::new(request.target, all, there, parent),
        None => CellLine::without_end(request.target, parent),
    };
    let mut drive = CellRun { run, line, measurer: opened.measurer };
    for notice in opened.notices {
        drive.notice(notice);
    }
    drive.carry_out(&opened.plan, opened.findings)
}

/// A test in cells under way.
struct CellRun<'a, T: CellTest> {
    run: UnrecordedRun<'a, T>,
    line: CellLine,
    measurer: Box<dyn MeasureCells<T>>,
}

impl<T: MeasurableTest> CellRun<'_, T> {
    fn carry_out(mut self, plan: &T::Plan, mut findings: T::Findings) -> Result<Ending, Failure> {
        // Tried before hours are spent, and so that what the drive does not do is shown also where it is in the first cell.
        let kept = self.measurer.begin().and_then(|()| self.run.found(findings.clone()));
        let ended = kept.and_then(|()| {
            let ended = T::run(plan, &mut self, &mut findings);
            ended.and(self.run.found(findings))
        });
        self.line.line.clear();
        self.run.finish(ended)
    }
}

impl<T: MeasurableTest> CellDrive<T> for CellRun<'_, T> {
    type Error = Failure;

    fn check_target(&mut self) -> Result<(), Failure> {
        self.measurer.check_target()
    }

    fn measure(&mut self, cell: &T::Cell) -> Result<Option<T::Measured>, Failure> {
        if let Some(name) = T::cell_name(cell) {
            self.line.show(name);
        }
        let measured = self.measurer.measure(cell);
        for notice in self.measurer.take_notices() {
            self.notice(notice);
        }
        measured
    }

    fn is_interrupted(&self) -> bool {
        self.run.is_interrupted()
    }

    fn notice(&mut self, notice: Notice) {
        self.run.notice(notice.severity, notice.text);
    }

    fn say(&mut self, text: &str) {
        output::say(text);
    }

    fn keep(&mut self, findings: &T::Findings) -> Result<(), Failure> {
        self.run.found(findings.clone())
    }
}
