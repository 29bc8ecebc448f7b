//! Tests of drives: what each finds on simulated drives, loop and zram devices.

#[path = "../common/mod.rs"]
mod common;

mod file_safety;
mod fill;
mod fio_job;
mod golden_sim;
mod hot_drives;
mod load;
mod matrix;
mod matrix_cells;
mod mended;
mod offered_load;
mod one_pass;
mod paths;
mod processor_wait;
mod pts;
mod purge;
mod quick;
mod throttling;
mod trim;
mod until_warm;
mod verified_load;
mod wake;
mod working_set;
