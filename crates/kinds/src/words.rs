//! Moments of a run, I/Os, and why they failed, in words.

use std::io;

use drivelab_block::{Op, Status};
use drivelab_decode::block_error;
use drivelab_documents::PhaseMoment;
use drivelab_view::format::{by_number, count, digits};

/// Such as "second 4.00 of the phase random write".
pub(crate) fn moment(at: &PhaseMoment) -> String {
    format!("second {} of the phase {}", digits(at.at_s), at.phase)
}

/// What so many I/Os of an operation are called.
pub(crate) fn noun(op: Op, number: u64) -> &'static str {
    match op {
        Op::Read => by_number(number, "read", "reads"),
        Op::Write => by_number(number, "write", "writes"),
        Op::Discard => by_number(number, "discard", "discards"),
        Op::Flush => by_number(number, "flush", "flushes"),
    }
}

/// Of what there is any, with how many: such as "12 writes".
pub(crate) fn numbered(counts: &[(u64, &str)]) -> Vec<String> {
    let some = counts.iter().filter(|(number, _)| *number > 0);
    some.map(|(number, what)| format!("{} {what}", count(*number as f64))).collect()
}

/// The words for a status that is no success: those of the block layer where it has its own, or else those of the system.
pub fn status_words(status: Status) -> String {
    if status == Status::SHORT {
        return "fewer bytes than asked for".to_owned();
    }
    if status.is_unanswered() {
        return "not answered until they were given up".to_owned();
    }
    let number = i32::from(status.code());
    match block_error(number) {
        Some(meaning) => format!("{meaning} (os error {number})"),
        None => io::Error::from_raw_os_error(number).to_string(),
    }
}
