//! What a sector of 512 bytes holds that says who it is.
//!
//! | bytes | what |
//! |---|---|
//! | 0-7 | `drivelab` |
//! | 8-15 | the run |
//! | 16-23 | the number of the write from 0: in its stream, or of those to its place |
//! | 24-31 | the sector's own address, in sectors of 512 bytes |
//! | 32-39 | when the block was made, in nanoseconds of the run's clock |
//! | 40-43 | the generation: how often the place was written before |
//! | 44-507 | bytes that differ with every write and cannot be compressed |
//! | 508-511 | CRC-32C (Castagnoli) of all before |
//!
//! All numbers are little-endian.

/// Bytes of a sector.
pub(crate) const SECTOR: usize = 512;
/// What every sector begins with.
pub(crate) const MAGIC: [u8; 8] = *b"drivelab";
/// Where the sector's own address is.
pub(crate) const ADDRESS: usize = 24;
/// Where the bytes begin that differ with every write.
pub(crate) const BODY: usize = 44;
/// Where the checksum is.
pub(crate) const CHECKSUM: usize = SECTOR - 4;
