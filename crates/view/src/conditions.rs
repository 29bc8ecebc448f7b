//! Under which conditions results were made.

use drivelab_documents::Condition;

use crate::format::each_once;

/// The conditions of every subject of a view. Renderers show what all of them share once, and mark what differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// A list for each subject, in the order in which they are shown.
    pub of_subjects: Vec<Vec<Condition>>,
}

/// One condition over all subjects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionRow<'a> {
    /// What the condition belongs to, such as "Drive".
    pub group: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its value for each subject; none where the subject has no such condition.
    pub values: Vec<Option<&'a str>>,
    /// Whether it changes although no setting was changed.
    pub changes_by_itself: bool,
}

impl ConditionRow<'_> {
    /// Whether the subjects differ in it. What changes by itself makes no difference.
    pub fn differs(&self) -> bool {
        !self.changes_by_itself && self.values.iter().any(|value| *value != self.values[0])
    }

    /// The value of all subjects; where those of something that changes by itself are not equal, each of them once.
    pub fn shared(&self) -> String {
        let known = each_once(self.values.iter().copied().flatten());
        if known.is_empty() { "-".to_owned() } else { known.join(", ") }
    }
}

impl Conditions {
    /// Every condition that at least one subject has: groups in the order of their first condition, conditions in the
    /// order in which they are met.
    pub fn rows(&self) -> Vec<ConditionRow<'_>> {
        let conditions = self.of_subjects.iter().flatten();
        let mut keys = each_once(conditions.map(|one| (one.group.as_str(), one.name.as_str())));
        let groups = each_once(keys.iter().map(|(group, _)| *group));
        let place = |group: &str| groups.iter().position(|other| *other == group);
        keys.sort_by_key(|(group, _)| place(group));
        keys.iter().map(|(group, name)| self.row(group, name)).collect()
    }

    fn row<'a>(&'a self, group: &'a str, name: &'a str) -> ConditionRow<'a> {
        let of = |conditions: &'a Vec<Condition>| {
            conditions.iter().find(|one| one.group == group && one.name == name)
        };
        let found: Vec<Option<&Condition>> = self.of_subjects.iter().map(of).collect();
        let changes_by_itself = found.iter().flatten().any(|condition| condition.changes_by_itself);
        let values = found.into_iter().map(|condition| condition.map(|found| found.value.as_str()));
        ConditionRow { group, name, values: values.collect(), changes_by_itself }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(group: &str, name: &str, value: &str) -> Condition {
        Condition::new(group, name, value)
    }

    #[test]
    fn groups_stay_together_and_missing_conditions_differ() {
        let one = vec![condition("Drive", "Model", "A"), condition("System", "Kernel", "6.18")];
        let other = vec![
            condition("Drive", "Model", "A"),
            condition("Drive", "Firmware", "1.0"),
            condition("System", "Kernel", "6.18"),
        ];
        let conditions = Conditions { of_subjects: vec![one, other] };
        let rows = conditions.rows();
        let names: Vec<(&str, bool)> = rows.iter().map(|row| (row.name, row.differs())).collect();
        assert_eq!(names, [("Model", false), ("Firmware", true), ("Kernel", false)]);
        assert_eq!(rows[1].values, [None, Some("1.0")]);
    }

    #[test]
    fn what_changes_by_itself_makes_no_difference() {
        let of =
            |value| vec![Condition { changes_by_itself: true, ..condition("NVMe", "power state", value) }];
        let conditions = Conditions { of_subjects: vec![of("0"), of("4"), of("0"), Vec::new()] };
        let row = &conditions.rows()[0];
        assert_eq!((row.differs(), row.shared()), (false, "0, 4".to_owned()));
    }
}
