//! Traces: other programs' formats in and out, and what is shown of them.

use std::fmt::Write as _;

use super::{Case, exact};
use crate::kept_boot::EVENTS;

/// A drive that answers in 0.2 ms, and in 40 ms ten times in a row after every 500 writes; and a line that is no row.
fn bunched() -> String {
    let mut rows = String::new();
    for number in 0..6_000_u64 {
        let response = if number % 500 >= 490 { 400_000 } else { 2_000 };
        let at = 128_166_372_003_061_629 + number * 500_000;
        let kind = if number % 7 == 0 { "Read" } else { "Write" };
        let _ = writeln!(rows, "{at},host,0,{kind},{},4096,{response}", number * 4096);
    }
    rows + "prose\n1,2,3\n"
}

/// Two reads and a write of one drive, as blkparse prints them, and a request that is never completed.
fn blkparse() -> String {
    EVENTS.to_owned() + "  8,0    0        7     5.000000000   400  D   R 65536 + 256 [late]\n"
}

/// The cases.
pub const CASES: &[Case] = &[
    exact("trace-import", |scene| {
        scene.write("hm.csv", bunched());
        scene.run("trace import hm.csv -o hm");
        scene.run("trace show hm --json");
        scene.run("trace show hm --report hm.html");
        scene.keep_page("hm.html");
        scene.run("trace show hm --after 17:00:30 --before 17:01 --slow 1ms");
    }),
    exact("trace-blkparse", |scene| {
        scene.write("sda.txt", blkparse());
        scene.run("trace import sda.txt -o sda");
        scene.run("trace import sda.txt -o sdb --json");
    }),
    exact("trace-export", |scene| {
        scene.write("sda.txt", blkparse());
        scene.prepare("trace import sda.txt -o sda");
        for format in ["fio3", "fio2", "blkparse", "csv", "blkreplay"] {
            scene.run(&format!("trace export sda --format {format}"));
        }
    }),
    exact("trace-compared", |scene| {
        for (name, seed) in [("before", 1), ("after", 2)] {
            let load = "load sim:consistent?size=256MiB --rw randrw --rate 500/s --duration 1s";
            scene.prepare(&format!("{load} --seed {seed} -o {name}"));
        }
        scene.run("trace show before after --report both.html");
        scene.keep_page("both.html");
    }),
];
