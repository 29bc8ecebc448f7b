//! What is printed without a drive: help, profiles, meanings of codes, plans, and refusals.

use super::{Case, exact};

/// Lines of kernels' logs.
const LOG: &str = "\
ata3.00: exception Emask 0x10 SAct 0x7 SErr 0x400000 action 0x6
ata3: SError: { Handshk }
nvme nvme0: I/O 12 QID 3 timeout, aborting
blk_update_request: critical medium error, dev sda, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0
sd 0:0:0:0: [sda] Sense Key : Illegal Request [current]
sd 0:0:0:0: [sda] Add. Sense: Unaligned write command
nothing here
";

/// Tests with `--dry-run`, on a simulated drive and on a file that is not there.
const PLANNED: [&str; 13] = [
    "consistency",
    "fill",
    "load --rw randwrite",
    "matrix",
    "offered-load",
    "paths",
    "pts",
    "quick",
    "quick --write",
    "stalls",
    "trim",
    "wake",
    "working-set",
];

/// Commands that are refused, and why a user would type them.
const REFUSED: [&str; 25] = [
    "load",
    "load sim:nosuch --rw read",
    "load sim:consistent?size=1GiB&colour=blue --rw read",
    "load sim:consistent?size=1GiB --rw write --block-size 0",
    "load sim:consistent?size=1GiB --rw read --duration 5",
    "load sim:consistent?size=1GiB --rw read --rate 100",
    "load sim:consistent?size=1GiB --rw read --range 50%-20%",
    "load sim:consistent?size=1GiB --rw read --bs 4k",
    "load nowhere.bin --rw read",
    "load notes.txt --rw read",
    "load notes.txt --rw write --assume-unused",
    "load . --rw read",
    "load sim:consistent --rw read -o full",
    "quick sim:consistent --report nowhere/page.html",
    "quick sim:consistent --report page.pdf",
    "report",
    "report nowhere",
    "report full",
    "replay full sim:consistent",
    "trace show full",
    "trace import notes.txt -o trace",
    "stream info notes.txt",
    "stream plan --rate 5 --for 1s --on full",
    "lifetime sim:consistent",
    "nosuch",
];

/// The cases.
pub const CASES: &[Case] = &[
    exact("help", |scene| {
        let shown = scene.printed("--help");
        scene.run("--help");
        for command in commands(&shown) {
            let shown = scene.printed(&format!("{command} --help"));
            scene.run(&format!("{command} --help"));
            for below in commands(&shown) {
                scene.run(&format!("{command} {below} --help"));
            }
        }
    }),
    exact("profiles", |scene| {
        scene.run("profiles");
        scene.run("profiles sm2246en");
    }),
    exact("decode", |scene| {
        scene.write("log", LOG);
        for asked in [
            "serr 0xd0000",
            "ata-status 0x51",
            "ata-error 0x40",
            "nvme-status 0x4281",
            "nvme-status 0x4281 --json",
            "kernel-log log",
        ] {
            scene.run(&format!("decode {asked}"));
        }
    }),
    exact("image-list", |scene| {
        // A table of partitions as in a master boot record: one of type 0x83 from sector 2048 on.
        let mut image = vec![0_u8; 4 << 20];
        image[446..462].copy_from_slice(&[0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0]);
        image[510..512].copy_from_slice(&[0x55, 0xaa]);
        scene.write("disk.img", &image);
        scene.write("plain.img", vec![0_u8; 1 << 20]);
        scene.run("image list disk.img");
        scene.run("image list disk.img --json");
        scene.run("image list plain.img");
    }),
    exact("dry-runs", |scene| {
        for test in PLANNED {
            let (test, rest) = test.split_once(' ').unwrap_or((test, ""));
            scene.run(&format!("{test} sim:consistent?size=4GiB {rest} --dry-run"));
        }
        scene.run("load sim:consistent?size=1GiB --rw read --json --dry-run");
        scene.run("consistency new.bin --file-size 16MiB --dry-run");
        scene.run(
            "stream record new.bin --file-size 64MiB --channel a=synthetic,size=1MB,rate=60/s --dry-run",
        );
    }),
    exact("refusals", |scene| {
        scene.write("notes.txt", "Some notes of a user.\n");
        scene.write("full/notes.txt", "Some notes of a user.\n");
        for command in REFUSED {
            assert_ne!(scene.run(command), Some(0), "{command}: nothing is refused");
        }
    }),
    exact("completions", |scene| {
        scene.prepare("man -o pages");
        scene.keep_names("pages");
        for shell in ["bash", "zsh", "fish"] {
            scene.prepare(&format!("completions {shell}"));
        }
    }),
];

/// The commands that a text of help lists.
pub fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let listed = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = listed.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}
