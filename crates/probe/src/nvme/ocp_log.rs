//! The SMART / Health Information Extended log of the Open Compute Project.

use super::bytes::wide;

/// What names the log (log page GUID, bytes 511:496, least byte first): AFD514C97C6F4F9CA4F2BFEA2810AFC5.
const GUID: u128 = 0xafd5_14c9_7c6f_4f9c_a4f2_bfea_2810_afc5;
/// Bytes of the log.
const LENGTH: usize = 512;

/// What the log says of writes. Source: OCP Datacenter NVMe SSD Specification 2.0, SMART-1 and SMART-23.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OcpLog {
    /// Bytes written to the flash, for the host and for the drive itself (Physical Media Units Written, bytes 15:0).
    pub flash_written: u128,
}

impl OcpLog {
    /// Reads the 512 bytes of the log page C0h; `None` for any other length, and where they are not this log: other vendors have
    /// one of their own under that number.
    pub fn parse(data: &[u8]) -> Option<OcpLog> {
        (data.len() == LENGTH && wide(data, 496) == GUID).then(|| OcpLog { flash_written: wide(data, 0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_with_another_guid_or_length_is_none() {
        let mut data = vec![0; LENGTH];
        data[0..16].copy_from_slice(&(5_u128 << 64 | 7).to_le_bytes());
        assert_eq!(OcpLog::parse(&data), None, "no GUID");
        let guid =
            [0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf];
        data[496..].copy_from_slice(&guid);
        assert_eq!(OcpLog::parse(&data), Some(OcpLog { flash_written: 5 << 64 | 7 }));
        assert_eq!(OcpLog::parse(&data[..511]), None);
        data[511] ^= 1;
        assert_eq!(OcpLog::parse(&data), None, "another GUID");
    }
}
