//! How a flash drive's parameters come out in whole blocks.

use super::error::{ProfileError, refused};
use super::parameters::{Collection, FlashParameters, Parameters, SlcKind};
use super::table::shown;
use super::units::KeyUnit;

/// The mapping unit: what one entry of the map stands for.
pub(crate) const UNIT_BYTES: u64 = 4096;

/// User data that a page of 4 KiB of map entries, of 4 bytes each, stands for.
pub(crate) const MAP_PAGE_BYTES: u64 = UNIT_BYTES * 1024;

/// Free blocks of a die that only collection may use, so that a victim can always be moved.
const RESERVE_BLOCKS: u32 = 1;

/// A die's blocks must at least cover the reserve, two frontiers, a victim, and room to go on.
const LEAST_SPARE_BLOCKS: u64 = 6;

/// A smaller drive gets smaller blocks until each die has this many spare ones.
const GOOD_SPARE_BLOCKS: u64 = 24;

/// A bitmap word's worth: the least number of units in a block, and what it must be a multiple of.
const LEAST_BLOCK_UNITS: u64 = 64;

/// The count of valid units shares its 16 bits with a flag.
const MOST_BLOCK_UNITS: u64 = 32_704;

/// The drive in whole units and blocks, as the translation layer numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DriveShape {
    pub(crate) user_units: u32,
    pub(crate) dies: u32,
    pub(crate) channels: u32,
    pub(crate) blocks_per_die: u32,
    pub(crate) units_per_block: u32,
    pub(crate) units_per_program: u32,
    /// Blocks of a die in SLC mode at most.
    pub(crate) slc_blocks_per_die: u32,
    /// The same where the size of the cache is a share of the free space: at least.
    pub(crate) slc_least_per_die: u32,
    /// Size of the cache relative to the free space, in millionths; 0 where it does not depend on that.
    pub(crate) slc_share: u32,
    /// Blocks of a die that serve a static SLC cache and nothing else.
    pub(crate) set_aside_per_die: u32,
    /// Free blocks of a die that only collection may use: one for each kind of victim.
    pub(crate) reserve_per_die: u32,
    /// Units in a block of SLC mode.
    pub(crate) slc_block_units: u32,
    /// Free blocks of a die that a dynamic SLC cache leaves alone.
    pub(crate) slc_floor: u32,
    /// Free blocks, over the reserve, that collection aims at: of the whole drive.
    pub(crate) pool_blocks: u32,
    /// The same for collection in idle time.
    pub(crate) idle_pool_blocks: u32,
}

impl DriveShape {
    /// Works the shape out, unless the parameters contradict each other, or leave too little spare flash to collect with.
    pub(crate) fn from_parameters(
        parameters: &Parameters,
        may_shrink_blocks: bool,
    ) -> Result<DriveShape, ProfileError> {
        let flash = &parameters.flash;
        check_layout(parameters)?;
        let mut pages_per_block = flash.pages_per_block;
        if flash.raw <= parameters.size {
            return refused(format!(
                "{} is not more than {}: give more raw flash, or over_provisioning=7%",
                shown("raw", parameters),
                shown("size", parameters)
            ));
        }
        let mut shape = DriveShape::with_pages(parameters, pages_per_block);
        let halves = |pages: u64| {
            pages.is_multiple_of(2)
                && block_units(flash, pages / 2).is_multiple_of(LEAST_BLOCK_UNITS)
                && block_units(flash, pages / 2) >= LEAST_BLOCK_UNITS
        };
        while may_shrink_blocks && shape.spare_per_die() < GOOD_SPARE_BLOCKS && halves(pages_per_block) {
            pages_per_block /= 2;
            shape = DriveShape::with_pages(parameters, pages_per_block);
        }
        if shape.spare_per_die() < LEAST_SPARE_BLOCKS {
            return refused(format!(
                "{} with over_provisioning = {:.1}% leaves {} spare blocks on each of {} dies, and collection \
                 needs {LEAST_SPARE_BLOCKS}: give a larger size, more over_provisioning, or fewer dies{}",
                shown("size", parameters),
                flash.over_provisioning as f64 / 10_000.0,
                shape.spare_per_die(),
                shape.dies,
                if shape.set_aside_per_die > 0 { ", or a smaller slc_cache" } else { "" }
            ));
        }
        if shape.raw_bytes() / UNIT_BYTES >= u64::from(u32::MAX) {
            return refused(format!(
                "raw = {} is 16 TiB or more, which the map cannot number: give a smaller size or over_provisioning",
                KeyUnit::Bytes.format(shape.raw_bytes())
            ));
        }
        shape.set_pools(flash);
        Ok(shape)
    }

