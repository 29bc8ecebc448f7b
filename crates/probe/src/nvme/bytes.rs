//! Little-endian fields of structures of a fixed length. A field past the end is zero, as reserved fields are.

pub fn byte(data: &[u8], at: usize) -> u8 {
    data.get(at).copied().unwrap_or(0)
}

pub fn word(data: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([byte(data, at), byte(data, at + 1)])
}

pub fn dword(data: &[u8], at: usize) -> u32 {
    u32::from(word(data, at)) | u32::from(word(data, at + 2)) << 16
}

/// A field of 16 bytes.
pub fn wide(data: &[u8], at: usize) -> u128 {
    (0..16).rev().fold(0, |value, place| value << 8 | u128::from(byte(data, at + place)))
}
