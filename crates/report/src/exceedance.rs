//! How exceedance curves are labelled.

/// Shares of the I/Os, by what is left of them.
pub(crate) const SHARES: [(&str, f64); 8] = [
    ("half", 0.5),
    ("1 in 10", 1e-1),
    ("1 in 100", 1e-2),
    ("1 in 1,000", 1e-3),
    ("1 in 10,000", 1e-4),
    ("1 in 100,000", 1e-5),
    ("1 in a million", 1e-6),
    ("1 in 10 million", 1e-7),
];
