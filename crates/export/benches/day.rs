//! The size of the rollup of a day at 10,000 I/Os a second.

#[path = "../tests/export/busy_host.rs"]
mod busy_host;

use busy_host::{BusyHost, IOS_PER_SECOND};
use drivelab_export::rollup::{FileLife, RollupWriter};

fn main() {
    let mut host = BusyHost::new();
    let mut writer = RollupWriter::new(Vec::new(), FileLife::Kept).expect("memory");
    let mut rows = 0;
    for number in 0..288 {
        let rollup = host.interval(number);
        rows += rollup.rows().count();
        writer.append(&rollup).expect("memory");
    }
    let bytes = writer.finish(&[]).expect("memory").len();
    let mb = bytes as f64 / 1e6;
    let each = bytes as f64 / rows as f64;
    println!("a day at {IOS_PER_SECOND} I/Os a second: {rows} rows, {mb:.2} MB, {each:.2} bytes a row");
    assert!(bytes < 5_000_000, "{bytes} bytes");
}
