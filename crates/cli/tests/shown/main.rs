//! What the program prints and draws: kept texts, every kind with every fault, results of earlier versions, names, refusals.

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod boot;
mod decode;
mod every_kind;
mod found;
mod golden_record;
mod image;
mod index;
mod kept_before;
mod kept_boot;
mod lifetime;
mod limits;
mod names;
mod outside_text;
mod ranking;
mod real_devices;
mod refusals;
mod start;
mod terminal;
mod tested_kinds;
