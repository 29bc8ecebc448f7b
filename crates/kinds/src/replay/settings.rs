//! What a replay is asked.

use drivelab_block::{DeviceId, Nanos};
use drivelab_method::replay::{AddressMapping, Choice, FillWhat, ReplayPlan, ReplayTiming, Speed};
use drivelab_record::PhaseRequest;
use drivelab_stats::Thresholds;
use drivelab_trace::TraceManifest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PlanError, PurgeOption};

/// What a replay is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaySettings {
    /// The folder of the trace, or of the run that is read as one, as it was typed.
    pub trace: String,
    /// A digest of the I/Os of the trace, by which replays are known that replayed the same one: XXH3-64, in
    /// 16 hexadecimal digits, of all that were read (with a duration, those up to its end).
    pub trace_digest: String,
    /// Which phases of that run are replayed; of a trace, which has no phases, always those that were measured.
    pub phases: PhaseRequest,
    /// When requests are made.
    pub timing: ReplayTiming,
    /// How much faster than the trace.
    pub speed: f64,
    /// What spans are cut to in which nothing was in flight, in the trace's own time; null where they are kept.
    pub max_idle_ns: Option<u64>,
    /// Where requests go.
    pub map: AddressMapping,
    /// The only device of the trace that is replayed; null where all are.
    pub trace_device: Option<String>,
    /// How much of the trace, in its own time; null where all of it.
    pub duration_ns: Option<u64>,
    /// Requests in flight at most; null where the replay chooses.
    pub queue_depth: Option<u32>,
    /// Whether the trace's writes are made.
    pub writes: bool,
    /// Whether its discards are made.
    pub discards: bool,
    /// How the target is purged before.
    #[serde(default = "no_purge")]
    pub purge: PurgeOption,
    /// What is written before.
    pub precondition: ReplayPrecondition,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
    /// From when on an I/O is slow; null where that is chosen by how many are.
    pub slow_ns: Option<u64>,
}

/// Earlier results had no choice.
fn no_purge() -> PurgeOption {
    PurgeOption::None
}

/// What is written before a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayPrecondition {
    /// Nothing.
    None,
    /// What the replay will touch.
    Fill,
    /// The whole drive.
    FillAll,
}

/// The most names that are listed.
const NAMES: usize = 8;

impl ReplaySettings {
    /// The replay of a trace, as far as it can be judged without reading the trace.
    ///
    /// # Errors
    /// Where the trace has no such device, or the speed is none.
    pub(super) fn plan(&self, trace: &TraceManifest) -> Result<ReplayPlan, PlanError> {
        let speed = Speed::new(self.speed);
        Ok(ReplayPlan {
            choice: Choice {
                device: self.trace_device.as_deref().map(|name| device(name, trace)).transpose()?,
                writes: self.writes,
                discards: self.discards,
                duration: self.duration_ns.map(Nanos::new),
            },
            timing: self.timing,
            speed: speed.ok_or_else(|| PlanError(format!("--speed {}: not a speed", self.speed)))?,
            max_idle: self.max_idle_ns.map(Nanos::new),
            map: self.map,
            depth_limit: self.queue_depth,
            fill: match self.precondition {
                ReplayPrecondition::None => None,
                ReplayPrecondition::Fill => Some(FillWhat::Touched),
                ReplayPrecondition::FillAll => Some(FillWhat::Target),
            },
        })
    }

    /// At which thresholds slow I/Os are counted.
    pub(super) fn thresholds(&self) -> Thresholds {
        self.slow_ns.map_or_else(Thresholds::default, Thresholds::with)
    }

    /// From when on an I/O is slow, where that was asked for.
    pub(super) fn slow(&self) -> Option<Nanos> {
        self.slow_ns.map(Nanos::new)
    }
}

/// The device of this name.
fn device(name: &str, trace: &TraceManifest) -> Result<DeviceId, PlanError> {
    let place = trace.devices.iter().position(|device| device.name == name);
    place.and_then(|place| u16::try_from(place).ok()).map(DeviceId).ok_or_else(|| {
        let mut names: Vec<&str> =
            trace.devices.iter().take(NAMES).map(|device| device.name.as_str()).collect();
        if trace.devices.len() > NAMES {
            names.push("...");
        }
        PlanError(format!("--trace-device {name}: the trace has {}", names.join(", ")))
    })
}
