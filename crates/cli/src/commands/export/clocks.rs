//! Clocks that may be wrong: results that begin in the future, before there was a drivelab, or a year before or after the others
//! of their machine. A rollup of them would be compared with the wrong days.

use std::collections::BTreeMap;

use drivelab_documents::ClockTime;
use drivelab_view::format::things;

/// The first day of this program, 2026-11-01, in seconds since 1970: nothing was recorded by it earlier.
const FIRST_DAY_UNIX_S: u64 = 1_793_491_200;
/// The clocks of two machines may differ by less than this, in days: by what is left of them without a time server.
const FUTURE_DAYS: u64 = 1;
/// Results of one machine that lie as far apart as this, in days, are a year apart by one of two clocks.
const YEAR_DAYS: u64 = 300;
const SECONDS_PER_DAY: u64 = 86_400;
const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A result that has a date by the clock of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedResult {
    pub folder: String,
    pub host: String,
    /// When it began.
    pub at: ClockTime,
    /// Whether it is in the destination for the first time: what was said once is not said each time.
    pub is_new: bool,
}

impl DatedResult {
    /// In seconds since 1970; 0 of a clock that was never set.
    fn unix_s(&self) -> u64 {
        self.at.unix_nanos().unwrap_or(0) / NANOS_PER_SECOND
    }
}

/// What is doubtful of the clocks by which these results began, at this time in seconds since 1970; a sentence each.
pub fn doubts(results: &[DatedResult], now_unix_s: u64) -> Vec<String> {
    let mut found = Vec::new();
    let mut by_host: BTreeMap<&str, Vec<&DatedResult>> = BTreeMap::new();
    for result in results {
        let DatedResult { folder, host, .. } = result;
        let ahead = result.unix_s().saturating_sub(now_unix_s) / SECONDS_PER_DAY;
        let doubt = if ahead >= FUTURE_DAYS {
            let days = things(ahead, "day");
            format!(
                "{folder} begins {days} from now: is the clock of {host} right, and that of this machine?"
            )
        } else if result.unix_s() < FIRST_DAY_UNIX_S {
            let day = result.at.day();
            format!("{folder} begins on {day}, when drivelab did not exist: is the clock of {host} right?")
        } else {
            by_host.entry(host).or_default().push(result);
            continue;
        };
        found.extend(result.is_new.then_some(doubt));
    }
    found.extend(by_host.into_iter().filter_map(|(host, results)| years_apart(host, results)));
    found
}

/// What is doubtful of a machine some of whose results lie a year before or after the others.
fn years_apart(host: &str, mut results: Vec<&DatedResult>) -> Option<String> {
    results.sort_by_key(|result| result.at);
    let days_between = results.windows(2).map(|pair| {
        let apart = pair[1].unix_s().saturating_sub(pair[0].unix_s());
        apart / SECONDS_PER_DAY
    });
    let (place, days) = days_between.enumerate().max_by_key(|(_, days)| *days)?;
    if days < YEAR_DAYS || !results.iter().any(|result| result.is_new) {
        return None;
    }
    let (before, after) = results.split_at(place + 1);
    // Which ones are wrong is not known: the fewer ones are named.
    let (few, way) = if before.len() <= after.len() { (before, "before") } else { (after, "after") };
    let first = &few[0].folder;
    let (more, begin) = match few.len() - 1 {
        0 => (String::new(), "begins"),
        more => (format!(" and {}", things(more as u64, "other result")), "begin"),
    };
    let days = things(days, "day");
    Some(format!("{first}{more} {begin} {days} {way} the other results of {host}: was its clock right?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = FIRST_DAY_UNIX_S + 500 * SECONDS_PER_DAY;

    fn result(folder: &str, days_before_now: i64, is_new: bool) -> DatedResult {
        let unix_s = NOW.cast_signed() - days_before_now * SECONDS_PER_DAY.cast_signed();
        let at = ClockTime::new(unix_s, 0).expect("a time of a calendar");
        DatedResult { folder: folder.to_owned(), host: "web1".to_owned(), at, is_new }
    }

    #[test]
    fn a_clock_that_is_a_year_off_is_doubted_and_one_that_is_right_is_not() {
        let right = [result("a", 10, true), result("b", 0, true), result("c", 200, true)];
        assert_eq!(doubts(&right, NOW), Vec::<String>::new());
        let said = doubts(&[result("r0", -365, true), result("b", 0, true)], NOW);
        assert_eq!(
            said,
            ["r0 begins 365 days from now: is the clock of web1 right, and that of this machine?"]
        );
        let said = doubts(&[result("r0", 365, true), result("b", 0, true), result("c", 1, false)], NOW);
        assert_eq!(said, ["r0 begins 364 days before the other results of web1: was its clock right?"]);
        let said = doubts(&[result("old", 700, true)], NOW);
        assert!(said[0].contains("when drivelab did not exist"), "{said:?}");
        assert_eq!(
            doubts(&[result("r0", -365, false), result("old", 700, false)], NOW),
            Vec::<String>::new()
        );
    }
}
