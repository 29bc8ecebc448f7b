//! The table of keys: what a profile file and an override may say.

use super::parameters::{Kind, Parameters};
use super::row::{
    COLLECTIONS, HEALTH_KINDS, KINDS, Key, KeyRow, QUEUED_READS, SLC_FULLS, SLC_KINDS, Slot, TRIMS,
    WRITE_CACHES,
};
use super::units::KeyUnit;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;
const US: u64 = 1_000;
const SECOND: u64 = 1_000_000_000;
const MB: u64 = 1_000_000;
const WATT: u64 = 1_000_000;
const JOULE: u64 = 1_000_000_000;
/// The highest temperature at which a drive may begin to throttle, in thousandths of a degree Celsius.
pub(super) const THERMAL_LIMIT_MAX: u64 = 200_000;

/// The range and the value where none is given are in the base unit.
const fn number(
    name: &'static str,
    unit: KeyUnit,
    (least, most): (u64, u64),
    unset: u64,
    at: fn(&mut Parameters) -> &mut u64,
    doc: &'static str,
) -> KeyRow {
    KeyRow { name, doc, kind: None, slot: Slot::Number { unit, least, most, unset, at } }
}

/// The first word is the one that holds where none is given.
const fn word(
    name: &'static str,
    words: &'static [&'static str],
    set: fn(&mut Parameters, usize),
    doc: &'static str,
) -> KeyRow {
    KeyRow { name, doc, kind: None, slot: Slot::Word { words, unset: 0, set } }
}

/// A key of flash drives alone.
const fn flash(row: KeyRow) -> KeyRow {
    KeyRow { kind: Some(Kind::Flash), ..row }
}

/// A key of disks alone.
const fn disk(row: KeyRow) -> KeyRow {
    KeyRow { kind: Some(Kind::Disk), ..row }
}

/// A drive of which nothing is said: small, plain flash.
pub(super) fn plain() -> Parameters {
    let mut parameters = Parameters::default();
    TABLE.iter().for_each(|row| row.unset(&mut parameters));
    parameters
}

