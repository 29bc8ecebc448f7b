//! The page of what was ever written to drives: all of them beside each other, then each with all that it says.

use super::document::{LifetimeDocument, LifetimeDrive};
use super::lines::{known, lines};
use crate::format::bytes;
use crate::html::table;
use crate::still::{close, notices, open};

/// The whole page.
pub fn lifetime_html(document: &LifetimeDocument) -> String {
    let title = match document.drives.as_slice() {
        [drive] => drive.model.clone().unwrap_or_else(|| drive.device.clone()),
        drives => format!("{} drives", drives.len()),
    };
    let lead = "What was ever written to a drive, by its own counters and by the ext4 file systems on it. Only a unit that a \
                standard or the name of an attribute states is believed; what a drive does not count is not known.";
    let mut page = open(&title, "drivelab · lifetime", lead);
    if document.drives.len() > 1 {
        side_by_side(&mut page, &document.drives);
    }
    document.drives.iter().for_each(|drive| of_drive(&mut page, drive));
    close(&mut page);
    page
}

fn side_by_side(page: &mut String, drives: &[LifetimeDrive]) {
    page.push_str("<section><h2>Beside each other</h2>\n");
    let heads =
        ["drive", "size", "host writes", "drive fills", "wear", "powered", "write amplification since"];
    table::open(page, "", "Drives beside each other", &heads);
    for drive in drives {
        let host = drive.host_bytes();
        let fills = host.map(|host| host as f64 / drive.size_bytes.max(1) as f64);
        let cells = [
            bytes(drive.size_bytes),
            known(host),
            told(fills.map(|fills| format!("{fills:.1}"))),
            told(drive.percentage_used.map(|used| format!("{used} %"))),
            told(drive.power_on_hours.map(|hours| format!("{hours} h"))),
            told(
                drive
                    .since
                    .as_ref()
                    .and_then(|since| since.write_amplification)
                    .map(|ratio| format!("{ratio:.2}")),
            ),
        ];
        table::row(page, &name(drive), &cells);
    }
    table::close(page);
    page.push_str("</section>\n");
}

fn told(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "-".to_owned())
}

fn name(drive: &LifetimeDrive) -> String {
    let words = [Some(drive.device.as_str()), drive.model.as_deref(), drive.serial.as_deref()];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn of_drive(page: &mut String, drive: &LifetimeDrive) {
    page.push_str("<section><h2>");
    page.push_str(&crate::html::Escaped(&name(drive)).to_string());
    page.push_str("</h2>\n");
    notices(page, drive.notices.iter().map(String::as_str));
    table::open(page, "", &name(drive), &["figure", "value"]);
    table::row(page, "size", &[bytes(drive.size_bytes)]);
    lines(drive).into_iter().for_each(|(name, value)| table::row(page, name, &[value]));
    table::close(page);
    page.push_str("</section>\n");
}

#[cfg(test)]
mod tests {
    use super::super::document::{LIFETIME_SCHEMA, WrittenDocument};
    use super::*;

    #[test]
    fn several_drives_stand_beside_each_other_and_one_does_not() {
        let drive = |device: &str, host: Option<u64>| LifetimeDrive {
            device: device.to_owned(),
            size_bytes: 1_000_000_000_000,
            percentage_used: Some(7),
            host: host
                .map(|host| WrittenDocument {
                    source: "counter".to_owned(),
                    raw: host,
                    unit_bytes: Some(1_000_000_000),
                    bytes: Some(host * 1_000_000_000),
                })
                .into_iter()
                .collect(),
            ..LifetimeDrive::default()
        };
        let page = |drives: Vec<LifetimeDrive>| {
            lifetime_html(&LifetimeDocument { schema: LIFETIME_SCHEMA.to_owned(), taken_unix_s: 0, drives })
        };
        let both = page(vec![drive("/dev/a", Some(2_500)), drive("/dev/b", None)]);
        for cell in ["Beside each other", "2.50 TB", ">2.5<", ">7 %<", "not known"] {
            assert!(both.contains(cell), "{cell}: {both}");
        }
        assert!(!page(vec![drive("/dev/a", None)]).contains("Beside each other"));
    }
}
