//! When the block layer was asked for something, by the kernel's own tracepoint: a judge that knows neither peer.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

const INSTANCES: &str = "/sys/kernel/tracing/instances";
/// For each processor: room for all events of a round.
const BUFFER_KB: &str = "32768";

/// An instance of its own that notes each `block_bio_queue` of one device; it goes away when it is dropped.
pub struct Tracepoint {
    folder: PathBuf,
}

impl Tracepoint {
    /// Begins to note what a device is asked for.
    pub fn on(device: &Path) -> Result<Tracepoint> {
        let folder = Path::new(INSTANCES).join(format!("drivelab-bench-{}", std::process::id()));
        fs::create_dir(&folder).context("an instance of tracefs (needs root)")?;
        let tracepoint = Tracepoint { folder };
        let number = fs::metadata(device)?.rdev();
        let (major, minor) = (number >> 8 & 0xfff, number & 0xff | number >> 12 & 0xf_ff00);
        tracepoint.set("buffer_size_kb", BUFFER_KB)?;
        tracepoint.set("trace_clock", "mono")?;
        let event = "events/block/block_bio_queue";
        tracepoint.set(&format!("{event}/filter"), &format!("dev == {}", major << 20 | minor))?;
        tracepoint.set(&format!("{event}/enable"), "1")?;
        Ok(tracepoint)
    }

    /// Forgets what was noted.
    pub fn clear(&self) -> Result<()> {
        self.set("trace", "")
    }

    /// Every request that was seen: when, in microseconds (the text has no finer ones), and at which sector.
    pub fn seen(&self) -> Result<Vec<(f64, u64)>> {
        let text = fs::read_to_string(self.folder.join("trace"))?;
        ensure!(!text.contains("LOST"), "the buffer of the tracepoint was too small");
        let mut seen: Vec<(f64, u64)> = text.lines().filter_map(request).collect();
        seen.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(seen)
    }

    fn set(&self, name: &str, value: &str) -> Result<()> {
        fs::write(self.folder.join(name), value).with_context(|| format!("tracefs, {name}"))
    }
}

impl Drop for Tracepoint {
    fn drop(&mut self) {
        let _ = self.set("events/enable", "0");
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Time and sector of a line such as `fio-1234 [001] ..... 5678.901234: block_bio_queue: 252,1 R 0 + 8 [fio]`.
fn request(line: &str) -> Option<(f64, u64)> {
    let (before, after) = line.split_once(": block_bio_queue:")?;
    let seconds: f64 = before.split_whitespace().next_back()?.parse().ok()?;
    Some((seconds * 1e6, after.split_whitespace().nth(2)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_sector_stand_around_the_event() {
        let line = " iou-wrk-8-9     [001] .....  5678.901234: block_bio_queue: 252,1 R 72 + 8 [drivelab]";
        assert_eq!(request(line).map(|(time, sector)| (time.round(), sector)), Some((5_678_901_234.0, 72)));
        assert_eq!(request("# tracer: nop"), None);
    }
}
