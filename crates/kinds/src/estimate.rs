//! Figures with a standard uncertainty.

use drivelab_record::EstimateDocument;
use drivelab_view::{Quantity, Value};

/// A figure with its interval: of a mean over runs that of Student's t, else twice the standard uncertainty.
pub(crate) fn estimate(quantity: Quantity, found: EstimateDocument) -> Value {
    let value = Value::new(quantity, found.value);
    if let Some(ends) = found.interval {
        return value.within(ends.low, ends.high);
    }
    match found.error.filter(|error| *error > 0.0) {
        Some(error) => value.within(found.value - 2.0 * error, found.value + 2.0 * error),
        None => value,
    }
}
