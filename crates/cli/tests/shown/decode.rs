//! What the numbers of errors mean, as a user asks for it.

use crate::common::{assert_fits, drivelab, folder, text};

const DECODE: &str = include_str!("../../../inspect/schemas/drivelab.decode-2.json");

#[test]
fn bits_and_codes_are_named() {
    let link = drivelab(&["decode", "serr", "0xd0000"]).with_code(0).stdout;
    for name in ["PHYRdyChg", "CommWake", "10B8B"] {
        assert!(link.contains(name), "{link}");
    }
    assert!(drivelab(&["decode", "ata-status", "81"]).with_code(0).stdout.contains("DRDY"));
    let status = drivelab(&["decode", "nvme-status", "0x4281", "--json"]).with_code(0).json();
    assert_fits(DECODE, &status);
    let status = &status["findings"];
    assert_eq!(status["nvme"]["name"], "Unrecovered Read Error");
    assert_eq!(status["nvme"]["do_not_retry"], true);
    let link = drivelab(&["decode", "serr", "0xd0000", "--json"]).with_code(0).json();
    assert_fits(DECODE, &link);
    assert_eq!(link["findings"]["bits"].as_array().map(Vec::len), Some(3));
    drivelab(&["decode", "ata-error", "0x100"]).fails_in_one_line(2, &["0x100", "8 bits"]);
    drivelab(&["decode", "nvme-status", "0x8000"]).fails_in_one_line(2, &["15 bits"]);
    drivelab(&["decode", "serr", "seven"]).fails_in_the_parser(&["0xd0000"]);
}

#[test]
fn a_log_is_explained_line_by_line() {
    let folder = folder();
    let log = folder.path().join("log");
    std::fs::write(&log, "ata3.00: exception Emask 0x10 SAct 0x7 SErr 0x400000 action 0x6\nnothing here\n")
        .expect("room");
    let said = drivelab(&["decode", "kernel-log", text(&log), "--all"]).with_code(0).stdout;
    let lines: Vec<&str> = said.lines().collect();
    let (first, meanings, last) = (lines[0], &lines[1..lines.len() - 1], lines[lines.len() - 1]);
    assert!(first.starts_with("ata3.00") && last == "nothing here", "{said}");
    assert!(meanings.iter().all(|line| line.starts_with("    ")), "{said}");
    for word in ["Emask 0x10", "SAct", "Handshk", "COMRESET"] {
        assert!(meanings.iter().any(|line| line.contains(word)), "{word}: {said}");
    }
    let short = drivelab(&["decode", "kernel-log", text(&log)]).with_code(0);
    assert_eq!(short.stdout, said.trim_end_matches("nothing here\n"), "only the line with codes");
    assert!(short.stderr.contains("1 of 2 lines has a code that is explained"), "{}", short.stderr);
    std::fs::write(&log, "nothing here\n".repeat(10_116)).expect("room");
    let quiet = drivelab(&["decode", "kernel-log", text(&log)]).with_code(0);
    assert!(quiet.stdout.is_empty() && quiet.stderr.contains("None of 10,116 lines"), "{}", quiet.stderr);
    drivelab(&["decode", "kernel-log", "nowhere"]).fails_in_one_line(3, &["nowhere"]);
}
