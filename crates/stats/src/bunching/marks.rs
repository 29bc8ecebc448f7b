//! Which I/Os were slow, in bounded memory.

/// Slow I/Os that are kept one by one: 4 MB.
const KEPT: usize = 1 << 19;
/// Bits for the thresholds, below the number of the I/O.
const BITS: u32 = 8;

/// The numbers of the slow I/Os, with a bit for each threshold that they reached.
///
/// Where there are too many, the threshold with the most is given up: it is the one that says least.
#[derive(Clone, Debug)]
pub struct SlowMarks {
    kept: Vec<u64>,
    /// The thresholds that are kept.
    thresholds: u8,
}

impl Default for SlowMarks {
    fn default() -> SlowMarks {
        SlowMarks { kept: Vec::new(), thresholds: u8::MAX }
    }
}

impl SlowMarks {
    /// Takes a slow I/O.
    #[inline]
    pub fn add(&mut self, number: u64, slow: u8) {
        if slow & self.thresholds == 0 {
            return;
        }
        if self.kept.len() == KEPT {
            self.give_up_most();
        }
        self.kept.push(number << BITS | u64::from(slow));
    }

    fn give_up_most(&mut self) {
        let count = |place: u32| self.kept.iter().filter(|mark| *mark >> place & 1 == 1).count();
        let held = (0..BITS).filter(|place| self.thresholds >> place & 1 == 1);
        // Of equals the least threshold goes.
        if let Some(most) = held.max_by_key(|place| (count(*place), BITS - place)) {
            self.thresholds &= !(1 << most);
        }
        let thresholds = u64::from(self.thresholds);
        self.kept.retain(|mark| mark & thresholds != 0);
    }

    /// The numbers of the I/Os that were slow at a threshold; `None` where there were too many to keep.
    pub fn at(&self, place: usize) -> Option<Vec<u64>> {
        let slow = self.kept.iter().filter(|mark| *mark >> place & 1 == 1);
        (self.thresholds >> place & 1 == 1).then(|| slow.map(|mark| mark >> BITS).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_threshold_is_given_up_and_the_others_are_whole() {
        let mut marks = SlowMarks::default();
        let count = KEPT as u64 * 2;
        (0..count).for_each(|number| marks.add(number, if number % 3 == 0 { 0b11 } else { 0b1 }));
        assert_eq!(marks.at(0), None);
        assert_eq!(marks.at(1).map(|slow| slow.len() as u64), Some(count.div_ceil(3)));
        assert!(marks.kept.len() <= KEPT);
    }

    #[test]
    fn a_longer_threshold_may_be_the_commonest_and_of_equals_the_least_goes() {
        let count = KEPT as u64 + 1;
        let given_up = |slow: fn(u64) -> u8| {
            let mut marks = SlowMarks::default();
            (0..count).for_each(|number| marks.add(number, slow(number)));
            [0, 1, 2].map(|place| marks.at(place).is_none())
        };
        assert_eq!(given_up(|number| if number % 3 == 0 { 0b11 } else { 0b10 }), [false, true, false]);
        assert_eq!(given_up(|_| 0b11), [true, false, false]);
    }
}
