//! Tests in cells, from their settings to their results: the same way on a real target and on a simulated drive.

mod matrix;
mod paths;
mod pts;

use std::ops::ControlFlow;
use std::path::Path;

use drivelab_block::Geometry;
use drivelab_documents::{Condition, Drive, Notice};
use drivelab_kinds::{CellDrive, CellTest};
use drivelab_method::Interrupt;
use drivelab_record::RunFolder;
use drivelab_sim::Profile;

use crate::cell_line::{CellCount, CellLine};
use crate::request::{RunOrigin, TestRequest};
use crate::run_tests::{Recording, prepare};
use crate::{
    Ending, Failure, HostMonitors, NamedTarget, Real, TargetName, UnrecordedRun, UnrecordedStart,
    machine_conditions, not_created, output, signals, started_now,
};

/// A test in cells whose cells this program can measure.
pub trait MeasurableTest: CellTest {
    /// What a run that is given up leaves.
    const GIVEN_UP: &'static str = signals::GIVEN_UP;

    /// Gets ready to measure cells on a target, which has to have what the test needs. `interrupt` is the user's wish to stop.
    fn open<'a>(
        target: CellTarget<'a>,
        plan: Self::Plan,
        request: &TestRequest<'a, Self>,
        interrupt: &Interrupt,
    ) -> Result<OpenedCells<'a, Self>, Failure>;

    /// How many cells the plan has; none where that depends on the drive.
    fn count(plan: &Self::Plan) -> Option<CellCount>;

    /// What a cell is called in the line of progress; none of what is no measurement.
    fn cell_name(cell: &Self::Cell) -> Option<String>;
}

pub trait MeasureCells<T: CellTest> {
    /// Checks again that the target is the one that was cleared for writing.
    fn check_target(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Measures a cell of a run; none where the user ended it before it was whole.
    fn measure(
        &mut self,
        cell: &T::Cell,
        run: &mut UnrecordedRun<'_, T>,
    ) -> Result<Option<T::Measured>, Failure>;
}

pub enum CellTarget<'a> {
    Simulated(&'a Profile),
    Claimed(Box<Real>),
    /// In files of a directory with this room.
    Directory(&'a Path, Geometry),
}

impl<'a> CellTarget<'a> {
    fn claim<T: CellTest>(
        request: &TestRequest<'_, T>,
        target: &'a NamedTarget,
    ) -> Result<CellTarget<'a>, Failure> {
        Ok(match (&target.name, target.room) {
            (TargetName::Simulated(profile), _) => CellTarget::Simulated(profile),
            (TargetName::Path(path), Some(room)) => CellTarget::Directory(path, room),
            (TargetName::Path(path), None) => {
                let real = request.open_target(path, request.destination.folder)?;
                CellTarget::Claimed(Box::new(real))
            }
        })
    }

    fn origin(&self) -> RunOrigin {
        match self {
            CellTarget::Simulated(profile) => RunOrigin::simulated(profile),
            CellTarget::Claimed(real) => RunOrigin::real(real),
            CellTarget::Directory(path, room) => {
                let mut conditions = vec![Condition::new("Drive", "Directory", path.display().to_string())];
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

fn no_directory(path: &Path) -> Failure {
    usage!("{} is a directory: name a drive or a file", path.display())
}

pub struct OpenedCells<'a, T: CellTest> {
    /// The plan, with what only the open target shows.
    pub plan: T::Plan,
    /// What is known before the first cell.
    pub findings: T::Findings,
    /// What the reader of the result has to know.
    pub notices: Vec<Notice>,
    pub measurer: Box<dyn MeasureCells<T>>,
    /// The real machine, which is watched; none of a simulated drive.
    pub surroundings: Option<HostMonitors<'a>>,
}

/// Runs a test in cells, keeps what is known of its result where a folder was named, and shows it.
pub fn run_cell_test<T: MeasurableTest>(request: &TestRequest<'_, T>) -> Result<Ending, Failure> {
    let targets = match prepare(std::slice::from_ref(request), &request.destination, Recording::Cells)? {
        ControlFlow::Continue(targets) => targets,
        ControlFlow::Break(ending) => return Ok(ending),
    };
    // Locked before its cells are read or touched: a run that is under way is no run to go on with.
    let folder = request.destination.folder.filter(|_| request.goes_on);
    let earlier = folder.map(RunFolder::open_ended).transpose().map_err(not_created)?;
    let interrupt = signals::interrupt_leaving(T::GIVEN_UP)?;
    let target = CellTarget::claim(request, &targets[0])?;
    let origin = target.origin();
    let plan = request.plan(origin.geometry)?;
    let settings = T::comparable(request.settings.clone(), origin.geometry);
    let manifest = request.manifest(&plan, origin);
    let opened = T::open(target, plan, request, &interrupt)?;
    let start = UnrecordedStart {
        manifest,
        settings,
        destination: request.destination,
        interrupt,
        surroundings: opened.surroundings,
    };
    let run = UnrecordedRun::begin(start, earlier)?;
    let line = CellLine::new(request.target, T::count(&opened.plan), request.destination.parent);
    let mut drive = CellRun { run, line, measurer: opened.measurer };
    opened.notices.into_iter().for_each(|notice| drive.notice(notice));
    drive.carry_out(&opened.plan, opened.findings)
}

struct CellRun<'a, T: CellTest> {
    run: UnrecordedRun<'a, T>,
    line: CellLine,
    measurer: Box<dyn MeasureCells<T>>,
}

impl<T: MeasurableTest> CellRun<'_, T> {
    fn carry_out(mut self, plan: &T::Plan, mut findings: T::Findings) -> Result<Ending, Failure> {
        // Tried before hours are spent, and so that what the drive does not do is shown also where it is in the first cell.
        let kept = self.run.found(findings.clone());
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
        self.measurer.measure(cell, &mut self.run)
    }

    fn is_interrupted(&self) -> bool {
        self.run.is_interrupted()
    }

    fn notice(&mut self, notice: Notice) {
        self.run.notice(notice);
    }

    fn say(&mut self, text: &str) {
        output::say(text);
    }

    fn keep(&mut self, findings: &T::Findings) -> Result<(), Failure> {
        self.run.found(findings.clone())
    }
}
