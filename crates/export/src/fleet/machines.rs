//! Which machines there are, and which of them stands for a run that was exported as of several.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use crate::fleet::source::RollupPlace;
use crate::fleet::tables::{DriveRow, RunRow};

/// Machines, each by its name and, where that is known, by what tells it from others of its name.
#[derive(Clone, Debug, Default)]
pub struct Machines<Name, Id>(HashSet<(Name, Option<Id>)>);

impl<Name: Clone + Eq + Hash, Id: Eq + Hash> Machines<Name, Id> {
    pub fn add(&mut self, name: Name, id: Option<Id>) {
        self.0.insert((name, id));
    }

    /// How many there are: of each name as many as are known, and at least one.
    pub fn count(&self) -> u64 {
        let names: HashSet<&Name> = self.0.iter().map(|(name, _)| name).collect();
        let known = self.0.iter().filter(|(_, id)| id.is_some()).count();
        let of_known: HashSet<&Name> =
            self.0.iter().filter(|(_, id)| id.is_some()).map(|(name, _)| name).collect();
        (names.len() - of_known.len() + known) as u64
    }
}

/// For each run the machine that it counts for: of several the first one in the order of their names, and rather one that has a
/// rollup of it.
#[derive(Debug, Default)]
pub struct HostOfRun(HashMap<String, String>);

impl HostOfRun {
    /// That of these runs, each with its machine; `rolled` are those of the rollups.
    pub fn from_runs<'a>(
        runs: impl Iterator<Item = (&'a str, &'a str)>,
        rolled: &HashSet<(String, String)>,
    ) -> HostOfRun {
        let mut hosts: HashMap<String, String> = HashMap::new();
        let rank =
            |run: &str, host: &str| (!rolled.contains(&(run.to_owned(), host.to_owned())), host.to_owned());
        for (run, host) in runs {
            let is_first = hosts.get(run).is_none_or(|known| rank(run, host) < rank(run, known));
            if is_first {
                hosts.insert(run.to_owned(), host.to_owned());
            }
        }
        HostOfRun(hosts)
    }

    pub fn is(&self, run: &str, host: &str) -> bool {
        self.0.get(run).is_none_or(|known| known == host)
    }
}

/// What the reader of the answers has to know of machines, with what to do, in sentences without their final stop: runs that were
/// exported as of several machines, and machines that have one name.
pub fn notes(catalogue: &[RunRow], drives: &[DriveRow], counted: &HostOfRun) -> Vec<String> {
    let rows = catalogue.iter().map(|row| (&row.run, &row.host, &row.machine));
    let rows = rows.chain(drives.iter().map(|row| (&row.run, &row.host, &row.machine)));
    let mut hosts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut ids: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (run, host, machine) in rows {
        hosts.entry(run).or_default().insert(host);
        if let Some(machine) = machine {
            ids.entry(host).or_default().insert(machine);
        }
    }
    let twice = hosts.into_iter().filter(|(_, hosts)| hosts.len() > 1).filter_map(|(run, hosts)| {
        let (own, others): (Vec<&str>, Vec<&str>) = hosts.into_iter().partition(|host| counted.is(run, host));
        let host = *own.first()?;
        let all = std::iter::once(host).chain(others).collect::<Vec<_>>().join(" and of ");
        Some(format!(
            "run {run} was exported as of {all}: it counts once, for {host}; remove the exports under the other names"
        ))
    });
    let named = ids.into_iter().filter(|(_, ids)| ids.len() > 1).map(|(host, ids)| {
        let machines = ids.len();
        // A letter says whether it is the machine's own, or that of its boot.
        let doubt = if ids.iter().filter(|id| id.starts_with('m')).count() > 1 {
            ":"
        } else {
            ", or was started again and has no /etc/machine-id: if they are several,"
        };
        format!(
            "{host} is {machines} machines of one name{doubt} export the results of each with a name of its own, such as \
             --host {host}-1"
        )
    });
    twice.chain(named).collect()
}

/// The machines of rollups and of rows of the catalogue.
pub fn count(places: &[&RollupPlace], catalogue: &[RunRow], drives: &[DriveRow]) -> u64 {
    let mut machines: Machines<&str, &str> = Machines::default();
    for place in places {
        machines.add(&place.host, None);
    }
    for row in catalogue {
        machines.add(&row.host, row.machine.as_deref());
    }
    let rolled: HashSet<(&str, &str)> =
        places.iter().map(|place| (place.host.as_str(), place.run.as_str())).collect();
    for row in drives.iter().filter(|row| rolled.contains(&(row.host.as_str(), row.run.as_str()))) {
        machines.add(&row.host, row.machine.as_deref());
    }
    machines.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_one_name_are_counted_by_their_ids_and_at_least_once() {
        let count = |rows: &[(&'static str, Option<&'static str>)]| {
            let mut machines = Machines::default();
            rows.iter().for_each(|(name, id)| machines.add(*name, *id));
            machines.count()
        };
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[("a", None), ("b", None), ("a", None)]), 2);
        assert_eq!(count(&[("a", None), ("a", Some("m1"))]), 1, "an earlier version did not keep it");
        assert_eq!(count(&[("a", None), ("a", Some("m1")), ("a", Some("m2")), ("b", None)]), 3);
    }
}
