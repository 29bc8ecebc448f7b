//! The rows of the table of keys.

use super::parameters::Parameters;
use super::row::{COLLECTIONS, KINDS, Row, SLC_FULLS, SLC_KINDS, Slot, TRIMS};
use super::units::Unit;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;
const US: u64 = 1_000;
const SECOND: u64 = 1_000_000_000;
const MB: u64 = 1_000_000;

const fn number(
    name: &'static str,
    unit: Unit,
    range: (u64, u64),
    at: fn(&mut Parameters) -> &mut u64,
    doc: &'static str,
) -> Row {
    Row { name, doc, slot: Slot::Number { unit, least: range.0, most: range.1, at } }
}

const fn word(
    name: &'static str,
    words: &'static [&'static str],
    set: fn(&mut Parameters, usize),
    doc: &'static str,
) -> Row {
    Row { name, doc, slot: Slot::Word { words, set } }
}

/// Every key, in the order in which a person would read them.
#[rustfmt::skip]
pub(crate) const TABLE: &[Row] = &[
    Row { name: "description", slot: Slot::Text { at: |p| &mut p.description },
        doc: "One line about the drive, printed with every result." },
    word("kind", &["flash", "disk"], |p, i| p.kind = KINDS[i],
        "What stores the bits: flash behind a translation layer, or a mechanical disk."),
    number("size", Unit::Bytes, (64 * MIB, 15 * TIB), |p| &mut p.size,
        "User capacity; changed alone, the raw flash follows, so that over_provisioning is kept; \
         what a profile takes of the range is in the list above."),
    number("logical_block", Unit::Bytes, (512, 4096), |p| &mut p.logical_block,
        "The smallest request and the alignment of all: 512 or 4096 bytes."),
    number("link", Unit::Rate, (MB, 100_000 * MB), |p| &mut p.link,
        "What the host link carries; SATA 6G about 550 MB/s."),
    number("command_time", Unit::Time, (0, SECOND), |p| &mut p.command_time,
        "Controller time a write command."),
    number("read_command_time", Unit::Time, (0, SECOND), |p| &mut p.read_command_time,
        "Controller time a read command."),
    number("unit_time", Unit::Time, (0, SECOND), |p| &mut p.unit_time,
        "Controller time a mapping unit of 4 KiB, beside the time of its command."),
    number("controller_noise", Unit::Share, (0, 250_000), |p| &mut p.controller_noise,
        "Deviation of the controller time of a command, relative to it."),
    number("raw", Unit::Bytes, (64 * MIB, 15 * TIB), |p| &mut p.flash.raw,
        "All the flash there is, rounded up to whole blocks on every die."),
    number("over_provisioning", Unit::Share, (5_000, 10_000_000), |p| &mut p.flash.over_provisioning,
        "(raw - user capacity) / user capacity; gives raw where raw is not given."),
    number("dies", Unit::Count, (1, 1024), |p| &mut p.flash.dies,
        "Flash dies; each does one thing at a time."),
    number("channels", Unit::Count, (1, 128), |p| &mut p.flash.channels,
        "Flash channels; the dies are spread over them."),
    number("planes", Unit::Count, (1, 8), |p| &mut p.flash.planes,
        "Planes of a die, programmed and erased together."),
    number("page", Unit::Bytes, (4 * KIB, 64 * KIB), |p| &mut p.flash.page,
        "Bytes of one page of one plane: 4, 8, 16, 32 or 64 KiB."),
    number("pages_per_block", Unit::Count, (1, 8192), |p| &mut p.flash.pages_per_block,
        "Pages of an erase block; halved by a smaller size until a die has blocks enough, unless given."),
    number("read", Unit::Time, (0, SECOND), |p| &mut p.flash.read,
        "Time to read a page into the die's register (tR)."),
    number("program", Unit::Time, (US, SECOND), |p| &mut p.flash.program,
        "Time of a multi-plane program (tPROG)."),
    number("erase", Unit::Time, (0, SECOND), |p| &mut p.flash.erase,
        "Time to erase a block on all planes (tBERS)."),
    number("bus", Unit::Rate, (MB, 100_000 * MB), |p| &mut p.flash.bus,
        "What one channel carries."),
    number("move_time", Unit::Time, (0, SECOND), |p| &mut p.flash.move_time,
        "Controller time to move one mapping unit in collection."),
    number("write_buffer", Unit::Bytes, (0, 4 * GIB), |p| &mut p.flash.write_buffer,
        "Host data taken but not programmed; 0 stands for two multi-plane pages a die."),
    word("collect", &["foreground", "interleaved"], |p, i| p.flash.collection = COLLECTIONS[i],
        "Collection only when no block is free, in bursts, or a little with every program."),
    number("collect_pool", Unit::Bytes, (0, TIB), |p| &mut p.flash.collect_pool,
        "Free flash at which a foreground burst ends, or that interleaved collection keeps; never over a quarter of the spare."),
    number("collect_quantum", Unit::Count, (0, 100_000), |p| &mut p.flash.collect_quantum,
        "Pages moved for each host page let in during a foreground burst; 0: the host waits for its end."),
    number("idle_collect_after", Unit::Time, (0, 3600 * SECOND), |p| &mut p.flash.idle_collect_after,
        "Idle time after which the drive folds and collects by itself; 0: never."),
    number("idle_collect_pool", Unit::Bytes, (0, TIB), |p| &mut p.flash.idle_collect_pool,
        "Free flash at which collection in idle time ends; never over half of the spare."),
    word("trim", &["true", "false", "ignored"], |p, i| p.flash.trim = TRIMS[i],
        "Whether a discard frees its units, is not there, or is answered and ignored."),
    number("trim_time", Unit::Time, (0, 10 * SECOND), |p| &mut p.flash.trim_time,
        "Controller time a discard."),
    number("bits_per_cell", Unit::Count, (1, 5), |p| &mut p.flash.bits_per_cell,
        "Bits of a cell; a block in SLC mode holds this many times less."),
    number("slc_cache", Unit::Bytes, (0, TIB), |p| &mut p.flash.slc_cache,
        "Host data that the SLC cache holds; 0: no cache. For a dynamic cache the most that it grows to."),
    word("slc_kind", &["static", "dynamic"], |p, i| p.flash.slc_kind = SLC_KINDS[i],
        "Cache blocks that are set aside, or borrowed from the free ones."),
    word("slc_full", &["fold", "direct"], |p, i| p.flash.slc_full = SLC_FULLS[i],
        "With the cache full, a write waits for folding, or goes to the dense cells."),
    number("slc_program", Unit::Time, (US, SECOND), |p| &mut p.flash.slc_program,
        "Time of a multi-plane program in SLC mode."),
    number("map_segment", Unit::Bytes, (64 * KIB, GIB), |p| &mut p.flash.map_segment,
        "Span that one coarse map entry covers after it was written from end to end: a power of two."),
    number("split_time", Unit::Time, (0, SECOND), |p| &mut p.flash.split_time,
        "Controller time to split a coarse map entry at the first small write into it; gives a curve that rises."),
    number("rpm", Unit::Count, (1_000, 20_000), |p| &mut p.disk.rpm,
        "Turns a minute of a mechanical disk."),
    number("outer_rate", Unit::Rate, (MB, 1_000 * MB), |p| &mut p.disk.outer_rate,
        "Track rate of a disk at its first address."),
    number("inner_rate", Unit::Rate, (MB, 1_000 * MB), |p| &mut p.disk.inner_rate,
        "Track rate of a disk at its last address."),
    number("seek_track", Unit::Time, (US, SECOND), |p| &mut p.disk.seek_track,
        "Seek of a disk to the next track."),
    number("seek_full", Unit::Time, (US, SECOND), |p| &mut p.disk.seek_full,
        "Seek of a disk from its first address to its last."),
    number("read_ahead", Unit::Bytes, (0, GIB), |p| &mut p.disk.read_ahead,
        "How far a disk streams on after a request, so that the next one in sequence needs no turn."),
    number("delay_every", Unit::Bytes, (0, 1024 * TIB), |p| &mut p.stalls.delay_every,
        "Host bytes written from one delay to the next; 0: no delays."),
    number("delay_every_deviation", Unit::Bytes, (0, 256 * TIB), |p| &mut p.stalls.delay_every_deviation,
        "Deviation of delay_every; 0: exact; four in a row keep the mean."),
    number("delay", Unit::Time, (0, 600 * SECOND), |p| &mut p.stalls.delay,
        "How long the write that meets a delay takes; everything behind it waits."),
    number("delay_deviation", Unit::Time, (0, 100 * SECOND), |p| &mut p.stalls.delay_deviation,
        "Deviation of delay; four delays in a row keep the mean."),
    number("freeze_every", Unit::Time, (0, 36_000 * SECOND), |p| &mut p.stalls.freeze_every,
        "Period of freezes in virtual time; the drive answers nothing at the end of each; 0: none."),
    number("freeze_for", Unit::Time, (0, 3600 * SECOND), |p| &mut p.stalls.freeze_for,
        "How long each freeze lasts: less than freeze_every."),
    number("drop_every", Unit::Count, (0, 1 << 40), |p| &mut p.faults.drop,
        "Writes, on average, from one that is answered and not stored to the next; 0: none. At random places."),
    number("revert_every", Unit::Count, (0, 1 << 40), |p| &mut p.faults.revert,
        "Writes, on average, from one whose place goes back to older contents to the next; 0: none. At random places."),
    number("tear_every", Unit::Count, (0, 1 << 40), |p| &mut p.faults.tear,
        "Writes, on average, from one that is answered and stored in part to the next; 0: none. At random places."),
    number("misdirect_every", Unit::Count, (0, 1 << 40), |p| &mut p.faults.misdirect,
        "Writes, on average, from one that is answered and stored in another place to the next; 0: none. At random places."),
    number("flip_every", Unit::Count, (0, 1 << 40), |p| &mut p.faults.flip,
        "Writes, on average, from one that is answered and stored with a bit changed to the next; 0: none. At random places."),
];
