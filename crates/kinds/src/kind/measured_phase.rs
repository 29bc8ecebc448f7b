//! The measured phase of a run whose I/Os are recorded.

use drivelab_block::{Instant, Nanos};
use drivelab_documents::{Manifest, Phase};
use drivelab_stats::{AskedRate, Bin, Cliff, ConsistencyFigures, Distribution, LoopKind, PhaseAnalysis};

use crate::RecordsAnalysis;

/// By what the rate of every second is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judging {
    /// The windows by which steady state is looked for, in whole seconds.
    pub window_s: usize,
    /// The rate of an open loop; none in a closed loop.
    pub asked: Option<AskedRate>,
    /// Whether the rate is that of a trace: it is no property of the drive then, and not judged.
    pub is_replay: bool,
}

/// The phase that figures are taken from.
pub(crate) struct MeasuredPhase<'a> {
    /// What the run says of it; none where it never began.
    pub phase: Option<&'a Phase>,
    /// How long it lasted.
    pub duration: Nanos,
    /// What its seconds come to.
    pub figures: ConsistencyFigures,
    /// Whether figures are withheld.
    pub is_withheld: bool,
    /// Whether the rate is a trace's.
    pub is_replay: bool,
    /// Its I/Os; none where it never began.
    pub analysis: Option<&'a PhaseAnalysis>,
}

impl<'a> MeasuredPhase<'a> {
    /// The measured phase of a run: the last one that began of those that neither prepare the drive nor verify what was
    /// written; none where none of them began.
    pub(super) fn new(
        run: &'a Manifest,
        records: &'a RecordsAnalysis,
        judging: Judging,
    ) -> MeasuredPhase<'a> {
        let mut phases = run.phases.iter().zip(records.run.phases());
        let measured = phases.rfind(|(phase, _)| run.measured.contains(&phase.name));
        let duration = measured.map_or(Nanos::ZERO, |(phase, analysis)| lasted(phase, analysis));
        let is_withheld = records.withheld.is_some();
        let nothing = PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Closed);
        let analysis = measured.map(|(_, analysis)| analysis);
        let judged = if is_withheld { Nanos::ZERO } else { duration };
        MeasuredPhase {
            phase: measured.map(|(phase, _)| phase),
            duration,
            figures: judging.figures(analysis.unwrap_or(&nothing), judged),
            is_withheld,
            is_replay: judging.is_replay,
            analysis,
        }
    }

    /// Its name; none where it never began.
    pub fn name(&self) -> Option<&'a str> {
        self.phase.map(|phase| phase.name.as_str())
    }

    /// Its I/Os, and what the run says of it; none where it never began.
    pub fn analysed(&self) -> Option<(&'a PhaseAnalysis, &'a Phase)> {
        self.analysis.zip(self.phase)
    }

    /// I/Os that succeeded.
    pub fn completed(&self) -> u64 {
        self.analysis.map_or(0, PhaseAnalysis::completed)
    }

    /// The service times of the I/Os that succeeded, without those of flushes if there are others.
    pub fn service(&self) -> Distribution {
        self.analysis.map_or_else(Distribution::default, PhaseAnalysis::service)
    }

    /// The service times of flushes among other I/Os, which are not among those of [`MeasuredPhase::service`].
    pub fn flush_service(&self) -> Option<&'a Distribution> {
        self.analysis?.flushes_among_others().map(|flushes| &flushes.service)
    }

    /// The response times of an open loop; none of a closed one.
    pub fn response(&self) -> Option<Distribution> {
        self.analysis.and_then(PhaseAnalysis::response)
    }

    /// What was completed in every whole second, and whether the second is one of the drive and not one in which the program
    /// stood still; nothing where figures are withheld.
    pub fn seconds(&self) -> (Vec<Bin>, Vec<bool>) {
        let shown = self.analysis.filter(|_| !self.is_withheld);
        shown.map_or_else(Default::default, |phase| phase.whole_seconds(self.duration))
    }

    /// Whether there are figures of whole seconds: an I/O that succeeded, and a whole second to count it in.
    pub fn has_rate(&self) -> bool {
        !self.is_withheld && self.completed() > 0 && self.figures.steady.seconds > 0
    }

    /// Whether the rate is that of an open loop's schedule, which the drive kept up with.
    pub fn kept_up(&self) -> bool {
        self.has_rate() && self.figures.kept_up()
    }

    /// Where the fresh level ended.
    pub fn cliff(&self) -> Option<Cliff> {
        self.figures.fresh.cliff.filter(|_| self.has_rate())
    }

    /// The I/Os of the first second, where it is faster by a third than each second of the judged part, which it is none of, and
    /// than the fresh level: what ended with it, or soon after it, came too early to be seen in medians of several seconds.
    pub fn fast_first_second(&self) -> Option<f64> {
        let (bins, judged) = self.seconds();
        let first = bins.first().filter(|_| judged.first() == Some(&true)).map(|bin| f64::from(bin.ios()))?;
        let others = self.figures.steady.max.max(self.figures.fresh.iops);
        let is_fast =
            self.has_rate() && self.figures.steady_part.from_s > 0 && first > FIRST_SECOND_MIN * others;
        is_fast.then_some(first)
    }
}

/// How much faster than others a first second is that is named.
const FIRST_SECOND_MIN: f64 = 4.0 / 3.0;

impl Judging {
    /// A closed loop, whose steady state is looked for in windows of so many seconds.
    pub fn closed(window_s: u64) -> Judging {
        let window_s = usize::try_from(window_s).unwrap_or(usize::MAX).max(1);
        Judging { window_s, asked: None, is_replay: false }
    }

    fn figures(self, analysis: &PhaseAnalysis, judged: Nanos) -> ConsistencyFigures {
        if self.is_replay {
            return ConsistencyFigures::of_replay(analysis, judged);
        }
        let figures = ConsistencyFigures::from_phase(analysis, judged, self.window_s);
        match self.asked {
            Some(asked) => figures.on_schedule(asked, analysis, judged),
            None => figures,
        }
    }
}

/// How long a phase lasted; of one that never ended, until its last completion.
pub(super) fn lasted(phase: &Phase, analysis: &PhaseAnalysis) -> Nanos {
    match phase.ended_at_ns {
        Some(end) => Nanos::new(end.saturating_sub(phase.started_at_ns)),
        None => analysis.span(),
    }
}
