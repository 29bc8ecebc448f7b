//! Recordings of streams: made, and read back in every way.

use super::{Case, shaped};

/// The cases.
pub const CASES: &[Case] = &[shaped(
    "stream",
    || true,
    |scene| {
        let channels = "--channel a=synthetic,size=1kB,rate=50/s --channel b=synthetic,size=100kB,rate=20/s";
        scene.run(&format!(
            "stream record t.bin --file-size 64MiB {channels} --duration 1s --openmetrics now.prom"
        ));
        for asked in [
            "info",
            "info --json",
            "check",
            "check --json",
            "list --only a --to 3",
            "list --json --only b --to 1",
        ] {
            let (asked, rest) = asked.split_once(' ').unwrap_or((asked, ""));
            scene.run(&format!("stream {asked} t.bin {rest}"));
        }
        scene.run("stream extract t.bin --only a --to 3 -o frames");
        scene.keep_names("frames");
    },
)];
