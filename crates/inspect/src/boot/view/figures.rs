//! The figures of each drive.

use drivelab_view::{Better, Cell, Figures, Quantity, Ranking};

use crate::MeanOverRuns;
use crate::boot::{BootFindings, BootedDrive};

pub fn figures(found: &BootFindings) -> Figures {
    let drives = &found.drives;
    let mut figures = Figures::new("figures", drives.len(), ranking(found));
    let mut add = |names, quantity, better, of: &dyn Fn(&BootedDrive) -> &MeanOverRuns| {
        let scale = if quantity == Quantity::Nanoseconds { 1e9 } else { 1.0 };
        let cell = |drive: &BootedDrive| match of(drive) {
            mean if mean.runs == 0 => Cell::Nothing,
            mean => mean.value(quantity, scale).into(),
        };
        figures.add(names, quantity, better, drives.iter().map(cell).collect());
    };
    add(("Time", "whole boot"), Quantity::Nanoseconds, Better::Low, &|drive| &drive.total_s);
    add(("Time", "until the default target"), Quantity::Nanoseconds, Better::Low, &|drive| &drive.target_s);
    add(("Time", "with requests at the drive"), Quantity::Nanoseconds, Better::Neither, &|drive| {
        &drive.drive_busy_s
    });
    add(("Reading", "read"), Quantity::Bytes, Better::Neither, &|drive| &drive.read_bytes);
    add(("Reading", "highest rate over 0.1 s"), Quantity::BytesPerSecond, Better::High, &|drive| {
        &drive.peak_read_bytes_per_s
    });
    let boots = drives.iter().map(|drive| Cell::count(Quantity::Count, Some(drive.finished))).collect();
    figures.add(("Boots", "finished"), Quantity::Count, Better::Neither, boots);
    figures.notes.push(
        "Times begin with the kernel: those of firmware and boot loader come before. An initramfs without systemd is part of the \
         kernel's time. A mean over several boots has its 95 % confidence interval."
            .to_owned(),
    );
    figures
}

/// Boots of different machines or kernels are not those of one system, and single ones show no difference.
fn ranking(found: &BootFindings) -> Ranking {
    let Some(first) = found.boots.first() else { return Ranking::Ranked };
    if found.boots.iter().any(|boot| boot.kernel != first.kernel) {
        return Ranking::NotRanked("The kernels differ.".to_owned());
    }
    if found.boots.iter().any(|boot| boot.machine != first.machine) {
        return Ranking::NotRanked("The machines differ.".to_owned());
    }
    if found.drives.len() > 1 && found.drives.iter().any(|drive| drive.finished < 2) {
        return Ranking::NotRanked("A single boot does not show how much boots differ.".to_owned());
    }
    Ranking::Ranked
}
