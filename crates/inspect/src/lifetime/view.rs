//! What is shown of drives' lives.

use drivelab_documents::WriteCounter;
use drivelab_view::format::{bytes, capitalised, count, digits, percent, things};
use drivelab_view::{
    Better, Block, Cell, Columns, Figures, Quantity, Ranking, Row, Section, Subject, Table, Tone, Value,
    Verdict, View,
};

use super::findings::{DriveHealth, DriveLifetime, Ext4Counters, HealthState, LifetimeFindings};

/// What the reader has to know of the units of counters.
const ABOUT: &str = "A unit is shown only if a standard states it, or the name that smartctl's database has for the attribute of \
                     this drive, and if no other counter contradicts it; what a drive does not count is not known.";

/// The view of what was written to these drives.
pub fn view(found: &LifetimeFindings) -> View {
    let drives = &found.drives;
    let title = match drives.as_slice() {
        [] => "There is no drive".to_owned(),
        [drive] => format!("Lifetime of {}", drive.model.as_ref().unwrap_or(&drive.device)),
        drives => format!("Lifetime of {} drives", count(drives.len() as f64)),
    };
    let mut sections = vec![Section::summary(None, drives.iter().enumerate().map(verdict).collect())];
    let figures = figures(drives);
    if !figures.rows.is_empty() {
        sections.push(Section::summary(Some("Figures"), vec![Block::Figures(figures)]));
    }
    let tables = [counters(drives), file_systems(drives)].into_iter().filter(|table| !table.rows.is_empty());
    let tables: Vec<Block> = tables.map(Block::Table).collect();
    if !tables.is_empty() {
        sections.push(Section::summary(Some("Counters"), tables));
    }
    View { title, kind: "lifetime".to_owned(), name: "lifetime", subjects: subjects(found), sections }
}

fn subjects(found: &LifetimeFindings) -> Vec<Subject> {
    let origin: Vec<String> = origin(found).into_iter().collect();
    let subject = |drive: &DriveLifetime| {
        let serial = drive.serial.as_ref().map(|serial| format!("serial {serial}"));
        let parts = [drive.model.clone(), serial, Some(bytes(drive.size_bytes as f64))];
        let about = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Subject { origin: origin.clone(), ..Subject::new(drive.device.clone(), about) }
    };
    found.drives.iter().map(subject).collect()
}

/// When and on which machine the drives were looked at, and by which version.
fn origin(found: &LifetimeFindings) -> Option<String> {
    let (started, version) = (found.started.as_ref()?, found.version.as_ref()?);
    Some(format!("Read {}", started.in_words(version)))
}

/// How a drive is, how much was written to it, and how much of its endurance that is.
fn verdict((place, drive): (usize, &DriveLifetime)) -> Block {
    let used = drive.percentage_used.map(|used| f64::from(used) / 100.0);
    let state = drive.health.as_ref().map(|health| health.state);
    let (tone, mark) = match (state, used) {
        (Some(HealthState::Failing), _) => (Tone::Bad, "Failing"),
        (Some(HealthState::Damaged), _) => (Tone::Bad, "Damaged"),
        (_, Some(used)) if used >= 1.0 => (Tone::Bad, "Worn"),
        (Some(HealthState::Doubtful), _) => (Tone::Undecided, "Doubtful"),
        (_, None) if drive.host_bytes().is_none() => (Tone::Undecided, "Not known"),
        _ => (Tone::Neutral, "In use"),
    };
    let mut sentences: Vec<String> = drive.health.iter().filter_map(how_it_is).collect();
    sentences.push(how_much(drive, used));
    let mut verdict = Verdict::on(place, tone, mark, sentences.join(" "));
    let lesser = drive.health.iter().flat_map(DriveHealth::lesser);
    verdict.details.extend(lesser.map(|words| format!("{}.", capitalised(words))));
    verdict.details.extend(since(drive));
    verdict.notices.clone_from(&drive.notices);
    Block::Verdict(verdict)
}

/// How a drive is, by what it reports itself; none of one that is well.
fn how_it_is(health: &DriveHealth) -> Option<String> {
    let why = health.reasons().join("; ");
    Some(match health.state {
        HealthState::Well => return None,
        HealthState::Doubtful => format!("The drive is doubtful: {why}."),
        HealthState::Damaged => format!("The drive is damaged: {why}."),
        HealthState::Failing => format!("The drive reports that it fails: {why}."),
    })
}

/// How much was written to a drive, and how much of its endurance that is.
fn how_much(drive: &DriveLifetime, used: Option<f64>) -> String {
    let mut parts = vec![drive.host_bytes().map_or_else(
        || "How much the host wrote is not known".to_owned(),
        |host| {
            let fills = host as f64 / drive.size_bytes.max(1) as f64;
            format!("The host wrote {}, {} times the drive's size", bytes(host as f64), digits(fills))
        },
    )];
    parts.extend(drive.power_on_hours.map(|hours| format!("it was powered for {}", things(hours, "hour"))));
    parts.extend(used.map(|used| format!("{} of its rated endurance is used, as it reports", percent(used))));
    let rated = drive.rated.and_then(|rated| rated.used_share);
    parts.extend(rated.map(|share| {
        format!("the host wrote {} of the endurance that was given with --rated-tbw", percent(share))
    }));
    parts.join("; ") + "."
}

