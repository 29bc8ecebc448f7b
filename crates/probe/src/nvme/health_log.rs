//! The thermal part of the SMART / Health Information log (02h), and the extended log of the Open Compute Project.

use drivelab_block::growing_counters;
use drivelab_decode::dword;

use super::wide;

/// Bytes of each log.
const LENGTH: usize = 512;

growing_counters! {
    /// Counters of heat, which only grow.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ThermalCounters {
        /// Minutes at or above the warning temperature (bytes 195:192).
        pub warning_minutes: u32,
        /// Minutes at or above the critical temperature (bytes 199:196).
        pub critical_minutes: u32,
        /// How often light throttling began (thermal management temperature 1, bytes 219:216).
        pub light_transitions: u32,
        /// How often heavy throttling began (thermal management temperature 2, bytes 223:220).
        pub heavy_transitions: u32,
        /// Seconds of light throttling (bytes 227:224).
        pub light_seconds: u32,
        /// Seconds of heavy throttling (bytes 231:228).
        pub heavy_seconds: u32,
    }
}

/// Data units that the host wrote, each of a thousand blocks of 512 bytes (bytes 63:48), from the 512 bytes of the log; `None`
/// for any other length.
pub fn data_units_written(data: &[u8]) -> Option<u128> {
    (data.len() == LENGTH).then(|| wide(data, 48))
}

impl ThermalCounters {
    /// Reads the 512 bytes of the log; `None` for any other length.
    pub fn parse(data: &[u8]) -> Option<ThermalCounters> {
        (data.len() == LENGTH).then(|| ThermalCounters {
            warning_minutes: dword(data, 192),
            critical_minutes: dword(data, 196),
            light_transitions: dword(data, 216),
            heavy_transitions: dword(data, 220),
            light_seconds: dword(data, 224),
            heavy_seconds: dword(data, 228),
        })
    }
}

/// What names the log (log page GUID, bytes 511:496, least byte first): AFD514C97C6F4F9CA4F2BFEA2810AFC5.
const GUID: u128 = 0xafd5_14c9_7c6f_4f9c_a4f2_bfea_2810_afc5;
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
    fn counters_are_read_and_subtracted() {
        let mut data = vec![0; LENGTH];
        for (value, at) in [192, 196, 216, 220, 224, 228].into_iter().enumerate() {
            data[at] = u8::try_from(value).expect("a small number") + 1;
        }
        let counters = ThermalCounters {
            warning_minutes: 1,
            critical_minutes: 2,
            light_transitions: 3,
            heavy_transitions: 4,
            light_seconds: 5,
            heavy_seconds: 6,
        };
        assert_eq!(ThermalCounters::parse(&data), Some(counters));
        let later = ThermalCounters { light_seconds: 65, heavy_seconds: 0, ..counters };
        let moved = ThermalCounters { light_seconds: 60, ..ThermalCounters::default() };
        assert_eq!(later.since(&counters), moved);
    }

    #[test]
    fn a_log_of_another_length_is_none() {
        assert_eq!(ThermalCounters::parse(&[0; 511]), None);
        assert_eq!(ThermalCounters::parse(&[0; 4096]), None);
        assert_eq!(ThermalCounters::parse(&[0; 512]), Some(ThermalCounters::default()));
    }

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
