//! What can keep the recorder's bandwidth, and setting it up for one run.

use drivelab_inspect::contend::CompetitorHold;
use drivelab_runner::Failure;
use drivelab_sharing::{Group, Limit, Places, Scheduler};

/// The competitor's weight where weights are tried; the recorder keeps 100.
const WEIGHT: u32 = 10;
/// The share of its own rate that a held back competitor keeps.
const THROTTLE: f64 = 0.25;

/// One way to share a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mechanism {
    /// What a reader calls it.
    pub name: String,
    /// Whether somebody competes at all.
    pub contended: bool,
    /// The scheduler, where it is another than the drive's own.
    pub scheduler: Option<String>,
    /// Whether the recorder's requests are of the real-time class.
    pub priority: bool,
    /// How the competitor is held back, where it is.
    pub hold: Option<CompetitorHold>,
}

/// The name of a run without any mechanism.
pub const NOTHING: &str = "nothing";

impl Mechanism {
    fn named(name: impl Into<String>) -> Mechanism {
        Mechanism { name: name.into(), contended: true, scheduler: None, priority: false, hold: None }
    }
}

/// All that this machine has to offer for a drive, with the runs that it is compared with.
pub fn offered(places: &Places, drive: &str) -> Vec<Mechanism> {
    let schedulers = Scheduler::offered(places, drive).unwrap_or_default();
    let own = schedulers.first().cloned().unwrap_or_default();
    let has_groups = Group::is_offered(places);
    let mut all = vec![
        Mechanism { contended: false, ..Mechanism::named("alone") },
        Mechanism::named(NOTHING),
        Mechanism { priority: true, ..Mechanism::named("priority") },
    ];
    for name in schedulers.iter().filter(|name| ["mq-deadline", "bfq"].contains(&name.as_str())) {
        let scheduler = (*name != own).then(|| name.clone());
        let base = Mechanism { scheduler, ..Mechanism::named(name.clone()) };
        if base.scheduler.is_some() {
            all.push(base.clone());
            all.push(Mechanism { priority: true, name: format!("{name}, priority"), ..base.clone() });
        }
        if name == "bfq" && has_groups {
            all.push(Mechanism {
                hold: Some(CompetitorHold::Weight),
                name: format!("bfq, weight {WEIGHT} to 100"),
                ..base
            });
        }
    }
    if has_groups {
        all.push(Mechanism {
            hold: Some(CompetitorHold::Rate),
            ..Mechanism::named("competitor held back to a quarter")
        });
    }
    all
}

/// What was set up for a run; it is undone when this is dropped.
pub struct SetUp {
    group: Option<Group>,
    _scheduler: Option<Scheduler>,
}

impl Mechanism {
    /// Sets it up. `rate` is what the competitor reached by itself, in bytes a second.
    pub fn set_up(
        &self,
        places: &Places,
        (drive, number): (&str, (u32, u32)),
        rate: f64,
    ) -> Result<SetUp, Failure> {
        let failed = |error: std::io::Error| Failure::io(&self.name, &error);
        let choose = |name: &String| Scheduler::choose(places, drive, name);
        let scheduler = self.scheduler.as_ref().map(choose).transpose().map_err(failed)?;
        let group = self.hold.map(|_| Group::create(places)).transpose().map_err(failed)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes a second")]
        let least = ((rate * THROTTLE) as u64).max(1 << 20);
        match (&group, self.hold) {
            (Some(group), Some(CompetitorHold::Weight)) => {
                group.limit(Limit::Weight(WEIGHT)).map_err(failed)?;
            }
            (Some(group), Some(CompetitorHold::Rate)) => {
                group
                    .limit(Limit::Bytes { rate: least, major: number.0, minor: number.1 })
                    .map_err(failed)?;
            }
            _ => {}
        }
        Ok(SetUp { group, _scheduler: scheduler })
    }
}

impl SetUp {
    /// Puts the competitor where it is held back.
    pub fn take(&self, process: u32) -> Result<(), Failure> {
        let added = self.group.as_ref().map_or(Ok(()), |group| group.add(process));
        added.map_err(|error| Failure::io("the competitor cannot be put into its control group", &error))
    }
}
