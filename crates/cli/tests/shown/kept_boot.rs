//! A boot as a folder keeps it: the events of its trace, and its record.

use serde_json::{Value, json};

/// Two reads and a write of one drive, as blkparse prints them: 1 MiB by systemd at first, 64 KiB by cat a second later, each
/// done within 10 ms.
pub const EVENTS: &str = "\
  8,0    0        1     2.000000000   100  D   R 2048 + 2048 [systemd]
  8,0    0        2     2.010000000     0  C   R 2048 + 2048 [0]
  8,0    0        3     3.000000000   200  D   R 8192 + 128 [cat]
  8,0    0        4     3.005000000     0  C   R 8192 + 128 [0]
  8,0    0        5     4.000000000   300  D   W 16384 + 8 [kworker/0:1]
  8,0    0        6     4.001000000     0  C   W 16384 + 8 [0]
";

/// The same, and another read after the end of the boot. An import counts times from the first of them.
pub fn events_of_a_boot() -> String {
    let late = "  8,0    0        7    99.000000000   400  D   R 65536 + 256 [late]\n";
    let answered = "  8,0    0        8    99.001000000     0  C   R 65536 + 256 [0]\n";
    [EVENTS, late, answered].concat()
}

/// The record of a boot from the drive of this trace that took `millis` milliseconds.
pub fn record(trace: &[u8], id: &str, model: &str, serial: &str, millis: u64) -> Value {
    let trace: Value = serde_json::from_slice(trace).expect("JSON");
    let drive = &trace["devices"][0]["name"];
    json!({
        "schema": "drivelab.boot-folder/1", "version": "0.1.0", "boot_id": id, "began_unix_ns": 1_790_000_000_000_000_000_u64,
        "machine": { "name": "desk", "kernel": "6.12", "command_line": "quiet", "processors": 2 },
        "drive": { "name": drive, "model": model, "serial": serial, "size_bytes": 1_000_000_000 },
        "times": {
            "firmware_us": 3_000_000, "loader_us": 1_000_000, "initrd_us": 1_000_000, "userspace_us": 2_000_000,
            "finish_us": millis * 1000,
        },
        "target": { "name": "graphical.target", "reached_us": millis * 1000 - 500_000 },
        "units": [
            { "name": "slow.service", "began_us": 2_500_000, "started_us": 4_500_000, "processor_ns": 700_000_000,
              "read_bytes": 65_536, "written_bytes": 0 },
        ],
        "processes": [
            { "pid": 1, "name": "systemd", "began_ns": 1_000_000_000, "ended_ns": null },
            { "pid": 200, "name": "cat", "began_ns": 2_900_000_000_u64, "ended_ns": 3_100_000_000_u64 },
        ],
        "processors": [
            { "at_ns": 2_000_000_000_u64, "busy": 100, "waiting": 100, "idle": 200, "stolen": 0 },
            { "at_ns": 5_000_000_000_u64, "busy": 500, "waiting": 200, "idle": 300, "stolen": 0 },
        ],
        "traced_until_ns": 99_500_000_000_u64,
        "counters": { "read_bytes": (2048 + 128 + 256) * 512, "written_bytes": 4096 },
        "notices": [],
    })
}
