//! Results and what is made of them: records, kills and full disks, pages, reviews, energy.

#[path = "../common/mod.rs"]
mod common;

mod crash;
mod energy;
mod energy_runs;
mod full_disk;
mod kept_ios;
mod kept_pages;
mod live;
mod live_others;
mod missing_records;
mod records;
mod review;
mod review_results;
mod standstill;
