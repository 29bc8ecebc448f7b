//! The answers: how long a machine takes to boot, and from which drive it boots faster.

use drivelab_view::format::{bytes, capitalised, count, digits, each_once, nanos, percent, rate};
use drivelab_view::{Block, Quantity, Tone, Verdict};

use super::boot;
use crate::MeanOverRuns;
use crate::boot::{BootComparison, BootPage, BootedDrive, OneBoot};

/// How much faster the fastest drive boots than another one, as far as the boots show it.
pub fn comparison(found: &BootComparison) -> String {
    let (fastest, other) = (&found.fastest, &found.other);
    let times = digits(found.times_as_long);
    match found.interval {
        Some(ends) if ends.low > 1.0 => {
            let (low, high) = (digits(ends.low), digits(ends.high));
            format!(
                "The machine boots {times} times ({low} to {high}) as fast from {fastest} as from {other}."
            )
        }
        Some(_) => format!(
            "It is not shown that the machine boots faster from {fastest} than from {other}: its mean is {times} times as fast, \
             and boots differ by as much."
        ),
        None => format!(
            "The machine booted {times} times as fast from {fastest} as from {other}; single boots do not show that others would \
             be."
        ),
    }
}

/// How long a machine takes to boot from a drive, and what that consists of.
pub fn verdict(page: &BootPage<'_>, place: usize, drive: &BootedDrive) -> Block {
    let one = boot(page, page.shown[place]);
    let mut verdict = if drive.finished == 0 {
        Verdict::on(place, Tone::Bad, "Not finished", "The boot did not come to its end.")
    } else {
        Verdict::on(place, Tone::Neutral, &seconds(drive.total_s.mean), sentence(drive))
    };
    verdict.details.push(parts(one, drive.boots > 1));
    verdict.details.extend(drive_busy(one));
    verdict.details.extend(processors(one));
    verdict.details.extend(own_reads(one));
    let own = page.findings.boots.iter().filter(|boot| boot.drive == drive.label);
    verdict.notices = each_once(own.flat_map(|boot| &boot.notices).cloned());
    Block::Verdict(verdict)
}

fn sentence(drive: &BootedDrive) -> String {
    let boots = match drive.finished {
        1 => "one boot".to_owned(),
        several => format!("mean of {} boots", count(several as f64)),
    };
    let target = if drive.target_s.runs > 0 {
        format!(", and reaches the default target after {}", seconds(drive.target_s.mean))
    } else {
        String::new()
    };
    format!(
        "The machine boots in {} from the kernel's beginning ({boots}){target}; it reads {}, at most {} over 0.1 s.",
        with_interval(&drive.total_s),
        bytes(drive.read_bytes.mean),
        Quantity::BytesPerSecond.text(drive.peak_read_bytes_per_s.mean)
    )
}

/// What the time of one boot consists of.
fn parts(boot: &OneBoot, is_one_of_several: bool) -> String {
    let found = &boot.seconds;
    let named = [
        ("firmware", found.firmware),
        ("boot loader", found.loader),
        ("kernel", Some(found.kernel)),
        ("initramfs", found.initrd),
        ("user space", found.userspace),
    ];
    let known = named.into_iter().filter_map(|(name, time)| Some(format!("{name} {}", seconds(time?))));
    let lead = if is_one_of_several { "Of the median boot: " } else { "" };
    capitalised(&format!("{lead}{}.", known.collect::<Vec<_>>().join(", ")))
}

/// How much of the time a faster drive could save at most.
fn drive_busy(boot: &OneBoot) -> Option<String> {
    let total = boot.seconds.total?;
    Some(format!(
        "At least one request was with the drive for {} ({} of the time): no faster drive can save more than that.",
        nanos(boot.drive_busy_s * 1e9),
        percent(boot.drive_busy_s / total)
    ))
}

fn processors(boot: &OneBoot) -> Option<String> {
    let spent = boot.processors?;
    Some(format!(
        "The processors were busy for {} of the time, and idle while a program waited for I/O for {}.",
        percent(spent.busy),
        percent(spent.waiting)
    ))
}

/// The program that keeps the boot is read from the drive, too.
fn own_reads(boot: &OneBoot) -> Option<String> {
    let own = boot.programs.iter().find(|program| program.name == "drivelab")?;
    (own.read_bytes > 0).then(|| {
        let share = own.read_bytes as f64 / boot.read_bytes.max(1) as f64;
        format!(
            "Of what was read, {} ({}) were drivelab itself.",
            bytes(own.read_bytes as f64),
            percent(share)
        )
    })
}

fn with_interval(mean: &MeanOverRuns) -> String {
    match mean.interval {
        Some(ends) => format!("{} ({} to {})", seconds(mean.mean), rate(ends.low), rate(ends.high)),
        None => seconds(mean.mean),
    }
}

/// Seconds with three digits.
fn seconds(time: f64) -> String {
    format!("{} s", digits(time))
}
