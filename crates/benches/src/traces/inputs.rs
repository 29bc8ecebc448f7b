//! Traces to be read, made up: random requests a few hundred microseconds apart.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::ours;

/// Random numbers, the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Writes requests as MSR Cambridge has them.
pub fn write_csv(path: &Path, rows: u32) -> Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut draw = Draw(7);
    let mut at = 128_166_372_003_061_629u64;
    for _ in 0..rows {
        at += draw.below(10_000);
        let (disk, kind) = (draw.below(2), ["Read", "Write"][usize::from(draw.below(5) > 2)]);
        let (offset, response) = (draw.below(1 << 28) * 512, 300 + draw.below(5_000));
        writeln!(file, "{at},host,{disk},{kind},{offset},{},{response}", 4096 << draw.below(5))?;
    }
    Ok(file.flush()?)
}

/// Makes a trace's folder of so many requests, through a pipe: their text would be larger than the memory.
pub fn make_trace(folder: &Path, rows: u32) -> Result<()> {
    let pipe = folder.with_extension("pipe");
    ensure!(Command::new("mkfifo").arg(&pipe).status()?.success(), "mkfifo failed");
    let import = ours::program()
        .args(["trace", "import", "--format", "msr", "--json"])
        .arg(&pipe)
        .arg("-o")
        .arg(folder)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()?;
    write_csv(&pipe, rows)?;
    let ended = import.wait_with_output()?;
    ensure!(ended.status.success(), "drivelab trace import failed");
    Ok(())
}

/// The actions of an event, in the kernel's numbers: queued, issued and completed, each of a write.
const ACTIONS: [u32; 3] = [1 | 1 << 17, 7 | 1 << 17, 8 | 1 << 17];

/// Writes a blktrace of version 7: each request is asked for, issued and completed, up to 32 at a time.
///
/// Source: `include/uapi/linux/blktrace_api.h`.
pub fn write_blktrace(path: &Path, requests: u32) -> Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut draw = Draw(7);
    let (mut at, mut number) = (0u64, 0u32);
    let mut left = requests;
    while left > 0 {
        let together = left.min(32);
        let sectors: Vec<u64> = (0..together).map(|_| draw.below(1 << 28) * 8).collect();
        for action in ACTIONS {
            for sector in &sectors {
                at += 500 + draw.below(20_000);
                number += 1;
                file.write_all(&event(number, at, *sector, action))?;
            }
        }
        left -= together;
    }
    file.flush().context("the blktrace cannot be written")
}

fn event(number: u32, at: u64, sector: u64, action: u32) -> [u8; 48] {
    let mut bytes = [0; 48];
    bytes[0..4].copy_from_slice(&0x6561_7407u32.to_ne_bytes());
    bytes[4..8].copy_from_slice(&number.to_ne_bytes());
    bytes[8..16].copy_from_slice(&at.to_ne_bytes());
    bytes[16..24].copy_from_slice(&sector.to_ne_bytes());
    bytes[24..28].copy_from_slice(&4096u32.to_ne_bytes());
    bytes[28..32].copy_from_slice(&action.to_ne_bytes());
    bytes[32..36].copy_from_slice(&1_000u32.to_ne_bytes());
    bytes[36..40].copy_from_slice(&(8u32 << 20).to_ne_bytes());
    bytes
}
