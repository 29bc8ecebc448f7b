//! A row for each kind of test: what is asked of it in the tests that all kinds share. A new kind needs one row, and no other
//! line of these tests.

use std::path::{Path, PathBuf};

use crate::common::{drivelab, text};
use drivelab_runner::KINDS;

/// What is asked of a kind of test. In the commands `DRIVE` stands for the drive, `TRACE` for the records of a load on a drive of
/// 2 GiB, and `LOG` for the log of a meter, which covers the next minute.
pub struct TestedKind {
    /// The name of the kind.
    pub name: &'static str,
    /// A test of a second or two, on a drive of 2 GiB.
    pub short: &'static str,
    /// A test that writes, where the test can, on a drive of each fault.
    pub faulty: Faulty,
    /// Tests that are kept in the golden record, all that they print and write.
    pub kept: &'static [KeptTest],
}

/// What is asked of drives that do not do it.
pub enum Faulty {
    /// A command.
    Asked(FaultyTest),
    /// Why nothing is.
    Not(&'static str),
}

/// A command, and when its drive turns bad in what it does.
pub struct FaultyTest {
    /// The command.
    pub words: &'static str,
    /// The drive, without its fault.
    pub drive: &'static str,
    /// The middle of what is asked, in the drive's time.
    pub at: &'static str,
}

/// A test in the golden record.
pub struct KeptTest {
    /// The name of its text.
    pub name: &'static str,
    /// The command.
    pub command: &'static str,
}

/// A command on a drive of constant times, which turns bad at this time.
pub const fn faulty(words: &'static str, at: &'static str) -> Faulty {
    Faulty::Asked(FaultyTest { words, drive: "sim:consistent?size=512MiB", at })
}

const fn kept(name: &'static str, command: &'static str) -> KeptTest {
    KeptTest { name, command }
}

/// The kinds, in the order of [`KINDS`].
pub const TESTED: &[TestedKind] = &[
    TestedKind {
        name: "consistency",
        short: "consistency DRIVE --duration 10s --window 1s",
        faulty: faulty("consistency DRIVE --duration 6s --window 1s --precondition none", "3s"),
        kept: &[
            kept(
                "consistency",
                "consistency sim:sm2246en?size=1GiB --duration 8s --window 1s --over-provisioning 0%,25%",
            ),
            kept(
                "consistency-freezing",
                "consistency sim:consistent?size=1GiB&freeze_every=6s&freeze_for=1s --duration 8s --window 1s",
            ),
        ],
    },
    TestedKind {
        name: "energy",
        short: "energy --meter csv:LOG --baseline 1s --moved 1MB -- sleep 1",
        faulty: Faulty::Not("measures a command, and knows of no drive"),
        // A command that is measured takes another time each time: its case is among those of this machine.
        kept: &[],
    },
    TestedKind {
        name: "fill",
        short: "fill DRIVE --range 0%-50% --rests 0s,1s",
        faulty: faulty("fill DRIVE", "500ms"),
        kept: &[
            kept("fill", "fill sim:consistent?size=1GiB --range 0%-50% --rests 0s,1s"),
            kept("fill-cache", "fill sim:qlc-slc?size=2GiB&slc_cache=512MiB"),
        ],
    },
    TestedKind {
        name: "load",
        short: "load DRIVE --rw randwrite --duration 2s",
        faulty: faulty("load DRIVE --rw randrw --duration 6s", "3s"),
        kept: &[
            kept("load", "load sim:consistent?size=1GiB --rw randwrite --duration 2s --meter sim"),
            kept(
                "load-offered",
                "load sim:consistent?size=1GiB&freeze_every=3s&freeze_for=1s \
                 --rw randrw --rate 3000/s --arrivals poisson --duration 4s --threads 2",
            ),
            kept(
                "load-until-warm",
                "load sim:enterprise-nvme?size=1GiB&thermal_limit=54C --rw read --until-warm --duration 2s",
            ),
            kept(
                "load-verified",
                "load sim:consistent?size=1GiB&flip_every=300&drop_every=500 \
                 --rw randwrite --verify end --bytes 16MiB --label Damaged --note by_faults",
            ),
        ],
    },
    TestedKind {
        name: "matrix",
        short: "matrix DRIVE --threads 1,2 --work seq-read --runs 3 --cell-duration 1s",
        faulty: faulty(
            "matrix DRIVE --threads 1,2 --work seq-read,random-write --runs 2 --cell-duration 1s --working-set 128MiB",
            "500ms",
        ),
        kept: &[kept(
            "matrix",
            "matrix sim:consistent?size=1GiB --threads 1,2 --work seq-read,random-write --runs 3 --cell-duration 1s",
        )],
    },
    TestedKind {
        name: "offered-load",
        short: "offered-load DRIVE --loads 20%,80% --cell-duration 1s --limit 1ms",
        faulty: faulty("offered-load DRIVE --loads 20%,80% --cell-duration 2s --limit 1ms", "4s"),
        kept: &[kept(
            "offered-load",
            "offered-load sim:sm2246en?size=1GiB --loads 20%,80%,300/s --cell-duration 1s --limit 1ms",
        )],
    },
    TestedKind {
        name: "paths",
        short: "paths DRIVE --sizes 1MB --cell-bytes 16MB --runs 2",
        faulty: faulty("paths DRIVE --sizes 1MB --cell-bytes 128MB --runs 2", "300ms"),
        kept: &[kept("paths", "paths sim:consistent?size=1GiB --sizes 64kB,1MB --cell-bytes 16MB --runs 2")],
    },
    TestedKind {
        name: "pts",
        short: "pts DRIVE --tests throughput --cell-duration 1s",
        faulty: faulty("pts DRIVE --tests throughput --cell-duration 1s", "3s"),
        kept: &[
            kept("pts", "pts sim:consistent?size=1GiB --tests throughput --cell-duration 1s"),
            kept("pts-iops", "pts sim:hdd-7200?size=1GiB --tests latency --cell-duration 100ms"),
        ],
    },
    TestedKind {
        name: "quick",
        short: "quick DRIVE",
        faulty: faulty("quick DRIVE --write", "1s"),
        kept: &[
            kept("quick", "quick sim:hdd-7200?size=4GiB"),
            kept("quick-write", "quick sim:tlc-nvme?size=1GiB --write"),
        ],
    },
    TestedKind {
        name: "replay",
        short: "replay TRACE DRIVE",
        // As large as the drive that was traced.
        faulty: Faulty::Asked(FaultyTest {
            words: "replay TRACE DRIVE",
            drive: "sim:consistent?size=2GiB",
            at: "1s",
        }),
        // They replay what the case has recorded: see the cases of the golden record.
        kept: &[],
    },
    TestedKind {
        name: "stalls",
        short: "stalls DRIVE --bytes 1GiB --verify no",
        faulty: faulty("stalls DRIVE --bytes 1GiB", "2s"),
        kept: &[kept(
            "stalls",
            "stalls sim:mx200-250?size=2GiB&delay_every=300MB&delay=300ms&delay_deviation=40ms \
             --bytes 1GB --verify no",
        )],
    },
    TestedKind {
        name: "trim",
        short: "trim DRIVE --precondition random:2s --runs 2",
        faulty: faulty("trim DRIVE --precondition random:2s --runs 2", "3s"),
        kept: &[
            kept("trim", "trim sim:sm2246en?size=1GiB --precondition random:2s --runs 2"),
            kept(
                "trim-ignored",
                "trim sim:sm2246en?size=1GiB&trim=ignored --precondition random:1s --runs 2",
            ),
        ],
    },
    TestedKind {
        name: "wake",
        short: "wake DRIVE --rests 1ms,10ms --runs 6",
        faulty: faulty("wake DRIVE --rests 1ms,10ms --runs 6", "500ms"),
        kept: &[kept(
            "wake",
            "wake sim:consistent?size=1GiB&power_state_1_after=1ms&power_state_1_exit=10ms \
             --rests 500us,2ms,10ms --runs 6",
        )],
    },
    TestedKind {
        name: "working-set",
        short: "working-set DRIVE --cell-duration 1s",
        faulty: faulty("working-set DRIVE --cell-duration 1s", "2s"),
        kept: &[kept(
            "working-set",
            "working-set sim:hmb-nvme?size=1GiB&map_cache=64MiB --cell-duration 200ms",
        )],
    },
];

/// The words of a command, with what is asked for in the place of what stands for it; `beside` is a folder for what is needed.
pub fn words(command: &str, drive: &str, beside: &Path) -> Vec<String> {
    let put = |word: &str| match word {
        "DRIVE" => drive.to_owned(),
        "TRACE" => text(&trace(beside)).to_owned(),
        word if word.ends_with("LOG") => word.replace("LOG", text(&meter_log(beside))),
        word => word.to_owned(),
    };
    command.split_whitespace().map(put).collect()
}

/// The log of a meter that covers the next minute.
#[expect(clippy::disallowed_methods, reason = "the log of a meter has the time of day")]
fn meter_log(beside: &Path) -> PathBuf {
    let log = beside.join("watts.csv");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs();
    let tenths = (now - 5) * 10..(now + 60) * 10;
    let lines = tenths.map(|tenth| format!("{}.{},5.0\n", tenth / 10, tenth % 10));
    std::fs::write(&log, format!("time,watts\n{}", lines.collect::<String>())).expect("room");
    log
}

/// A trace: the records of a load.
fn trace(beside: &Path) -> PathBuf {
    let kept = beside.join("trace");
    if !kept.exists() {
        let load = "load sim:consistent?size=2GiB --rw randwrite --rate 500/s --duration 2s -o";
        let asked: Vec<&str> = load.split(' ').chain([text(&kept)]).collect();
        drivelab(&asked).with_code(0);
    }
    kept
}

#[test]
fn every_kind_has_a_row() {
    let rows = TESTED.iter().map(|row| row.name);
    assert!(rows.eq(KINDS.iter().map(|kind| kind.name)), "a row for each kind, in the order of the list");
}
