//! What a test took, by a meter.

use drivelab_record::{EnergyDocument, EstimateDocument};
use drivelab_view::{Better, Block, Cell, Figures, Quantity, Section, Value};

use crate::{Kept, ResultKind};

/// The energy of each result; nothing where no meter was read.
pub(crate) fn energy<K: ResultKind>(results: &[Kept<K>]) -> Option<Section> {
    results
        .iter()
        .any(|kept| kept.energy.is_some())
        .then(|| Section::summary(Some("Energy"), vec![Block::Figures(figures(results))]))
}

fn figures<K: ResultKind>(results: &[Kept<K>]) -> Figures {
    let mut figures = Figures::new("energy", results.len(), crate::kept::ranking(results));
    let mut add = |name, quantity, better, of: &dyn Fn(&EnergyDocument) -> Option<EstimateDocument>| {
        let cell = |kept: &Kept<K>| {
            let found = kept.energy.as_ref().and_then(of);
            found.map_or(Cell::Nothing, |found| estimate(quantity, found).into())
        };
        figures.add(("Energy", name), quantity, better, results.iter().map(cell).collect());
    };
    add("mean power", Quantity::Watts, Better::Low, &|energy| energy.watts);
    add("energy", Quantity::Joules, Better::Low, &|energy| energy.joules);
    add("energy above idle", Quantity::Joules, Better::Low, &|energy| energy.joules_above_idle);
    add("a gigabyte", Quantity::JoulesPerGigabyte, Better::Low, &|energy| energy.joules_per_gb);
    figures
}

/// A figure with the interval of twice its standard uncertainty.
fn estimate(quantity: Quantity, found: EstimateDocument) -> Value {
    let value = Value::new(quantity, found.value);
    match found.error {
        Some(error) => value.within(found.value - 2.0 * error, found.value + 2.0 * error),
        None => value,
    }
}
