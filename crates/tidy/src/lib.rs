//! The house rules as tests; see `tests/`. Nothing depends on this crate.

#![forbid(unsafe_code)]
