//! The targets of simulated drives, and what tells several of them apart.

use crate::Manifest;

/// The target of a simulated drive as it was typed, `sim:PROFILE?KEY=VALUE&KEY=VALUE`, in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedTarget<'a> {
    profile: &'a str,
    /// What is overridden of the profile, pairs of `KEY=VALUE`.
    pub overrides: Vec<&'a str>,
}

impl<'a> SimulatedTarget<'a> {
    /// The target of a run; none of a real drive or a file.
    pub fn from_run(run: &'a Manifest) -> Option<SimulatedTarget<'a>> {
        run.drive.simulated.then(|| SimulatedTarget::parse(&run.target))
    }

    /// The parts of a target that is known to be a simulated drive.
    pub fn parse(target: &'a str) -> SimulatedTarget<'a> {
        let (profile, overrides) = target.split_once('?').unwrap_or((target, ""));
        SimulatedTarget { profile, overrides: overrides.split('&').filter(|pair| !pair.is_empty()).collect() }
    }

    /// What all of several targets override alike; nothing of a single one, which shares with none.
    pub fn shared(targets: &[SimulatedTarget<'a>]) -> Vec<&'a str> {
        let [first, others @ ..] = targets else { return Vec::new() };
        let in_all = |pair: &&&str| others.iter().all(|other| other.overrides.contains(pair));
        first.overrides.iter().filter(|_| !others.is_empty()).filter(in_all).copied().collect()
    }

    /// The target without what several share: the profile, and what differs.
    pub fn without(&self, shared: &[&str]) -> String {
        let own = self.overrides.iter().filter(|pair| !shared.contains(pair)).copied();
        match own.collect::<Vec<_>>().join("&") {
            own if own.is_empty() => self.profile.to_owned(),
            own => format!("{}?{own}", self.profile),
        }
    }
}

/// What is overridden of a profile, such as `size=2GiB, over_provisioning=12%`; none where nothing is.
pub fn overrides_in_words(overrides: &[&str]) -> Option<String> {
    (!overrides.is_empty()).then(|| overrides.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_keep_their_profile_and_what_differs() {
        let names = |targets: &[&'static str]| -> Vec<String> {
            let targets: Vec<SimulatedTarget<'_>> =
                targets.iter().copied().map(SimulatedTarget::parse).collect();
            let shared = SimulatedTarget::shared(&targets);
            targets.iter().map(|target| target.without(&shared)).collect()
        };
        let differing = ["sim:consistent?size=2GiB&over_provisioning=7%", "sim:sm2246en?size=2GiB"];
        assert_eq!(names(&differing), ["sim:consistent?over_provisioning=7%", "sim:sm2246en"]);
        let sizes = ["sim:consistent?size=2GiB", "sim:consistent?size=4GiB"];
        assert_eq!(names(&sizes), sizes);
        let one_plain = ["sim:consistent?size=2GiB", "sim:consistent"];
        assert_eq!(names(&one_plain), one_plain);
        assert_eq!(names(&sizes[..1]), sizes[..1], "one result is not compared");
    }
}
