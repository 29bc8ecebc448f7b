//! Power that another program logged: a text of comma-separated values with the columns `time` and `watts`.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The longest file that is read: a year of a sample a second.
const LONGEST: u64 = 1 << 31;

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoggedPower {
    /// When, in seconds since 1970.
    pub unix_s: f64,
    /// How much, in watts.
    pub watts: f64,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Logged {
    /// The samples in the order of time.
    pub samples: Vec<LoggedPower>,
    /// Lines that are no sample: not two numbers, no power, or not later than the line before. At most one entry between two
    /// samples.
    pub wrong: Vec<WrongLines>,
}

/// Lines behind each other that are no sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongLines {
    /// The number of the first, counted from 1.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// The time of the sample before them, in seconds since 1970; without one, minus infinity.
    after_s: f64,
    /// The time of the sample behind them; without one, infinity.
    before_s: f64,
}

impl WrongLines {
    /// The middle of the time that they may be of, in seconds since 1970; `None` where a sample is on one side only.
    pub fn middle_s(&self) -> Option<f64> {
        let middle = f64::midpoint(self.after_s, self.before_s);
        middle.is_finite().then_some(middle)
    }
}

impl Logged {
    /// Reads a file. Times are seconds since 1970, or ISO 8601 with a zone (`2026-03-01T12:00:00.5Z`, `+01:00`).
    ///
    /// # Errors
    /// Where it cannot be read or its columns are not named, in words.
    pub fn read(path: &Path) -> Result<Logged, String> {
        let named = path.display();
        let not_read = |why: std::io::Error| format!("{named} cannot be read: {why}");
        // Looked at before it is opened: a pipe would be waited for without end.
        if !std::fs::metadata(path).map_err(not_read)?.is_file() {
            return Err(format!("{named} is no regular file: log into one, and name that"));
        }
        let mut bytes = Vec::new();
        File::open(path).map_err(not_read)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(not_read)?;
        if bytes.len() as u64 > LONGEST {
            let gigabytes = LONGEST >> 30;
            return Err(format!("{named} is longer than {gigabytes} GB: begin a new log for each task"));
        }
        let text = String::from_utf8_lossy(whole_lines(&bytes));
        let heading: String = text.lines().next().unwrap_or_default().chars().take(100).collect();
        Logged::parse(&text).ok_or_else(|| {
            format!("{named}: the first line has to name the columns time and watts, it is {heading:?}")
        })
    }

    /// Reads the text of a file; `None` where its columns are not named.
    pub fn parse(text: &str) -> Option<Logged> {
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        let heading: Vec<String> = fields(lines.next()?).map(str::to_ascii_lowercase).collect();
        let place = |name: &str| heading.iter().position(|field| field == name);
        let (time, watts) = (place("time")?, place("watts")?);
        let mut logged = Logged::default();
        let mut is_wrong = false;
        for (index, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let row: Vec<&str> = fields(line).collect();
            let last = logged.samples.last().map_or(f64::NEG_INFINITY, |sample| sample.unix_s);
            if let Some(sample) = sample(&row, time, watts).filter(|sample| sample.unix_s > last) {
                logged.samples.push(sample);
                if let (true, Some(wrong)) = (is_wrong, logged.wrong.last_mut()) {
                    wrong.before_s = sample.unix_s;
                }
                is_wrong = false;
            } else {
                match logged.wrong.last_mut().filter(|_| is_wrong) {
                    Some(wrong) => wrong.count += 1,
                    None => logged.wrong.push(WrongLines {
                        first: index as u64 + 2,
                        count: 1,
                        after_s: last,
                        before_s: f64::INFINITY,
                    }),
                }
                is_wrong = true;
            }
        }
        Some(logged)
    }

    /// Lines that are no sample and may be of this time, in seconds since 1970.
    pub fn wrong_within(&self, from_s: f64, to_s: f64) -> impl Iterator<Item = &WrongLines> {
        self.wrong.iter().filter(move |wrong| wrong.before_s > from_s && wrong.after_s < to_s)
    }
}

