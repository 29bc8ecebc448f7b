//! Progress of a run: the phase, its rate, and how much of the whole test is left.

use std::time::Instant;

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::PlannedTime;
use drivelab_method::StopRule;
use drivelab_stats::PhaseAnalysis;

use crate::{ParentProgress, ProgressLine, output};

/// Steps of a bar.
const STEPS: u64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub fn new(stop: StopRule, ends_after: Option<ByteCount>) -> Goal {
        match (stop.bytes.or(ends_after), stop.duration) {
            (_, Some(duration)) => Goal::Time(duration),
            (Some(bytes), None) => Goal::Bytes(bytes),
            (None, None) => Goal::Unknown,
        }
    }

    /// What the phase did until now: time where the clock ends it, else bytes.
    fn work(self, phase: &PhaseAnalysis) -> PhaseWork {
        match self {
            Goal::Time(_) => PhaseWork { timed: phase.span(), ..PhaseWork::default() },
            Goal::Bytes(_) | Goal::Unknown => {
                let moved = phase.moved().get();
                // A purge moves nothing, and has no rate that says how long a fill takes.
                let took = if moved > 0 { phase.span() } else { Nanos::ZERO };
                PhaseWork { moved, moving: took, ..PhaseWork::default() }
            }
        }
    }

    /// The share of the phase that is done, where its end is known.
    fn share(self, phase: &PhaseAnalysis) -> Option<f64> {
        match self {
            Goal::Time(duration) => Some(phase.span().get() as f64 / duration.get().max(1) as f64),
            Goal::Bytes(bytes) => Some(phase.bytes().get() as f64 / bytes.get().max(1) as f64),
            Goal::Unknown => None,
        }
    }
}

/// How far a phase was when its rate was shown last.
#[derive(Clone, Copy, Debug, Default)]
struct ShownPhase {
    /// Nanoseconds of the phase's own time.
    span_ns: u64,
    completed: u64,
}

#[derive(Debug)]
pub struct Display {
    pub line: ProgressLine,
    goal: Goal,
    /// What the last rate was shown of.
    before: ShownPhase,
    /// How long the whole test takes, where that is planned.
    pub planned: Option<PlannedTime>,
    ended: PhaseWork,
    now: PhaseWork,
    /// When it began by the clock on the wall, of a simulated drive, whose own clock is another.
    began: Option<Instant>,
}

impl Display {
    /// A line that begins with the run's label, after what the run is a part of.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(label: &str, is_simulated: bool, parent: Option<&ParentProgress>) -> Display {
        let template = "{prefix}  {bar:16} {percent:>3} %  {msg}";
        Display {
            line: ProgressLine::new(label, Some(STEPS), template, parent),
            goal: Goal::Unknown,
            before: ShownPhase::default(),
            planned: None,
            ended: PhaseWork::default(),
            now: PhaseWork::default(),
            began: is_simulated.then(Instant::now),
        }
    }

    pub fn phase(&mut self, name: &str, goal: Goal) {
        self.ended = self.ended + std::mem::take(&mut self.now);
        self.goal = goal;
        self.before = ShownPhase::default();
        self.line.bar.set_message(name.to_owned());
    }

    /// Shows how far the test is, or that the drive answers nothing.
    pub fn show(&mut self, name: &str, phase: &PhaseAnalysis, is_silent: bool) {
        self.now = self.goal.work(phase);
        if !self.line.is_due() {
            return;
        }
        let now = ShownPhase { span_ns: phase.span().get(), completed: phase.completed() };
        let time = now.span_ns.saturating_sub(self.before.span_ns);
        let count = now.completed.saturating_sub(self.before.completed);
        self.before = now;
        let rate = if time > 0 { count as f64 / (time as f64 / 1e9) } else { 0.0 };
        // An I/O that is not answered, or those of one thread, are not all.
        if is_silent && count == 0 {
            // How much of the time is left is not known then.
            let steps = self.line.bar.position();
            return self.line.show(steps, format!("{name}, the drive answers nothing"));
        }
        let doing = format!("{name}, {rate:.0} IOPS");
        let (share, left) = match self.planned {
            Some(_) => {
                self.of_whole().map_or((None, None), |(done, left_s)| (Some(done), Some(in_words(left_s))))
            }
            None => (self.goal.share(phase), of_phase(self.goal.share(phase), phase.span())),
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
        let steps = (share.unwrap_or(0.0).clamp(0.0, 1.0) * STEPS as f64) as u64;
        self.line.show(steps, [Some(doing), left].into_iter().flatten().collect::<Vec<_>>().join(", "));
    }

    /// The share of the whole test that is done, and how long the rest takes by the clock on the wall, in seconds; none where
    /// that is not planned or not known yet.
    pub fn of_whole(&self) -> Option<(f64, f64)> {
        let work = self.ended + self.now;
        let left = work.left_of(self.planned?)?.as_secs_f64();
        let lasted = work.lasted().as_secs_f64();
        let on_the_wall = self.began.map_or(left, |began| left * began.elapsed().as_secs_f64() / lasted);
        (lasted > 0.0).then_some((lasted / (lasted + left), on_the_wall))
    }
}

