//! Which phases of a run are taken: the measured one, unless others are asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::WorkerTime;
use crate::manifest::{Manifest, MeasuredPhases};

/// The phases that a reader of a run asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseRequest {
    /// What the run measured.
    #[default]
    Measured,
    /// The phases of this name.
    Named(String),
    /// All of them.
    All,
}

impl From<&str> for PhaseRequest {
    /// `all`, or the name of phases.
    fn from(text: &str) -> PhaseRequest {
        if text == "all" { PhaseRequest::All } else { PhaseRequest::Named(text.to_owned()) }
    }
}

/// Why phases of a run are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PhasesChosen")]
pub enum PhaseReason {
    /// The run names them as measured.
    Measured,
    /// They were asked for.
    Asked,
}

/// The phases of a run that are taken; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenPhases {
    /// The names of all phases that began, in order.
    pub names: Vec<String>,
    /// Whether each is taken.
    taken: Vec<bool>,
    /// Why they were taken.
    pub reason: PhaseReason,
    /// What the program's workers did in each.
    workers: Vec<Option<WorkerTime>>,
}

const NO_PHASE: &str = "the run ended before its first I/O: it has nothing to show";

impl ChosenPhases {
    /// The names of those that are taken, in order.
    pub fn taken_names(&self) -> Vec<String> {
        let named = self.names.iter().zip(&self.taken);
        named.filter(|(_, taken)| **taken).map(|(name, _)| name.clone()).collect()
    }

    /// The longest time for which a worker had no processor in those that are taken, though it could have run, in nanoseconds;
    /// none where that was too rare to be told.
    pub fn longest_wait_ns(&self) -> Option<u64> {
        let taken = self.workers.iter().zip(&self.taken).filter(|(_, taken)| **taken);
        let waited = taken.filter_map(|(workers, _)| workers.filter(WorkerTime::has_waited));
        waited.map(|workers| workers.longest_wait_ns).max()
    }

    /// Whether the phase of this number is taken. A number of no phase is that of damaged records: it belongs to none, and
    /// is only taken with all of them.
    pub fn takes(&self, phase: usize) -> bool {
        self.taken.get(phase).copied().unwrap_or_else(|| self.taken.iter().all(|taken| *taken))
    }
}

impl Manifest {
    /// The phases that a request takes.
    ///
    /// # Errors
    /// Where there is no such phase: which there are, and what to type instead.
    pub fn choose_phases(&self, request: &PhaseRequest) -> Result<ChosenPhases, String> {
        let names: Vec<String> = self.phases.iter().map(|phase| phase.name.clone()).collect();
        let last = names.last().ok_or(NO_PHASE)?;
        let (taken, reason): (Vec<bool>, PhaseReason) = match request {
            PhaseRequest::All => (vec![true; names.len()], PhaseReason::Asked),
            PhaseRequest::Named(wanted) => {
                (names.iter().map(|name| name == wanted).collect(), PhaseReason::Asked)
            }
            PhaseRequest::Measured => {
                (names.iter().map(|name| self.measured.contains(name)).collect(), PhaseReason::Measured)
            }
        };
        if taken.contains(&true) {
            let workers = self.phases.iter().map(|phase| phase.workers).collect();
            return Ok(ChosenPhases { names, taken, reason, workers });
        }
        let phases = listed(&names);
        let not_measured = |measured: &str| {
            format!(
                "the run ended in its phase \"{last}\", before \"{measured}\", which it was to measure: it measured nothing; \
                 --phase \"{last}\" takes what that phase left, --phase all everything (phases: {phases})"
            )
        };
        Err(match (request, &self.measured) {
            (PhaseRequest::Named(name), _) => format!(
                "--phase \"{name}\": the run has no such phase; it has {phases} (and \"all\" takes all of them)"
            ),
            (_, MeasuredPhases::EveryBut(_)) => format!(
                "the run ended in its phase \"{last}\", before it measured anything; --phase \"{last}\" takes what that phase \
                 left"
            ),
            (_, MeasuredPhases::Phase(measured)) => not_measured(measured),
            (_, MeasuredPhases::Phases(measured)) => not_measured(&measured.join("\", \"")),
            _ => NO_PHASE.to_owned(),
        })
    }
}

/// The names in quotes, each once.
fn listed(names: &[String]) -> String {
    let mut listed: Vec<String> = Vec::new();
    for name in names {
        let name = format!("\"{name}\"");
        if !listed.contains(&name) {
            listed.push(name);
        }
    }
    listed.join(", ")
}
