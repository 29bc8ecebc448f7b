//! What must hold between any two operations.

use super::Ftl;

impl Ftl {
    /// Looks through both maps and all counts.
    ///
    /// # Errors
    /// The first invariant that does not hold, in words.
    pub(crate) fn check(&mut self) -> Result<(), String> {
        self.settle();
        self.check_counts()?;
        self.check_maps()?;
        self.check_blocks()
    }

    /// The sum of the valid counts is the number of mapped units, and each count is that of its bits.
    fn check_counts(&self) -> Result<(), String> {
        let (total, mapped) = (self.blocks.total(), self.map.mapped());
        if total != mapped {
            return Err(format!("the valid counts sum up to {total}, but {mapped} units are mapped"));
        }
        let units = self.layout.block_units;
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
        if valid != self.map.mapped() {
            return Err(format!("{valid} places are valid, but {} units are mapped", self.map.mapped()));
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
