//! Feeds a reader of drivelab with mutated inputs, guided by the code that they reach; see `fuzz/run.sh`.
//!
//! `FUZZ_TARGET` names the reader. Beside a panic, which libFuzzer reports by itself, an input fails that takes
//! more memory or more processor time than its size allows.

#![no_main]

mod limits;
mod log;
mod mutate;
mod target;

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

use limits::{Counting, Limits};
use target::Target;

#[global_allocator]
static MEMORY: Counting = Counting::new();

/// libFuzzer calls a function that it gives nothing of ours, so that the choice has to lie somewhere.
static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    Target::from_name(&name).unwrap_or_else(|| {
        eprintln!("FUZZ_TARGET={name}: name one of {}", Target::names().join(" "));
        std::process::exit(2)
    })
});

fuzz_target!(|data: &[u8]| {
    let target = &*TARGET;
    let limits = Limits::begin(&MEMORY);
    target.read(data);
    limits.check(&MEMORY, data.len(), target.memory(), target.time_a_byte());
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // Half of them as libFuzzer likes, which learns from comparisons; half by what the input means.
    if seed.is_multiple_of(2) {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mutated = mutate::mutate(&data[..size], TARGET.is_text(), seed);
    let length = mutated.len().min(max_size);
    data[..length].copy_from_slice(&mutated[..length]);
    length
});
