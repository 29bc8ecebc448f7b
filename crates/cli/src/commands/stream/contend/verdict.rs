//! Which mechanism helps.

use drivelab_inspect::contend::ContendRun;

use super::mechanism::{Mechanism, NOTHING};

/// How many times shorter the longest write has to be for a mechanism to help by that alone.
const SHORTER: f64 = 1.5;
/// How likely chance alone may recommend any mechanism.
const CHANCE_MAX: f64 = 0.05;

/// A mechanism and its runs.
pub struct Tried {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Its runs.
    pub runs: Vec<ContendRun>,
}

impl Tried {
    /// The median of its longest writes, in nanoseconds.
    pub fn longest(&self) -> u64 {
        median(self.runs.iter().map(|run| run.longest_write_ns))
    }

    /// The median of its dropped frames.
    pub fn dropped(&self) -> u64 {
        median(self.runs.iter().map(|run| run.dropped))
    }
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
pub fn recommended(tried: &[Tried]) -> Option<(&Tried, f64)> {
    let nothing = tried.iter().find(|one| one.mechanism.name == NOTHING)?;
    let others = || tried.iter().filter(|one| one.mechanism.contended && one.mechanism.name != NOTHING);
    let runs = tried.iter().map(|one| one.runs.len()).min().unwrap_or(0);
    if !are_enough(u32::try_from(runs).unwrap_or(0), others().count()) {
        return None;
    }
    let best = others().filter(|one| helps(one, nothing)).min_by_key(|one| (one.dropped(), one.longest()))?;
    Some((best, nothing.longest() as f64 / best.longest().max(1) as f64))
}

fn helps(one: &Tried, nothing: &Tried) -> bool {
    let most = |of: &Tried, value: fn(&ContendRun) -> u64| of.runs.iter().map(value).max().unwrap_or(0);
    let least = |of: &Tried, value: fn(&ContendRun) -> u64| of.runs.iter().map(value).min().unwrap_or(0);
    let (dropped, longest) = (|run: &ContendRun| run.dropped, |run: &ContendRun| run.longest_write_ns);
    let drops_less = most(one, dropped) < least(nothing, dropped);
    let drops_no_more = most(one, dropped) <= least(nothing, dropped);
    let is_shorter = most(one, longest) as f64 * SHORTER <= least(nothing, longest) as f64;
    !one.runs.is_empty() && (drops_less || drops_no_more && is_shorter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(name: &str, runs: &[(u64, u64)]) -> Tried {
        let mechanism = Mechanism {
            name: name.to_owned(),
            contended: true,
            scheduler: None,
            priority: false,
            hold: None,
        };
        let run = |&(longest_write_ns, dropped): &(u64, u64)| ContendRun {
            longest_write_ns,
            dropped,
            mb_s: 100.0,
            competitor_mb_s: Some(50.0),
            competitor_mb_s_null_because: None,
        };
        Tried { mechanism, runs: runs.iter().map(run).collect() }
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
        assert_eq!(found.0.mechanism.name, "always");
        assert!((found.1 - 3.0).abs() < 1e-9);
        let even = tried(NOTHING, &[(900, 0), (800, 0), (850, 0), (900, 0)]);
        let shorter = tried("shorter", &[(500, 0), (400, 0), (450, 0), (410, 0)]);
        assert!(recommended(&[even, shorter]).is_some());
    }
}
