//! Drives and their counters, and commands that are measured.

use super::{Case, shaped};
use crate::common::devices::{self, Loop};
use crate::common::text;

/// What smartctl prints of a drive.
const SMARTCTL: &str = r#"{
  "smartctl": {}, "device": { "protocol": "ATA" }, "smart_status": { "passed": true },
  "power_on_time": { "hours": 1234 }, "endurance_used": { "current_percent": 3 },
  "ata_smart_attributes": { "table": [
    { "id": 241, "name": "Host_Writes_32MiB", "raw": { "value": 1000 } },
    { "id": 245, "name": "TLC_Writes_32MiB", "raw": { "value": 2000 } },
    { "id": 242, "name": "Host_Reads_32MiB", "raw": { "value": 5 } }
  ] }
}"#;

/// The cases.
pub const CASES: &[Case] = &[
    shaped("lifetime", devices::loops_can_be_made, |scene| {
        let device = Loop::of_zeros(8);
        scene.mask(device.node.file_name().expect("a name").to_string_lossy(), "LOOP");
        scene.program_that_prints("smartctl", SMARTCTL);
        let asked = format!("lifetime {}", text(&device.node));
        scene.run(&format!("{asked} -o before"));
        scene.program_that_prints("smartctl", &SMARTCTL.replace("1000", "1100").replace("2000", "2250"));
        scene.run(&format!("{asked} --since before --rated-tbw 0.1 --report page.html"));
        scene.keep_page("page.html");
        scene.run(&format!("{asked} --json"));
    }),
    shaped(
        "energy",
        || true,
        |scene| {
            scene.write("watts.csv", watts());
            scene.run("energy --meter csv:watts.csv --baseline 1s --moved 1MB -o r -- /bin/sleep 1");
            scene.keep_forms("r");
        },
    ),
];

/// A meter's log of the next minutes.
#[expect(clippy::disallowed_methods, reason = "the log of a meter has the time of day")]
fn watts() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs();
    let tenths = (now - 5) * 10..(now + 120) * 10;
    let lines = tenths.map(|tenth| format!("{}.{},5.0\n", tenth / 10, tenth % 10));
    format!("time,watts\n{}", lines.collect::<String>())
}