fn since(drive: &DriveLifetime) -> Option<String> {
    let since = drive.since.as_ref()?;
    let known = |amount: Option<u64>| amount.map_or_else(|| "not known".to_owned(), |one| bytes(one as f64));
    let ratio = since.write_amplification.map_or_else(
        || "the write amplification is not known".to_owned(),
        |ratio| format!("the write amplification is {}", digits(ratio)),
    );
    Some(format!(
        "Since the earlier document, {} s: host writes {}, flash writes {}; {ratio}.",
        count(since.seconds as f64),
        known(since.host_bytes),
        known(since.flash_bytes)
    ))
}

fn figures(drives: &[DriveLifetime]) -> Figures {
    let mut figures = Figures::new("figures", drives.len(), Ranking::Ranked);
    let mut add = |group, name, quantity, of: &dyn Fn(&DriveLifetime) -> Option<f64>| {
        let cells = drives.iter().map(|drive| Cell::number(quantity, of(drive))).collect();
        figures.add((group, name), quantity, Better::Neither, cells);
    };
    let float = |amount: u64| amount as f64;
    add("Written", "host writes", Quantity::Bytes, &|drive| drive.host_bytes().map(float));
    add("Written", "times the drive's size", Quantity::Factor, &|drive| {
        Some(drive.host_bytes()? as f64 / drive.size_bytes.max(1) as f64)
    });
    add("Written", "pages for the host", Quantity::Count, &|drive| drive.host_pages.map(float));
    add("Written", "pages by the drive itself", Quantity::Count, &|drive| drive.own_pages.map(float));
    add("Endurance", "used, as the drive reports", Quantity::Share, &|drive| {
        Some(f64::from(drive.percentage_used?) / 100.0)
    });
    add("Endurance", "rated", Quantity::Bytes, &|drive| Some(float(drive.rated?.bytes)));
    add("Endurance", "used of the rated", Quantity::Share, &|drive| drive.rated?.used_share);
    add("Endurance", "hours of operation", Quantity::Count, &|drive| drive.power_on_hours.map(float));
    let group = "Since the earlier document";
    add(group, "time", Quantity::Seconds, &|drive| Some(float(drive.since.as_ref()?.seconds)));
    add(group, "host writes", Quantity::Bytes, &|drive| drive.since.as_ref()?.host_bytes.map(float));
    add(group, "flash writes", Quantity::Bytes, &|drive| drive.since.as_ref()?.flash_bytes.map(float));
    let cells = drives.iter().map(amplification).collect();
    figures.add((group, "write amplification"), Quantity::Factor, Better::Neither, cells);
    figures
}

/// The write amplification with the bounds that the steps of both counters give it.
fn amplification(drive: &DriveLifetime) -> Cell {
    let Some(since) = &drive.since else { return Cell::Nothing };
    let Some(value) = since.write_amplification else { return Cell::Nothing };
    let error = since.write_amplification_error;
    let interval = error.map(|error| (value - error, value + error));
    Value::new(Quantity::Factor, value).within_known(interval).into()
}

fn counters(drives: &[DriveLifetime]) -> Table {
    let columns = Columns::<WriteCounter>::new()
        .with("Raw value", Quantity::Count, |counter| counter.raw)
        .with("One step", Quantity::BlockSize, |counter| match counter.unit_bytes {
            Some(unit) => Cell::count(Quantity::BlockSize, Some(unit)),
            None => Cell::text("unit not known"),
        })
        .with("Bytes", Quantity::Bytes, |counter| counter.bytes);
    let mut table = columns.table("counters", "The drives' own counters", "Counter").with_note(ABOUT);
    for (place, drive) in drives.iter().enumerate() {
        for (what, list) in [("host writes", &drive.host), ("flash writes", &drive.flash)] {
            let head = |counter: &WriteCounter| format!("{}: {what}", counter.source);
            table.rows.extend(list.iter().map(|one| row(place, head(one), columns.cells(one))));
        }
    }
    table
}

fn row(place: usize, head: String, cells: Vec<Cell>) -> Row {
    Row { head, subject: Some(place), group: None, cells }
}

fn file_systems(drives: &[DriveLifetime]) -> Table {
    let columns = Columns::<(&Ext4Counters, Option<u64>)>::new()
        .with("Written in its lifetime", Quantity::Bytes, |(found, _)| found.lifetime_bytes)
        .with("Since it was mounted", Quantity::Bytes, |(found, _)| found.session_bytes)
        .with("Since the earlier document", Quantity::Bytes, |(_, since)| *since);
    let mut table = columns.table("ext4", "Mounted ext4 file systems", "Device");
    for (place, drive) in drives.iter().enumerate() {
        for found in &drive.ext4 {
            let mut since = drive.since.iter().flat_map(|since| &since.ext4);
            let since = since.find(|one| one.device == found.device).map(|one| one.bytes);
            table.rows.push(row(place, found.device.clone(), columns.cells(&(found, since))));
        }
    }
    table.leave_out_empty_columns();
    table
}
