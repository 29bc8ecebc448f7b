//! The serial number of a drive, from wherever its driver shows it.

use std::path::Path;

use crate::system::{nonempty_text, raw_text};
use crate::udev::UdevRecord;

/// The serial of the drive whose sysfs folder this is. The kernel's own word comes before udev's, because
/// udev's record stays behind when it is not running or was restarted.
pub(crate) fn read(folder: &Path, udev: &UdevRecord) -> Option<String> {
    // NVMe shows it at the controller, virtio at the disk, SCSI in a page of the drive's own answers.
    ["device/serial", "serial"]
        .iter()
        .find_map(|file| nonempty_text(&folder.join(file)))
        .or_else(|| raw_text(&folder.join("device/vpd_pg80")).and_then(|page| unit_serial(&page)))
        .or_else(|| udev.property(&["ID_SCSI_SERIAL", "ID_SERIAL_SHORT"]))
        .filter(|serial| !serial.chars().any(char::is_control))
}

/// The text of SCSI's unit serial number page (0x80): a header of four bytes, the last two the length.
fn unit_serial(page: &[u8]) -> Option<String> {
    let header = page.get(..4)?;
    if header[1] != 0x80 {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let field = page.get(4..4 + length)?;
    let serial: String = field
        .iter()
        .filter(|byte| byte.is_ascii_graphic() || **byte == b' ')
        .map(|byte| char::from(*byte))
        .collect();
    Some(serial.trim().to_owned()).filter(|serial| !serial.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_gives_its_text_without_padding() {
        assert_eq!(unit_serial(b"\x00\x80\x00\x08  S3Z9NB").as_deref(), Some("S3Z9NB"));
        assert_eq!(unit_serial(b"\x00\x80\x00\x06WD\x00 12 ").as_deref(), Some("WD 12"));
    }

    #[test]
    fn a_page_that_lies_about_its_length_gives_nothing() {
        assert_eq!(unit_serial(b"\x00\x80\xff\xffS3"), None);
        assert_eq!(unit_serial(b"\x00\x83\x00\x02S3"), None);
        assert_eq!(unit_serial(b"\x00"), None);
        assert_eq!(unit_serial(b"\x00\x80\x00\x02  "), None);
    }

    #[test]
    fn a_serial_that_no_terminal_shows_and_nobody_can_type_confirms_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = |serial: &str| {
            std::fs::write(folder.path().join("serial"), serial).expect("a serial");
            read(folder.path(), &UdevRecord::default())
        };
        assert_eq!(read("S3Z9NB\n").as_deref(), Some("S3Z9NB"));
        assert_eq!(read("S3\u{1b}[2J"), None);
    }
}
