//! Partition tables of other kinds, which are named and not opened.
//!
//! Sources: the readers of Linux (`block/partitions`) and of util-linux (`libblkid/src/partitions`).

use std::fmt;

/// How much of an image is looked at for one.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// A kind of partition table that is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherTable {
    /// A disklabel of BSD.
    Bsd,
    /// A label of Sun.
    Sun,
    /// A disk label of SGI.
    Sgi,
    /// A volume label of an IBM mainframe's DASD.
    Dasd,
    /// A root sector of an Atari.
    Atari,
    /// A rigid disk block of an Amiga.
    Amiga,
    /// A partition map of Apple.
    Apple,
}

impl fmt::Display for OtherTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            OtherTable::Bsd => "BSD",
            OtherTable::Sun => "Sun",
            OtherTable::Sgi => "SGI",
            OtherTable::Dasd => "DASD",
            OtherTable::Atari => "Atari",
            OtherTable::Amiga => "Amiga",
            OtherTable::Apple => "Apple",
        })
    }
}

impl OtherTable {
    /// The table at the begin of an image of `length` bytes.
    pub(crate) fn in_head(head: &[u8], length: u64) -> Option<OtherTable> {
        let is_at = |place: usize, mark: &[u8]| head.get(place..).is_some_and(|rest| rest.starts_with(mark));
        let is_at_any = |places: &[usize], mark: &[u8]| places.iter().any(|place| is_at(*place, mark));
        let sectors: Vec<usize> = (0..16).map(|sector| sector * 512).collect();
        // VOL1, LNX1 and CMS1 in EBCDIC, in the second or third block.
        let volumes: [&[u8]; 3] = [b"\xe5\xd6\xd3\xf1", b"\xd3\xd5\xe7\xf1", b"\xc3\xd4\xe2\xf1"];
        let blocks = [512, 1024, 2048, 4096, 8192];
        let found = [
            (OtherTable::Bsd, is_at_any(&[64, 128, 512], &0x8256_4557_u32.to_le_bytes())),
            (OtherTable::Sun, is_at(508, &0xdabe_u16.to_be_bytes())),
            (OtherTable::Sgi, is_at(0, &0x0be5_a941_u32.to_be_bytes())),
            (OtherTable::Dasd, volumes.iter().any(|volume| is_at_any(&blocks, volume))),
            (OtherTable::Amiga, is_at_any(&sectors, b"RDSK")),
            (OtherTable::Apple, is_at(0, b"ER") && is_at_any(&[512, 2048], b"PM")),
            (OtherTable::Atari, is_atari(head, length)),
        ];
        found.into_iter().find(|(_, is_there)| *is_there).map(|(table, _)| table)
    }
}

/// Where the size of the drive stands in the root sector of an Atari, and its four partitions behind it.
const ATARI_SIZE: usize = 0x1c2;
/// The kinds of its partitions.
const ATARI_KINDS: [&[u8; 3]; 9] = [b"GEM", b"BGM", b"XGM", b"LNX", b"SWP", b"RAW", b"MIX", b"MNX", b"UNX"];

/// Whether there is a partition of an Atari that lies on the drive. Its sector has no mark of its own.
fn is_atari(head: &[u8], length: u64) -> bool {
    let Some(sector) = head.get(..512) else { return false };
    let number =
        |place: usize| sector[place..place + 4].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let sectors = number(ATARI_SIZE);
    let is_partition = |place: usize| {
        let is_used = sector[place] & 1 == 1;
        let is_known = ATARI_KINDS.iter().any(|kind| sector[place + 1..].starts_with(*kind));
        let (start, size) = (number(place + 4), number(place + 8));
        is_used && is_known && start > 0 && size > 0 && start + size <= sectors
    };
    sectors > 0 && sectors * 512 <= length && (0..4).any(|place| is_partition(ATARI_SIZE + 4 + place * 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place in an image, and the bytes there.
    type TableMark<'a> = (usize, &'a [u8]);

    #[test]
    fn tables_of_other_kinds_are_known_by_their_marks() {
        let marks: [(OtherTable, &[TableMark<'_>]); 8] = [
            (OtherTable::Bsd, &[(512, b"\x57\x45\x56\x82")]),
            (OtherTable::Bsd, &[(64, b"\x57\x45\x56\x82")]),
            (OtherTable::Sun, &[(508, b"\xda\xbe")]),
            (OtherTable::Sgi, &[(0, b"\x0b\xe5\xa9\x41")]),
            (OtherTable::Dasd, &[(8192, b"\xe5\xd6\xd3\xf1")]),
            (OtherTable::Amiga, &[(1024, b"RDSK")]),
            (OtherTable::Apple, &[(0, b"ER"), (512, b"PM")]),
            (OtherTable::Atari, &[(0x1c2, b"\0\0\0\x80"), (0x1c6, b"\x01GEM\0\0\0\x02\0\0\0\x10")]),
        ];
        for (table, parts) in marks {
            let mut head = vec![0; HEAD_BYTES];
            parts.iter().for_each(|(place, bytes)| head[*place..*place + bytes.len()].copy_from_slice(bytes));
            assert_eq!(OtherTable::in_head(&head, HEAD_BYTES as u64), Some(table));
        }
        assert_eq!(OtherTable::in_head(&vec![0; HEAD_BYTES], HEAD_BYTES as u64), None);
        assert_eq!(OtherTable::in_head(&[], 0), None);
        // A partition that ends behind the drive is none.
        let mut head = vec![0; HEAD_BYTES];
        head[0x1c2..0x1c6].copy_from_slice(b"\0\0\0\x80");
        head[0x1c6..0x1d2].copy_from_slice(b"\x01GEM\0\0\0\x02\0\0\x01\x10");
        assert_eq!(OtherTable::in_head(&head, HEAD_BYTES as u64), None);
    }
}
