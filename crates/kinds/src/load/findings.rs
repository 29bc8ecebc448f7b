//! What a load finds.

use drivelab_block::Nanos;
use drivelab_stats::LoopKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Load;
use crate::ios::IoFindings;
use crate::kind::{MeasuredPhase, RecordsOfRun};
use crate::read_back::VerificationFindings;

/// What a load found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadFindings {
    /// How long the load lasted until the last completion, in seconds; null where figures are withheld.
    pub duration_s: Option<f64>,
    /// How requests were timed.
    pub mode: Option<LoopKind>,
    /// I/Os a second that succeeded, over the whole load, without the flushes between writes; null where figures are withheld.
    pub iops: Option<f64>,
    /// Decimal megabytes a second, over the whole load; null where figures are withheld.
    pub mb_s: Option<f64>,
    /// In an open loop: requests that were sent late, because every slot was taken; null of a load that was killed.
    pub delayed_sends: Option<u64>,
    /// In an open loop: requests that were due and never sent, counted up to ten million a thread.
    pub missed_sends: u64,
    /// What is found of the I/Os.
    pub ios: IoFindings,
    /// What was read back; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<VerificationFindings>,
}

impl LoadFindings {
    /// Takes what the records give besides what is found of the I/Os.
    pub(super) fn take_records(&mut self, taken: &RecordsOfRun<'_, Load>) {
        let Some((phase, planned)) = taken.measured.and_then(MeasuredPhase::analysed) else { return };
        // What was in flight at the end is counted, so the time until its completion is too; what failed is not.
        let seconds = self.ios.duration_s.max(phase.until_last_success.as_secs_f64());
        let known = |value: f64| taken.records.withheld.is_none().then_some(value);
        // While the program stood still, a closed loop asked nothing.
        let asked = planned.ended_at_ns.map(|ended_at| ended_at.saturating_sub(planned.started_at_ns));
        let whole = phase.until_last_success.max(Nanos::new(asked.unwrap_or(0)));
        let ran = seconds - (whole - phase.ran(whole)).as_secs_f64();
        let a_second = |amount: f64| known(if ran > 0.0 { amount / ran } else { 0.0 });
        self.duration_s = known(seconds);
        self.mode = Some(phase.loop_kind);
        self.iops = a_second(phase.rated() as f64);
        self.mb_s = a_second(phase.bytes().get() as f64 / 1e6);
        self.missed_sends = planned.unsent.iter().map(|(_, count)| count).sum();
    }
}
