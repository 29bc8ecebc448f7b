//! Boots that were kept, shown and compared; and what is refused before anything is changed.

use std::fs;
use std::path::Path;

use crate::common::{assert_fits, drivelab, folder, text};
use crate::kept_boot::{events_of_a_boot, record};
use serde_json::{Value, json};

const BOOT: &str = include_str!("../../../inspect/schemas/drivelab.boot-2.json");

/// Makes the folder of a boot from this drive that took `millis` milliseconds.
fn boot(path: &Path, (model, serial): (&str, &str), millis: u64, change: impl Fn(&mut Value)) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("room");
    let events = path.with_extension("txt");
    fs::write(&events, events_of_a_boot()).expect("room");
    drivelab(&["trace", "import", text(&events), "-o", text(path)]).with_code(0);
    let trace = fs::read(path.join("trace.json")).expect("a trace");
    let mut record = record(&trace, serial, model, serial, millis);
    change(&mut record);
    fs::write(path.join("boot.json"), record.to_string()).expect("room");
}

#[test]
fn a_boot_has_its_parts_its_reads_and_its_programs() {
    let folder = folder();
    boot(&folder.path().join("one"), ("SSD", "S1"), 7900, |_| {});
    let document = drivelab(&["boot", "show", text(folder.path()), "--json"]).with_code(0).json();
    assert_fits(BOOT, &document);
    let one = &document["findings"]["boots"][0];
    let expected = json!({
        "firmware": 2.0, "loader": 1.0, "kernel": 1.0, "initrd": 1.0, "userspace": 5.9, "total": 7.9,
    });
    assert_eq!(one["seconds"], expected);
    assert_eq!(one["target"], json!({ "name": "graphical.target", "reached_s": 7.4 }));
    assert_eq!(one["began"], "2026-09-21T14:13:20+00:00");
    // What was read after the end of the boot is no part of it.
    assert_eq!((one["read_bytes"].as_u64(), one["requests"].as_u64()), (Some((2048 + 128) * 512), Some(3)));
    assert_eq!(one["peak"], json!({ "bytes_per_s": 2048.0 * 512.0 * 10.0, "at_s": 0.0 }));
    assert_eq!((&one["traced_share"], &one["drive_busy_s"]), (&json!(1.0), &json!(0.016)));
    assert_eq!(one["processors"], json!({ "busy": 0.5, "waiting": 0.2, "idle": 0.3, "stolen": 0.0 }));
    assert_eq!(one["units"][0]["took_s"], json!(2.0));
    let program = |name: &str| {
        let programs = one["programs"].as_array().expect("programs");
        programs.iter().find(|program| program["name"] == name).unwrap_or_else(|| panic!("{name}: {one}"))
    };
    assert_eq!(program("systemd")["read_bytes"].as_u64(), Some(2048 * 512));
    assert_eq!(program("systemd")["lived_s"].as_f64(), Some(6.9), "it ran on");
    assert_eq!((program("cat")["runs"].as_u64(), program("cat")["lived_s"].as_f64()), (Some(1), Some(0.2)));
    let shown = drivelab(&["boot", "show", text(folder.path())]).with_code(0).stdout;
    assert!(shown.contains("The machine boots in 7.90 s from the kernel's beginning (one boot)"), "{shown}");
    let busy = "At least one request was with the drive for 16.0 ms (0.2 % of the time)";
    assert!(shown.contains(busy), "{shown}");
    assert!(!shown.contains("warning"), "{shown}");
}

#[test]
fn two_drives_are_compared_as_far_as_their_boots_show_a_difference() {
    let folder = folder();
    let [quick, slow] = ["quick", "slow"].map(|name| folder.path().join(name));
    for (place, millis) in [7800, 7900, 8000].into_iter().enumerate() {
        boot(&quick.join(format!("boot-{place}")), ("SSD", "S1"), millis, |_| {});
        boot(&slow.join(format!("boot-{place}")), ("Disk", "D1"), millis + 18_000, |_| {});
    }
    let page = folder.path().join("boots.html");
    let shown =
        drivelab(&["boot", "show", text(&slow), text(&quick), "--report", text(&page)]).with_code(0).stdout;
    assert!(shown.contains("The machine boots 3.28 times"), "{shown}");
    assert!(shown.contains("as fast from SSD as from Disk."), "{shown}");
    assert!(fs::read_to_string(&page).expect("a page").contains("Units whose start took longest"));
    assert!(
        shown.contains("Booted from 2026-09-21 14:13:20 +00:00 to 2026-09-21 14:13:20 +00:00"),
        "{shown}"
    );
    // One boot of each shows nothing of others.
    let singles = [slow.join("boot-0"), quick.join("boot-0")];
    let shown = drivelab(&["boot", "show", text(&singles[0]), text(&singles[1])]).with_code(0).stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("single boots do not show that others would be"), "{shown}");
    assert!(!shown.contains("best value"), "{shown}");
    // The same folder twice is one boot.
    let document = drivelab(&["boot", "show", text(&slow), text(&slow), "--json"]).with_code(0).json();
    assert_eq!(document["findings"]["drives"][0]["boots"].as_u64(), Some(3));
}

#[test]
fn a_boot_that_lacks_something_says_so() {
    let folder = folder();
    let path = folder.path().join("one");
    boot(&path, ("SSD", "S1"), 7900, |record| {
        record["times"]["finish_us"] = Value::Null;
        record["counters"]["read_bytes"] = json!(10_000_000);
        record["notices"] = json!(["The kernel's buffer was full and 7 later events are missing."]);
    });
    let shown = drivelab(&["boot", "show", text(&path)]).with_code(0).stdout;
    for words in ["did not come to its end", "7 later events are missing", "12.5 % of the bytes"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    fs::write(path.join("boot.json"), "{\"schema\": \"drivelab.boot-folder/7\"}").expect("room");
    drivelab(&["boot", "show", text(&path)]).fails_in_one_line(2, &["drivelab.boot-folder/7"]);
    fs::write(path.join("boot.json"), "{").expect("room");
    drivelab(&["boot", "show", text(&path)]).fails_in_one_line(2, &["boot.json is damaged"]);
    fs::remove_file(path.join("boot.json")).expect("it is there");
    drivelab(&["boot", "show", text(&path)]).fails_in_one_line(2, &["holds no boot"]);
    drivelab(&["boot", "show", "nowhere"]).fails_in_one_line(2, &["boot enable"]);
}

#[test]
fn a_plan_is_printed_and_what_cannot_be_is_refused() {
    let plan = drivelab(&["boot", "enable", "--print", "--boot-loader", "grub", "--buffer", "16MiB"])
        .with_code(0)
        .stdout;
    for words in
        ["drivelab-boot.service", "trace_buf_size=16384K", "run update-grub\n", "Nothing was changed"]
    {
        assert!(plan.contains(words), "{words}: {plan}");
    }
    drivelab(&["boot", "enable", "--print", "--boot-loader", "grub", "--buffer", "1KiB"])
        .fails_in_one_line(2, &["--buffer", "8MiB"]);
    drivelab(&["boot", "enable", "--print", "--boot-loader", "grub", "-o", "boots"])
        .fails_in_one_line(2, &["from the root on"]);
    assert_eq!(drivelab(&["boot", "disable"]).with_code(0).stdout, "nothing was enabled\n");
    drivelab(&["boot", "keep"]).fails_in_one_line(3, &["this boot is not traced"]);
}
