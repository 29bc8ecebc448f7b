//! fio with `psync` and threads, each on a file of its own, as a matrix has them.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::memory::MemoryLimit;
use super::mounted::{Mounted, drop_caches};
use crate::fio;

/// MB/s of the work of all threads together.
pub fn run(device: &Path, work: &str, mib: u64, threads: u32, memory: &MemoryLimit) -> Result<f64> {
    let mounted = Mounted::new(device)?;
    let (rw, size, options): (&str, &str, &[&str]) = match work {
        "seq-write" => ("write", "64k", &["--end_fsync=1"]),
        "seq-read" => ("read", "64k", &[]),
        "random-write" => ("randwrite", "4k", &["--overwrite=1", "--end_fsync=1", "--norandommap"]),
        _ => ("randread", "4k", &["--norandommap"]),
    };
    let job = |more: &[&str]| {
        let mut command = memory.command("fio".as_ref());
        command
            .args(["--name=job", "--ioengine=psync", "--thread", "--group_reporting", "--output-format=json"])
            .args(["--time_based", "--runtime=3", "--fadvise_hint=0"])
            .args([format!("--rw={rw}"), format!("--bs={size}"), format!("--numjobs={threads}")])
            .arg(format!("--size={}m", mib / u64::from(threads)))
            .arg(format!("--directory={}", mounted.path().display()))
            .args(options)
            .args(more);
        fio::document(&mut command)
    };
    if work == "random-write" {
        // Its files are written and out of the cache before it begins, as a matrix has them.
        job(&["--create_only=1"])?;
        drop_caches()?;
    }
    let document = job(&[])?;
    let side = &document["jobs"][0][if rw.ends_with("write") { "write" } else { "read" }];
    let bytes = side["io_bytes"].as_f64().context("fio's JSON has no bytes")?;
    let runtime_ms = side["runtime"].as_f64().context("fio's JSON has no runtime")?;
    Ok(bytes / 1e3 / runtime_ms)
}
