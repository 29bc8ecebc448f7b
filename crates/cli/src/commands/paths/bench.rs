//! A comparison of paths from its first cell to its result: the same way on a real machine and on a simulated drive.

use drivelab_kinds::paths::{
    self, Cell, PathLeftOut, Paths, PathsBench, PathsFindings, PathsPlan, WrittenCell, rounded_lengths,
};
use drivelab_record::Severity;
use drivelab_runner::{CellLine, Ending, Failure, UnrecordedRun, UnrecordedStart};

/// What writes cells.
pub trait WriteCells {
    /// Checks again that the target is the one that was cleared for writing.
    fn check_target(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Writes a cell, which is the one of this number in the order of all.
    fn write(&mut self, cell: &Cell, number: u64) -> Result<Option<WrittenCell>, Failure>;

    /// What a ring asked for and did not get since the last call.
    fn take_refused(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// What is known of a target before its first cell.
pub struct TargetFacts {
    /// The paths that are left out.
    pub left_out: Vec<PathLeftOut>,
    /// The folder of the files of the file-system paths.
    pub directory: Option<String>,
    /// What the reader of the result has to know.
    pub notices: Vec<(Severity, String)>,
}

/// Writes all cells, keeps what was found where a folder was named, and shows it.
pub fn carry_out<W: WriteCells>(
    plan: &PathsPlan,
    known: TargetFacts,
    start: UnrecordedStart<'_, Paths>,
    writer: W,
) -> Result<Ending, Failure> {
    let line = CellLine::new(start.target, plan.cells().len(), 0, start.destination.parent);
    let rounded = rounded_lengths(&start.settings, plan).map(|text| (Severity::Note, text));
    let mut run = UnrecordedRun::begin(start)?;
    for (severity, text) in rounded.into_iter().chain(known.notices) {
        run.notice(severity, text);
    }
    let findings = PathsFindings::of_plan(plan, known.left_out);
    let mut findings = PathsFindings { directory: known.directory, ..findings };
    let mut bench = PathsRun { run, line, writer };
    // What the drive did not do is shown also where it is in the first cell.
    let kept = bench.run.found(findings.clone());
    let ended = kept.and_then(|()| paths::run(plan, &mut bench, &mut findings));
    bench.line.clear();
    bench.run.finish(ended)
}

/// A comparison under way.
struct PathsRun<'a, W> {
    run: UnrecordedRun<'a, Paths>,
    line: CellLine,
    writer: W,
}

impl<W: WriteCells> PathsBench for PathsRun<'_, W> {
    type Error = Failure;

    fn check_target(&mut self) -> Result<(), Failure> {
        self.writer.check_target()
    }

    fn write(&mut self, cell: &Cell, number: u64) -> Result<Option<WrittenCell>, Failure> {
        self.line.show(format!("{}, files of {}", cell.path.word(), cell.file));
        let written = self.writer.write(cell, number);
        for refused in self.writer.take_refused() {
            self.run.notice(Severity::Note, format!("A ring did not get what it asked for: {refused}."));
        }
        written
    }

    fn is_interrupted(&self) -> bool {
        self.run.is_interrupted()
    }

    fn notice(&mut self, severity: Severity, text: String) {
        self.run.notice(severity, text);
    }

    fn found(&mut self, findings: &PathsFindings) -> Result<(), Failure> {
        self.run.found(findings.clone())
    }
}
