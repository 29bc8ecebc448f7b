//! What a fill finds.

use drivelab_block::{ByteCount, Geometry, Nanos, PhaseId};
use drivelab_documents::Manifest;
use drivelab_method::{PhaseObserver, RecordedSteps, StepTime};
use drivelab_stats::{Knee, MedianInterval, PhaseAnalysis, Plateau, Plateaus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::{MEASURED, step_of_fill};
use super::{Fill, FillSettings};
use crate::kind::RecordsOfRun;

/// What a fill found. Rates are in decimal megabytes a second, places in bytes from the begin of what was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillFindings {
    /// What the fill was to write.
    pub planned_bytes: u64,
    /// What it wrote.
    pub written_bytes: u64,
    /// How long it took; null before its end.
    pub lasted_s: Option<f64>,
    /// The rate over all of it; null before its end.
    pub mean_mb_s: Option<f64>,
    /// Bytes of a step of the curve.
    pub step_bytes: u64,
    /// The rate of each step.
    pub curve_mb_s: Vec<f64>,
    /// The rate of each whole second.
    pub per_second_mb_s: Vec<f64>,
    /// The plateaus in their order; none where there were too few steps to say.
    pub plateaus: Vec<PlateauFindings>,
    /// The knees between them: one fewer.
    pub knees: Vec<KneeFindings>,
    /// How long the rate was below half of the median of the first plateau.
    pub below_half_s: Option<f64>,
    /// What was fast again after rests.
    pub recovery: Vec<RecoveryFindings>,
    /// Why recovery was not measured; null where it was, or was not asked for.
    pub no_recovery: Option<NoRecovery>,
}

/// A stretch at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlateauFindings {
    /// Where it begins.
    pub from_bytes: u64,
    /// Where it ends.
    pub to_bytes: u64,
    /// The median of the rates of its steps.
    pub median_mb_s: f64,
    /// The lower end of the 95 % confidence interval of that; null of fewer than six steps.
    pub low_mb_s: Option<f64>,
    /// The upper end.
    pub high_mb_s: Option<f64>,
    /// Its bytes over its time.
    pub mean_mb_s: f64,
    /// How long it lasted.
    pub lasted_s: f64,
}

/// A place at which the rate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KneeFindings {
    /// Where.
    pub at_bytes: u64,
    /// The first place at which it may be, with 95 % confidence.
    pub first_bytes: u64,
    /// The last one.
    pub last_bytes: u64,
}

/// What was fast again after a rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoveryFindings {
    /// How far the range was to be filled before the rest, in per cent.
    pub filled_percent: f64,
    /// How much of it was filled.
    pub filled_bytes: u64,
    /// The rest.
    pub rest_ns: u64,
    /// Bytes that were written fast after it: until the rate fell below the middle (on a logarithmic scale) between the first two
    /// plateaus.
    pub fast_bytes: u64,
    /// Whether it did not fall until the end of what was written, so that there may be more.
    pub at_least: bool,
    /// The same of what was written right before the rest, to fill the cache; absent in results that were made before this was
    /// kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filling_fast_bytes: Option<u64>,
    /// Whether the rate fell before the rest, so that the cache was full when it began; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filling_fell: Option<bool>,
}

impl RecoveryFindings {
    /// Whether the cache was full before the rest, as far as that is known: else what is fast after it did not have to come back.
    pub(super) fn is_shown(&self) -> bool {
        self.filling_fell != Some(false)
    }
}

/// Why recovery was not measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoRecovery {
    /// The rate does not fall.
    NoFall,
    /// The first plateau is so long that a second one does not fit.
    NoRoom,
}

/// Two digits behind the point are kept.
fn rounded(mb_s: f64) -> f64 {
    (mb_s * 100.0).round() / 100.0
}

impl FillFindings {
    /// Takes the curve of the fill, and what was seen of its phase.
    pub(super) fn take_fill(
        &mut self,
        steps: &[StepTime],
        phase: Option<&PhaseAnalysis>,
        ended: Option<Nanos>,
    ) {
        self.curve_mb_s = steps.iter().map(|step| rounded(step.rate() / 1e6)).collect();
        if let Some(phase) = phase {
            self.written_bytes = phase.bytes().get();
            let (seconds, _) = phase.whole_seconds(phase.until_last_success);
            self.per_second_mb_s =
                seconds.iter().map(|bin| rounded(bin.written_bytes as f64 / 1e6)).collect();
        }
        self.lasted_s = ended.map(Nanos::as_secs_f64);
        self.mean_mb_s =
            self.lasted_s.filter(|s| *s > 0.0).map(|seconds| self.written_bytes as f64 / 1e6 / seconds);
        let rates: Vec<f64> = steps.iter().map(|step| step.rate()).collect();
        let found = Plateaus::from_rates(&rates);
        let ends = ends_of(steps);
        self.plateaus = found.plateaus.iter().map(|one| plateau(steps, &ends, one)).collect();
        let knee = |knee: &Knee| KneeFindings {
            at_bytes: ends[knee.at],
            first_bytes: ends[knee.earliest],
            last_bytes: ends[knee.latest],
        };
        self.knees = found.knees.iter().map(knee).collect();
        self.below_half_s = self.plateaus.first().map(|first| below(steps, first.median_mb_s / 2.0));
    }

