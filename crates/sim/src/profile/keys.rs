//! The keys: what a profile file and an override may say, by name.

use super::parameters::Parameters;
use super::row::{Key, KeyRow};
use super::table::TABLE;

/// Every key that a profile file or an override may hold, in the order in which a person would read them.
#[must_use]
pub fn keys() -> Vec<Key> {
    TABLE.iter().map(KeyRow::describe).collect()
}

/// The row of the key with this name.
pub(crate) fn find(name: &str) -> Option<&'static KeyRow> {
    TABLE.iter().find(|row| row.name == name)
}

/// A key that takes a number, and its value, as they would be written.
pub(crate) fn shown(key: &str, parameters: &Parameters) -> String {
    let value = find(key).and_then(|row| row.shown(parameters));
    format!("{key} = {}", value.unwrap_or_default())
}

/// The name of the table that is nearest to `name`, where one is near: for "did you mean".
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let ranked = names.map(|known| (strsim::levenshtein(name, known), known));
    ranked
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, known)| *distance <= 3 && 2 * distance < known.len().min(name.len()))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        for (i, row) in TABLE.iter().enumerate() {
            assert!(TABLE[..i].iter().all(|other| other.name != row.name), "{} twice", row.name);
            assert!(row.doc.len() > 20, "{} needs a sentence", row.name);
        }
    }

    #[test]
    fn a_slip_of_the_pen_finds_its_key() {
        let names = || TABLE.iter().map(|row| row.name);
        assert_eq!(nearest("over_provisoning", names()), Some("over_provisioning"));
        assert_eq!(nearest("colour_of_case", names()), None);
    }
}
