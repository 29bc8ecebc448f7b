//! Still pictures.

use crate::run::Comparison;

pub(crate) fn small_multiples(_comparison: &Comparison) -> String {
    String::new()
}
