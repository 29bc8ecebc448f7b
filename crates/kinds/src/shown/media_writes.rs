//! What drives wrote to their flash in each phase.

use drivelab_documents::{EnergyDocument, EstimateDocument, MediaWrites};
use drivelab_view::{Better, Block, Cell, Columns, Detail, Figures, Quantity, Section, Value};

use crate::estimate::estimate;
use crate::shown::ComparedFigures;
use crate::{Comparison, ResultKind, StoredResult};

/// A summary has the table where there are at most this many phases of each result.
const ROWS_IN_SUMMARY: usize = 16;

/// The phases of each result with what was written in them; nothing where no drive counts it.
pub(crate) fn media_writes<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let columns = Columns::<MediaWrites>::new()
        .with("Written by the host", Quantity::Bytes, |writes| writes.host.map(|writes| writes.amount))
        .with("Written to the flash", Quantity::Bytes, |writes| writes.flash.map(|writes| writes.amount))
        .with("Write amplification", Quantity::Factor, |writes| {
            let (value, error) = writes.write_amplification()?;
            let interval = (error > 0.0).then_some((value - error, value + error));
            Some(Value::new(Quantity::Factor, value).within_known(interval))
        });
    let mut table = columns.table("media-writes", "", "Phase");
    for one in compared.iter() {
        let phases = by_name(one).into_iter();
        table.rows.extend(phases.map(|(name, writes)| one.row(name, columns.cells(&writes))));
    }
    table.notes.push(
        "By the drive's own counters, or a simulated drive's account; phases of one name are added up. Where counters go in \
         steps, the interval is what the steps leave open."
            .to_owned(),
    );
    let is_short = table.rows.len() <= ROWS_IN_SUMMARY * compared.len();
    let detail = if is_short { Detail::Summary } else { Detail::Full };
    (!table.rows.is_empty())
        .then(|| Section { detail, ..Section::full("Writes to the flash", vec![Block::Table(table)]) })
}

/// Phases of one name together, in the order in which they began; those in which nothing was written are left out.
fn by_name<K: ResultKind>(kept: &StoredResult<K>) -> Vec<(String, MediaWrites)> {
    let mut found: Vec<(String, MediaWrites)> = Vec::new();
    for phase in &kept.run.phases {
        let Some(writes) = phase.written.filter(|writes| *writes != MediaWrites::default()) else { continue };
        match found.iter_mut().find(|(name, _)| *name == phase.name) {
            Some((_, so_far)) => *so_far = so_far.plus(&writes),
            None => found.push((phase.name.clone(), writes)),
        }
    }
    found.retain(|(_, writes)| {
        let all = [writes.host, writes.flash, writes.all_pages];
        all.into_iter().flatten().any(|counted| counted.amount > 0)
    });
    found
}

/// The energy of each result; nothing where no meter was read.
pub(crate) fn energy<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let energies: Vec<Option<&EnergyDocument>> = compared.iter().map(|one| one.energy.as_ref()).collect();
    let mut energy = ComparedFigures::new("energy", compared);
    add_energy(&mut energy.figures, &energies);
    energies.iter().any(Option::is_some).then(|| energy.section("Energy"))
}

pub(crate) fn add_energy(figures: &mut Figures, energies: &[Option<&EnergyDocument>]) {
    let mut add = |name, quantity, better, of: &dyn Fn(&EnergyDocument) -> Option<EstimateDocument>| {
        let cell = |energy: Option<&EnergyDocument>| {
            energy.and_then(of).map_or(Cell::Nothing, |found| estimate(quantity, found).into())
        };
        figures.add(("Energy", name), quantity, better, energies.iter().copied().map(cell).collect());
    };
    add("time", Quantity::Seconds, Better::Neither, &|energy| Some(energy.duration()));
    add("mean power", Quantity::Watts, Better::Low, &|energy| energy.watts);
    if energies.iter().flatten().any(|energy| energy.meter.volts.is_some()) {
        add("mean current at the supply's voltage", Quantity::Amperes, Better::Low, &|energy| {
            Some(energy.watts?.times(1.0 / energy.meter.volts?))
        });
    }
    add("idle power", Quantity::Watts, Better::Low, &|energy| Some(energy.idle?.watts));
    add("energy", Quantity::Joules, Better::Low, &|energy| energy.joules);
    add("energy above idle", Quantity::Joules, Better::Low, &|energy| energy.joules_above_idle);
    add("energy per gigabyte", Quantity::JoulesPerGigabyte, Better::Low, &|energy| energy.joules_per_gb);
    add("above idle per gigabyte", Quantity::JoulesPerGigabyte, Better::Low, &|energy| {
        energy.joules_above_idle_per_gb
    });
    if energies.iter().flatten().any(|energy| energy.ios_per_joule.is_some()) {
        add("IOPS for each watt", Quantity::IopsPerWatt, Better::High, &|energy| energy.ios_per_joule);
    }
    add("battery life", Quantity::Seconds, Better::High, &|energy| Some(energy.battery_minutes?.times(60.0)));
}
