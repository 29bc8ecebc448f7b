//! Drives that look alike: two of one serial number, of none, of one world-wide name, and two namespaces of one drive. Each test
//! prints a row of a table for what every command did.

mod again;
mod pairs;
mod removed;
mod writing;

use anyhow::Result;

use crate::Test;
use crate::program::from_command_line;

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("drives_names_all_that_look_alike", writing::drives_names_all_that_look_alike),
    ("every_command_that_writes_wants_one_drive", writing::every_command_that_writes_wants_one_drive),
    ("several_targets_take_one_serial_each", writing::several_targets_take_one_serial_each),
    ("namespaces_are_confirmed_each_by_itself", writing::namespaces_are_confirmed_each_by_itself),
    ("what_is_written_is_the_drive_that_was_named", writing::what_is_written_is_the_drive_that_was_named),
    ("a_verification_reads_no_other_drive", again::a_verification_reads_no_other_drive),
    ("a_matrix_goes_on_on_no_other_drive", again::a_matrix_goes_on_on_no_other_drive),
    ("lifetimes_of_two_drives_are_not_compared", again::lifetimes_of_two_drives_are_not_compared),
    ("results_are_told_by_their_drives", again::results_are_told_by_their_drives),
];

/// The tests in which drives are taken away and come back, in order.
pub const REMOVED_TESTS: &[Test] = &[
    ("a_review_goes_on_on_no_other_drive", removed::a_review_goes_on_on_no_other_drive),
    ("a_matrix_goes_on_on_no_drive_that_is_left", removed::a_matrix_goes_on_on_no_drive_that_is_left),
    (
        "a_drive_that_appears_changes_nothing_for_a_run",
        removed::a_drive_that_appears_changes_nothing_for_a_run,
    ),
];

/// A row of the table: what a command did, a cell for each pair.
fn print_row(command: &str, cells: &[String]) {
    println!("| {command} | {} |", cells.join(" | "));
}

/// Whether every cell of the table is tried, which is so in more than one round. A start takes a second on an emulated processor:
/// otherwise what differs only in the pair is tried with one of them.
fn tries_all() -> Result<bool> {
    Ok(from_command_line("drivelab.rounds")?.is_some_and(|rounds| rounds != "1"))
}
