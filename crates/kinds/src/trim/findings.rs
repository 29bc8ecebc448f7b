//! What a validation of TRIM finds.

use drivelab_block::worded_enum;
use drivelab_stats::{CurvePoint, SpeedRatio, TrimFigures, TrimRound, TrimVerdict, total_rate};
use drivelab_view::{Quantity, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::DiscardClaims;

/// What a validation of TRIM found. Rates are in decimal megabytes a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrimFindings {
    /// Bytes of a logical block: what an LBA counts.
    pub logical_block_bytes: u32,
    /// What is concluded.
    pub verdict: TrimConclusion,
    /// Why nothing is concluded of the rate; none where something is.
    pub undecided_because: Option<TrimDoubt>,
    /// Why the drive takes no TRIM; none where it takes one.
    pub unsupported_because: Option<String>,
    /// I/Os that failed, but for the first discards, by which the drive is asked whether it takes TRIM.
    pub failed_ios: u64,
    /// Rates of a fresh drive divided by those of a used one: what use has cost. None where no round has both.
    pub fresh_to_used: Option<SpeedRatio>,
    /// Rates of a trimmed drive divided by those of a used one: what TRIM has won back. None where no round has both.
    pub trimmed_to_used: Option<SpeedRatio>,
    /// Means over rounds of the rates of the curves.
    pub rates: StateRates,
    /// Every curve, in the order in which they were taken.
    pub curves: Vec<TrimCurve>,
    /// What blocks returned at two reads after the TRIM, all rounds together.
    pub trimmed_reads: TrimmedReads,
    /// What the kernel and the drive claim of TRIM.
    pub claims: DiscardClaims,
    /// Write amplification of each round, by a simulated drive's own account; empty for a real drive.
    pub simulation: Vec<RoundAmplification>,
}

/// What is concluded of a drive's TRIM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrimConclusion {
    /// Trimmed, the drive is shown to be faster than used, and not shown to have won back less than half of what use cost.
    Effective,
    /// Use has made the drive slower, and TRIM is shown to bring less than half of that back.
    Ineffective,
    /// What TRIM does for the rate is not shown, and every trimmed block that was read returned what it held before.
    Ignored,
    /// What TRIM does for the rate is not shown, and no trimmed block that was read returned what it held before.
    Dropped,
    /// The drive takes no TRIM.
    Unsupported,
    /// Nothing is shown.
    #[default]
    Undecided,
}

/// Why nothing is concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrimDoubt {
    /// I/Os failed: the rates are not those of a drive that works.
    FailedIos,
    /// No round was finished.
    NoRound,
    /// One round has no interval.
    OneRound,
    /// Use is not shown to have cost speed: there is nothing that TRIM could win back.
    NothingLost,
    /// The rounds differ too much.
    RoundsDiffer,
}

worded_enum! {
    /// The states of a drive whose curves are compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum DriveState {
        /// Filled in sequence.
        Fresh = "fresh",
        /// After random writes: the control.
        Used = "used",
        /// After random writes and a TRIM.
        Trimmed = "trimmed",
    }
}

/// A rate for each state of a drive; none where it was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateRates {
    /// Of the fresh drive.
    pub fresh_mb_s: Option<f64>,
    /// Of the used drive.
    pub used_mb_s: Option<f64>,
    /// Of the trimmed drive.
    pub trimmed_mb_s: Option<f64>,
}

/// A curve of writing rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrimCurve {
    /// The round, from 0.
    pub round: usize,
    /// The state of the drive.
    pub state: DriveState,
    /// The rate at which all spans together were written.
    pub mean_mb_s: Option<f64>,
    /// The spans.
    pub spans: Vec<TrimSpan>,
}

/// A span of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrimSpan {
    /// Its first logical block.
    pub lba: u64,
    /// The rate of writing.
    pub mb_s: f64,
}

/// What blocks returned at two reads after the TRIM, compared with what they held before. Each block counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrimmedReads {
    /// Blocks.
    pub blocks: u64,
    /// Zeros both times.
    pub zeros: u64,
    /// What they held before, both times.
    pub old: u64,
    /// Something else, the same both times.
    pub other: u64,
    /// Not the same both times.
    pub varying: u64,
}

/// Write amplification of a round (flash writes / host writes, in bytes); none where no flash was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundAmplification {
    /// Of the random writes before the TRIM.
    pub random_writes_amplification: Option<f64>,
    /// Of the curve of the used drive.
    pub used_amplification: Option<f64>,
    /// Of the curve after the TRIM.
    pub trimmed_amplification: Option<f64>,
}