    /// Where the rate first falls; none where it does not.
    pub(super) fn first_fall(&self) -> Option<FirstFall> {
        let (first, second) = (self.plateaus.first()?, self.plateaus.get(1)?);
        let middle_mb_s = (first.median_mb_s * second.median_mb_s).sqrt();
        let fall = FirstFall { at_bytes: first.to_bytes, middle_mb_s };
        (second.median_mb_s < first.median_mb_s).then_some(fall)
    }

    /// What was fast again, by how far the range was filled.
    pub(super) fn recovery_by_level(&self) -> impl Iterator<Item = &[RecoveryFindings]> {
        self.recovery.chunk_by(|one, next| one.filled_percent.total_cmp(&next.filled_percent).is_eq())
    }

    /// The lowest mean rate of a plateau.
    pub(super) fn slowest_mb_s(&self) -> Option<f64> {
        self.plateaus.iter().map(|plateau| plateau.mean_mb_s).reduce(f64::min)
    }
}

/// Where each step begins, and the end of the last one.
fn ends_of(steps: &[StepTime]) -> Vec<u64> {
    let mut end = 0;
    let ends = steps.iter().map(|step| {
        end += step.bytes.get();
        end
    });
    [0].into_iter().chain(ends).collect()
}

fn plateau(steps: &[StepTime], ends: &[u64], one: &Plateau) -> PlateauFindings {
    let lasted_s: f64 = steps[one.steps.clone()].iter().map(|step| step.elapsed.as_secs_f64()).sum();
    let (from_bytes, to_bytes) = (ends[one.steps.start], ends[one.steps.end]);
    let MedianInterval { median, interval } = one.rate;
    PlateauFindings {
        from_bytes,
        to_bytes,
        median_mb_s: median / 1e6,
        low_mb_s: interval.map(|(low, _)| low / 1e6),
        high_mb_s: interval.map(|(_, high)| high / 1e6),
        mean_mb_s: (to_bytes - from_bytes) as f64 / 1e6 / lasted_s.max(1e-9),
        lasted_s,
    }
}

/// How long steps took that were slower than this.
fn below(steps: &[StepTime], mb_s: f64) -> f64 {
    let slow = steps.iter().filter(|step| step.rate() / 1e6 < mb_s);
    slow.map(|step| step.elapsed.as_secs_f64()).sum()
}

/// Where the rate of a fill first falls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FirstFall {
    /// Bytes of the first plateau.
    pub at_bytes: u64,
    /// The middle, on a logarithmic scale, between the medians of the first two plateaus: what is slower is no longer fast.
    pub middle_mb_s: f64,
}

/// Steps of which most have to be slow for the fast writing to be over: one slow step may be a pause.
const SLOW_STEPS: usize = 5;

/// What is written first after a rest may be slow, as the drive wakes up, or fills a block of its dense cells: up to this share
/// of the first plateau, and five steps.
const LEAD_SHARE: f64 = 0.06;

/// What was fast of some writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FastWrites {
    /// Bytes before the rate fell.
    pub bytes: u64,
    /// Whether it did.
    pub fell: bool,
}

impl FastWrites {
    /// Bytes before the rate falls below the middle of the fall of the fill: until the first step that is slow, of those from
    /// which on most of five are. A short slow begin is left out.
    pub(super) fn from_steps(steps: &[StepTime], fall: FirstFall) -> FastWrites {
        let is_slow = |step: &StepTime| step.rate() / 1e6 < fall.middle_mb_s;
        let first_fast = steps.iter().position(|step| !is_slow(step)).filter(|at| {
            let lead: u64 = steps[..*at].iter().map(|step| step.bytes.get()).sum();
            *at < SLOW_STEPS || lead as f64 <= fall.at_bytes as f64 * LEAD_SHARE
        });
        let steps = &steps[first_fast.unwrap_or(0)..];
        let is_over = |at: &usize| {
            let window = &steps[*at..steps.len().min(at + SLOW_STEPS)];
            is_slow(&steps[*at]) && 2 * window.iter().filter(|step| is_slow(step)).count() > window.len()
        };
        let over = (0..steps.len()).find(is_over);
        let fast = &steps[..over.unwrap_or(steps.len())];
        FastWrites { bytes: fast.iter().map(|step| step.bytes.get()).sum(), fell: over.is_some() }
    }
}

