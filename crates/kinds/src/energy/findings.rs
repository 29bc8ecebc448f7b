//! What was run while a meter was read, how it ended, and what each of several runs took. What all of them took together is in
//! the outcome of the result, as for every other kind.

use drivelab_documents::{EnergyDocument, EstimateDocument};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a command ended whose energy was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyFindings {
    /// Its exit code; none where a signal ended it. Of several runs, that of the last one.
    pub exit_code: Option<i32>,
    /// Each run that was done, in order, where several were asked for; absent where one was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<EnergyRun>,
}

/// One of several runs of a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyRun {
    /// Its exit code; none where a signal ended it. A run that failed is in no mean.
    pub exit_code: Option<i32>,
    /// How long it lasted; none until the meter was read to the end.
    pub duration_s: Option<f64>,
    /// The mean power.
    pub watts: Option<EstimateDocument>,
    /// All of its energy.
    pub joules: Option<EstimateDocument>,
    /// The energy above idle.
    pub joules_above_idle: Option<EstimateDocument>,
    /// All of its energy for each decimal gigabyte.
    pub joules_per_gb: Option<EstimateDocument>,
}

impl EnergyFindings {
    /// That the command failed, in a sentence; none where it did not.
    pub fn failure(&self) -> Option<String> {
        let how = match self.exit_code {
            Some(0) => return None,
            Some(code) => format!("ended with exit code {code}"),
            None => "was ended by a signal".to_owned(),
        };
        Some(match self.runs.len() {
            0 => format!("The command {how}."),
            run => format!("Run {run} of the command {how}: it is in no mean, and no further run was done."),
        })
    }

    /// Takes what each of several runs took, in their order.
    pub(super) fn take(&mut self, energies: &[EnergyDocument]) {
        for (run, energy) in self.runs.iter_mut().zip(energies) {
            *run = EnergyRun {
                exit_code: run.exit_code,
                duration_s: Some(energy.duration_s),
                watts: energy.watts,
                joules: energy.joules,
                joules_above_idle: energy.joules_above_idle,
                joules_per_gb: energy.joules_per_gb,
            };
        }
    }

    /// The runs that are in the means, where several were asked for.
    pub(super) fn counted(&self) -> impl Iterator<Item = &EnergyRun> {
        self.runs.iter().filter(|run| run.is_counted())
    }
}

impl EnergyRun {
    /// Whether it is in the means: it did not fail, and its energy is known.
    pub(super) fn is_counted(&self) -> bool {
        self.has_succeeded() && self.joules.is_some()
    }

    /// Whether it ended with exit code 0.
    pub(super) fn has_succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }
}

/// What was run while a meter was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnergySettings {
    /// The command with its arguments; `{}` in them stands for `place`, where there is one.
    pub command: Vec<String>,
    /// What the command is about, such as the folder that a drive is mounted at: it does not make the task another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Bytes that the command moves, where the user gave them.
    pub moved_bytes: Option<u64>,
    /// The idle time before and after it, in nanoseconds; the one after a run is the one before the next.
    pub baseline_ns: u64,
    /// How often it is run; absent where it is run once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub runs: u16,
}

/// What stands for the place in a command.
pub const PLACE: &str = "{}";

impl EnergySettings {
    /// The command as it is run.
    pub fn command_at_place(&self) -> Vec<String> {
        let Some(place) = &self.place else { return self.command.clone() };
        self.command.iter().map(|argument| argument.replace(PLACE, place)).collect()
    }
}

fn once() -> u16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_once(runs: &u16) -> bool {
    *runs == 1
}
