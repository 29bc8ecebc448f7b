//! Whether an open loop gets the rate that was asked for.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use crate::zram::{Fill, Zram, memory_folder};
use crate::{fio, ours};

/// Long enough that the count itself, whose deviation is its square root, lies well within 1 %.
fn seconds(rate: u32) -> u32 {
    (40_000 / rate).max(4)
}

/// Poisson arrivals at several rates, drivelab and fio.
pub fn bench() -> Result<String> {
    let zram = Zram::filled(256 << 20, Fill::Random)?;
    let device = zram.path();
    let name = device.display().to_string();
    let mut text = format!("  {:>10} {:>10} {:>10}\n", "asked", "drivelab", "fio");
    for rate in [1_000u32, 50_000, 150_000, 300_000] {
        let (asked, duration) = (rate.to_string(), format!("{}s", seconds(rate)));
        let document = ours::run(&[
            "load",
            &name,
            "--rw",
            "randread",
            "--queue-depth",
            "128",
            "--rate",
            &asked,
            "--arrivals",
            "poisson",
            "--cpus",
            "0",
            "--duration",
            &duration,
        ])?;
        let mine = document["findings"]["iops"].as_f64().context("no iops")? / f64::from(rate);
        let folder = memory_folder()?;
        let options =
            [format!("--rate_iops={rate}"), "--rate_process=poisson".to_owned(), "--iodepth=128".to_owned()];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let theirs =
            fio::iops(&fio::run(&device, seconds(rate), &options, folder.path())?)? / f64::from(rate);
        let _ = writeln!(text, "  {rate:>10} {mine:>10.4} {theirs:>10.4}");
    }
    Ok(text)
}
