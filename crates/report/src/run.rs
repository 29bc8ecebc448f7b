//! What a report is made from: runs, as the command line maps them from their folders.

use drivelab_analysis::{Bin, Cliff, ConsistencyFigures, LoopKind, PhaseAnalysis, SlowIos, TraceAnalysis};
use drivelab_block::{ByteCount, Nanos, Op};
use drivelab_inspect::slow::SlowReport;
use drivelab_settings::Settings;

use crate::condition::Condition;
use crate::records::Records;
use crate::replay::ReplayDocument;
use crate::summary::SummaryDocument;
use crate::trace::bunching;
use drivelab_analysis::Gauged;
use drivelab_record::EnergyDocument;

/// What a cliff is, for a reader of figures; the analysis has it in full.
pub(crate) const CLIFF_IN_WORDS: &str = "A cliff is where the rate first falls by a quarter of the fresh level or more, \
     as the median of a twentieth of the run (5 s to 30 s); the fresh level is the median of the first twentieth \
     (5 s to 30 s), or of what came before the cliff where that is shorter. Steady state is looked for in the rounds \
     that begin after the cliff.";

/// Several runs beside each other, or one alone.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// What the page is called.
    pub title: String,
    /// The runs in the order in which they are listed; none is allowed and shown as such.
    pub runs: Vec<RunReport<'a>>,
}

impl Comparison<'_> {
    /// What every one of several runs has to say, which is said once for all of them.
    pub(crate) fn shared_notices(&self) -> Vec<&Notice> {
        let Some((first, others)) = self.runs.split_first().filter(|(_, others)| !others.is_empty()) else {
            return Vec::new();
        };
        let in_all = |notice: &&Notice| others.iter().all(|run| run.notices.contains(notice));
        first.notices.iter().filter(in_all).collect()
    }
}

/// One run and its measured phase.
#[derive(Clone, Debug)]
pub struct RunReport<'a> {
    /// A short name that tells this run from the others of its comparison.
    pub label: String,
    /// What was tested, as the user named it: a device path, a file, a simulated drive.
    pub target: String,
    /// Which drive that is.
    pub drive: Drive,
    /// What the run was asked to do; none where an earlier version, which did not keep it, made the run.
    pub settings: Option<Settings>,
    /// Share of the address range that was kept back from the test, in per cent.
    pub reserve_percent: f64,
    /// Whether that address range was chosen, and is not the whole drive.
    pub reserve_is_of_range: bool,
    /// The seed of every random draw of the run.
    pub seed: u64,
    /// The run's folder, where it was kept.
    pub folder: Option<String>,
    /// The name of the test method.
    pub method: String,
    /// Under what conditions it ran, in the order in which they are shown.
    pub conditions: Vec<Condition>,
    /// What the reader has to know before believing the figures.
    pub notices: Vec<Notice>,
    /// Every phase of the run in order, preparation included.
    pub phases: Vec<PhaseLine>,
    /// The phase that the figures are taken from.
    pub measured: &'a PhaseAnalysis,
    /// Whether the phase that the run was made for began: else nothing was measured.
    pub was_measured: bool,
    /// How long the measured phase lasted.
    pub duration: Nanos,
    /// What the measured phase comes to.
    pub figures: ConsistencyFigures,
    /// What was kept of the run's completions.
    pub records: Records,
    /// What was read beside the run, over and over; nothing for a simulated drive.
    pub gauges: Vec<Gauged>,
    /// What the measured phase took, by a meter.
    pub energy: Option<EnergyDocument>,
    /// What a replay left beside its records; none of another run, nor of a replay that was killed.
    pub replay: Option<ReplayDocument>,
    /// The slow I/Os of a replay; none of another run.
    pub slow: Option<RunSlow<'a>>,
    /// What a simulated drive knows of itself; `None` for a real one.
    pub simulation: Option<SimulationTruth>,
    /// How the run ended.
    pub ended: Ended,
    /// Why nothing is said of the measured phase, where its records are not all there.
    pub withheld: Option<Withheld>,
}

/// The slow I/Os of a replay, at the threshold of all replays on the page.
#[derive(Clone, Debug)]
pub struct RunSlow<'a> {
    /// The trace that the replay made.
    pub made: &'a TraceAnalysis,
    /// What is found of its slow I/Os.
    pub report: SlowReport,
}

impl<'a> RunSlow<'a> {
    /// The slow I/Os of any kind: of the page's threshold, or the relative one where the replay has none of its own.
    pub(crate) fn of_all(&self) -> SlowIos<'a> {
        let all = self.made.bunching_of_all();
        self.report.all.slow(all).unwrap_or_else(|| all.relative())
    }

    /// What there is to report: the threshold, where it is the same for all, and a verdict for reads and for writes.
    pub fn sentences(&self) -> Vec<String> {
        let directions = [(Op::Read, "reads"), (Op::Write, "writes")];
        let verdicts = directions.into_iter().filter_map(|(op, words)| {
            let found = self.made.bunching(op);
            (found.count() > 0).then(|| bunching::verdict(found, self.report.judged(op), words))
        });
        bunching::same_threshold(self.report.threshold).into_iter().chain(verdicts).collect()
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Whole,
    /// By its user, or by the drive's temperature.
    Interrupted,
    /// It left no outcome: it was killed, or is still under way.
    Killed,
}

