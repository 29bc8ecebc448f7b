//! Figures of drives; tables of boots, of units and of programs.

use drivelab_view::{Better, Cell, Columns, Figures, Quantity, Ranking, Row, Table};

use super::shown;
use crate::MeanOverRuns;
use crate::boot::{BootFindings, BootPage, BootedDrive, OneBoot, ProgramFindings, UnitFindings};

/// More rows than these of a drive say little.
const MOST: usize = 20;

/// How long each part of each boot took.
pub fn boots(found: &BootFindings) -> Table {
    let columns = Columns::<OneBoot>::new()
        .with("Firmware", Quantity::Nanoseconds, |boot| time(boot.seconds.firmware))
        .with("Boot loader", Quantity::Nanoseconds, |boot| time(boot.seconds.loader))
        .with("Kernel", Quantity::Nanoseconds, |boot| time(Some(boot.seconds.kernel)))
        .with("Initramfs", Quantity::Nanoseconds, |boot| time(boot.seconds.initrd))
        .with("User space", Quantity::Nanoseconds, |boot| time(boot.seconds.userspace))
        .with("Whole boot", Quantity::Nanoseconds, |boot| time(boot.seconds.total))
        .with("Default target", Quantity::Nanoseconds, |boot| time(Some(boot.target.as_ref()?.reached_s)))
        .with("Read", Quantity::Bytes, |boot| boot.read_bytes)
        .with("Highest rate", Quantity::BytesPerSecond, |boot| boot.peak.map(|peak| peak.bytes_per_s));
    let mut table = columns
        .table("boots", "How long each part took", "Boot")
        .with_note("The default target's time begins with the kernel, as that of the whole boot.");
    table.rows.extend(found.boots.iter().map(|boot| Row {
        head: name(&boot.folder),
        subject: found.drives.iter().position(|drive| drive.label == boot.drive),
        group: (found.drives.len() > 1).then(|| boot.drive.clone()),
        cells: columns.cells(boot),
    }));
    // Few machines report the times of their firmware.
    table.leave_out_empty_columns();
    table
}

/// A time in seconds, in nanoseconds.
fn time(seconds: Option<f64>) -> Option<f64> {
    seconds.map(|seconds| seconds * 1e9)
}

pub fn units_by_time(page: &BootPage<'_>) -> Table {
    units(page, "units-time", "Units whose start took longest", |unit| unit.took_s).with_note(
        "A unit may have waited for another one meanwhile: what holds a boot up is its longest chain, and not each of these.",
    )
}

pub fn units_by_io(page: &BootPage<'_>) -> Table {
    // What a slice reads is the sum of what its units read.
    let is_sum = |unit: &UnitFindings| unit.name.rsplit_once('.').is_some_and(|(_, kind)| kind == "slice");
    units(page, "units-io", "Units that read most", |unit| {
        unit.read_bytes.filter(|bytes| *bytes > 0 && !is_sum(unit)).map(|bytes| bytes as f64)
    })
}

fn units(
    page: &BootPage<'_>,
    id: &str,
    caption: &str,
    order: impl Fn(&UnitFindings) -> Option<f64>,
) -> Table {
    let columns = Columns::<UnitFindings>::new()
        .with("Start began", Quantity::Nanoseconds, |unit| time(Some(unit.began_s)))
        .with("Start took", Quantity::Nanoseconds, |unit| time(unit.took_s))
        .with("Processor time", Quantity::Nanoseconds, |unit| time(unit.processor_s))
        .with("Read", Quantity::Bytes, |unit| unit.read_bytes)
        .with("Written", Quantity::Bytes, |unit| unit.written_bytes);
    filled(
        page,
        columns.table(id, caption, "Unit"),
        &columns,
        |boot| most(&boot.units, &order),
        |unit| &unit.name,
    )
}

/// The table with rows of each boot that is shown, below the name of its drive where there are several.
fn filled<R>(
    page: &BootPage<'_>,
    mut table: Table,
    columns: &Columns<'_, R>,
    rows: impl Fn(&OneBoot) -> Vec<&R>,
    head: impl Fn(&R) -> &str,
) -> Table {
    for (subject, boot) in shown(page) {
        table.rows.extend(rows(boot).into_iter().map(|one| Row {
            head: head(one).to_owned(),
            subject: Some(subject),
            group: (page.shown.len() > 1).then(|| boot.drive.clone()),
            cells: columns.cells(one),
        }));
    }
    table
}

pub fn programs_by_io(page: &BootPage<'_>) -> Table {
    let order = |program: &ProgramFindings| Some(program.read_bytes as f64).filter(|bytes| *bytes > 0.0);
    programs(page, "programs-io", "Programs that read most", order).with_note(
        "Reads belong to the program that issued them; what programs write is mostly issued by threads of the kernel later.",
    )
}

/// The programs that ran longest, those left out that ran on after the boot.
pub fn programs_by_time(page: &BootPage<'_>) -> Table {
    let order = |program: &ProgramFindings| Some(program.lived_s).filter(|_| program.runs > 0);
    programs(page, "programs-time", "Programs whose processes lived longest", order)
}

fn programs(
    page: &BootPage<'_>,
    id: &str,
    caption: &str,
    order: impl Fn(&ProgramFindings) -> Option<f64>,
) -> Table {
    let runs = |program: &ProgramFindings| Some(program.runs).filter(|runs| *runs > 0);
    let columns = Columns::<ProgramFindings>::new()
        .with("Started first", Quantity::Nanoseconds, |program| time(program.began_s))
        .with("Starts", Quantity::Count, runs)
        .with("Lived", Quantity::Nanoseconds, |program| time(runs(program).map(|_| program.lived_s)))
        .with("Read", Quantity::Bytes, |program| program.read_bytes)
        .with("Written", Quantity::Bytes, |program| program.written_bytes)
        .with("Requests", Quantity::Count, |program| program.requests);
    let table = columns.table(id, caption, "Program");
    filled(
        page,
        table,
        &columns,
        |boot| most(&boot.programs, &order),
        |program| match program.name.as_str() {
            "" => "not known",
            name => name,
        },
    )
}

/// Those with the highest values; those without a value are left out.
fn most<T>(all: &[T], order: impl Fn(&T) -> Option<f64>) -> Vec<&T> {
    let mut valued: Vec<(f64, &T)> = all.iter().filter_map(|one| Some((order(one)?, one))).collect();
    valued.sort_by(|one, other| other.0.total_cmp(&one.0));
    valued.into_iter().take(MOST).map(|(_, one)| one).collect()
}

/// The last part of a folder's path.
fn name(folder: &str) -> String {
    folder.trim_end_matches('/').rsplit('/').next().unwrap_or(folder).to_owned()
}

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