/// How long the rest of a phase takes, of which nothing but itself is known.
fn of_phase(share: Option<f64>, span: Nanos) -> Option<String> {
    let share = share.filter(|share| *share > 0.0)?;
    let left = span.as_secs_f64() * (1.0 - share).max(0.0) / share;
    Some(format!("{} of this phase", in_words(left)))
}

/// A time that is left. Work that goes on longer than was planned is never said to have ended.
fn in_words(seconds: f64) -> String {
    if seconds < 1.0 {
        return "under 1 s left".to_owned();
    }
    format!("{} left", output::long_time(Nanos::from_secs_f64(seconds.round())))
}

/// What one phase, or several of a test, took until now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PhaseWork {
    /// Time in phases that end by the clock.
    timed: Nanos,
    /// Bytes that were moved in the others.
    moved: u64,
    /// The time that these took.
    moving: Nanos,
}

impl std::ops::Add for PhaseWork {
    type Output = PhaseWork;

    fn add(self, other: PhaseWork) -> PhaseWork {
        PhaseWork {
            timed: self.timed + other.timed,
            moved: self.moved + other.moved,
            moving: self.moving + other.moving,
        }
    }
}

impl PhaseWork {
    fn lasted(self) -> Nanos {
        self.timed + self.moving
    }

    /// How long the rest of a test takes at most, at the rate until now; none where bytes are left and no rate is known yet.
    fn left_of(self, planned: PlannedTime) -> Option<Nanos> {
        let left = |planned: Nanos, took: Nanos| Nanos::new(planned.get().saturating_sub(took.get()));
        let PhaseWork { moved, moving: took, .. } = self;
        // What is read back moves bytes whose number was not known before.
        let read_back =
            if planned.unpaced.get() == 0 { left(planned.read_back, took) } else { planned.read_back };
        let timed = left(planned.timed, self.timed) + read_back;
        let bytes = planned.unpaced.get().saturating_sub(moved);
        match bytes {
            0 => Some(timed),
            _ if moved == 0 || took == Nanos::ZERO => None,
            _ => Some(timed + Nanos::from_secs_f64(took.as_secs_f64() * bytes as f64 / moved as f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fill of 1,000 bytes, then a minute.
    const PLANNED: PlannedTime = PlannedTime {
        timed: Nanos::from_secs(60),
        unpaced: ByteCount::new(1_000),
        recorded: Nanos::ZERO,
        read_back: Nanos::ZERO,
    };

    #[test]
    fn what_is_left_is_the_rest_of_the_clock_and_of_the_bytes_at_their_rate() {
        let work = |timed, bytes, seconds| PhaseWork {
            timed: Nanos::from_secs(timed),
            moved: bytes,
            moving: Nanos::from_secs(seconds),
        };
        let left = |work: PhaseWork| work.left_of(PLANNED).map(Nanos::as_secs_f64);
        assert_eq!(left(work(0, 0, 0)), None, "no rate is known yet");
        assert_eq!(left(work(0, 250, 5)), Some(75.0));
        assert_eq!(left(work(10, 1_000, 20)), Some(50.0));
        assert_eq!(left(work(90, 2_000, 40)), Some(0.0), "it takes longer than was planned");
        let verified =
            PlannedTime { read_back: Nanos::from_secs(60), ..PlannedTime::timed(Nanos::from_secs(60)) };
        let reading = work(60, 500, 20);
        assert_eq!(reading.left_of(verified), Some(Nanos::from_secs(40)), "20 s of about 60 s are read back");
        assert_eq!((work(1, 2, 3) + work(10, 20, 30)).lasted(), Nanos::from_secs(44));
    }
}