impl Ended {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Ended::Whole => "whole",
            Ended::Interrupted => "interrupted",
            Ended::Killed => "killed",
        }
    }
}

/// Why the figures of a run are withheld. A figure made of what is left would be wrong in a way that nobody
/// sees: seconds without an I/O where the drive was busy, a cliff where a segment is gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Withheld {
    /// What is missing, in one sentence without its final stop.
    pub reason: String,
    /// What the run came to while all of it was there, from the document that it left.
    pub kept: Option<SummaryDocument>,
}

impl RunReport<'_> {
    /// The name of the phase that the figures are taken from; none where it never began.
    pub(crate) fn measured_phase(&self) -> Option<&str> {
        self.phases.last().filter(|_| self.was_measured).map(|phase| phase.name.as_str())
    }

    /// What was completed in every whole second; nothing where the figures are withheld.
    pub(crate) fn seconds(&self) -> Vec<Bin> {
        match self.withheld {
            Some(_) => Vec::new(),
            None => self.measured.series().whole_seconds(self.duration),
        }
    }

    /// A figure of the measured phase, unless the figures are withheld.
    pub(crate) fn unless_withheld<T>(&self, figure: T) -> Option<T> {
        self.withheld.is_none().then_some(figure)
    }

    /// The mean service time of an operation's I/Os that ended well, in nanoseconds; none where there is none.
    pub(crate) fn mean_service(&self, op: Op) -> Option<f64> {
        self.measured.op(op)?.service.moments().mean()
    }

    /// Whether the measured phase left no I/O that ended well.
    pub fn is_empty(&self) -> bool {
        self.measured.completed() == 0
    }

    /// Completions that are known not to be in the records; a killed run that lacks none of its files counted nothing.
    pub(crate) fn lost(&self) -> Option<u64> {
        (self.ended != Ended::Killed || self.records.lost > 0).then_some(self.records.lost)
    }

    /// Whether the lost completions are those of several phases: beside the I/Os of the measured one that has to be said.
    pub(crate) fn lost_in_all_phases(&self) -> bool {
        self.records.lost > 0 && self.phases.len() > 1
    }

    /// Whether there are figures at all: an I/O that ended well, and a whole second to count it in.
    pub(crate) fn has_figures(&self) -> bool {
        self.withheld.is_none() && !self.is_empty() && self.figures.steady.seconds > 0
    }

    /// Whether the rate is that of an open loop's schedule, which the drive kept up with.
    pub(crate) fn kept_up(&self) -> bool {
        self.has_figures() && self.figures.kept_up()
    }

    /// Whether the rate is a trace's: it is no property of the drive then, and not judged.
    pub(crate) fn is_replay(&self) -> bool {
        self.method == "replay"
    }

    /// Where the fresh level ended.
    pub(crate) fn cliff(&self) -> Option<Cliff> {
        self.figures.fresh.cliff.filter(|_| self.has_figures())
    }
}

/// Which drive was tested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drive {
    /// The model as the drive reports it.
    pub model: String,
    /// The serial number; `None` where unknown or withheld.
    pub serial: Option<String>,
    /// User-accessible bytes.
    pub size_bytes: u64,
}

/// How much a notice takes from the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// The figures hold with a reservation.
    Warning,
    /// The figures do not mean what they normally mean.
    Severe,
}

/// Something the reader has to know: what was not obtained, lost records, an interruption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How much it takes from the figures.
    pub severity: Severity,
    /// A sentence.
    pub text: String,
}

/// One line about a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseLine {
    /// Its name.
    pub name: String,
    /// How long it lasted.
    pub lasted: Nanos,
    /// Bytes transferred or discarded.
    pub bytes: ByteCount,
    /// Well-ended I/Os.
    pub completed: u64,
    /// Failed I/Os.
    pub failed: u64,
    /// How its requests were timed.
    pub loop_kind: LoopKind,
}

/// What a simulated drive knows of itself, to hold the figures against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulationTruth {
    /// Media writes divided by host writes; `None` where no flash was written.
    pub write_amplification: Option<f64>,
    /// Blocks collected (erased and reused).
    pub collections: u64,
    /// Delays that the fault plan put in, in order.
    pub injected_delays: Vec<InjectedDelay>,
}

/// A delay that a fault plan put into a simulated drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InjectedDelay {
    /// When it began, in seconds from the start of the measured phase.
    pub at_s: f64,
    /// How long it lasted.
    pub duration_ns: u64,
    /// Bytes written since the delay before; `None` for the first.
    pub bytes_since_previous: Option<u64>,
}
