//! Tests that cannot be run here say so, and are counted.

use std::env;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// Names the file that skipped tests are added to; `make test` sets it and shows the file at its end.
const LIST: &str = "DRIVELAB_SKIPPED";

/// Says that the test that calls this is skipped, wholly or in part, and why.
///
/// The line goes to the test's output, which the test runner shows of failed tests only. Where `make test` asked for it, the
/// line also goes to its list, with the name of the test.
pub fn skipped(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(list) = env::var_os(LIST) {
        // One write for the whole line: many tests add to the list at the same time.
        let added = File::options()
            .create(true)
            .append(true)
            .open(&list)
            .and_then(|mut file| file.write_all(line(&place(), why).as_bytes()));
        added.unwrap_or_else(|error| panic!("{LIST}={} cannot be added to: {error}", list.display()));
    }
}

/// A line of the list; a reason of several lines becomes one.
fn line(place: &str, why: &str) -> String {
    format!("{place}: {}\n", why.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The test's program and its name: the test runner names the thread of each test after it.
fn place() -> String {
    let program = env::current_exe().ok().as_deref().and_then(Path::file_stem).map(|stem| {
        let stem = stem.to_string_lossy().into_owned();
        stem.rsplit_once('-').map_or(stem.clone(), |(name, _)| name.to_owned())
    });
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a thread without a name");
    format!("{} {test}", program.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_test_and_has_no_break() {
        assert!(place().ends_with("skip::tests::a_line_names_the_test_and_has_no_break"), "{}", place());
        assert!(place().starts_with("drivelab_testbed "), "{}", place());
        assert_eq!(line("file a_test", "no ring:\n  refused"), "file a_test: no ring: refused\n");
    }
}
