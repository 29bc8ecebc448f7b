//! What was ever written, on the terminal.

use std::fmt::Write as _;

use super::document::{LifetimeDocument, LifetimeDrive};
use super::lines::lines;
use crate::format::bytes;
use crate::terminal::TerminalStyle;

/// Every drive with what is known of it.
pub fn lifetime_terminal(document: &LifetimeDocument, style: TerminalStyle) -> String {
    document.drives.iter().map(|drive| of_drive(drive, style)).collect::<Vec<_>>().join("\n")
}

fn of_drive(drive: &LifetimeDrive, style: TerminalStyle) -> String {
    let name = drive.model.as_ref().map_or_else(String::new, |model| format!("  {model}"));
    let serial = drive.serial.as_ref().map_or_else(String::new, |serial| format!("  {serial}"));
    let mut text =
        format!("{}\n", style.clean(&format!("{}{name}{serial}  {}", drive.device, bytes(drive.size_bytes))));
    for (name, value) in lines(drive) {
        let _ = writeln!(text, "  {name:<12} {}", style.clean(&value));
    }
    for notice in &drive.notices {
        style.wrap_plain(&mut text, "  ", notice);
    }
    text
}
