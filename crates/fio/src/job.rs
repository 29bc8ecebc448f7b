//! A job.

use crate::amounts::{Amount, JobRate, amount, bytes, milliseconds};
use crate::option::check_unread;
use crate::sections::{Line, only_job};

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobReadWrite {
    /// Sequential reads.
    Read,
    /// Sequential writes.
    Write,
    /// Sequential discards.
    Trim,
    /// Random reads.
    Randread,
    /// Random writes.
    Randwrite,
    /// Random reads and writes.
    Randrw,
}

/// What a simple job asks for. What the file does not say is fio's default.
#[derive(Clone, Debug, PartialEq)]
pub struct FioJob {
    /// Its name.
    pub name: String,
    /// The target; none where the file names none.
    pub filename: Option<String>,
    /// What it does.
    pub rw: JobReadWrite,
    /// The share of reads of `randrw`, in per cent.
    pub read_percent: u8,
    /// Bytes of an I/O.
    pub block_size: u64,
    /// I/Os in flight of each process: 1 with an engine that waits for each I/O, whatever `iodepth` says.
    pub iodepth: u32,
    /// Processes.
    pub numjobs: u16,
    /// The rate of each process, where it is limited.
    pub rate: Option<JobRate>,
    /// Where the part of the target begins that is used.
    pub offset: Option<Amount>,
    /// The length of that part, and how much each process moves where the job does not end by time.
    pub size: Option<Amount>,
    /// After how many milliseconds the job ends.
    pub runtime_ms: Option<u64>,
    /// Whether it goes on until then however much it has moved.
    pub time_based: bool,
    /// How far the data can be compressed, in per cent.
    pub compress_percent: u8,
    /// The seed, where one is given.
    pub seed: Option<u64>,
    /// Whether random I/O goes to each block once before it goes to any again.
    pub has_random_map: bool,
    /// What the file says that changes nothing here, or is done in another way: a sentence each.
    pub notes: Vec<String>,
}

/// Engines that wait for each I/O before they send the next: `iodepth` changes nothing with them.
const SYNCHRONOUS: [&str; 6] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"];
/// Engines that keep several in flight.
const ASYNCHRONOUS: [&str; 4] = ["libaio", "io_uring", "io_uring_cmd", "posixaio"];

/// What is collected line by line.
struct JobReading {
    job: FioJob,
    asked_depth: u32,
    is_synchronous: bool,
    is_buffered: bool,
    has_rw: bool,
    ignored: Vec<String>,
}

impl FioJob {
    /// Reads a job file.
    ///
    /// # Errors
    /// Where it is no job file, has several jobs, or asks for what is not taken: every reason at once, a line each,
    /// with the number of the line in the file.
    pub fn parse(text: &str) -> Result<FioJob, String> {
        // Editors of Windows put a byte order mark before a text.
        let (name, lines) = only_job(text.strip_prefix('\u{feff}').unwrap_or(text))?;
        let mut reading = JobReading::new(name);
        let mut reasons: Vec<String> = Vec::new();
        for line in &lines {
            if let Err(why) = reading.take(line) {
                reasons.push(format!("line {}: {}: {why}", line.number, line.name));
            }
        }
        if !reading.has_rw {
            reasons.push("rw is missing: say what the job does, such as rw=randread".to_owned());
        }
        if reading.is_buffered {
            reasons.push(
                "direct=1 is missing: drivelab load measures the drive, and not the page cache".to_owned(),
            );
        }
        if reasons.is_empty() { Ok(reading.finish()) } else { Err(reasons.join("\n")) }
    }
}

impl JobReading {
    fn new(name: String) -> JobReading {
        let job = FioJob {
            name,
            filename: None,
            rw: JobReadWrite::Read,
            read_percent: 50,
            block_size: 4_096,
            iodepth: 1,
            numjobs: 1,
            rate: None,
            offset: None,
            size: None,
            runtime_ms: None,
            time_based: false,
            compress_percent: 0,
            seed: None,
            has_random_map: true,
            notes: Vec::new(),
        };
        JobReading {
            job,
            asked_depth: 1,
            is_synchronous: true,
            is_buffered: true,
            has_rw: false,
            ignored: Vec::new(),
        }
    }

