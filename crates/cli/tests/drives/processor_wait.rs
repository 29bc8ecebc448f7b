//! A program with a higher priority takes the processor away now and then: what that makes of the times of I/Os is not the
//! drive's.

use std::process::{Child, Command, Stdio};

use crate::common::devices::{self, Zram};
use crate::common::{drivelab, folder, manifest, text};
use serde_json::Value;

/// Holds its processor for 15 ms of every 200, at a priority before that of every other program.
struct Holding(Child);

impl Holding {
    fn processor(number: u32) -> Holding {
        let program = "import time\nwhile True:\n    until = time.monotonic() + 0.015\n    \
                       while time.monotonic() < until:\n        pass\n    time.sleep(0.185)\n";
        let number = number.to_string();
        let mut command = Command::new("chrt");
        let child = command
            .args(["-f", "50", "taskset", "-c", &number, "python3", "-c", program])
            .stdout(Stdio::null())
            .spawn();
        Holding(child.expect("chrt starts"))
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn workers(run: &std::path::Path) -> Value {
    let phases = manifest(run)["phases"].clone();
    let measured =
        phases.as_array().and_then(|phases| phases.iter().find(|phase| phase["name"] == "randread"));
    measured.expect("the load").get("workers").cloned().expect("the kernel counts waits")
}

#[test]
fn waits_for_a_processor_are_not_put_down_to_the_drive() {
    let can_try = ["chrt", "taskset", "python3"].iter().all(|program| devices::has(program));
    if !can_try {
        devices::skipped("a real-time loop needs chrt, taskset and python3");
    }
    if !devices::zram_can_be_made() || !can_try {
        return;
    }
    let (folder, zram) = (folder(), Zram::new(64, None));
    let node = format!("/dev/{}", zram.name());
    let held = folder.path().join("held");
    let load = |run: &std::path::Path| {
        let asked =
            ["load", &node, "--rw", "randread", "--queue-depth", "1", "--cpus", "0", "--duration", "4s"];
        drivelab(&[&asked[..], &["-o", text(run)]].concat()).with_code(0).stdout
    };
    let said = {
        let _holding = Holding::processor(0);
        load(&held)
    };
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = workers(&held);
    // 15 ms in each of twenty times 200 ms, as the kernel itself counts them.
    let (waited, longest) = (found["waiting_ns"].as_u64(), found["longest_wait_ns"].as_u64());
    assert!(waited > Some(200_000_000) && longest > Some(12_000_000), "{found}");
    assert!(said.contains("The program had no processor for up to"), "{said}");
    assert!(said.contains(", which may be the machine's"), "{said}");
    let shown = drivelab(&["trace", "show", text(&held), "--slow", "5ms"]).with_code(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("The slow I/Os may be the machine's"), "{shown}");
    // A drive in memory has no other limit than the processor.
    assert!(said.contains("may be the limit of the processor and not of the drive"), "{said}");
}
