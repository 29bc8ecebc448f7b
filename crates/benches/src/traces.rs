//! How fast traces are imported and analysed, on one core.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::ours;
use crate::rounds::{Lane, table};
use crate::zram::memory_folder;

const ROUNDS: usize = 7;
const ROWS: u32 = 3_000_000;

/// An import of MSR CSV and the analysis of what came of it, beside awk taking mean and deviation of the CSV.
pub fn bench() -> Result<String> {
    let folder = memory_folder()?;
    let (csv, trace) = (folder.path().join("trace.csv"), folder.path().join("trace"));
    write_csv(&csv)?;
    let lane = |name: &str, goal| Lane { name: name.to_owned(), figures: Vec::new(), goal };
    let mut import = lane("drivelab trace import (and show)", None);
    let mut show = lane("drivelab trace show, own records", None);
    let mut awk = [lane("awk, mean and deviation of the CSV", None), lane("awk, the same", None)];
    for _ in 0..ROUNDS {
        if trace.exists() {
            std::fs::remove_dir_all(&trace)?;
        }
        import.figures.push(rate(ours::program().args(["trace", "import"]).arg(&csv).arg("-o").arg(&trace))?);
        show.figures.push(rate(ours::program().args(["trace", "show"]).arg(&trace))?);
        let program =
            "{ n++; s += $7; q += $7 * $7 } END { m = s / n; print m, sqrt((q - n * m * m) / (n - 1)) }";
        let rows = rate(Command::new("awk").args(["-F", ",", program]).arg(&csv))?;
        awk.iter_mut().for_each(|lane| lane.figures.push(rows));
    }
    let [beside_import, beside_show] = awk;
    let mut text = table(&import, &[beside_import], "rows/s");
    let _ = write!(text, "\n{}", table(&show, &[beside_show], "rows/s"));
    Ok(text)
}

/// Rows a second of a program that looks at all of them, on processor 0.
fn rate(command: &mut Command) -> Result<f64> {
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", "0"]).arg(command.get_program()).args(command.get_args());
    #[expect(clippy::disallowed_methods, reason = "the bench is about wall time")]
    let start = Instant::now();
    let status = pinned.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{} failed", command.get_program().display());
    Ok(f64::from(ROWS) / start.elapsed().as_secs_f64())
}

/// Random requests a few hundred microseconds apart.
fn write_csv(path: &Path) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut state = 7u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut at = 128_166_372_003_061_629u64;
    for _ in 0..ROWS {
        at += draw(10_000);
        let (disk, kind) = (draw(2), ["Read", "Write"][usize::from(draw(5) > 2)]);
        let (offset, response) = (draw(1 << 28) * 512, 300 + draw(5_000));
        writeln!(file, "{at},host,{disk},{kind},{offset},{},{response}", 4096 << draw(5))?;
    }
    Ok(file.flush()?)
}
