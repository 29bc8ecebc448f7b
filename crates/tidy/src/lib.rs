//! The rules of ARCHITECTURE.md as tests; see `tests/`. Nothing depends on this crate.

#![forbid(unsafe_code)]
