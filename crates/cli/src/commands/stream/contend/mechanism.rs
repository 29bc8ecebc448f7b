//! What can keep the recorder's bandwidth, setting it up for one run, and which of them helps.

use drivelab_inspect::contend::{CompetitorHold, ContendRun, MechanismFindings};
use drivelab_runner::Failure;
use drivelab_runner::sharing::{Group, Limit, Places, Scheduler};

/// The competitor's weight where weights are tried; the recorder keeps 100.
const WEIGHT: u32 = 10;
/// The share of its own rate that a held back competitor keeps.
const THROTTLE: f64 = 0.25;
/// How many times shorter the longest write has to be for a mechanism to help by that alone.
const SHORTER: f64 = 1.5;
/// How likely chance alone may recommend any mechanism.
const CHANCE_MAX: f64 = 0.05;

/// The name of a run without any mechanism.
pub const NOTHING: &str = "nothing";

/// One way to share a drive, before its first run.
fn named(name: impl Into<String>) -> MechanismFindings {
    MechanismFindings {
        name: name.into(),
        contended: true,
        scheduler: None,
        priority: false,
        competitor_held_by: None,
        longest_write_ns: 0,
        dropped: 0,
        runs: Vec::new(),
    }
}

/// All that this machine has to offer for a drive, with the runs that it is compared with.
pub fn offered(places: &Places, drive: &str) -> Vec<MechanismFindings> {
    let schedulers = Scheduler::offered(places, drive).unwrap_or_default();
    let own = schedulers.first().cloned().unwrap_or_default();
    let has_groups = Group::is_offered(places);
    let mut all = vec![
        MechanismFindings { contended: false, ..named("alone") },
        named(NOTHING),
        MechanismFindings { priority: true, ..named("priority") },
    ];
    for name in schedulers.iter().filter(|name| ["mq-deadline", "bfq"].contains(&name.as_str())) {
        let scheduler = (*name != own).then(|| name.clone());
        let base = MechanismFindings { scheduler, ..named(name.clone()) };
        if base.scheduler.is_some() {
            all.push(base.clone());
            all.push(MechanismFindings { priority: true, name: format!("{name}, priority"), ..base.clone() });
        }
        if name == "bfq" && has_groups {
            all.push(MechanismFindings {
                competitor_held_by: Some(CompetitorHold::Weight),
                name: format!("bfq, weight {WEIGHT} to 100"),
                ..base
            });
        }
    }
    if has_groups {
        all.push(MechanismFindings {
            competitor_held_by: Some(CompetitorHold::Rate),
            ..named("competitor held back to a quarter")
        });
    }
    all
}

/// What was set up for a run; it is undone when this is dropped.
pub struct SetUp {
    group: Option<Group>,
    _scheduler: Option<Scheduler>,
}

impl SetUp {
    /// Sets a mechanism up. `rate` is what the competitor reached by itself, in bytes a second.
    pub fn of_mechanism(
        mechanism: &MechanismFindings,
        places: &Places,
        (drive, number): (&str, (u32, u32)),
        rate: f64,
    ) -> Result<SetUp, Failure> {
        let failed = |error: std::io::Error| Failure::io(&mechanism.name, &error);
        let choose = |name: &String| Scheduler::choose(places, drive, name);
        let scheduler = mechanism.scheduler.as_ref().map(choose).transpose().map_err(failed)?;
        let hold = mechanism.competitor_held_by;
        let group = hold.map(|_| Group::create(places)).transpose().map_err(failed)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes a second")]
        let least = ((rate * THROTTLE) as u64).max(1 << 20);
        if let Some((group, hold)) = group.as_ref().zip(hold) {
            let limit = match hold {
                CompetitorHold::Weight => Limit::Weight(WEIGHT),
                CompetitorHold::Rate => Limit::Bytes { rate: least, major: number.0, minor: number.1 },
            };
            group.limit(limit).map_err(failed)?;
        }
        Ok(SetUp { group, _scheduler: scheduler })
    }

    /// Puts the competitor where it is held back.
    pub fn take(&self, process: u32) -> Result<(), Failure> {
        let added = self.group.as_ref().map_or(Ok(()), |group| group.add(process));
        added.map_err(|error| Failure::io("the competitor cannot be put into its control group", &error))
    }
}

