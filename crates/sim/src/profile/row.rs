//! A row of the table of keys: where a value goes, in what unit and range.

use super::parameters::{
    Collection, HealthKind, Kind, Parameters, QueuedReads, SlcFull, SlcKind, TrimModel, WriteCache,
};
use super::units::KeyUnit;

/// Where a key's value goes.
pub(crate) enum Slot {
    /// A number from `least` to `most`, and `unset` where none is given, in the base unit.
    Number { unit: KeyUnit, least: u64, most: u64, unset: u64, at: fn(&mut Parameters) -> &mut u64 },
    /// One of several words; the setter gets the word's place in the list. `unset` is that of the word that holds where none is
    /// given.
    Word { words: &'static [&'static str], unset: usize, set: fn(&mut Parameters, usize) },
    /// Free text.
    Text { at: fn(&mut Parameters) -> &mut String },
}

pub(crate) struct KeyRow {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    /// The kind of drive that alone has it.
    pub(crate) kind: Option<Kind>,
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

impl KeyRow {
    /// The row as the command line prints it.
    pub(crate) fn describe(&self) -> Key {
        let (unit, range) = match &self.slot {
            Slot::Number { unit, least, most, .. } => {
                (unit.words().name.to_owned(), format!("{} to {}", unit.format(*least), unit.format(*most)))
            }
            Slot::Word { words, .. } => (words.join(" | "), String::new()),
            Slot::Text { .. } => ("text".to_owned(), String::new()),
        };
        Key { name: self.name, unit, range, doc: self.doc }
    }

    /// Sets the key from text; an error says what the value should have been, as the end of a sentence.
    pub(crate) fn set(&self, parameters: &mut Parameters, text: &str) -> Result<(), String> {
        match &self.slot {
            Slot::Number { unit, least, most, at, .. } => {
                let example = || match (*least, text) {
                    (0, "0" | "off" | "no" | "none" | "never" | "false") => {
                        format!("write {}", unit.format(0))
                    }
                    // A temperature of 0 degrees is one.
                    _ if *unit == KeyUnit::Temperature => {
                        let (least, most) = (unit.format(*least), unit.format(*most));
                        format!("write it like {}, from {least} to {most}", unit.words().example)
                    }
                    (0, _) => {
                        format!("write it like {}, or {} for none", unit.words().example, unit.format(0))
                    }
                    _ => format!("write it like {}", unit.words().example),
                };
                let value = unit.parse(text).ok_or_else(example)?;
                if !(*least..=*most).contains(&value) {
                    let hint = unit.bare_hint(text);
                    return Err(format!("{hint}give {} to {}", unit.format(*least), unit.format(*most)));
                }
                *at(parameters) = value;
            }
            Slot::Word { words, set, .. } => {
                let place = words.iter().position(|word| *word == text);
                set(parameters, place.ok_or_else(|| format!("give one of {}", words.join(", ")))?);
            }
            Slot::Text { at } => text.clone_into(at(parameters)),
        }
        Ok(())
    }

    /// Gives the key the value that it has where it is not given.
    pub(crate) fn unset(&self, parameters: &mut Parameters) {
        match self.slot {
            Slot::Number { unset, at, .. } => *at(parameters) = unset,
            Slot::Word { unset, set, .. } => set(parameters, unset),
            Slot::Text { at } => at(parameters).clear(),
        }
    }

    /// The value of a key that takes a number, in the base unit.
    pub(crate) fn number(&self, parameters: &Parameters) -> Option<u64> {
        let Slot::Number { at, .. } = self.slot else { return None };
        Some(*at(&mut parameters.clone()))
    }

    /// The same as it would be written.
    pub(crate) fn shown(&self, parameters: &Parameters) -> Option<String> {
        let Slot::Number { unit, .. } = self.slot else { return None };
        Some(unit.format(self.number(parameters)?))
    }
}

/// The choices of the rows that take a word; each list is in the order of the words in its row.
pub(crate) const KINDS: [Kind; 2] = [Kind::Flash, Kind::Disk];
pub(crate) const COLLECTIONS: [Collection; 2] = [Collection::Foreground, Collection::Interleaved];
pub(crate) const TRIMS: [TrimModel; 3] = [TrimModel::Honoured, TrimModel::Absent, TrimModel::Ignored];
pub(crate) const QUEUED_READS: [QueuedReads; 2] = [QueuedReads::Pass, QueuedReads::Wait];
pub(crate) const SLC_KINDS: [SlcKind; 2] = [SlcKind::Static, SlcKind::Dynamic];
pub(crate) const SLC_FULLS: [SlcFull; 3] = [SlcFull::Fold, SlcFull::Direct, SlcFull::DirectThenFold];
pub(crate) const WRITE_CACHES: [WriteCache; 2] = [WriteCache::Volatile, WriteCache::Protected];
pub(crate) const HEALTH_KINDS: [HealthKind; 3] = [HealthKind::Absent, HealthKind::Ata, HealthKind::Nvme];
