//! How many I/Os a second can be made and recorded on one core.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};

use crate::rounds::{Lane, median, table};
use crate::zram::{Fill, Zram, memory_folder};
use crate::{fio, ours};

const ROUNDS: usize = 7;
const SECONDS: u32 = 4;

/// Both fills: one shows what the programs cost, the other how much of it is left beside a copy.
pub fn bench() -> Result<String> {
    let mut text = String::new();
    for (title, fill) in [("pages of one word", Fill::Words), ("random pages", Fill::Random)] {
        let _ = writeln!(text, "  {title}\n{}", rounds(fill)?);
    }
    Ok(text)
}

/// drivelab recording every I/O beside fio with its fastest options, plain, and logging every latency.
fn rounds(fill: Fill) -> Result<String> {
    let zram = Zram::filled(2 << 30, fill)?;
    let device = zram.path();
    let logging = ["--write_lat_log=log", "--log_offset=1"];
    let mut mine = Lane::new("drivelab, every I/O recorded to Parquet", None);
    let mut fastest = Lane::new("fio, registered, batched, each I/O timed", Some(1.12));
    let mut plain = Lane::new("fio, io_uring, direct, nothing else", Some(1.6));
    let mut logged = Lane::new("fio, plain, logging every latency", Some(1.8));
    let mut bare = Lane::new("a bare ring that measures nothing", None);
    let mut bytes_a_record = Vec::new();
    for _ in 0..ROUNDS {
        let folder = memory_folder()?;
        let document = ours::recorded_reads(&device, SECONDS, &folder.path().join("run"))?;
        mine.figures.push(document["findings"]["iops"].as_f64().context("no iops")?);
        bare.figures.push(ours::bare_ring(&device, SECONDS)?);
        let records = &document["findings"]["ios"]["records"];
        let count = records["completions"].as_f64().context("no completions")?;
        bytes_a_record.push(records["bytes"].as_f64().context("no bytes of records")? / count);
        for (lane, options) in [(&mut fastest, &fio::FASTEST[..]), (&mut plain, &[]), (&mut logged, &logging)]
        {
            let folder = memory_folder()?;
            lane.figures.push(fio::iops(&fio::run(&device, SECONDS, options, folder.path())?)?);
        }
    }
    let mut text = table(&mine, &[bare, fastest, plain, logged], "IOPS");
    let _ = writeln!(text, "  {:.1} bytes a record", median(&bytes_a_record));
    Ok(text)
}
