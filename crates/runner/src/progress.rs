//! Progress of a run: the phase, its rate, the time left.

use drivelab_analysis::PhaseAnalysis;
use drivelab_block::{ByteCount, Nanos};
use drivelab_method::StopRule;

use crate::ProgressLine;

/// What a phase is measured against for its share and the time left.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// It lasts this long.
    Time(Nanos),
    /// It moves this many bytes.
    Bytes(ByteCount),
    /// Its end is not known.
    Unknown,
}

impl Goal {
    /// The goal of a phase with this stop rule, over this many bytes where its workload ends by itself.
    pub fn of(stop: StopRule, ends_after: Option<ByteCount>) -> Goal {
        match (stop.bytes.or(ends_after), stop.duration) {
            (_, Some(duration)) => Goal::Time(duration),
            (Some(bytes), None) => Goal::Bytes(bytes),
            (None, None) => Goal::Unknown,
        }
    }

    /// The share that is done, in thousandths.
    fn done(self, phase: &PhaseAnalysis) -> u64 {
        let share = match self {
            Goal::Time(duration) => phase.span().get() as f64 / duration.get().max(1) as f64,
            Goal::Bytes(bytes) => phase.bytes().get() as f64 / bytes.get().max(1) as f64,
            Goal::Unknown => 0.0,
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
        let thousandths = (share.clamp(0.0, 1.0) * 1000.0) as u64;
        thousandths
    }
}

/// The line of one run.
#[derive(Debug)]
pub struct Display {
    line: ProgressLine,
    goal: Goal,
    before: (u64, u64),
}

impl Display {
    /// A line that begins with the run's label.
    pub fn new(label: &str) -> Display {
        let template = "{prefix}  {msg:32} {bar:16} {percent:>3} %  {eta:>4} left";
        Display { line: ProgressLine::new(label, Some(1000), template), goal: Goal::Unknown, before: (0, 0) }
    }

    /// Begins a phase.
    pub fn phase(&mut self, name: &str, goal: Goal) {
        self.goal = goal;
        self.before = (0, 0);
        let bar = self.line.bar();
        bar.reset();
        bar.set_position(0);
        bar.set_message(name.to_owned());
    }

    /// Shows how far the phase is.
    pub fn show(&mut self, name: &str, phase: &PhaseAnalysis) {
        if !self.line.is_due() {
            return;
        }
        let now = (phase.span().get(), phase.completed());
        let (time, count) = (now.0.saturating_sub(self.before.0), now.1.saturating_sub(self.before.1));
        self.before = now;
        let rate = if time > 0 { count as f64 / (time as f64 / 1e9) } else { 0.0 };
        self.line.show(self.goal.done(phase), format!("{name}, {rate:.0} IOPS"));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.line.clear();
    }
}
