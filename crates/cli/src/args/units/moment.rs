//! Moments of a trace, as people type them.

use drivelab_record::ShownTime;
use drivelab_trace::TraceMoment;

use super::duration::duration;

/// Reads `90s` and `2h` after the beginning of a trace, and `03:10` and `2026-11-26T03:10` by its clock.
pub fn moment(text: &str) -> Result<TraceMoment, String> {
    let is_of_a_clock = text.contains(':') || text.matches('-').count() == 2;
    if is_of_a_clock {
        return text.trim().parse::<ShownTime>().map(TraceMoment::Shown).map_err(|_| unreadable(text));
    }
    duration(text).map(TraceMoment::After).map_err(|_| unreadable(text))
}

fn unreadable(text: &str) -> String {
    format!(
        "{text:?} is no time: give one after the beginning, such as 90s or 2h, or one of the clock, such as 03:10 or \
         2026-11-26T03:10"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::Nanos;

    #[test]
    fn a_moment_is_a_duration_or_a_time_of_the_clock() {
        assert_eq!(moment("90s"), Ok(TraceMoment::After(Nanos::new(90_000_000_000))));
        for text in ["03:10", "03:10:05", "2026-11-26", "2026-11-26T03:10", "2026-11-26 03:10:05"] {
            assert!(matches!(moment(text), Ok(TraceMoment::Shown(_))), "{text}");
        }
        for text in ["90", "3:", "yesterday", "24:10", "2026-11-31", "-5s", ""] {
            assert!(moment(text).is_err_and(|error| error.contains("such as 90s or 2h")), "{text}");
        }
    }
}
