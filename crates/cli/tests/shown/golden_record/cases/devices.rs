//! Tests on files, loop and zram devices: their figures are those of this machine.

use std::path::Path;

use super::{Case, headed, shaped};
use crate::common::devices::{self, Loop, Zram};
use crate::common::text;
use crate::golden_record::scene::Scene;

/// Runs a test on a loop device of zeros that it may write, and keeps its result.
fn on_loop(scene: &mut Scene, mebibytes: u64, command: &str) {
    let device = Loop::of_zeros(mebibytes);
    mask(scene, &device.node, "LOOP");
    scene.run_test(&format!("{} {}", command.replace("TARGET", device.text()), device.serial()));
}

/// Has the name of a device shown as another one, also where it stands without its folder.
fn mask(scene: &mut Scene, node: &Path, shown: &'static str) {
    scene.mask(node.file_name().expect("a name").to_string_lossy(), shown);
}

/// The cases.
pub const CASES: &[Case] = &[
    shaped(
        "file-load",
        || true,
        |scene| {
            scene.run_test("load new.bin --file-size 16MiB --rw randwrite --bytes 1MiB");
        },
    ),
    shaped(
        "file-verified",
        || true,
        |scene| {
            scene.run_test("load new.bin --file-size 16MiB --rw randwrite --verify end --bytes 1MiB");
        },
    ),
    headed(
        "file-stalls",
        || true,
        |scene| {
            scene.run_test("stalls new.bin --file-size 32MiB --rate 20MB/s --duration 1s");
        },
    ),
    shaped(
        "file-quick",
        || true,
        |scene| {
            scene.write("old.bin", vec![7_u8; 16 << 20]);
            scene.run_test("quick old.bin");
        },
    ),
    shaped("loop-load", devices::loops_can_be_made, |scene| {
        on_loop(scene, 64, "load TARGET --rw randrw --bytes 1MiB");
    }),
    headed("loop-consistency", devices::loops_can_be_made, |scene| {
        on_loop(scene, 32, "consistency TARGET --duration 4s --window 1s");
    }),
    headed("loop-trim", devices::loops_can_be_made, |scene| {
        on_loop(scene, 128, "trim TARGET --precondition random:1s --runs 2");
    }),
    shaped("loop-purge", devices::loops_can_be_made, |scene| {
        let device = Loop::of_zeros(16);
        mask(scene, &device.node, "LOOP");
        scene.mask(text(&device.image), "IMAGE");
        scene.run(&format!("purge {} --dry-run", device.text()));
        scene.run(&format!("purge {} {} --destroy-data", device.text(), device.serial()));
    }),
    shaped("zram-load", devices::zram_can_be_made, |scene| {
        let device = Zram::new(64, None);
        mask(scene, &device.node, "ZRAM");
        scene.run_test(&format!(
            "load {} --rw randwrite --bytes 1MiB {}",
            text(&device.node),
            device.serial()
        ));
    }),
    headed("loop-trace", devices::events_can_be_had, |scene| {
        let device = Loop::of_zeros(8);
        mask(scene, &device.node, "LOOP");
        scene.prepare(&format!("trace record -d {} -o t --duration 1s", device.text()));
        scene.run("trace show t --json");
    }),
    shaped("loop-image", devices::loops_can_be_made, |scene| {
        let device = Loop::of_zeros(8);
        mask(scene, &device.node, "LOOP");
        scene.run_for_lines("drives", "LOOP");
        scene.write("disk.img", vec![0_u8; 1 << 20]);
        for asked in
            ["attach disk.img --read-only", "list disk.img", "list disk.img --json", "detach disk.img"]
        {
            scene.run(&format!("image {asked}"));
        }
    }),
];
