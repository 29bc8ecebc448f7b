//! Tests on simulated drives that need more than their command: a file, a trace, or words that have to be in the text. The others
//! are in the rows of the tested kinds.

use super::{Case, exact};

/// The cases.
pub const CASES: &[Case] = &[
    exact("load-job", |scene| {
        scene.write("mixed.fio", "[mixed]\nrw=randrw\nbs=16k\niodepth=8\nsize=8m\noffset=64m\ndirect=1\n");
        scene.run_test("load sim:consistent?size=1GiB --fio-job mixed.fio");
    }),
    exact("replay", |scene| {
        scene.prepare("load sim:consistent?size=1GiB --rw randrw --rate 500/s --duration 2s -o trace");
        scene.run_test("replay trace sim:sm2246en?size=1GiB");
    }),
    exact("replay-fast", |scene| {
        scene.prepare("load sim:consistent?size=1GiB --rw randrw --rate 500/s --duration 2s -o trace");
        scene.run_test("replay trace sim:hdd-7200?size=4GiB --timing unpaced");
    }),
    exact("stalls-damaged", |scene| {
        scene.run_test(
            "stalls sim:x300s-128?size=1GiB&tear_every=20&drop_every=30&misdirect_every=25 --bytes 256MiB",
        );
        scene.says("NOT as written");
        for fault in ["torn", "missing"] {
            scene.says(&format!(" {fault}"));
        }
    }),
];