pub fn add_run(mechanism: &mut MechanismFindings, run: ContendRun) {
    mechanism.runs.push(run);
    mechanism.longest_write_ns = median(mechanism.runs.iter().map(|run| run.longest_write_ns));
    mechanism.dropped = median(mechanism.runs.iter().map(|run| run.dropped));
}

fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut sorted: Vec<u64> = values.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

/// Whether there were runs enough: of `mechanisms` that do nothing, one is better in each of `runs` runs than without it by
/// chance with a probability of at most `mechanisms / (2 runs over runs)` (exact ranks, Bonferroni).
pub fn are_enough(runs: u32, mechanisms: usize) -> bool {
    let orders =
        (1..=u64::from(runs)).fold(1.0, |orders, k| orders * (u64::from(runs) + k) as f64 / k as f64);
    mechanisms as f64 / orders <= CHANCE_MAX
}

/// The mechanism that helps most, and how many times shorter its longest write is; none where none helps.
///
/// One helps where each of its runs dropped fewer frames than each run without it; or no more, and had a longest write
/// that is shorter by half than the shortest of those.
pub fn recommended(tried: &[MechanismFindings]) -> Option<(&MechanismFindings, f64)> {
    let nothing = tried.iter().find(|one| one.name == NOTHING)?;
    let others = || tried.iter().filter(|one| one.contended && one.name != NOTHING);
    let runs = tried.iter().map(|one| one.runs.len()).min().unwrap_or(0);
    if !are_enough(u32::try_from(runs).unwrap_or(0), others().count()) {
        return None;
    }
    let best =
        others().filter(|one| helps(one, nothing)).min_by_key(|one| (one.dropped, one.longest_write_ns))?;
    Some((best, nothing.longest_write_ns as f64 / best.longest_write_ns.max(1) as f64))
}

fn helps(one: &MechanismFindings, nothing: &MechanismFindings) -> bool {
    let most = |value: fn(&ContendRun) -> u64| one.runs.iter().map(value).max().unwrap_or(0);
    let least = |value: fn(&ContendRun) -> u64| nothing.runs.iter().map(value).min().unwrap_or(0);
    let drops_less = most(|run| run.dropped) < least(|run| run.dropped);
    let drops_no_more = most(|run| run.dropped) <= least(|run| run.dropped);
    let is_shorter =
        most(|run| run.longest_write_ns) as f64 * SHORTER <= least(|run| run.longest_write_ns) as f64;
    !one.runs.is_empty() && (drops_less || drops_no_more && is_shorter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(name: &str, runs: &[(u64, u64)]) -> MechanismFindings {
        let mut mechanism = named(name);
        for &(longest_write_ns, dropped) in runs {
            let run = ContendRun {
                longest_write_ns,
                dropped,
                mb_s: 100.0,
                competitor_mb_s: Some(50.0),
                competitor_mb_s_null_because: None,
            };
            add_run(&mut mechanism, run);
        }
        mechanism
    }

    #[test]
    fn what_helps_in_every_run_is_recommended_and_nothing_else() {
        assert!(!are_enough(3, 2) && are_enough(4, 2) && !are_enough(4, 7) && are_enough(5, 7));
        let nothing = || tried(NOTHING, &[(900, 40), (800, 50), (1_000, 45), (900, 41)]);
        let sometimes = || tried("sometimes", &[(100, 0), (900, 60), (90, 0), (90, 0)]);
        assert!(recommended(&[nothing(), sometimes()]).is_none());
        let always = || tried("always", &[(300, 3), (290, 0), (350, 2), (300, 1)]);
        let all = [nothing(), sometimes(), always()];
        let found = recommended(&all).expect("one helps");
        assert_eq!(found.0.name, "always");
        assert!((found.1 - 3.0).abs() < 1e-9);
        let even = tried(NOTHING, &[(900, 0), (800, 0), (850, 0), (900, 0)]);
        let shorter = tried("shorter", &[(500, 0), (400, 0), (450, 0), (410, 0)]);
        assert!(recommended(&[even, shorter]).is_some());
    }
}
