//! What is shown of boots.

mod charts;
mod tables;
mod verdict;

use drivelab_documents::{ClockTime, Condition};
use drivelab_view::format::{bytes, count};
use drivelab_view::{Block, Conditions, Section, Subject, View};

use super::{BootFindings, BootPage, BootedDrive, OneBoot};

/// The view of boots.
pub fn view(page: &BootPage<'_>) -> View {
    let found = &page.findings;
    let mut head: Vec<Block> = found.comparisons.iter().map(verdict::comparison).map(Block::Text).collect();
    head.extend(found.drives.iter().enumerate().map(|(place, drive)| verdict::verdict(page, place, drive)));
    let mut sections = vec![Section::summary(None, head)];
    sections.push(Section::summary(Some("Figures"), vec![Block::Figures(tables::figures(found))]));
    sections.push(Section::summary(Some("Each boot"), vec![Block::Table(tables::boots(found))]));
    sections.push(Section::full("The course of a boot", charts::charts(page)));
    let tables = [tables::units_by_time(page), tables::units_by_io(page)];
    sections.push(Section::full("Units", tables.into_iter().map(Block::Table).collect()));
    let tables = [tables::programs_by_io(page), tables::programs_by_time(page)];
    sections.push(Section::full("Programs", tables.into_iter().map(Block::Table).collect()));
    let conditions =
        Conditions { of_subjects: page.shown.iter().map(|place| conditions(boot(page, *place))).collect() };
    sections.push(Section::full("Conditions", vec![Block::Conditions(conditions)]));
    let title = match found.drives.as_slice() {
        [drive] if drive.boots == 1 => format!("A boot from {}", drive.label),
        [drive] => format!("{} boots from {}", count(drive.boots as f64), drive.label),
        drives => format!("Boots from {} drives", count(drives.len() as f64)),
    };
    let subjects = found.drives.iter().map(|drive| subject(found, drive)).collect();
    View { title, kind: "boot".to_owned(), name: "boot", subjects, sections }
}

/// The findings of a boot by the place of its report.
fn boot<'a>(page: &'a BootPage<'_>, place: usize) -> &'a OneBoot {
    let folder = &page.reports[place].folder;
    page.findings.boots.iter().find(|boot| boot.folder == *folder).unwrap_or(&page.findings.boots[0])
}

/// The boots that are shown in detail, each with the place of its drive.
fn shown<'a>(page: &'a BootPage<'_>) -> impl Iterator<Item = (usize, &'a OneBoot)> {
    page.shown.iter().enumerate().map(|(subject, place)| (subject, boot(page, *place)))
}

fn subject(found: &BootFindings, drive: &BootedDrive) -> Subject {
    let serial = drive.serial.as_ref().map(|serial| format!("serial {serial}"));
    let size = drive.size_bytes.map(|size| bytes(size as f64));
    let model = drive.model.clone().filter(|model| !drive.label.starts_with(model.as_str()));
    let parts: Vec<String> = [model, serial, size].into_iter().flatten().collect();
    let boots: Vec<&OneBoot> = found.boots.iter().filter(|boot| boot.drive == drive.label).collect();
    let origin = origin(&boots).into_iter().collect();
    Subject { origin, ..Subject::new(drive.label.clone(), parts.join(", ")) }
}

/// When and on which machines these boots were, and the versions that kept them.
fn origin(boots: &[&OneBoot]) -> Option<String> {
    let distinct = |name: fn(&OneBoot) -> &str| {
        let mut names: Vec<&str> = boots.iter().map(|boot| name(boot)).collect();
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    };
    let mut began: Vec<ClockTime> = boots.iter().filter_map(|boot| boot.began).collect();
    began.sort();
    let when = match began.as_slice() {
        [] => return None,
        [began] => began.in_words(),
        [first, .., last] => format!("from {} to {}", first.in_words(), last.in_words()),
    };
    let (machines, versions) = (distinct(|boot| &boot.machine), distinct(|boot| &boot.version));
    Some(format!("Booted {when} on {machines}, kept by drivelab {versions}"))
}

fn conditions(boot: &OneBoot) -> Vec<Condition> {
    let condition = |name: &str, value: &str| Condition::new("System", name, value);
    vec![
        condition("Shown in detail", &boot.folder),
        condition("Machine", &boot.machine),
        condition("Kernel", &boot.kernel),
        condition("Kernel's command line", &boot.command_line),
    ]
}
