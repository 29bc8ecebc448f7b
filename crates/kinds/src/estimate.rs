//! Figures with a standard uncertainty.

use drivelab_documents::EstimateDocument;
use drivelab_view::{Quantity, Value};

/// A figure with its interval: of a mean over runs that of Student's t, else twice the standard uncertainty.
pub(crate) fn estimate(quantity: Quantity, found: EstimateDocument) -> Value {
    let interval = found.interval.map(|ends| (ends.low, ends.high));
    let error = found.error.filter(|error| *error > 0.0);
    let of_error = error.map(|error| (found.value - 2.0 * error, found.value + 2.0 * error));
    Value::new(quantity, found.value).within_known(interval.or(of_error))
}
