//! What a test took, by a meter.

use drivelab_record::{EnergyDocument, EstimateDocument};
use drivelab_view::{Better, Cell, Figures, Quantity, Section};

use crate::estimate::estimate;
use crate::shown::ComparedFigures;
use crate::{Comparison, ResultKind};

/// The energy of each result; nothing where no meter was read.
pub(crate) fn energy<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let energies: Vec<Option<&EnergyDocument>> = compared.iter().map(|one| one.energy.as_ref()).collect();
    let mut energy = ComparedFigures::new("energy", compared);
    add_energy(&mut energy.figures, &energies);
    energies.iter().any(Option::is_some).then(|| energy.section("Energy"))
}

/// Adds the figures of these energies.
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
