//! Which part of a trace is read, by the time at which its I/Os were issued.

use std::fmt;

use drivelab_block::Nanos;
use drivelab_documents::{ClockTime, ShownTime};
use drivelab_record::IssuedWithin;

/// A moment of a trace, as a user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceMoment {
    /// So long after the trace's beginning.
    After(Nanos),
    /// When the clock that the trace is shown by showed this.
    Shown(ShownTime),
}

/// The part of a trace that is asked for; all of it where neither end is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StretchRequest {
    /// From when on; a time without its day is the first such time of the trace.
    pub after: Option<TraceMoment>,
    /// Until when; a time without its day is the first such time after that.
    pub before: Option<TraceMoment>,
}

impl fmt::Display for TraceMoment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceMoment::After(nanos) => write!(out, "{}s", nanos.get() as f64 / 1e9),
            TraceMoment::Shown(shown) => shown.fmt(out),
        }
    }
}

impl TraceMoment {
    /// How many nanoseconds after the trace's beginning it is, `earliest` or later.
    fn nanos(self, began: Option<ClockTime>, earliest: u64) -> Result<u64, String> {
        match self {
            TraceMoment::After(nanos) => Ok(nanos.get()),
            TraceMoment::Shown(shown) => {
                let began = began.ok_or_else(|| {
                    format!(
                        "{shown}: its source has no clock time: give a time after the trace's beginning, such as 90s or 2h"
                    )
                })?;
                shown
                    .after(began, earliest)
                    .ok_or_else(|| format!("{shown}: no trace reaches that far: give a time of the trace"))
            }
        }
    }
}

/// Why there is no such part of a trace that began then and whose I/Os were issued from one time to another, in nanoseconds after
/// that.
pub(crate) fn outside(began: Option<ClockTime>, first: u64, last: u64) -> String {
    let after = |nanos: u64| match nanos {
        0 => "its beginning".to_owned(),
        _ => format!("{} after its beginning", Nanos::new(nanos)),
    };
    let moment = |nanos: u64| {
        let shown = began.and_then(|began| began.after(nanos));
        shown.map_or_else(|| after(nanos), ClockTime::in_words)
    };
    format!(
        "no I/O was issued in the part that --after and --before name: the trace has I/Os from {} to {}; name a part of that",
        moment(first),
        moment(last)
    )
}

impl StretchRequest {
    /// The I/Os that it takes of a trace that began then; none for all of them. The error says what to type instead.
    pub(crate) fn within(self, began: Option<ClockTime>) -> Result<Option<IssuedWithin>, String> {
        if self == StretchRequest::default() {
            return Ok(None);
        }
        let from = self.after.map_or(Ok(0), |from| from.nanos(began, 0))?;
        let until = self.before.map(|until| until.nanos(began, from.saturating_add(1))).transpose()?;
        match (self.before, until) {
            (Some(before), Some(until)) if until <= from => {
                let after = self.after.unwrap_or(TraceMoment::After(Nanos::ZERO));
                Err(format!(
                    "--before {before} does not lie after --after {after}: give a later one, or leave one of the two out"
                ))
            }
            _ => Ok(Some(IssuedWithin { from, until })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> TraceMoment {
        match text.strip_suffix('s') {
            Some(seconds) => {
                TraceMoment::After(Nanos::new(seconds.parse::<u64>().expect("a number") * 1_000_000_000))
            }
            None => TraceMoment::Shown(text.parse().expect("a time")),
        }
    }

    /// The seconds of a part of a trace that began at 03:00, or the error.
    fn seconds(
        from: Option<&str>,
        until: Option<&str>,
        has_clock: bool,
    ) -> Result<Option<(u64, Option<u64>)>, String> {
        let began = has_clock.then(|| "2026-11-26T03:00:00+01:00".parse().expect("a time"));
        let request = StretchRequest { after: from.map(moment), before: until.map(moment) };
        let within = request.within(began)?;
        Ok(within.map(|part| (part.from / 1_000_000_000, part.until.map(|until| until / 1_000_000_000))))
    }

    #[test]
    fn ends_are_times_after_the_beginning_or_times_of_the_clock() {
        assert_eq!(seconds(None, None, false), Ok(None));
        assert_eq!(seconds(Some("90s"), None, false), Ok(Some((90, None))));
        assert_eq!(seconds(None, Some("90s"), false), Ok(Some((0, Some(90)))));
        assert_eq!(seconds(Some("03:10"), Some("03:05"), true), Ok(Some((600, Some(86_700)))));
        assert_eq!(seconds(Some("03:10"), Some("03:20"), true), Ok(Some((600, Some(1_200)))));
        assert_eq!(seconds(Some("2026-11-27"), Some("100000s"), true), Ok(Some((75_600, Some(100_000)))));
    }

    #[test]
    fn what_is_no_part_of_a_trace_is_refused_with_what_to_give() {
        let refused = |from, until, has_clock| seconds(from, until, has_clock).expect_err("no part");
        assert!(refused(Some("03:10"), None, false).contains("such as 90s or 2h"));
        assert!(
            refused(Some("9s"), Some("9s"), false).starts_with("--before 9s does not lie after --after 9s")
        );
        let past = refused(None, Some("2026-11-20"), true);
        assert!(past.starts_with("--before 2026-11-20T00:00:00 does not lie after --after 0s"), "{past}");
        assert!(refused(Some("9999-01-01"), None, true).contains("no trace reaches that far"));
    }
}