/// All but a last line without an end: its logger may be in the middle of it, and the half of a number is a number.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)]
}

fn fields(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|field| field.trim().trim_matches('"'))
}

fn sample(row: &[&str], time: usize, watts: usize) -> Option<LoggedPower> {
    let unix_s = unix_seconds(row.get(time)?)?;
    let watts: f64 = row.get(watts)?.parse().ok()?;
    (watts.is_finite() && watts.abs() <= 100_000.0).then_some(LoggedPower { unix_s, watts })
}

/// A time in seconds since 1970. A time of day without a zone could be anyone's, and is none.
fn unix_seconds(text: &str) -> Option<f64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return (0.0..1e11).contains(&seconds).then_some(seconds);
    }
    let (day_and_time, ahead_s) = match text.strip_suffix(['Z', 'z']) {
        Some(rest) => (rest, 0.0),
        None => zone(text)?,
    };
    let date = humantime::parse_rfc3339(&format!("{}Z", day_and_time.replacen(' ', "T", 1))).ok()?;
    let since = date.duration_since(UNIX_EPOCH).ok()?;
    Some(since.as_secs_f64() - ahead_s)
}

/// Splits `+01:00` off, in seconds ahead of UTC.
fn zone(text: &str) -> Option<(&str, f64)> {
    let (rest, zone) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let sign = match zone.as_bytes()[0] {
        b'+' => 1.0,
        b'-' => -1.0,
        _ => return None,
    };
    let (hours, minutes) = zone[1..].split_once(':')?;
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then(|| (rest, sign * f64::from(hours * 3600 + minutes * 60)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_telling_time_are_read_and_columns_by_their_names() {
        let text = "watts,volts,Time\n1.5,12,1700000000.25\n2.5,12,2023-11-14T22:13:21Z\n3,12,2023-11-14 23:13:22+01:00\n";
        let found = Logged::parse(text).expect("columns");
        let times: Vec<f64> = found.samples.iter().map(|sample| sample.unix_s - 1.7e9).collect();
        assert_eq!((times, found.wrong.len()), (vec![0.25, 1.0, 2.0], 0));
    }

    #[test]
    fn what_is_no_sample_is_counted_and_never_guessed() {
        let text = "time,watts\n10,1\n9,1\n11,NaN\n12\n13,9e37\n2023-11-14T22:13:21,1\nx,y\n14,2\n";
        let found = Logged::parse(text).expect("columns");
        let wrong: Vec<(u64, u64)> = found.wrong.iter().map(|wrong| (wrong.first, wrong.count)).collect();
        assert_eq!((found.samples.len(), wrong), (2, vec![(3, 6)]));
        assert_eq!(Logged::parse("1,2\n3,4\n"), None);
    }

    #[test]
    fn half_a_line_is_no_sample_and_a_pipe_no_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.csv");
        std::fs::write(&path, "time,watts\n10,12.0\n11,12.0\n12,1").expect("a file");
        let found = Logged::read(&path).expect("a log");
        assert_eq!(found.samples.iter().map(|sample| sample.watts).collect::<Vec<_>>(), [12.0, 12.0]);
        assert!(found.wrong.is_empty(), "{:?}", found.wrong);
        let refused = Logged::read(folder.path()).expect_err("a folder");
        assert!(refused.contains("is no regular file"), "{refused}");
    }

    #[test]
    fn a_wrong_line_counts_where_its_neighbours_are() {
        let text = "time,watts\nx\n10,1\n20,1\nx\nx\n30,1\n40,1\nx\n";
        let found = Logged::parse(text).expect("columns");
        let within = |from, to| found.wrong_within(from, to).map(|wrong| wrong.first).collect::<Vec<_>>();
        assert_eq!(within(0.0, 100.0), [2, 5, 9]);
        assert_eq!(within(22.0, 28.0), [5]);
        assert_eq!(within(31.0, 39.0), [0; 0]);
        assert_eq!((within(1.0, 9.0), within(41.0, 50.0)), (vec![2], vec![9]));
    }
}
