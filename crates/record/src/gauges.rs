//! What was read beside a run, over and over: what the machine did, what the drive drew. Lines of text, so that any program
//! can read them, and a killed run has all but its last reading.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use drivelab_block::Instant;
use drivelab_files::open_regular;

use crate::RecordError;

/// The columns before the readings: the interval that they speak of.
const INTERVAL: [&str; 2] = ["from_ns", "until_ns"];

/// A quantity that is read over and over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Its name, such as `processors user`: without a comma or a bracket.
    pub name: String,
    /// The unit of its readings, such as `%`.
    pub unit: String,
}

/// What each of several gauges showed over an interval, on the clock of the run's records.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// The start of the interval.
    pub from: Instant,
    /// Its end.
    pub until: Instant,
    /// A mean over the interval for each gauge; none where there was nothing to read.
    pub values: Vec<Option<f64>>,
}

/// Writes readings down as they are made.
#[derive(Debug)]
pub struct GaugeWriter {
    path: PathBuf,
    file: File,
}

impl GaugeWriter {
    /// Begins a new file with the names and units of its gauges.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn create(path: &Path, gauges: &[Gauge]) -> Result<GaugeWriter, RecordError> {
        let file = File::create(path).map_err(|error| RecordError::io(path, error))?;
        let mut writer = GaugeWriter { path: path.to_owned(), file };
        let names = gauges.iter().map(|gauge| format!("{} ({})", gauge.name, gauge.unit));
        writer.line(INTERVAL.into_iter().map(str::to_owned).chain(names))?;
        Ok(writer)
    }

    /// Adds a line of readings, one for each gauge.
    ///
    /// # Errors
    /// Where it cannot be written: the disk is full, or the folder is gone.
    pub fn append(&mut self, readings: &Readings) -> Result<(), RecordError> {
        let interval = [readings.from, readings.until].map(|at| at.as_nanos().to_string());
        let values = readings.values.iter().map(|value| value.map_or_else(String::new, plain));
        self.line(interval.into_iter().chain(values))
    }

    /// In one piece, so that a kill leaves whole lines.
    fn line(&mut self, cells: impl Iterator<Item = String>) -> Result<(), RecordError> {
        let text = cells.collect::<Vec<_>>().join(",") + "\n";
        self.file.write_all(text.as_bytes()).map_err(|error| RecordError::io(&self.path, error))
    }
}

/// Four digits behind the point: no gauge is better than that.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Reads readings back, one line at a time.
#[derive(Debug)]
pub struct GaugeReader {
    lines: BufReader<File>,
    /// The gauges, in the order of each line's values.
    pub gauges: Vec<Gauge>,
}

impl GaugeReader {
    /// Opens a file of readings; `None` where there is none.
    ///
    /// # Errors
    /// Where it cannot be read, or is no file of readings.
    pub fn open(path: &Path) -> Result<Option<GaugeReader>, RecordError> {
        let file = match open_regular(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RecordError::io(path, error)),
        };
        let (mut lines, mut head) = (BufReader::new(file), String::new());
        lines.read_line(&mut head).map_err(|error| RecordError::io(path, error))?;
        let gauges = gauges_of(&head)
            .ok_or_else(|| RecordError::io(path, std::io::Error::other("its first line names no gauges")))?;
        Ok(Some(GaugeReader { lines, gauges }))
    }
}

impl Iterator for GaugeReader {
    type Item = Readings;

    /// The next readings. A line that is cut off or damaged ends them.
    fn next(&mut self) -> Option<Readings> {
        let mut line = String::new();
        self.lines.read_line(&mut line).ok()?;
        let mut cells = line.strip_suffix('\n')?.split(',');
        let from = Instant::from_nanos(cells.next()?.parse().ok()?);
        let until = Instant::from_nanos(cells.next()?.parse().ok()?);
        let values: Option<Vec<Option<f64>>> = cells
            .map(|cell| match cell {
                "" => Some(None),
                cell => cell.parse().ok().filter(|value: &f64| value.is_finite()).map(Some),
            })
            .collect();
        values.filter(|values| values.len() == self.gauges.len() && until > from).map(|values| Readings {
            from,
            until,
            values,
        })
    }
}

fn gauges_of(head: &str) -> Option<Vec<Gauge>> {
    let mut cells = head.strip_suffix('\n')?.split(',');
    if [cells.next()?, cells.next()?] != INTERVAL {
        return None;
    }
    cells
        .map(|cell| {
            let (name, unit) = cell.strip_suffix(')')?.split_once(" (")?;
            Some(Gauge { name: name.to_owned(), unit: unit.to_owned() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauge(name: &str, unit: &str) -> Gauge {
        Gauge { name: name.to_owned(), unit: unit.to_owned() }
    }

    fn readings(from: u64, values: [Option<f64>; 2]) -> Readings {
        Readings {
            from: Instant::from_nanos(from),
            until: Instant::from_nanos(from + 1_000_000_000),
            values: values.to_vec(),
        }
    }

    #[test]
    fn readings_come_back_up_to_the_line_that_a_kill_cut() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("machine.csv");
        assert!(GaugeReader::open(&path).expect("nothing there").is_none());
        let gauges = [gauge("processors user", "%"), gauge("device read", "MB/s")];
        let mut writer = GaugeWriter::create(&path, &gauges).expect("a file");
        let all = [readings(5, [Some(12.5), None]), readings(1_000_000_005, [Some(0.0), Some(1234.5678)])];
        all.iter().for_each(|readings| writer.append(readings).expect("a line"));
        drop(writer);
        let found = GaugeReader::open(&path).expect("a file").expect("gauges");
        assert_eq!(found.gauges, gauges);
        assert_eq!(found.collect::<Vec<_>>(), all);
        let whole = std::fs::read(&path).expect("a file");
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("a file");
            let left = GaugeReader::open(&path).map_or(0, |found| found.map_or(0, Iterator::count));
            assert!(left < 2, "{cut} of {}", whole.len());
        }
        std::fs::write(&path, "time,watts\n1,2\n").expect("a file");
        assert!(GaugeReader::open(&path).is_err());
    }

    #[test]
    fn a_line_that_cannot_have_been_written_ends_the_readings() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("machine.csv");
        let gauges = [gauge("processors user", "%"), gauge("device read", "MB/s")];
        drop(GaugeWriter::create(&path, &gauges).expect("a file"));
        let head = std::fs::read_to_string(&path).expect("a file");
        // Too few values, too many, none that is a number, and a time that does not pass.
        for line in ["5,6,1", "5,6,1,2,3", "5,6,1,inf", "5,6,1,x", "6,6,1,2", "7,6,1,2"] {
            std::fs::write(&path, format!("{head}1,2,3,4\n{line}\n8,9,1,2\n")).expect("a file");
            let found = GaugeReader::open(&path).expect("a file").expect("gauges");
            let until: Vec<u64> = found.map(|readings| readings.until.as_nanos()).take(2).collect();
            assert_eq!(until, [2], "{line}");
        }
    }
}
