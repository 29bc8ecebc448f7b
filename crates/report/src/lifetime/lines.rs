//! What is known of a drive's life, a line each.

use super::document::{LifetimeDrive, SinceDocument};
use crate::format::{bytes, percent};

/// What a line is of, and what it says.
pub(super) type Line = (&'static str, String);

/// Every line that there is something for.
pub(super) fn lines(drive: &LifetimeDrive) -> Vec<Line> {
    let mut lines = Vec::new();
    for (name, counters) in [("host writes", &drive.host), ("flash writes", &drive.flash)] {
        lines.extend(counters.iter().map(|counter| {
            let amount = counter.bytes.map_or_else(|| format!("{} (unit not known)", counter.raw), bytes);
            (name, format!("{amount}, {}", counter.source))
        }));
    }
    if let (Some(host), Some(own)) = (drive.host_pages, drive.own_pages) {
        lines.push(("pages", format!("{host} programmed for the host, {own} by the drive itself")));
    }
    if let Some(rated) = &drive.rated {
        let used = rated.used_share.map_or_else(|| "not known".to_owned(), percent);
        lines.push(("endurance", format!("{used} of {} written, as you rate it", bytes(rated.bytes))));
    }
    if let Some(used) = drive.percentage_used {
        lines.push(("wear", format!("{used} % of its rated endurance, by its own account")));
    }
    if let Some(hours) = drive.power_on_hours {
        lines.push(("powered", format!("{hours} hours")));
    }
    lines.extend(drive.ext4.iter().map(|found| {
        let (life, session) = (known(found.lifetime_bytes), known(found.session_bytes));
        ("ext4", format!("{life} in its lifetime, {session} since it was mounted: {}", found.device))
    }));
    lines.extend(drive.since.as_ref().map(|since| ("since then", since_line(since))));
    let written = drive.since.iter().flat_map(|since| &since.ext4);
    lines.extend(
        written.map(|one| ("since then", format!("{} to the ext4 on {}", bytes(one.bytes), one.device))),
    );
    lines
}

/// An amount of bytes, or that it is not known.
pub(super) fn known(amount: Option<u64>) -> String {
    amount.map_or_else(|| "not known".to_owned(), bytes)
}

fn since_line(since: &SinceDocument) -> String {
    let ratio = match since.write_amplification.zip(since.write_amplification_error) {
        Some((value, error)) => format!("write amplification {value:.2} (to {error:.2})"),
        None => "write amplification not known".to_owned(),
    };
    format!(
        "{} s: host {}, flash {}, {ratio}",
        since.seconds,
        known(since.host_bytes),
        known(since.flash_bytes)
    )
}