    fn take(&mut self, line: &Line) -> Result<(), String> {
        let (job, value) = (&mut self.job, line.value.as_str());
        match line.name.as_str() {
            "rw" | "readwrite" => {
                self.has_rw = true;
                job.rw = read_write(value)?;
            }
            "bs" | "blocksize" => job.block_size = one_size(value)?,
            "iodepth" => self.asked_depth = whole(value)?,
            "numjobs" => job.numjobs = whole(value)?,
            "filename" if value.contains(':') && !value.starts_with("sim:") => {
                return Err("drivelab load works on one target: name one".to_owned());
            }
            "filename" => job.filename = Some(value.to_owned()),
            "size" | "io_size" if value == "100%" => {}
            "size" => job.size = Some(amount(value).ok_or_else(|| no_amount(value))?),
            "offset" => job.offset = Some(amount(value).ok_or_else(|| no_amount(value))?),
            "runtime" => job.runtime_ms = Some(milliseconds(value).ok_or_else(|| no_time(value))?),
            "time_based" => job.time_based = flag(value)?,
            "rate" => job.rate = Some(JobRate::Bytes(one_size(value)?)),
            "rate_iops" => job.rate = Some(JobRate::Ios(whole(value)?)),
            "rwmixread" => job.read_percent = share(value)?,
            "rwmixwrite" => job.read_percent = 100 - share(value)?,
            "buffer_compress_percentage" => job.compress_percent = share(value)?,
            "randseed" => job.seed = Some(whole(value)?),
            "direct" => self.is_buffered = !flag(value)?,
            "buffered" => self.is_buffered = flag(value)?,
            "ioengine" => self.is_synchronous = is_synchronous(value)?,
            "kb_base" => check_kb_base(value)?,
            "norandommap" => job.has_random_map = !flag(value)?,
            other => {
                check_unread(other)?;
                self.ignored.push(other.to_owned());
            }
        }
        Ok(())
    }

    fn finish(mut self) -> FioJob {
        let notes = &mut self.job.notes;
        self.job.iodepth = if self.is_synchronous { 1 } else { self.asked_depth };
        if self.is_synchronous && self.asked_depth > 1 {
            notes.push(format!(
                "iodepth={} changes nothing with an engine of fio's that waits for each I/O: one is in flight",
                self.asked_depth
            ));
        }
        if !self.ignored.is_empty() {
            notes.push(format!("not used here: {}", self.ignored.join(", ")));
        }
        self.job
    }
}

fn read_write(value: &str) -> Result<JobReadWrite, String> {
    Ok(match value {
        "read" => JobReadWrite::Read,
        "write" => JobReadWrite::Write,
        "trim" => JobReadWrite::Trim,
        "randread" => JobReadWrite::Randread,
        "randwrite" => JobReadWrite::Randwrite,
        "randrw" => JobReadWrite::Randrw,
        "rw" | "readwrite" => {
            return Err(
                "drivelab load has no sequential reads and writes in one load: give read, write or randrw"
                    .to_owned(),
            );
        }
        other => {
            return Err(format!(
                "'{other}' is not taken: give read, write, trim, randread, randwrite or randrw"
            ));
        }
    })
}

fn is_synchronous(value: &str) -> Result<bool, String> {
    let name = value.split(':').next().unwrap_or_default();
    if SYNCHRONOUS.contains(&name) || ASYNCHRONOUS.contains(&name) {
        return Ok(SYNCHRONOUS.contains(&name));
    }
    Err(format!("'{value}' is not taken: drivelab load sends I/Os by io_uring: give libaio or io_uring"))
}

/// One size for all operations: fio has up to three, with commas.
fn one_size(value: &str) -> Result<u64, String> {
    let mut sizes = value.split(',').filter(|size| !size.is_empty());
    let first = sizes.next().unwrap_or_default();
    if sizes.any(|other| other != first) {
        return Err(format!("'{value}' is not taken: give one value for reads and writes"));
    }
    bytes(first).filter(|bytes| *bytes > 0).ok_or_else(|| no_amount(value))
}

fn whole<N: std::str::FromStr + PartialEq + Default>(value: &str) -> Result<N, String> {
    let number = value.parse().ok().filter(|number| *number != N::default());
    number.ok_or_else(|| format!("'{value}' is no whole number of at least 1"))
}

fn share(value: &str) -> Result<u8, String> {
    let number = value.trim_end_matches('%').parse().ok().filter(|share| *share <= 100);
    number.ok_or_else(|| format!("'{value}' is no share from 0 to 100"))
}

fn flag(value: &str) -> Result<bool, String> {
    match value {
        "" | "1" => Ok(true),
        "0" => Ok(false),
        other => Err(format!("'{other}' is neither 0 nor 1")),
    }
}

