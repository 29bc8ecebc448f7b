//! Under which conditions results were made.

use drivelab_record::Condition;

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
}

impl ConditionRow<'_> {
    /// Whether the subjects differ in it.
    pub fn differs(&self) -> bool {
        self.values.iter().any(|value| *value != self.values[0])
    }
}

impl Conditions {
    /// Every condition that at least one subject has: groups in the order of their first condition, conditions in the
    /// order in which they are met.
    pub fn rows(&self) -> Vec<ConditionRow<'_>> {
        let mut keys: Vec<(&str, &str)> = Vec::new();
        for condition in self.of_subjects.iter().flatten() {
            let key = (condition.group.as_str(), condition.name.as_str());
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mut groups: Vec<&str> = Vec::new();
        for (group, _) in &keys {
            if !groups.contains(group) {
                groups.push(group);
            }
        }
        let place = |group: &str| groups.iter().position(|other| *other == group);
        keys.sort_by_key(|(group, _)| place(group));
        keys.iter().map(|(group, name)| self.row(group, name)).collect()
    }

    fn row<'a>(&'a self, group: &'a str, name: &'a str) -> ConditionRow<'a> {
        let value = |conditions: &'a Vec<Condition>| {
            let mut same = conditions.iter().filter(|one| one.group == group && one.name == name);
            same.next().map(|condition| condition.value.as_str())
        };
        ConditionRow { group, name, values: self.of_subjects.iter().map(value).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(group: &str, name: &str, value: &str) -> Condition {
        Condition { group: group.to_owned(), name: name.to_owned(), value: value.to_owned() }
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
}
