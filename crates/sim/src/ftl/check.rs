//! What must hold between any two operations.

use super::Ftl;

impl Ftl {
    /// Looks through both maps and all counts; an error is the first invariant that does not hold, in words.
    pub(crate) fn check(&mut self) -> Result<(), String> {
        self.settle();
        self.check_counts()?;
        self.check_maps()?;
        self.check_blocks()
    }

    /// The sum of the valid counts is the number of mapped units, and each count is that of its bits.
    fn check_counts(&self) -> Result<(), String> {
        let counts = (0..self.layout.dies as usize).map(|die| self.blocks.valid_of_die(die));
        let (total, mapped) = (counts.sum::<u64>(), self.map.mapped);
        if total != mapped {
            return Err(format!("the valid counts sum up to {total}, but {mapped} units are mapped"));
        }
        let units = self.layout.units_per_block;
        for block in 0..self.layout.dies * self.layout.blocks_per_die {
            let places = block * units..(block + 1) * units;
            let valid = places.filter(|&place| self.map.is_valid(place)).count();
            if valid != self.blocks.valid(block) as usize {
                let counted = self.blocks.valid(block);
                return Err(format!("block {block} counts {counted} valid units, but its bits are {valid}"));
            }
        }
        Ok(())
    }

    /// The two maps are inverse: each mapped unit's place holds it, and no other place is valid.
    fn check_maps(&self) -> Result<(), String> {
        for unit in 0..self.map.units() as u32 {
            if let Some(place) = self.map.place_of(unit)
                && (!self.map.is_valid(place) || self.map.unit_at(place) != unit)
            {
                return Err(format!("unit {unit} is mapped to place {place}, which does not hold it"));
            }
        }
        let valid = (0..self.map.places() as u32).filter(|&place| self.map.is_valid(place)).count() as u64;
        if valid != self.map.mapped {
            return Err(format!("{valid} places are valid, but {} units are mapped", self.map.mapped));
        }
        Ok(())
    }

    /// Free blocks are empty, and the room is what the free blocks make it.
    fn check_blocks(&mut self) -> Result<(), String> {
        let free: Vec<u32> = self.dies.iter().flat_map(|die| die.free.iter().copied()).collect();
        if let Some(block) = free.iter().find(|&&block| self.blocks.valid(block) > 0) {
            return Err(format!("block {block} is free but holds {} valid units", self.blocks.valid(*block)));
        }
        let room = self.room;
        for die in 0..self.layout.dies {
            self.settle_room(die);
        }
        if room == self.room {
            return Ok(());
        }
        Err(format!("room for {room} blocks is noted, but there is {}", self.room))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cells;
    use super::*;
    use crate::profile::DriveShape;

    /// Two dies of twelve blocks of 64 units: the first has units 0 to 191 in its first three blocks and unit 0 again in its
    /// fourth, the second has units 192 to 383 in its first three.
    fn written() -> Ftl {
        let shape = DriveShape {
            user_units: 512,
            dies: 2,
            channels: 1,
            blocks_per_die: 12,
            units_per_block: 64,
            units_per_program: 16,
            slc_blocks_per_die: 0,
            slc_least_per_die: 0,
            slc_share: 0,
            set_aside_per_die: 0,
            reserve_per_die: 1,
            slc_block_units: 64,
            slc_floor: 0,
            pool_blocks: 1,
            idle_pool_blocks: 1,
        };
        let mut ftl = Ftl::new(&shape, false);
        for (die, units) in [(0, 0..192), (1, 192..384), (0, 0..1)] {
            for unit in units {
                ftl.open_program(die, Cells::Dense).expect("there is room");
                ftl.append(die, unit, 1, 0);
            }
        }
        ftl
    }

    /// What is found where something was changed behind the model's back.
    fn found<T>(damage: impl FnOnce(&mut Ftl) -> T) -> String {
        let mut ftl = written();
        assert_eq!(ftl.check(), Ok(()));
        damage(&mut ftl);
        ftl.check().expect_err("it is damaged")
    }

    #[test]
    fn counts_that_are_not_those_of_the_map_are_found() {
        let forgotten = found(|ftl| ftl.map.forget(383));
        assert_eq!(forgotten, "the valid counts sum up to 384, but 383 units are mapped");
        // The last block that was written is the third one of the second die.
        let vacated = found(|ftl| ftl.map.vacate(14 * 64 + 63));
        assert_eq!(vacated, "block 14 counts 64 valid units, but its bits are 63");
    }

    #[test]
    fn a_unit_whose_place_holds_another_one_or_an_older_version_is_found() {
        let swapped = found(|ftl| {
            ftl.map.point(382, 14 * 64 + 63);
            ftl.map.point(383, 14 * 64 + 62);
        });
        assert_eq!(swapped, "unit 382 is mapped to place 959, which does not hold it");
        let stale = found(|ftl| ftl.map.point(0, 0));
        assert_eq!(stale, "unit 0 is mapped to place 0, which does not hold it");
    }

    #[test]
    fn a_free_block_that_holds_something_and_room_that_is_not_there_are_found() {
        let in_free = found(|ftl| {
            let place = 23 * 64 + 5;
            ftl.map.occupy(place, 7, 1);
            ftl.blocks.add(23, 1);
            let old = ftl.map.point(7, place).expect("it was written");
            ftl.release(old);
        });
        assert_eq!(in_free, "block 23 is free but holds 1 valid units");
        let gone = found(|ftl| ftl.dies[1].free.pop());
        assert_eq!(gone, "room for 15 blocks is noted, but there is 14");
    }
}
