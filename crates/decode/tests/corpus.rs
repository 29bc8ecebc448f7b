//! Lines of the kernel's log, whole and damaged, are explained or left alone; none ends the program.

use drivelab_decode::{event, meanings};

const LINES: [&str; 3] = [
    include_str!("corpus/kernel-log/ata.txt"),
    include_str!("corpus/kernel-log/nvme.txt"),
    include_str!("corpus/kernel-log/scsi.txt"),
];

#[test]
fn damaged_lines_are_read_to_their_end() {
    let mut explained = 0;
    for line in LINES.iter().flat_map(|lines| lines.lines()) {
        for at in 0..line.len() {
            for other in ["", "é", "ffffffffffffffffffff", "/", " 0x"] {
                let damaged = format!("{}{other}{}", &line[..at], &line[at + 1..]);
                explained += usize::from(!meanings(&damaged).is_empty() || event(&damaged).is_some());
                drop(meanings(&line[..at]));
            }
        }
    }
    assert!(explained > 1_000, "{explained} damaged lines are explained");
}
