//! A destination, from its files to the answers.

use std::collections::BTreeSet;

use crate::rollup::{ROLLUP_FORMAT, RollupRow, rollup_format_of, visit_rollup};
use drivelab_documents::ClockTime;

use crate::fleet::answers;
use crate::fleet::error::LeftOut;
use crate::fleet::machines::{self, HostOfRun};
use crate::fleet::passes::{DeviceFinder, FirstPass, Pass, SecondPass, SlowLimits, ThirdPass};
use crate::fleet::registry::Registry;
use crate::fleet::source::{ExportedPlaces, FleetSource, RollupPlace};
use crate::fleet::tables::{DriveRow, RunRow, read_table};
use crate::fleet::{FleetError, FleetFindings};

const NANOS_PER_MILLI: u64 = 1_000_000;
const MILLIS_PER_DAY: i64 = 86_400 * 1_000;

/// Reads a destination of exports and answers the questions. `keep_going` is asked between files.
///
/// # Errors
/// Where there is no export, it cannot be listed, a file changes meanwhile, or it is not to go on.
pub fn read_fleet(
    source: &dyn FleetSource,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<FleetFindings, FleetError> {
    let mut places = ExportedPlaces::list(source)?;
    let mut go_on = || if keep_going() { Ok(()) } else { Err(FleetError::Interrupted) };
    for path in places.catalogue.iter().chain(&places.drives) {
        go_on()?;
        source.fetch(path)?;
    }
    let mut left_out = Vec::new();
    let mut catalogue: Vec<RunRow> = read_table(source, &places.catalogue, &mut left_out);
    let mut drives: Vec<DriveRow> = read_table(source, &places.drives, &mut left_out);
    let notes = keep_each_run_once(&mut places, &mut catalogue, &mut drives);
    let registry = Registry::from_rows(&drives);

    let mut whole: Vec<&RollupPlace> = Vec::new();
    let mut first = FirstPass::default();
    for place in &places.rollups {
        go_on()?;
        source.fetch(&place.path)?;
        // A file that is damaged at its end would be in the sums in part.
        match check(source, place) {
            Ok(()) => {
                take(source, place, &registry, &mut first)?;
                whole.push(place);
            }
            Err(why) => left_out.push(why),
        }
    }
    first.end();
    let limits = SlowLimits::from_first_pass(&first);
    let mut second = SecondPass::new(&first, &limits);
    for place in &whole {
        go_on()?;
        take(source, place, &registry, &mut second)?;
    }
    let mut third = ThirdPass::new(&first, &second.slow_ios, &limits);
    whole.sort_by(|one, other| one.date.cmp(&other.date));
    for place in &whole {
        go_on()?;
        take(source, place, &registry, &mut third)?;
    }
    third.end_day();

    left_out.extend(incomplete(&places.rollups, &catalogue, &first));
    left_out.sort();
    let (slower_drives, compared_in_time) = answers::slower_drives(&registry, &first.drives, &second.reads);
    let (outside_peers, compared_with_peers) = answers::outside_peers(&registry, &first.drives);
    let names: BTreeSet<_> = registry.drives.names.iter().map(|name| &name.drive).collect();
    Ok(FleetFindings {
        hosts: machines::count(&whole, &catalogue, &drives),
        results: catalogue.len() as u64,
        drives: names.len() as u64,
        compared_with_peers,
        compared_in_time,
        percentiles_by_model: answers::percentiles_by_model(&registry, &first.versions),
        slowest_drives: answers::slowest_drives(&registry, &first.drives, &second.slow_ios, &third.units),
        hours_of_day: answers::hours_of_day(&second.hours),
        slower_drives,
        write_amplification: answers::write_amplification(&catalogue),
        outside_peers,
        reviews: answers::reviews(&catalogue, &drives, &first.runs),
        left_out: left_out.iter().map(LeftOut::to_string).collect(),
        notes,
    })
}

/// Leaves out what was exported again as of another machine, so that a run counts once, and says what is to be known of machines.
/// A run is one machine in all tables, so that what is known of its drives and of its I/Os stays together.
fn keep_each_run_once(
    places: &mut ExportedPlaces,
    catalogue: &mut Vec<RunRow>,
    drives: &mut Vec<DriveRow>,
) -> Vec<String> {
    let rolled = places.rollups.iter().map(|place| (place.run.clone(), place.host.clone())).collect();
    let of_drives = drives.iter().map(|row| (row.run.as_str(), row.host.as_str()));
    let of_catalogue = catalogue.iter().map(|row| (row.run.as_str(), row.host.as_str()));
    let counted = HostOfRun::from_runs(of_drives.chain(of_catalogue), &rolled);
    let notes = machines::notes(catalogue, drives, &counted);
    places.rollups.retain(|place| counted.is(&place.run, &place.host));
    drives.retain(|row| counted.is(&row.run, &row.host));
    catalogue.retain(|row| counted.is(&row.run, &row.host));
    notes
}

/// Reads the rows of a file; the error is a sentence without its final stop.
fn visit(
    source: &dyn FleetSource,
    place: &RollupPlace,
    row: &mut dyn FnMut(&RollupRow),
) -> Result<(), String> {
    let file = source.open(&place.path).map_err(|error| format!("it cannot be read ({error})"))?;
    visit_rollup(file, row).map_err(|error| format!("it cannot be read ({error})"))
}

/// Whether a file is whole, of this version, and of the day that its folder names.
fn check(source: &dyn FleetSource, place: &RollupPlace) -> Result<(), LeftOut> {
    let path = source.shown(&place.path);
    let damaged = |why: String| LeftOut::Damaged { path: path.clone(), why };
    let file = source.open(&place.path).map_err(|error| damaged(format!("it cannot be read ({error})")))?;
    let format = rollup_format_of(file).map_err(|error| damaged(format!("it cannot be read ({error})")))?;
    if let Some(found) = format.filter(|found| found != ROLLUP_FORMAT) {
        return Err(LeftOut::OtherFormat { path: path.clone(), found, known: ROLLUP_FORMAT });
    }
    let mut days: BTreeSet<i64> = BTreeSet::new();
    let mut note = |row: &RollupRow| {
        days.insert(row.interval.start_unix_millis() / MILLIS_PER_DAY);
    };
    visit(source, place, &mut note).map_err(damaged)?;
    let date = |day: &i64| {
        let nanos = u64::try_from(day * MILLIS_PER_DAY).ok()?.checked_mul(NANOS_PER_MILLI)?;
        ClockTime::in_utc(nanos).map(ClockTime::day)
    };
    match days.iter().find(|day| date(day).as_ref() != Some(&place.date)) {
        Some(_) => Err(damaged("it has I/Os of another day than its folder names".to_owned())),
        None => Ok(()),
    }
}

fn take(
    source: &dyn FleetSource,
    place: &RollupPlace,
    registry: &Registry,
    pass: &mut dyn Pass,
) -> Result<(), FleetError> {
    pass.begin(place);
    let mut finder = DeviceFinder::new(registry, place);
    let taken = visit(source, place, &mut |row| pass.take(row, finder.find(&row.device)));
    taken.map_err(|why| FleetError::Changed { path: source.shown(&place.path), why })
}

/// What one table has and another one lacks.
fn incomplete(rollups: &[RollupPlace], catalogue: &[RunRow], first: &FirstPass) -> Vec<LeftOut> {
    let rolled: BTreeSet<(&str, &str)> =
        rollups.iter().map(|place| (place.host.as_str(), place.run.as_str())).collect();
    let listed: BTreeSet<(&str, &str)> =
        catalogue.iter().map(|run| (run.host.as_str(), run.run.as_str())).collect();
    let has_records = |run: &&RunRow| run.records.is_some_and(|records| records > 0);
    let without_rollup = catalogue
        .iter()
        .filter(has_records)
        .filter(|run| !rolled.contains(&(run.host.as_str(), run.run.as_str())))
        .map(|run| LeftOut::NoRollup { run: run.run.clone(), host: run.host.clone() });
    let without_row = rolled
        .difference(&listed)
        .map(|(host, run)| LeftOut::NotInCatalogue { run: (*run).to_owned(), host: (*host).to_owned() });
    let without_drive = first.unknown.iter().map(|(host, run, device)| LeftOut::NoDrive {
        device: device.to_string(),
        run: run.clone(),
        host: host.clone(),
    });
    without_rollup.chain(without_row).chain(without_drive).collect()
}
