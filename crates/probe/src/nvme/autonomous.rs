//! The table of the feature Autonomous Power State Transition (0Ch).

use super::bytes::dword;

/// Bytes of the table: 32 entries of 8.
const LENGTH: usize = 256;

/// An idle time after which a controller enters a power state by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdleTransition {
    /// The state that it is in.
    pub from: u8,
    /// The state that it enters (ITPS, bits 7:3).
    pub to: u8,
    /// How long it has to be idle, in milliseconds (ITPT, bits 31:8).
    pub idle_ms: u32,
}

/// The transitions of the 256 bytes of the table, an entry for each power state; `None` for any other length.
pub fn idle_transitions(data: &[u8]) -> Option<Vec<IdleTransition>> {
    if data.len() != LENGTH {
        return None;
    }
    let entry = |from: u8| {
        let entry = dword(data, usize::from(from) * 8);
        let to = u8::try_from(entry >> 3 & 0x1f).ok()?;
        // A time of zero means that the controller does not leave this state by itself.
        (entry >> 8 != 0).then_some(IdleTransition { from, to, idle_ms: entry >> 8 })
    };
    Some((0..32).filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_with_a_time_are_transitions() {
        let mut data = vec![0; LENGTH];
        data[0..4].copy_from_slice(&(100_u32 << 8 | 3 << 3).to_le_bytes());
        data[24..28].copy_from_slice(&(2_000_u32 << 8 | 4 << 3).to_le_bytes());
        // A state without a time is no transition.
        data[32] = 0x18;
        let found = idle_transitions(&data).expect("a table");
        let expected = [
            IdleTransition { from: 0, to: 3, idle_ms: 100 },
            IdleTransition { from: 3, to: 4, idle_ms: 2_000 },
        ];
        assert_eq!(found, expected);
        assert_eq!(idle_transitions(&data[..255]), None);
        assert_eq!(idle_transitions(&[]), None);
    }
}
