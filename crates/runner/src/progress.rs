//! Progress on the terminal: the phase, its rate, the time left. Quiet where stderr is no terminal.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use drivelab_analysis::PhaseAnalysis;
use drivelab_block::{ByteCount, Nanos};
use drivelab_method::StopRule;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;
use crate::printable::printable;

/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(200);

/// What a phase is measured against for its share and the time left.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// It lasts this long.
    Time(Nanos),
    /// It moves this many bytes.
    Bytes(ByteCount),
    /// Nobody knows.
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
    bar: ProgressBar,
    goal: Goal,
    drawn_at: Option<Instant>,
    before: (u64, u64),
}

impl Display {
    /// A line that begins with the run's label.
    pub fn new(label: &str) -> Display {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(1000), target);
        let style = ProgressStyle::with_template("{prefix}  {msg:32} {bar:16} {percent:>3} %  {eta:>4} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(printable(label).into_owned());
        Display { bar, goal: Goal::Unknown, drawn_at: None, before: (0, 0) }
    }

    /// Begins a phase.
    pub fn phase(&mut self, name: &str, goal: Goal) {
        self.goal = goal;
        self.before = (0, 0);
        self.bar.reset();
        self.bar.set_position(0);
        self.bar.set_message(name.to_owned());
    }

    /// Shows how far the phase is.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn show(&mut self, name: &str, phase: &PhaseAnalysis) {
        if self.bar.is_hidden() || self.drawn_at.is_some_and(|at| at.elapsed() < EVERY) {
            return;
        }
        self.drawn_at = Some(Instant::now());
        let now = (phase.span().get(), phase.completed());
        let (time, count) = (now.0.saturating_sub(self.before.0), now.1.saturating_sub(self.before.1));
        self.before = now;
        let rate = if time > 0 { count as f64 / (time as f64 / 1e9) } else { 0.0 };
        self.bar.set_message(format!("{name}, {rate:.0} IOPS"));
        self.bar.set_position(self.goal.done(phase));
    }

    /// Says something above the line.
    pub fn say(&self, text: impl std::fmt::Display) {
        self.bar.suspend(|| output::say(text));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
