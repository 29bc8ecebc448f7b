//! Every kind of result on simulated drives, and what drives with faults make of it.

use super::{Case, exact};

/// The kinds of results from `consistency` to `paths`, once or twice each.
pub const FIRST: &[Case] = &[
    exact("consistency", |scene| {
        let timing = "--duration 8s --window 1s --over-provisioning 0%,25%";
        scene.run_test(&format!("consistency sim:sm2246en?size=1GiB {timing}"));
    }),
    exact("consistency-freezing", |scene| {
        scene.run_test(
            "consistency sim:consistent?size=1GiB&freeze_every=6s&freeze_for=1s --duration 8s --window 1s",
        );
    }),
    exact("fill", |scene| scene.run_test("fill sim:consistent?size=1GiB --range 0%-50% --rests 0s,1s")),
    exact("fill-cache", |scene| scene.run_test("fill sim:qlc-slc?size=2GiB&slc_cache=512MiB")),
    exact("load", |scene| {
        scene.run_test("load sim:consistent?size=1GiB --rw randwrite --duration 2s --meter sim");
    }),
    exact("load-offered", |scene| {
        let load = "--rw randrw --rate 3000/s --arrivals poisson --duration 4s --threads 2";
        scene.run_test(&format!("load sim:consistent?size=1GiB&freeze_every=3s&freeze_for=1s {load}"));
    }),
    exact("load-until-warm", |scene| {
        scene.run_test(
            "load sim:enterprise-nvme?size=1GiB&thermal_limit=54C --rw read --until-warm --duration 2s",
        );
    }),
    exact("load-job", |scene| {
        scene.write("mixed.fio", "[mixed]\nrw=randrw\nbs=16k\niodepth=8\nsize=8m\noffset=64m\ndirect=1\n");
        scene.run_test("load sim:consistent?size=1GiB --fio-job mixed.fio");
    }),
    exact("load-verified", |scene| {
        let load = "--rw randwrite --verify end --bytes 16MiB --label Damaged --note by_faults";
        scene.run_test(&format!("load sim:consistent?size=1GiB&flip_every=300&drop_every=500 {load}"));
    }),
    exact("matrix", |scene| {
        let cells = "--threads 1,2 --work seq-read,random-write --runs 3 --cell-duration 1s";
        scene.run_test(&format!("matrix sim:consistent?size=1GiB {cells}"));
    }),
    exact("offered-load", |scene| {
        scene.run_test(
            "offered-load sim:sm2246en?size=1GiB --loads 20%,80%,300/s --cell-duration 1s --limit 1ms",
        );
    }),
    exact("paths", |scene| {
        scene.run_test("paths sim:consistent?size=1GiB --sizes 64kB,1MB --cell-bytes 16MB --runs 2");
    }),
];

/// The others.
pub const SECOND: &[Case] = &[
    exact("pts", |scene| {
        scene.run_test("pts sim:consistent?size=1GiB --tests throughput --cell-duration 1s");
    }),
    exact("pts-iops", |scene| {
        scene.run_test("pts sim:hdd-7200?size=1GiB --tests latency --cell-duration 100ms");
    }),
    exact("quick", |scene| scene.run_test("quick sim:hdd-7200?size=4GiB")),
    exact("quick-write", |scene| scene.run_test("quick sim:tlc-nvme?size=1GiB --write")),
    exact("replay", |scene| {
        scene.prepare("load sim:consistent?size=1GiB --rw randrw --rate 500/s --duration 2s -o trace");
        scene.run_test("replay trace sim:sm2246en?size=1GiB");
    }),
    exact("replay-fast", |scene| {
        scene.prepare("load sim:consistent?size=1GiB --rw randrw --rate 500/s --duration 2s -o trace");
        scene.run_test("replay trace sim:hdd-7200?size=4GiB --timing unpaced");
    }),
    exact("stalls", |scene| {
        let drive = "sim:mx200-250?size=2GiB&delay_every=300MB&delay=300ms&delay_deviation=40ms";
        scene.run_test(&format!("stalls {drive} --bytes 1GB --verify no"));
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
    exact("trim", |scene| scene.run_test("trim sim:sm2246en?size=1GiB --precondition random:2s --runs 2")),
    exact("trim-ignored", |scene| {
        scene.run_test("trim sim:sm2246en?size=1GiB&trim=ignored --precondition random:1s --runs 2");
    }),
    exact("wake", |scene| {
        let drive = "sim:consistent?size=1GiB&power_state_1_after=1ms&power_state_1_exit=10ms";
        scene.run_test(&format!("wake {drive} --rests 500us,2ms,10ms --runs 6"));
    }),
    exact("working-set", |scene| {
        scene.run_test("working-set sim:hmb-nvme?size=1GiB&map_cache=64MiB --cell-duration 200ms");
    }),
];
