//! Partition tables: GPT (UEFI specification 2.10, chapter 5) and the older one of the master boot record.

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

/// A part of an image.
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
}
