//! bonnie++, as its users run it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};

use super::memory::MemoryLimit;
use super::mounted::{Mounted, drop_caches};

/// Places of its CSV line: block write, rewrite and block read, in KiB/s.
const FIELDS: [usize; 3] = [11, 13, 17];

/// MB/s of block writes, rewrites and block reads of a file of `mib`.
pub fn run(device: &Path, mib: u64, memory: &MemoryLimit) -> Result<[f64; 3]> {
    let mounted = Mounted::new(device)?;
    let mut child = memory
        .command("bonnie++".as_ref())
        .args(["-u", "root", "-f", "-n", "0", "-r", "512", "-s", &format!("{mib}:64k"), "-d"])
        .arg(mounted.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("bonnie++ (package bonnie++)")?;
    // It says when it begins to read: what it has cached by then is dropped.
    let progress = BufReader::new(child.stderr.take().context("no stderr")?);
    for line in progress.lines() {
        if line?.starts_with("Rewriting") {
            drop_caches()?;
        }
    }
    let mut text = String::new();
    child.stdout.take().context("no stdout")?.read_to_string(&mut text)?;
    ensure!(child.wait()?.success(), "bonnie++ failed");
    let line = text.lines().find(|line| line.starts_with("1.98,")).context("bonnie++ printed no figures")?;
    let fields: Vec<&str> = line.split(',').collect();
    let rate = |at: usize| -> Result<f64> {
        let field = fields.get(at).context("bonnie++ printed too few figures")?;
        Ok(field.parse::<f64>().with_context(|| format!("bonnie++'s figure {field:?} in {line}"))? * 1024.0
            / 1e6)
    };
    Ok([rate(FIELDS[0])?, rate(FIELDS[1])?, rate(FIELDS[2])?])
}
