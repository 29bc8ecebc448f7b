//! Little-endian fields of structures of a fixed length. A field past the end is zero, as reserved fields are.

/// The byte at this place.
pub fn byte(data: &[u8], at: usize) -> u8 {
    data.get(at).copied().unwrap_or(0)
}

/// A field of two bytes.
pub fn word(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([byte(data, at), byte(data, at + 1)])
}

/// A field of four bytes.
pub fn dword(data: &[u8], at: usize) -> u32 {
    u32::from(word(data, at)) | u32::from(word(data, at + 2)) << 16
}
