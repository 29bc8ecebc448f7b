//! What one step of a counter stands for.

use super::WrittenCounter;
use crate::HealthReport;

/// The bytes that each letter of a unit stands for.
const UNITS: [(&str, u64); 6] = [
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// How many times as much a counter may stand for as another of the same writes: they may not begin at the same time.
const FACTOR_MAX: u64 = 2;
/// Steps of a counter below which it says nothing of how much was written.
const STEPS_MIN: u64 = 8;

/// What one step of a counter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedUnit {
    /// So many bytes, by a standard.
    Standard(u64),
    /// So many bytes, by the name that smartctl's database has for the attribute.
    Named(u64),
    /// So many bytes by its name, which another counter contradicts.
    Contradicted(u64),
    /// No standard and no name says.
    NotKnown,
}

/// Two counters of the same writes that cannot both be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitConflict {
    /// Where the one is from.
    pub one: String,
    /// What it would stand for, in bytes.
    pub one_bytes: u64,
    /// Where the other is from.
    pub other: String,
    /// What that would stand for, in bytes.
    pub other_bytes: u64,
}

impl CountedUnit {
    /// The bytes of a step that is known; `None` of any other.
    pub fn known(self) -> Option<u64> {
        match self {
            CountedUnit::Standard(bytes) | CountedUnit::Named(bytes) => Some(bytes),
            CountedUnit::Contradicted(_) | CountedUnit::NotKnown => None,
        }
    }

    /// The unit that the name of an attribute states. Of a drive that smartctl's database does not have, attributes have
    /// the names that most drives use, whatever this one counts in; `Total_LBAs_Written` is such a name.
    pub(super) fn of_name(name: &str, health: &HealthReport) -> CountedUnit {
        let unit = match health.is_in_database {
            Some(false) => None,
            Some(true) => stated(name, health.logical_block_bytes),
            None => stated(name, None),
        };
        unit.map_or(CountedUnit::NotKnown, CountedUnit::Named)
    }
}

/// Takes the units of counters for contradicted that cannot all be right, and names them: two with one raw value and different
/// units, or with different amounts. What a standard counts is right.
pub(super) fn contradict(counters: &mut [WrittenCounter]) -> Vec<UnitConflict> {
    let mut conflicts = Vec::new();
    let mut contradicted = Vec::new();
    for (place, one) in counters.iter().enumerate() {
        for (after, other) in counters.iter().enumerate().skip(place + 1) {
            let Some((one_bytes, other_bytes)) = conflict(one, other) else { continue };
            contradicted.extend([place, after]);
            let (one, other) = (one.source.clone(), other.source.clone());
            conflicts.push(UnitConflict { one, one_bytes, other, other_bytes });
        }
    }
    for place in contradicted {
        if let CountedUnit::Named(bytes) = counters[place].unit {
            counters[place].unit = CountedUnit::Contradicted(bytes);
        }
    }
    conflicts
}

/// The bytes that two counters stand for, if they cannot both be right.
fn conflict(one: &WrittenCounter, other: &WrittenCounter) -> Option<(u64, u64)> {
    if one.counts_one_cell_type || other.counts_one_cell_type || one.raw == 0 || other.raw == 0 {
        return None;
    }
    let (one_bytes, other_bytes) = (one.bytes()?, other.bytes()?);
    let have_one_raw_value = one.raw == other.raw && one_bytes != other_bytes;
    let is_known = one.raw >= STEPS_MIN && other.raw >= STEPS_MIN;
    let (less, more) = (one_bytes.min(other_bytes), one_bytes.max(other_bytes));
    let differ = is_known && more / FACTOR_MAX > less;
    (have_one_raw_value || differ).then_some((one_bytes, other_bytes))
}

/// The bytes of a step, where the name states them: `Host_Writes_32MiB`, `NAND_GB_Written_TLC`, `Total_LBAs_Written`.
fn stated(name: &str, logical_block: Option<u64>) -> Option<u64> {
    name.split('_').find_map(|word| {
        if ["LBAs", "Sectors", "Sector"].contains(&word) {
            return logical_block;
        }
        let (digits, unit) = word.split_at(word.find(|sign: char| !sign.is_ascii_digit())?);
        let (_, bytes) = UNITS.iter().find(|(known, _)| *known == unit)?;
        let factor: u64 = if digits.is_empty() { 1 } else { digits.parse().ok()? };
        factor.checked_mul(*bytes)
    })
}
