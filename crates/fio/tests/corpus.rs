//! Job files of fio, whole and damaged, are read or refused with a reason; none ends the program.

use drivelab_fio::FioJob;

const FILES: [&str; 3] = [
    include_str!("corpus/fio-job/database.fio"),
    include_str!("corpus/fio-job/refused.fio"),
    include_str!("corpus/fio-job/stream.fio"),
];

#[test]
fn damaged_files_are_read_to_their_end() {
    let (mut taken, mut refused) = (0, 0);
    for text in FILES {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            for other in ["", "é", "99999999999999999999", "[", "]", "=", "\n", "%", ","] {
                let damaged = format!("{}{other}{}", &text[..at], &text[at + 1..]);
                match FioJob::parse(&damaged) {
                    Ok(_) => taken += 1,
                    Err(error) => {
                        assert!(!error.is_empty(), "{damaged}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(taken > 500 && refused > 1_000, "{taken} are taken, {refused} refused");
}

#[test]
fn every_line_of_a_refused_file_is_named() {
    let error = FioJob::parse(FILES[1]).expect_err("nothing of it is taken");
    let named: Vec<&str> = error.lines().filter_map(|line| line.split(':').next()).collect();
    let expected: Vec<String> = (2..=12).chain([14]).map(|line| format!("line {line}")).collect();
    assert_eq!(named[..expected.len()], expected, "{error}");
}