    fn with_pages(parameters: &Parameters, pages_per_block: u64) -> DriveShape {
        let flash = &parameters.flash;
        let units_per_block = block_units(flash, pages_per_block);
        let row = units_per_block * UNIT_BYTES * flash.dies;
        let slc_row = (row / flash.bits_per_cell.max(1)).max(1);
        // One block more than the cache holds: the one that is being folded.
        let slc_blocks = |bytes: u64| {
            if flash.slc_cache == 0 { 0 } else { narrow(bytes.div_ceil(slc_row) + 1) }
        };
        let slc_blocks_per_die = slc_blocks(flash.slc_cache);
        DriveShape {
            user_units: narrow(parameters.size / UNIT_BYTES),
            dies: narrow(flash.dies),
            channels: narrow(flash.channels.min(flash.dies)),
            blocks_per_die: narrow(flash.raw.div_ceil(row)),
            units_per_block: narrow(units_per_block),
            units_per_program: narrow(flash.planes * flash.page / UNIT_BYTES),
            slc_blocks_per_die,
            slc_least_per_die: slc_blocks(flash.slc_min),
            slc_share: narrow(flash.slc_share),
            set_aside_per_die: if flash.slc_kind == SlcKind::Static { slc_blocks_per_die } else { 0 },
            reserve_per_die: RESERVE_BLOCKS + u32::from(slc_blocks_per_die > 0),
            slc_block_units: narrow(slc_units(flash, units_per_block)),
            slc_floor: 0,
            pool_blocks: 0,
            idle_pool_blocks: 0,
        }
    }

    fn set_pools(&mut self, flash: &FlashParameters) {
        let spare = self.spare_per_die() * u64::from(self.dies);
        let (block, dies) = (self.block_bytes(), u64::from(self.dies));
        let pool = (flash.collect_pool / block).min(spare / 4).max(dies);
        self.pool_blocks = narrow(pool);
        self.idle_pool_blocks = narrow((flash.idle_collect_pool / block).min(spare / 2).max(pool));
        if flash.slc_kind == SlcKind::Dynamic {
            self.slc_floor = self.pool_blocks.div_ceil(self.dies) + 1;
        }
    }

    fn block_bytes(&self) -> u64 {
        u64::from(self.units_per_block) * UNIT_BYTES
    }

    fn blocks(&self) -> u64 {
        u64::from(self.blocks_per_die) * u64::from(self.dies)
    }

    /// Blocks of a die beyond those that the user's data fills and those set aside.
    fn spare_per_die(&self) -> u64 {
        let user_blocks = u64::from(self.user_units.div_ceil(self.units_per_block));
        (self.blocks().saturating_sub(user_blocks) / u64::from(self.dies))
            .saturating_sub(u64::from(self.set_aside_per_die))
    }

    /// The same of all dies, in bytes.
    pub(crate) fn spare_bytes(&self) -> u64 {
        self.spare_per_die() * u64::from(self.dies) * self.block_bytes()
    }

    /// Flash without data while collection runs: the reserve, the free blocks (half of the pool on average where
    /// bursts fill it), a half of each die's two frontiers, and a half of its victim.
    pub(crate) fn collection_reserve(&self, collection: Collection) -> u64 {
        let pool = match collection {
            Collection::Foreground => self.pool_blocks / 2,
            Collection::Interleaved => self.pool_blocks,
        };
        let per_die = self.reserve_per_die + 1 + self.set_aside_per_die;
        (u64::from(self.dies) * u64::from(per_die) + u64::from(pool)) * self.block_bytes()
    }

    pub(crate) fn raw_bytes(&self) -> u64 {
        self.blocks() * self.block_bytes()
    }
}

/// A count of units or blocks. The ranges of the keys leave all of them below 2^32, and the check of `raw` those of the drive.
fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn block_units(flash: &FlashParameters, pages_per_block: u64) -> u64 {
    flash.planes * flash.page / UNIT_BYTES * pages_per_block
}

/// Whole programs in a block of SLC mode: each cell holds one bit.
fn slc_units(flash: &FlashParameters, units_per_block: u64) -> u64 {
    let program = flash.planes * flash.page / UNIT_BYTES;
    (units_per_block / flash.bits_per_cell.max(1) / program * program).max(program)
}

/// What must hold of the block for the maps to work.
fn check_layout(parameters: &Parameters) -> Result<(), ProfileError> {
    let (flash, shown) = (&parameters.flash, |key: &str| shown(key, parameters));
    if !flash.page.is_power_of_two() {
        return refused(format!("{} cannot be: give 4KiB, 8KiB, 16KiB, 32KiB or 64KiB", shown("page")));
    }
    if !flash.planes.is_power_of_two() || flash.planes * flash.page > 64 * UNIT_BYTES {
        return refused(format!(
            "{} with {} cannot be: give 1, 2, 4 or 8 planes, and at most 256KiB over all",
            shown("planes"),
            shown("page")
        ));
    }
    let units = block_units(flash, flash.pages_per_block);
    if !units.is_multiple_of(LEAST_BLOCK_UNITS) || !(LEAST_BLOCK_UNITS..=MOST_BLOCK_UNITS).contains(&units) {
        return refused(format!(
            "{} makes blocks of {units} units of 4 KiB over all planes: make it a multiple of {LEAST_BLOCK_UNITS} up to \
             {MOST_BLOCK_UNITS}",
            shown("pages_per_block")
        ));
    }
    Ok(())
}
