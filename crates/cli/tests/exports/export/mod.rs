//! Results as Parquet in the layout of Hive: the same sums everywhere, whole files only, nothing twice.

mod drives;
mod kills;
mod parquet_files;
mod refused;
mod sums;

use std::path::{Path, PathBuf};

use crate::common::{Ended, drivelab, text};

/// A load of random reads and writes of this length in seconds, and the folder that keeps it.
fn load(into: &Path, duration: &str) -> PathBuf {
    let asked = ["load", "sim:consistent?size=256MiB", "--rw", "randrw", "--rate", "3000/s"];
    drivelab(&[&asked[..], &["--duration", duration, "-o", text(into)]].concat()).with_code(0);
    into.to_owned()
}

/// A trace of a machine with two disks, a request every 10 s for 28 hours from 2007-02-22T17:00:03Z on.
fn trace(folder: &Path) -> PathBuf {
    let lines = (0..10_080_u64).map(|number| {
        let (at, disk) = (128_166_372_003_061_629 + number * 100_000_000, number % 2);
        let (kind, sectors) = if number % 3 == 0 { ("Write", 64) } else { ("Read", 8) };
        let service = 2_000 + number * 7_919 % 90_000;
        format!("{at},hm,{disk},{kind},{},{},{service}\n", number * 4_096, sectors * 512)
    });
    let (file, into) = (folder.join("hm.csv"), folder.join("trace"));
    std::fs::write(&file, lines.collect::<String>()).expect("room on disk");
    drivelab(&["trace", "import", text(&file), "-o", text(&into)]).with_code(0);
    into
}

fn export(source: &Path, to: &Path, more: &[&str]) -> Ended {
    drivelab(&[&["export", text(source), "--destination", text(to)], more].concat())
}
