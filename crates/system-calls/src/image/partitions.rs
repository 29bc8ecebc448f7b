//! Partition tables: GPT (UEFI specification 2.10, chapter 5) and the older one of the master boot record, and those of other
//! kinds, which are named and not opened.
//!
//! Sources of the latter: the readers of Linux (`block/partitions`) and of util-linux (`libblkid/src/partitions`).

use std::io::{self, Read, Seek, SeekFrom};

use drivelab_block::ByteCount;

/// Where sectors begin in an image of a drive with sectors of 512 bytes, and of one of 4096.
const SECTORS: [u64; 2] = [512, 4096];
/// The most entries that are read: eight times as many as any tool makes.
const ENTRIES_MAX: u32 = 1_024;
/// Kinds of partitions that hold others (CHS, LBA, Linux).
const EXTENDED: [u8; 3] = [0x05, 0x0f, 0x85];
/// The kind that says that the true table is a GPT.
const PROTECTIVE: u8 = 0xee;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    /// Its number, from 1, as the kernel counts.
    pub number: u32,
    /// Its first byte.
    pub start: u64,
    /// Its length.
    pub length: ByteCount,
}

/// What was found in place of partitions.
#[derive(Debug)]
pub(crate) enum TableError {
    /// What the system said.
    Io(io::Error),
    /// A table with something wrong.
    Damaged(&'static str),
    /// A partition goes on to this byte, behind the end.
    Cut(u64),
}

impl From<io::Error> for TableError {
    fn from(error: io::Error) -> TableError {
        TableError::Io(error)
    }
}

/// The partitions of an image of `length` bytes; `None` where it has no table. Every one lies within the image.
pub(crate) fn table(
    image: &mut (impl Read + Seek),
    length: u64,
) -> Result<Option<Vec<Partition>>, TableError> {
    let Some(record) = at(image, 0, 512, length)? else { return Ok(None) };
    if record[510..512] != [0x55, 0xaa] {
        return Ok(None);
    }
    let found = if entries_of(&record).any(|entry| entry.kind == PROTECTIVE) {
        guid_table(image, length)?
    } else {
        boot_record(image, &record, length)?
    };
    let end = |one: &Partition| one.start.checked_add(one.length.get());
    if !found.iter().all(|one| one.start >= 512 && one.length.get() > 0 && end(one).is_some()) {
        return Err(TableError::Damaged("a partition begins or ends where none can"));
    }
    match found.iter().filter_map(end).max() {
        Some(end) if end > length => Err(TableError::Cut(end)),
        _ => Ok(Some(found)),
    }
}

/// Bytes of the image; `None` where it ends before.
fn at(image: &mut (impl Read + Seek), start: u64, count: usize, length: u64) -> io::Result<Option<Vec<u8>>> {
    if start.checked_add(count as u64).is_none_or(|end| end > length) {
        return Ok(None);
    }
    let mut bytes = vec![0; count];
    image.seek(SeekFrom::Start(start))?;
    image.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// An entry of a boot record, in sectors.
struct BootRecordEntry {
    kind: u8,
    start: u64,
    sectors: u64,
}

fn entries_of(record: &[u8]) -> impl Iterator<Item = BootRecordEntry> {
    record[446..510].chunks_exact(16).map(|entry| BootRecordEntry {
        kind: entry[4],
        start: u64::from(number32(entry, 8)),
        sectors: u64::from(number32(entry, 12)),
    })
}

fn boot_record(
    image: &mut (impl Read + Seek),
    record: &[u8],
    length: u64,
) -> Result<Vec<Partition>, TableError> {
    let mut found = Vec::new();
    let mut extended = None;
    for (entry, number) in entries_of(record).zip(1..) {
        match entry.kind {
            0 => {}
            kind if EXTENDED.contains(&kind) => extended = Some(entry.start),
            _ => found.push(of_sectors(number, entry.start, entry.sectors)),
        }
    }
    if let Some(first) = extended {
        logical(image, first, length, &mut found)?;
    }
    Ok(found)
}

/// Partitions within the extended one, each with a record before it that names the next record. They count from 5 on.
fn logical(
    image: &mut (impl Read + Seek),
    first: u64,
    length: u64,
    found: &mut Vec<Partition>,
) -> Result<(), TableError> {
    let mut at_sector = first;
    for number in 5..5 + ENTRIES_MAX {
        let record = at(image, at_sector * 512, 512, length)?;
        let Some(record) = record.filter(|record| record[510..512] == [0x55, 0xaa]) else {
            return Err(TableError::Damaged("the extended partition holds no record of its partitions"));
        };
        let mut entries = entries_of(&record);
        if let Some(own) = entries.next().filter(|entry| entry.kind != 0) {
            found.push(of_sectors(number, at_sector + own.start, own.sectors));
        }
        match entries.next().filter(|entry| EXTENDED.contains(&entry.kind)) {
            // The next record is named from the first one on; one that leads nowhere else would never end.
            Some(next) if next.start > 0 && first + next.start != at_sector => at_sector = first + next.start,
            _ => return Ok(()),
        }
    }
    Err(TableError::Damaged("its records lead to each other without end"))
}

fn of_sectors(number: u32, start: u64, sectors: u64) -> Partition {
    Partition { number, start: start * 512, length: ByteCount::new(sectors * 512) }
}

fn guid_table(image: &mut (impl Read + Seek), length: u64) -> Result<Vec<Partition>, TableError> {
    for sector in SECTORS {
        if let Some(header) = at(image, sector, 92, length)?.filter(|header| header.starts_with(b"EFI PART"))
        {
            return entries_of_guid_table(image, &header, sector, length);
        }
    }
    Err(TableError::Damaged("it names a GPT, and there is none"))
}

fn entries_of_guid_table(
    image: &mut (impl Read + Seek),
    header: &[u8],
    sector: u64,
    length: u64,
) -> Result<Vec<Partition>, TableError> {
    // The sum of the header is taken with zeros in its own place.
    let mut summed = header.to_vec();
    summed[16..20].fill(0);
    if number32(header, 12) != 92 || sum(&summed) != number32(header, 16) {
        return Err(TableError::Damaged("the sum of its header is wrong"));
    }
    let (count, size) = (number32(header, 80), number32(header, 84));
    if count > ENTRIES_MAX || !(128..=4096).contains(&size) {
        return Err(TableError::Damaged("it has too many entries, or too long ones"));
    }
    let start = number64(header, 72)
        .checked_mul(sector)
        .ok_or(TableError::Damaged("it lies outside of the image"))?;
    let entries = at(image, start, (count * size) as usize, length)?;
    let entries = entries.ok_or(TableError::Damaged("it lies outside of the image"))?;
    if sum(&entries) != number32(header, 88) {
        return Err(TableError::Damaged("the sum of its entries is wrong"));
    }
    let used = entries.chunks_exact(size as usize).zip(1..).filter(|(entry, _)| entry[..16] != [0; 16]);
    used.map(|(entry, number)| of_entry(number, entry, sector)).collect()
}

fn of_entry(number: u32, entry: &[u8], sector: u64) -> Result<Partition, TableError> {
    let (first, last) = (number64(entry, 32), number64(entry, 40));
    let sectors = last.checked_sub(first).and_then(|more| more.checked_add(1));
    let bytes = |sectors: u64| sectors.checked_mul(sector);
    let start = bytes(first).zip(sectors.and_then(bytes));
    let (start, length) = start.ok_or(TableError::Damaged("a partition ends before it begins"))?;
    Ok(Partition { number, start, length: ByteCount::new(length) })
}

fn number32(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn number64(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[expect(clippy::cast_possible_truncation, reason = "a sum of 32 bits")]
fn sum(bytes: &[u8]) -> u32 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32IsoHdlc, bytes) as u32
}

/// How much of an image is looked at for one.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// A kind of partition table that is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OtherTable {
    /// A disklabel of BSD.
    #[error("BSD")]
    Bsd,
    /// A label of Sun.
    #[error("Sun")]
    Sun,
    /// A disk label of SGI.
    #[error("SGI")]
    Sgi,
    /// A volume label of an IBM mainframe's DASD.
    #[error("DASD")]
    Dasd,
    /// A root sector of an Atari.
    #[error("Atari")]
    Atari,
    /// A rigid disk block of an Amiga.
    #[error("Amiga")]
    Amiga,
    /// A partition map of Apple.
    #[error("Apple")]
    Apple,
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
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn read(image: &[u8]) -> Result<Option<Vec<Partition>>, TableError> {
        table(&mut Cursor::new(image), image.len() as u64)
    }

    fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
        image[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// An entry of a boot record in a sector, in sectors.
    fn entry(image: &mut [u8], record: usize, index: usize, kind: u8, start: u32, sectors: u32) {
        let at = record * 512 + 446 + index * 16;
        image[at + 4] = kind;
        put(image, at + 8, &start.to_le_bytes());
        put(image, at + 12, &sectors.to_le_bytes());
        put(image, record * 512 + 510, &[0x55, 0xaa]);
    }

    fn part(number: u32, start: u64, sectors: u64) -> Partition {
        of_sectors(number, start, sectors)
    }

    #[test]
    fn a_boot_record_and_its_logical_partitions_are_read() {
        let mut image = vec![0; 512 * 100];
        entry(&mut image, 0, 0, 0x83, 8, 8);
        entry(&mut image, 0, 2, 0x05, 20, 60);
        entry(&mut image, 20, 0, 0x83, 2, 10);
        entry(&mut image, 20, 1, 0x05, 30, 20);
        entry(&mut image, 50, 0, 0x07, 1, 19);
        let found = read(&image).expect("a table").expect("partitions");
        assert_eq!(found, [part(1, 8, 8), part(5, 22, 10), part(6, 51, 19)]);
        // A record that leads back to another one ends all the same.
        entry(&mut image, 50, 1, 0x05, 15, 20);
        entry(&mut image, 35, 1, 0x05, 30, 20);
        assert!(read(&image).is_err());
    }

    /// A GPT with one partition, sectors 40 to 79, as its second entry.
    fn guid_image() -> Vec<u8> {
        let mut image = vec![0; 512 * 100];
        entry(&mut image, 0, 0, PROTECTIVE, 1, 99);
        let second = 1024 + 128;
        put(&mut image, second, &[7; 16]);
        put(&mut image, second + 32, &40u64.to_le_bytes());
        put(&mut image, second + 40, &79u64.to_le_bytes());
        put(&mut image, 512, b"EFI PART");
        put(&mut image, 512 + 12, &92u32.to_le_bytes());
        put(&mut image, 512 + 72, &2u64.to_le_bytes());
        put(&mut image, 512 + 80, &4u32.to_le_bytes());
        put(&mut image, 512 + 84, &128u32.to_le_bytes());
        let entries = sum(&image[1024..1024 + 512]);
        put(&mut image, 512 + 88, &entries.to_le_bytes());
        let header = sum(&image[512..512 + 92]);
        put(&mut image, 512 + 16, &header.to_le_bytes());
        image
    }

    #[test]
    fn a_guid_table_is_read_and_a_damaged_one_is_not() {
        let image = guid_image();
        assert_eq!(read(&image).expect("a table").expect("partitions"), [part(2, 40, 40)]);
        for byte in [512 + 30, 1024 + 128 + 33] {
            let mut damaged = image.clone();
            damaged[byte] ^= 1;
            assert!(matches!(read(&damaged), Err(TableError::Damaged(_))), "{byte}");
        }
        assert!(read(&image[..512 * 60]).is_err(), "a partition beyond the end");
        assert!(matches!(read(&[0; 4096]), Ok(None)));
        assert!(matches!(read(&[0; 100]), Ok(None)));
    }

    proptest! {
        #[test]
        fn whatever_is_found_lies_within(
            noise in prop::collection::vec((0usize..51_200, any::<u8>()), 0..60),
            guid in any::<bool>(),
        ) {
            let mut image = if guid { guid_image() } else { vec![0; 512 * 100] };
            entry(&mut image, 0, 3, if guid { PROTECTIVE } else { 0x05 }, 1, 99);
            noise.into_iter().for_each(|(at, byte)| image[at] = byte);
            if let Ok(Some(found)) = read(&image) {
                prop_assert!(found.iter().all(|one| one.start >= 512 && one.start + one.length.get() <= 51_200));
            }
        }
    }

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