impl TrimFindings {
    /// Takes the curves of rounds, as far as they came, and concludes.
    pub(super) fn conclude(&mut self, rounds: &[TrimRound]) {
        let figures = TrimFigures::from_rounds(rounds);
        self.fresh_to_used = figures.lost;
        self.trimmed_to_used = figures.won;
        self.curves = self.curves_of(rounds);
        self.rates = StateRates {
            fresh_mb_s: self.mean_of(DriveState::Fresh),
            used_mb_s: self.mean_of(DriveState::Used),
            trimmed_mb_s: self.mean_of(DriveState::Trimmed),
        };
        self.verdict = match figures.verdict {
            _ if self.unsupported_because.is_some() => TrimConclusion::Unsupported,
            _ if self.failed_ios > 0 => TrimConclusion::Undecided,
            TrimVerdict::Effective => TrimConclusion::Effective,
            TrimVerdict::Ineffective => TrimConclusion::Ineffective,
            TrimVerdict::Undecided => self.trimmed_reads.conclusion(&self.claims),
        };
        let is_rate_open = !matches!(
            self.verdict,
            TrimConclusion::Effective | TrimConclusion::Ineffective | TrimConclusion::Unsupported
        );
        self.undecided_because = is_rate_open.then(|| self.doubt_about(&figures));
    }

    fn doubt_about(&self, figures: &TrimFigures) -> TrimDoubt {
        let (Some(lost), Some(_)) = (figures.lost, figures.won) else {
            return if self.failed_ios > 0 { TrimDoubt::FailedIos } else { TrimDoubt::NoRound };
        };
        match lost.low {
            _ if self.failed_ios > 0 => TrimDoubt::FailedIos,
            None => TrimDoubt::OneRound,
            Some(_) if !figures.was_something_lost() => TrimDoubt::NothingLost,
            Some(_) => TrimDoubt::RoundsDiffer,
        }
    }

    fn curves_of(&self, rounds: &[TrimRound]) -> Vec<TrimCurve> {
        let block = u64::from(self.logical_block_bytes.max(1));
        let span = |point: &CurvePoint| TrimSpan {
            lba: point.start.byte_offset() / block,
            mb_s: point.rate() / 1e6,
        };
        let mut curves = Vec::new();
        for (round, taken) in rounds.iter().enumerate() {
            let taken = DriveState::ALL.into_iter().zip([&taken.fresh, &taken.used, &taken.trimmed]);
            curves.extend(taken.filter(|(_, points)| !points.is_empty()).map(|(state, points)| TrimCurve {
                round,
                state,
                mean_mb_s: total_rate(points).map(|rate| rate / 1e6),
                spans: points.iter().map(span).collect(),
            }));
        }
        curves
    }

    /// The mean over rounds of the rates of a state.
    fn mean_of(&self, state: DriveState) -> Option<f64> {
        let rates: Vec<f64> = self
            .curves
            .iter()
            .filter(|curve| curve.state == state)
            .filter_map(|curve| curve.mean_mb_s)
            .collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    }

    /// The rate of a round in a state.
    pub fn rate(&self, round: usize, state: DriveState) -> Option<f64> {
        let curve = self.curves.iter().find(|curve| (curve.round, curve.state) == (round, state));
        curve.and_then(|curve| curve.mean_mb_s)
    }

    /// Rounds of which there is any curve.
    pub fn rounds(&self) -> usize {
        self.curves.iter().map(|curve| curve.round + 1).max().unwrap_or(0)
    }
}

pub(super) fn ratio_value(found: SpeedRatio) -> Value {
    Value::new(Quantity::Factor, found.ratio).within_known(found.low.zip(found.high))
}

impl TrimmedReads {
    /// What the blocks alone show of a TRIM. A drive that says that trimmed blocks may return anything may return what they held
    /// until it collects them: that is no evidence then.
    fn conclusion(&self, claims: &DiscardClaims) -> TrimConclusion {
        let is_evidence = claims.deterministic != Some(false) || claims.zeros == Some(true);
        match (self.blocks, self.old) {
            (0, _) => TrimConclusion::Undecided,
            (blocks, old) if old == blocks && is_evidence => TrimConclusion::Ignored,
            // A block that varies has returned it once, perhaps.
            (_, 0) if self.varying == 0 => TrimConclusion::Dropped,
            _ => TrimConclusion::Undecided,
        }
    }
}