/// The steps of the curve of the fill, as its records have them; none where the fill had not begun.
pub(super) fn observer(run: &Manifest, settings: &FillSettings) -> Option<PhaseObserver> {
    let step = step_of_fill(planned(run, settings), settings.block_size_bytes);
    Some(PhaseObserver::Steps(RecordedSteps::new(phase(run)?, step)))
}

/// Takes into the findings of a killed run what its records say of the fill. What was fast again after rests is in no records.
pub(super) fn take_records(findings: &mut FillFindings, taken: &RecordsOfRun<'_, Fill>) {
    let RecordsOfRun { run, settings, records, .. } = taken;
    if run.outcome.is_some() || records.withheld.is_some() {
        return;
    }
    let planned = planned(run, settings);
    findings.planned_bytes = planned.get();
    findings.step_bytes = step_of_fill(planned, settings.block_size_bytes).get();
    let Some(PhaseObserver::Steps(recorded)) = &records.observer else { return };
    let number = phase(run);
    let fill = number.and_then(|phase| records.run.phase(phase));
    let has_ended = |phase: PhaseId| run.phases[usize::from(phase.0)].ended_at_ns.is_some();
    let is_whole = number.is_some_and(has_ended);
    let lasted = fill.filter(|_| is_whole).map(|fill| fill.ran(fill.until_last_success));
    findings.take_fill(recorded.steps(), fill, lasted);
}

/// What the fill was to write. Of a drive's blocks the manifest knows nothing: they matter where a share of a drive of less than
/// 64 MiB was asked for.
fn planned(run: &Manifest, settings: &FillSettings) -> ByteCount {
    let capacity = ByteCount::new(run.drive.size_bytes);
    settings.written(&Geometry { capacity, logical_block: 512, physical_block: 4096 }).length()
}

/// The number of the phase that fills the drive; none where it had not begun.
fn phase(run: &Manifest) -> Option<PhaseId> {
    let number = run.phases.iter().position(|phase| phase.name == MEASURED)?;
    u8::try_from(number).ok().map(PhaseId)
}

#[cfg(test)]
mod tests {
    use drivelab_block::ByteCount;

    use super::*;

    fn steps(rates: &[(usize, f64)]) -> Vec<StepTime> {
        let step = |mb_s: f64| StepTime {
            bytes: ByteCount::new(10_000_000),
            elapsed: Nanos::from_secs_f64(10.0 / mb_s),
        };
        rates.iter().flat_map(|(count, rate)| vec![step(*rate); *count]).collect()
    }

    #[test]
    fn what_is_fast_ends_with_the_first_step_of_the_slow_part() {
        let fast = |parts: &[(usize, f64)]| {
            let found = FastWrites::from_steps(
                &steps(parts),
                FirstFall { at_bytes: 1_000_000_000, middle_mb_s: 220.0 },
            );
            (found.bytes / 10_000_000, found.fell)
        };
        assert_eq!(fast(&[(10, 500.0), (2, 20.0), (10, 500.0), (20, 100.0)]), (22, true), "a pause");
        assert_eq!(fast(&[(30, 500.0)]), (30, false));
        assert_eq!(fast(&[(30, 100.0)]), (0, true));
        assert_eq!(fast(&[(6, 100.0), (10, 500.0), (20, 100.0)]), (10, true), "a short begin");
        assert_eq!(fast(&[(7, 100.0), (10, 500.0), (20, 100.0)]), (0, true), "7 % of the first plateau");
    }

    #[test]
    fn plateaus_have_their_rates_and_knees_their_places() {
        let mut found = FillFindings::default();
        found.take_fill(&steps(&[(300, 500.0), (500, 100.0), (200, 250.0)]), None, None);
        let rates: Vec<f64> = found.plateaus.iter().map(|one| one.mean_mb_s.round()).collect();
        assert_eq!(rates, [500.0, 100.0, 250.0]);
        let at: Vec<u64> = found.knees.iter().map(|knee| knee.at_bytes / 1_000_000_000).collect();
        assert_eq!(at, [3, 8]);
        assert_eq!(found.first_fall().map(|fall| fall.at_bytes), Some(3_000_000_000));
        assert!((found.below_half_s.unwrap_or(0.0) - 50.0).abs() < 0.01, "{:?}", found.below_half_s);
    }
}