/// Every key, in the order in which a person would read them.
#[rustfmt::skip]
pub(crate) const TABLE: &[KeyRow] = &[
    KeyRow { name: "description", kind: None, slot: Slot::Text { at: |p| &mut p.description },
        doc: "One line about the drive, printed with every result." },
    word("kind", &["flash", "disk"], |p, i| p.kind = KINDS[i],
        "What stores the bits: flash behind a translation layer, or a mechanical disk."),
    number("size", KeyUnit::Bytes, (64 * MIB, 15 * TIB), 0, |p| &mut p.size,
        "User capacity; changed alone, the raw flash follows, so that over_provisioning is kept; \
         what a profile takes of the range is in the list above."),
    number("logical_block", KeyUnit::Bytes, (512, 4096), 512, |p| &mut p.logical_block,
        "The smallest request and the alignment of all: 512 or 4096 bytes."),
    number("link", KeyUnit::Rate, (MB, 100_000 * MB), 550_000_000, |p| &mut p.link,
        "What the host link carries; SATA 6G about 550 MB/s."),
    number("command_time", KeyUnit::Time, (0, SECOND), 5_000, |p| &mut p.command_time,
        "Controller time a write command."),
    number("read_command_time", KeyUnit::Time, (0, SECOND), 5_000, |p| &mut p.read_command_time,
        "Controller time a read command."),
    number("unit_time", KeyUnit::Time, (0, SECOND), 1_000, |p| &mut p.unit_time,
        "Controller time a mapping unit of 4 KiB, in addition to the time of its command."),
    number("controller_noise", KeyUnit::Share, (0, 250_000), 0, |p| &mut p.controller_noise,
        "Deviation of the controller time of a command, relative to it."),
    flash(number("raw", KeyUnit::Bytes, (64 * MIB, 15 * TIB), 0, |p| &mut p.flash.raw,
        "All the flash there is, rounded up to whole blocks on every die.")),
    flash(number("over_provisioning", KeyUnit::Share, (5_000, 10_000_000), 70_000, |p| &mut p.flash.over_provisioning,
        "(raw - user capacity) / user capacity; gives raw where raw is not given.")),
    flash(number("dies", KeyUnit::Count, (1, 1024), 16, |p| &mut p.flash.dies,
        "Flash dies; each does one thing at a time.")),
    flash(number("channels", KeyUnit::Count, (1, 128), 8, |p| &mut p.flash.channels,
        "Flash channels; the dies are spread over them.")),
    flash(number("planes", KeyUnit::Count, (1, 8), 2, |p| &mut p.flash.planes,
        "Planes of a die, programmed and erased together.")),
    flash(number("page", KeyUnit::Bytes, (4 * KIB, 64 * KIB), 8 << 10, |p| &mut p.flash.page,
        "Bytes of one page of one plane: 4, 8, 16, 32 or 64 KiB.")),
    flash(number("pages_per_block", KeyUnit::Count, (1, 8192), 256, |p| &mut p.flash.pages_per_block,
        "Pages of an erase block; halved by a smaller size until a die has blocks enough, unless given.")),
    // The timings are those of the Micron 64 Gb MLC of the model's table.
    flash(number("read", KeyUnit::Time, (0, SECOND), 100_000, |p| &mut p.flash.read,
        "Time to read a page into the die's register (tR).")),
    flash(word("queued_reads", &["pass", "wait"], |p, i| p.flash.queued_reads = QUEUED_READS[i],
        "A read behind reads of more than a program's time goes before all but the last of them, or waits for all.")),
    flash(number("program", KeyUnit::Time, (US, SECOND), 1_300_000, |p| &mut p.flash.program,
        "Time of a multi-plane program (tPROG).")),
    flash(number("erase", KeyUnit::Time, (0, SECOND), 3_000_000, |p| &mut p.flash.erase,
        "Time to erase a block on all planes (tBERS).")),
    flash(number("bus", KeyUnit::Rate, (MB, 100_000 * MB), 200_000_000, |p| &mut p.flash.bus,
        "What one channel carries.")),
    flash(number("move_time", KeyUnit::Time, (0, SECOND), 0, |p| &mut p.flash.move_time,
        "Controller time to move one mapping unit in collection.")),
    flash(number("write_buffer", KeyUnit::Bytes, (0, 4 * GIB), 0, |p| &mut p.flash.write_buffer,
        "Host data taken but not programmed; 0 stands for two multi-plane pages a die.")),
    flash(word("write_cache", &["volatile", "protected"], |p, i| p.flash.write_cache = WRITE_CACHES[i],
        "Whether a power cut loses what is not programmed, or capacitors last until it is: then a flush waits for no program.")),
    flash(number("flush_time", KeyUnit::Time, (0, 60 * SECOND), 0, |p| &mut p.flash.flush_time,
        "Time of a flush after a write, in addition to the programs that it waits for.")),
    flash(KeyRow { name: "collect", kind: None, slot: Slot::Word { words: &["foreground", "interleaved"], unset: 1,
        set: |p, i| p.flash.collection = COLLECTIONS[i] },
        doc: "Collection only when no block is free, in bursts, or a little with every program." }),
    flash(number("collect_pool", KeyUnit::Bytes, (0, TIB), 0, |p| &mut p.flash.collect_pool,
        "Free flash at which a foreground burst ends, or that interleaved collection keeps; never over a quarter of the spare.")),
    flash(number("collect_quantum", KeyUnit::Count, (0, 100_000), 0, |p| &mut p.flash.collect_quantum,
        "Pages moved for each host page let in during a foreground burst; 0: the host waits for its end.")),
    flash(number("idle_collect_after", KeyUnit::Time, (0, 3600 * SECOND), 0, |p| &mut p.flash.idle_collect_after,
        "Idle time after which the drive folds and collects by itself; 0: never.")),
    flash(number("idle_collect_pool", KeyUnit::Bytes, (0, TIB), 0, |p| &mut p.flash.idle_collect_pool,
        "Free flash at which collection in idle time ends; never over half of the spare.")),
    flash(word("trim", &["true", "false", "ignored"], |p, i| p.flash.trim = TRIMS[i],
        "Whether a discard frees its units, is not there, or is answered and ignored.")),
    flash(number("trim_time", KeyUnit::Time, (0, 10 * SECOND), 100_000, |p| &mut p.flash.trim_time,
        "Controller time a discard.")),
    flash(number("bits_per_cell", KeyUnit::Count, (1, 5), 2, |p| &mut p.flash.bits_per_cell,
        "Bits of a cell; a block in SLC mode holds this many times less.")),
    flash(number("slc_cache", KeyUnit::Bytes, (0, TIB), 0, |p| &mut p.flash.slc_cache,
        "Host data that the SLC cache holds; 0: no cache. For a dynamic cache the most that it grows to.")),
    flash(number("slc_share", KeyUnit::Share, (0, 1_000_000), 0, |p| &mut p.flash.slc_share,
        "Size of a dynamic SLC cache relative to the free space, up to slc_cache: at most 100% / bits_per_cell; 0: slc_cache.")),
    flash(number("slc_min", KeyUnit::Bytes, (0, TIB), 0, |p| &mut p.flash.slc_min,
        "With slc_share: the least size of the SLC cache, however full the drive is.")),
    flash(number("slc_empty_rate", KeyUnit::Rate, (0, 100_000 * MB), 0, |p| &mut p.flash.slc_empty_rate,
        "How fast the SLC cache is emptied in idle time, after idle_collect_after; 0: as fast as the dies can.")),
    flash(word("slc_kind", &["static", "dynamic"], |p, i| p.flash.slc_kind = SLC_KINDS[i],
        "Cache blocks that are set aside, or borrowed from the free ones.")),
    flash(word("slc_full", &["fold", "direct", "direct_then_fold"], |p, i| p.flash.slc_full = SLC_FULLS[i],
        "With the cache full, a write waits for folding, goes to the dense cells, or the second until free blocks are short.")),
    flash(number("slc_program", KeyUnit::Time, (US, SECOND), 200_000, |p| &mut p.flash.slc_program,
        "Time of a multi-plane program in SLC mode.")),
    flash(number("map_segment", KeyUnit::Bytes, (64 * KIB, GIB), 1 << 20, |p| &mut p.flash.map_segment,
        "Span that one coarse map entry covers after it was written from end to end: a power of two.")),
    flash(number("split_time", KeyUnit::Time, (0, SECOND), 0, |p| &mut p.flash.split_time,
        "Controller time to split a coarse map entry at the first small write into it; gives a curve that rises.")),
    flash(number("map_cache", KeyUnit::Bytes, (0, 16 * TIB), 0, |p| &mut p.flash.map_cache,
        "User data whose map entries the controller has in memory, a multiple of 4MiB; 0: of the whole drive.")),
    flash(number("map_miss", KeyUnit::Time, (0, SECOND), 0, |p| &mut p.flash.map_miss,
        "Time of a die to read a page of map entries, which a read outside map_cache waits for.")),
    disk(number("rpm", KeyUnit::Count, (1_000, 20_000), 7_200, |p| &mut p.disk.rpm,
        "Turns a minute of a mechanical disk.")),
    disk(number("outer_rate", KeyUnit::Rate, (MB, 1_000 * MB), 210_000_000, |p| &mut p.disk.outer_rate,
        "Track rate of a disk at its first address.")),
    disk(number("inner_rate", KeyUnit::Rate, (MB, 1_000 * MB), 100_000_000, |p| &mut p.disk.inner_rate,
        "Track rate of a disk at its last address.")),
    disk(number("seek_track", KeyUnit::Time, (US, SECOND), 1_000_000, |p| &mut p.disk.seek_track,
        "Seek of a disk to the next track.")),
    disk(number("seek_full", KeyUnit::Time, (US, SECOND), 16_000_000, |p| &mut p.disk.seek_full,
        "Seek of a disk from its first address to its last.")),
    disk(number("read_ahead", KeyUnit::Bytes, (0, GIB), 1 << 20, |p| &mut p.disk.read_ahead,
        "How far a disk streams on after a request, so that the next one in sequence needs no turn.")),
    // A SATA drive that idles without the link's power states, 0.3 W (data sheets of consumer drives: 0.05 W to 0.5 W); flash
    // that draws 20 mA at 3.3 V while it works (data sheets of MLC: 15 mA to 50 mA), for the default times of reading,
    // programming and erasing; and 2 uJ for the controller and the link to carry 4 KiB, so that writing 500 MB/s takes 3.1 W
    // (data sheets: 2 W to 4 W). A seek is that of a 3.5-inch disk: 2 W more for 10 ms.
    number("idle_power", KeyUnit::Power, (0, 100 * WATT), 300_000, |p| &mut p.energy.idle_power,
        "What the drive draws all the time, whatever it does; of a disk that turns."),
    flash(number("read_energy", KeyUnit::Energy, (0, JOULE), 6_600, |p| &mut p.energy.read,
        "Energy to read a multi-plane page of flash, above idle: current x voltage x tR.")),
    flash(number("program_energy", KeyUnit::Energy, (0, JOULE), 85_000, |p| &mut p.energy.program,
        "Energy of a multi-plane program, above idle.")),
    flash(number("slc_program_energy", KeyUnit::Energy, (0, JOULE), 13_000, |p| &mut p.energy.slc_program,
        "Energy of a multi-plane program in SLC mode, above idle.")),
    flash(number("erase_energy", KeyUnit::Energy, (0, JOULE), 200_000, |p| &mut p.energy.erase,
        "Energy to erase a block on all planes, above idle.")),
    disk(number("seek_energy", KeyUnit::Energy, (0, JOULE), 20_000_000, |p| &mut p.energy.seek,
        "Energy of a disk's seek, however far, above idle.")),
    number("transfer_energy", KeyUnit::Energy, (0, JOULE), 2_000, |p| &mut p.energy.transfer,
        "Energy of controller and link to carry 4 KiB between host and drive, above idle."),
    number("thermal_resistance", KeyUnit::ThermalResistance, (0, 1_000_000), 0, |p| &mut p.thermal.resistance,
        "Between drive and air; 0: the drive has no temperature."),
    number("heat_capacity", KeyUnit::HeatCapacity, (1, 1_000_000_000), 30_000, |p| &mut p.thermal.capacity,
        "Heat capacity of the drive; times thermal_resistance, the time in which it gets to 63% of a new temperature."),
    number("ambient", KeyUnit::Temperature, (0, 100_000), 25_000, |p| &mut p.thermal.ambient,
        "Temperature of the air around the drive."),
    number("thermal_limit", KeyUnit::Temperature, (0, THERMAL_LIMIT_MAX), 0, |p| &mut p.thermal.limit,
        "Temperature at which the drive begins to throttle; 0: it never does."),
    number("thermal_hysteresis", KeyUnit::Temperature, (0, 100_000), 5_000, |p| &mut p.thermal.hysteresis,
        "How far below thermal_limit throttling ends."),
    number("thermal_throttle", KeyUnit::Share, (0, 990_000), 500_000, |p| &mut p.thermal.throttle,
        "By how much link and controller are slowed while the drive throttles."),
    number("power_state_1_after", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.power_states[0].after,
        "Idle time after which the drive falls into its first non-operational power state; 0: it has none."),
    number("power_state_1_exit", KeyUnit::Time, (0, 60 * SECOND), 0, |p| &mut p.power_states[0].exit,
        "Exit latency of that state: what the first command after the rest waits for in addition."),
    number("power_state_1_power", KeyUnit::Power, (0, 100 * WATT), 0, |p| &mut p.power_states[0].power,
        "What the drive draws in that state, in place of idle_power."),
    number("power_state_2_after", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.power_states[1].after,
        "Idle time after which the drive falls into its second non-operational power state; 0: it has none."),
    number("power_state_2_exit", KeyUnit::Time, (0, 60 * SECOND), 0, |p| &mut p.power_states[1].exit,
        "Exit latency of that state: what the first command after the rest waits for in addition."),
    number("power_state_2_power", KeyUnit::Power, (0, 100 * WATT), 0, |p| &mut p.power_states[1].power,
        "What the drive draws in that state, in place of idle_power."),
    number("power_state_3_after", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.power_states[2].after,
        "Idle time after which the drive falls into its third non-operational power state; 0: it has none."),
    number("power_state_3_exit", KeyUnit::Time, (0, 60 * SECOND), 0, |p| &mut p.power_states[2].exit,
        "Exit latency of that state: what the first command after the rest waits for in addition."),
    number("power_state_3_power", KeyUnit::Power, (0, 100 * WATT), 0, |p| &mut p.power_states[2].power,
        "What the drive draws in that state, in place of idle_power."),
    number("power_state_4_after", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.power_states[3].after,
        "Idle time after which the drive falls into its fourth non-operational power state; 0: it has none."),
    number("power_state_4_exit", KeyUnit::Time, (0, 60 * SECOND), 0, |p| &mut p.power_states[3].exit,
        "Exit latency of that state: what the first command after the rest waits for in addition."),
    number("power_state_4_power", KeyUnit::Power, (0, 100 * WATT), 0, |p| &mut p.power_states[3].power,
        "What the drive draws in that state, in place of idle_power."),
    word("health", &["none", "ata", "nvme"], |p, i| p.health.kind = HEALTH_KINDS[i],
        "Health counters that the drive keeps: none, the attributes of an ATA drive, or the health log of an NVMe drive."),
    // Data sheets and tests of endurance of MLC and of TLC in three dimensions: 1000 to 5000.
    number("rated_erases", KeyUnit::Count, (1, 1_000_000), 3_000, |p| &mut p.health.rated_erases,
        "Erases of a block that the flash is rated for; the health reports the share of them that is used."),
    number("delay_bad_blocks", KeyUnit::Count, (0, 1_000_000), 0, |p| &mut p.health.delay_bad_blocks,
        "What each delay adds to attribute 183, Runtime_Bad_Block, of health = \"ata\"; 0: the drive has no such attribute."),
    number("delay_every", KeyUnit::Bytes, (0, 1024 * TIB), 0, |p| &mut p.stalls.delay_every,
        "Host bytes written from one delay to the next; 0: no delays."),
    number("delay_every_deviation", KeyUnit::Bytes, (0, 256 * TIB), 0, |p| &mut p.stalls.delay_every_deviation,
        "Deviation of delay_every, which is exact without it or where it alone is given; four in a row keep the mean."),
    number("delay", KeyUnit::Time, (0, 600 * SECOND), 0, |p| &mut p.stalls.delay,
        "How long the write that meets a delay takes; everything behind it waits."),
    number("delay_deviation", KeyUnit::Time, (0, 100 * SECOND), 0, |p| &mut p.stalls.delay_deviation,
        "Deviation of delay, which is exact without it or where it alone is given; four in a row keep the mean."),
    number("freeze_every", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.stalls.freeze_every,
        "Period of freezes in virtual time; the drive answers nothing at the end of each; 0: none."),
    number("freeze_for", KeyUnit::Time, (0, 3600 * SECOND), 0, |p| &mut p.stalls.freeze_for,
        "How long each freeze lasts: less than freeze_every."),
    number("hang_at", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.stalls.hang_at,
        "Virtual time at which the drive hangs, once: from then on it answers nothing; 0: never."),
    number("hang_for", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.stalls.hang_for,
        "How long the drive hangs from hang_at on; 0: for ever."),
    number("drop_every", KeyUnit::Count, (0, 1 << 40), 0, |p| &mut p.faults.drop,
        "Writes, on average, from one that is answered and not stored to the next; 0: none. At random places."),
    number("revert_every", KeyUnit::Count, (0, 1 << 40), 0, |p| &mut p.faults.revert,
        "Writes, on average, from one whose place goes back to older contents to the next; 0: none. At random places."),
    number("tear_every", KeyUnit::Count, (0, 1 << 40), 0, |p| &mut p.faults.tear,
        "Writes, on average, from one that is answered and stored in part to the next; 0: none. At random places. A write of \
         4 KiB or less is stored whole."),
    number("misdirect_every", KeyUnit::Count, (0, 1 << 40), 0, |p| &mut p.faults.misdirect,
        "Writes, on average, from one that is answered and stored in another place to the next; 0: none. At random places."),
    number("flip_every", KeyUnit::Count, (0, 1 << 40), 0, |p| &mut p.faults.flip,
        "Writes, on average, from one that is answered and stored with a bit changed to the next; 0: none. At random places."),
    number("wrap_at", KeyUnit::Bytes, (0, 15 * TIB), 0, |p| &mut p.faults.wrap_at,
        "Bytes that a fake drive really has: an address at or beyond that is taken modulo it; 0: all of its size."),
    number("zeros_from", KeyUnit::Bytes, (0, 15 * TIB), 0, |p| &mut p.faults.zeros_from,
        "At and beyond this address writes are answered and reads bring back zeros; 0: nowhere."),
    number("fail_from", KeyUnit::Bytes, (0, 15 * TIB), 0, |p| &mut p.faults.fail_from,
        "At and beyond this address every I/O fails (EIO); 0: nowhere."),
    number("fail_every", KeyUnit::Count, (0, 1 << 40), 0, |p| &mut p.faults.fail_every,
        "Each how many-th I/O fails (EIO), wherever it is; 0: none."),
    number("read_only_at", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.faults.read_only_at,
        "From this virtual time on, writes and discards fail (EIO) and reads do not; 0: never."),
    number("gone_at", KeyUnit::Time, (0, 36_000 * SECOND), 0, |p| &mut p.faults.gone_at,
        "From this virtual time on, every I/O fails (ENODEV), those in flight too; 0: never."),
];

/// Every key that a profile file or an override may hold, in the order in which a person would read them.
pub fn keys() -> Vec<Key> {
    TABLE.iter().map(KeyRow::describe).collect()
}

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