/// With another base than fio's own, `k` and `ki` change places.
fn check_kb_base(value: &str) -> Result<(), String> {
    match value {
        "1024" => Ok(()),
        _ => Err(
            "'k' is 1024 here, and 'ki' is 1000, as with kb_base=1024: take it out, and write sizes in bytes"
                .to_owned(),
        ),
    }
}

fn no_amount(value: &str) -> String {
    format!("'{value}' is no size: give a number with k, m, g or t, such as 4k")
}

fn no_time(value: &str) -> String {
    format!("'{value}' is no time: give seconds, or a number with d, h, m, s or ms")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_job_has_what_its_file_and_the_global_section_say() {
        let text = "# a comment\n[global]\ndirect=1\nioengine=libaio\nbs=8k,8k\nruntime=2m\ntime_based\ngroup_reporting\n\n\
                    [db]\nfilename=/dev/sdb\nrw=randrw\nrwmixread=70\niodepth=32\nnumjobs=4\n\
                    size=20%\noffset=1g\nrate_iops=500\n";
        let job = FioJob::parse(text).expect("a job");
        let expected = FioJob {
            name: "db".to_owned(),
            filename: Some("/dev/sdb".to_owned()),
            rw: JobReadWrite::Randrw,
            read_percent: 70,
            block_size: 8_192,
            iodepth: 32,
            numjobs: 4,
            rate: Some(JobRate::Ios(500)),
            offset: Some(Amount::Bytes(1 << 30)),
            size: Some(Amount::Percent(20)),
            runtime_ms: Some(120_000),
            time_based: true,
            compress_percent: 0,
            seed: None,
            has_random_map: true,
            notes: vec!["not used here: group_reporting".to_owned()],
        };
        assert_eq!(job, expected);
    }

    #[test]
    fn an_engine_that_waits_has_one_io_in_flight() {
        let of = |engine: &str| {
            let text = format!("[a]\nrw=read\ndirect=1\niodepth=16\n{engine}");
            FioJob::parse(&text).expect("a job")
        };
        assert_eq!(of("ioengine=io_uring").iodepth, 16);
        for engine in ["", "ioengine=psync"] {
            let job = of(engine);
            assert!(job.iodepth == 1 && job.notes[0].contains("iodepth=16 changes nothing"), "{job:?}");
        }
    }

    #[test]
    fn sizes_have_one_meaning_and_a_byte_order_mark_is_no_line() {
        let size = |lines: &str| {
            let text = format!("\u{feff}[a]\nrw=read\ndirect=1\nbs=4k\nsize=4ki\n{lines}");
            FioJob::parse(&text).map(|job| (job.block_size, job.size))
        };
        assert_eq!(size("kb_base=1024"), Ok((4_096, Some(Amount::Bytes(4_000)))));
        assert_eq!(size(""), size("kb_base=1024"));
        for base in ["1000", "10"] {
            let error = size(&format!("kb_base={base}")).expect_err("the sizes would be other ones");
            assert!(error.contains("line 6: kb_base") && error.contains("sizes in bytes"), "{error}");
        }
    }

    #[test]
    fn every_reason_is_named_with_its_line() {
        let text = "[a]\nrw=rw\nbs=4k,64k\nverify=crc32c\nfoo=1\nruntime=1 year\nioengine=rados\n";
        let error = FioJob::parse(text).expect_err("six reasons");
        for (line, words) in [
            "line 2: rw",
            "line 3: bs",
            "line 4: verify",
            "line 5: foo",
            "line 6: runtime",
            "line 7: ioengine",
        ]
        .iter()
        .enumerate()
        {
            assert!(error.lines().nth(line).is_some_and(|text| text.starts_with(words)), "{words}: {error}");
        }
        assert!(error.contains("direct=1 is missing"), "{error}");
        let several = FioJob::parse("[a]\nrw=read\n[b]\n").expect_err("two jobs");
        assert!(several.contains("line 3: [b] is a second job, after [a]"), "{several}");
        assert!(
            FioJob::parse("").is_err() && FioJob::parse("rw=read").is_err() && FioJob::parse("[a").is_err()
        );
    }

    proptest! {
        #[test]
        fn whatever_a_file_holds_it_is_read_or_refused(text in "(\\[[a-z]{0,3}\\]?\n|[a-z_]{0,9}=?[0-9a-z%:,.]{0,9}\n){0,9}") {
            let _ = FioJob::parse(&text);
        }
    }
}
