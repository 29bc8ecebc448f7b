//! What was ever written, on the terminal.

use std::fmt::Write as _;

use super::document::{LifetimeDocument, LifetimeDrive, SinceDocument};
use crate::format::{bytes, percent};
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
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:<12} {}", style.clean(&value));
    };
    for (name, counters) in [("host writes", &drive.host), ("flash writes", &drive.flash)] {
        for counter in counters {
            let amount = counter.bytes.map_or_else(|| format!("{} (unit not known)", counter.raw), bytes);
            line(name, format!("{amount}, {}", counter.source));
        }
    }
    if let (Some(host), Some(own)) = (drive.host_pages, drive.own_pages) {
        line("pages", format!("{host} programmed for the host, {own} by the drive itself"));
    }
    if let Some(rated) = &drive.rated {
        let used = rated.used_share.map_or_else(|| "not known".to_owned(), percent);
        line("endurance", format!("{used} of {} written, as you rate it", bytes(rated.bytes)));
    }
    if let Some(used) = drive.percentage_used {
        line("wear", format!("{used} % of its rated endurance, by its own account"));
    }
    if let Some(hours) = drive.power_on_hours {
        line("powered", format!("{hours} hours"));
    }
    for found in &drive.ext4 {
        let shown = |amount: Option<u64>| amount.map_or_else(|| "not known".to_owned(), bytes);
        let (life, session) = (shown(found.lifetime_bytes), shown(found.session_bytes));
        line("ext4", format!("{life} in its lifetime, {session} since it was mounted: {}", found.device));
    }
    if let Some(since) = &drive.since {
        line("since then", since_line(since));
    }
    for notice in &drive.notices {
        style.wrap_plain(&mut text, "  ", notice);
    }
    text
}

fn since_line(since: &SinceDocument) -> String {
    let shown = |amount: Option<u64>| amount.map_or_else(|| "not known".to_owned(), bytes);
    let ratio = match since.write_amplification.zip(since.write_amplification_error) {
        Some((value, error)) => format!("write amplification {value:.2} (to {error:.2})"),
        None => "write amplification not known".to_owned(),
    };
    let (host, flash) = (shown(since.host_bytes), shown(since.flash_bytes));
    format!("{} s: host {host}, flash {flash}, {ratio}", since.seconds)
}
