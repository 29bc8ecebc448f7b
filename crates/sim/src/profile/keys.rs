//! The one table of keys: what a profile file and an override may say, in what unit and range.

use super::parameters::{Collection, Kind, Parameters, SlcFull, SlcKind, Trim};
use super::table::TABLE;
use super::units::Unit;

/// Where a key's value goes.
pub(crate) enum Slot {
    /// A number from `least` to `most`, in the base unit.
    Number { unit: Unit, least: u64, most: u64, at: fn(&mut Parameters) -> &mut u64 },
    /// One of several words; the setter gets the word's place in the list.
    Word { words: &'static [&'static str], set: fn(&mut Parameters, usize) },
    /// Free text.
    Text { at: fn(&mut Parameters) -> &mut String },
}

/// One row of the table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) slot: Slot,
}

/// One key of a profile, as the command line prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name, as in `?name=value`.
    pub name: &'static str,
    /// What its values are counted in, or the words it takes.
    pub unit: String,
    /// The least and the greatest value, as they would be written; empty for words and text.
    pub range: String,
    /// What it means.
    pub doc: &'static str,
}

/// Every key that a profile file or an override may hold, in the order in which a person would read them.
#[must_use]
pub fn keys() -> Vec<Key> {
    TABLE.iter().map(Row::describe).collect()
}

impl Row {
    /// The row with this name.
    pub(crate) fn find(name: &str) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.name == name)
    }

    fn describe(&self) -> Key {
        let (unit, range) = match &self.slot {
            Slot::Number { unit, least, most, .. } => {
                (unit.name().to_owned(), format!("{} to {}", unit.format(*least), unit.format(*most)))
            }
            Slot::Word { words, .. } => (words.join(" | "), String::new()),
            Slot::Text { .. } => ("text".to_owned(), String::new()),
        };
        Key { name: self.name, unit, range, doc: self.doc }
    }

    /// Sets the key from text.
    ///
    /// # Errors
    /// What the value should have been, as the end of a sentence.
    pub(crate) fn set(&self, parameters: &mut Parameters, text: &str) -> Result<(), String> {
        match &self.slot {
            Slot::Number { unit, least, most, at } => {
                let value = unit.parse(text).ok_or_else(|| format!("write it like {}", unit.example()))?;
                if !(*least..=*most).contains(&value) {
                    let hint = unit.bare_hint(text);
                    return Err(format!("{hint}give {} to {}", unit.format(*least), unit.format(*most)));
                }
                *at(parameters) = value;
            }
            Slot::Word { words, set } => {
                let place = words.iter().position(|word| *word == text);
                set(parameters, place.ok_or_else(|| format!("give one of {}", words.join(", ")))?);
            }
            Slot::Text { at } => text.clone_into(at(parameters)),
        }
        Ok(())
    }
}

/// The name of the table that is nearest to `name`, where one is near: for "did you mean".
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let ranked = names.map(|known| (edit_distance(name, known), known));
    ranked
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, known)| known)
}

/// Levenshtein's distance, one row of his table at a time.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// The choices of the rows that take a word; each list is in the order of the words in its row.
pub(crate) const KINDS: [Kind; 2] = [Kind::Flash, Kind::Disk];
pub(crate) const COLLECTIONS: [Collection; 2] = [Collection::Foreground, Collection::Interleaved];
pub(crate) const TRIMS: [Trim; 3] = [Trim::Honoured, Trim::Absent, Trim::Ignored];
pub(crate) const SLC_KINDS: [SlcKind; 2] = [SlcKind::Static, SlcKind::Dynamic];
pub(crate) const SLC_FULLS: [SlcFull; 2] = [SlcFull::Fold, SlcFull::Direct];

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
