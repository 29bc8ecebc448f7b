//! Options that several commands have, declared once: one name, one kind of value, one sentence of help.

use std::path::{Path, PathBuf};

use clap::Args;
use drivelab_block::{ByteCount, Nanos};
use drivelab_documents::PhaseRequest;
use drivelab_kinds::read_back::ReadBack;
use drivelab_kinds::{PurgeOption, RangeOption, Test};
use drivelab_runner::output::{self, OwnFile};
use drivelab_runner::{
    Destination, Failure, MeterOptions, Outputs, ParentProgress, Printed, ResultName, SafetyOptions,
    TestRequest, tests_with_simulated_energy,
};
use drivelab_stats::{Thresholds, WarmUp};

use super::units;

/// The part of the drive that is used.
#[derive(Clone, Copy, Debug, Args)]
pub struct RangeArg {
    /// The part of the drive that is used: sizes or percentages
    #[arg(id = "range", long = "range", value_name = "START-END", default_value = "0%-100%", value_parser = units::range)]
    pub typed: RangeOption,
}

/// Bytes of one I/O. A command with another default states it by `mut_arg`.
#[derive(Clone, Copy, Debug, Args)]
pub struct BlockSizeArg {
    /// Bytes of one I/O
    #[arg(id = "block_size", long = "block-size", value_name = "SIZE", default_value = "4KiB")]
    #[arg(value_parser = units::size_above_zero)]
    pub size: ByteCount,
}

/// I/Os in flight. A command with another default states it by `mut_arg`.
#[derive(Clone, Copy, Debug, Args)]
pub struct QueueDepthArg {
    /// I/Os in flight, for each thread
    #[arg(id = "queue_depth", long = "queue-depth", value_name = "N", default_value = "32")]
    pub depth: u32,
}

/// How far the data can be compressed.
#[derive(Clone, Copy, Debug, Args)]
pub struct CompressibilityArg {
    /// How far the data that is written can be compressed
    #[arg(id = "compressibility", long = "compressibility", value_name = "PERCENT", default_value = "0%")]
    #[arg(value_parser = units::whole_percent)]
    pub percent: u8,
}

/// The seed of a test.
#[derive(Clone, Copy, Debug, Args)]
pub struct SeedArg {
    /// The seed of every random draw: equal seeds give equal requests and data
    #[arg(id = "seed", long = "seed", value_name = "N", default_value_t = 1)]
    pub number: u64,
}

/// Where a result goes.
#[derive(Clone, Debug, Args)]
pub struct OutputArg {
    /// Keep the result in this folder, which must be empty or not there yet; `drivelab report DIR` opens it again
    #[arg(id = "output", short = 'o', long = "output", value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Whether a document is printed.
#[derive(Clone, Copy, Debug, Args)]
pub struct JsonArg {
    /// Print one JSON document instead of the summary
    #[arg(id = "json", long = "json")]
    pub is_asked: bool,
}

/// The page of what is shown.
#[derive(Clone, Debug, Args)]
pub struct PageArg {
    /// Write the page to this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

impl PageArg {
    /// The page, where one was asked for, which can be written.
    pub fn checked(&self) -> Result<Option<&Path>, Failure> {
        self.report.as_ref().map_or(Ok(()), |page| output::check_place(page, OwnFile::Page))?;
        Ok(self.report.as_deref())
    }
}

/// The tables of what is shown.
#[derive(Clone, Debug, Args)]
pub struct TablesArgs {
    /// Write the data of each picture and table as CSV into this folder
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Print Markdown instead of the summary
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

impl TablesArgs {
    /// What is made of what is shown, with the page that is written.
    pub fn outputs<'a>(&'a self, page: Option<&'a Path>, json: JsonArg) -> Outputs<'a> {
        Outputs {
            page,
            csv: self.csv.as_deref(),
            markdown: self.markdown,
            json: json.is_asked,
            ..Outputs::default()
        }
    }
}

/// Where a command writes what it does now.
#[derive(Clone, Debug, Args)]
pub struct LiveArg {
    /// Write what the run does now to this file every five seconds, as metrics for the textfile collector of Prometheus'
    /// node exporter, which reads files whose names end in .prom
    #[arg(id = "openmetrics", long = "openmetrics", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// What every test of a drive has: the seed of its draws, where its result goes, and how that is printed.
#[derive(Clone, Debug, Args)]
pub struct ResultArgs {
    #[command(flatten)]
    pub seed: SeedArg,
    #[command(flatten)]
    pub output: OutputArg,
    #[command(flatten)]
    pub name: NameArgs,
    #[command(flatten)]
    pub json: JsonArg,
    #[command(flatten)]
    pub live: LiveArg,
    /// What the test is a part of, which is not typed.
    #[arg(skip)]
    pub parent: Option<ParentProgress>,
}

impl ResultArgs {
    /// The folder that keeps the result, where one was named.
    pub fn folder(&self) -> Option<&Path> {
        self.output.folder.as_deref()
    }

    /// Where the only result goes; no page besides that of the folder.
    pub fn destination(&self) -> Destination<'_> {
        Destination {
            folder: self.folder(),
            page: None,
            printed: Printed::json(self.json.is_asked),
            name: self.name.result_name(),
            live: self.live.file.as_deref(),
            parent: self.parent.as_ref(),
        }
    }
}

/// What every test of one target has.
#[derive(Clone, Debug, Args)]
pub struct TestArgs {
    /// A drive, a file or a simulated drive
    pub target: String,
    #[command(flatten)]
    pub options: TestOptions,
}

impl TestArgs {
    /// The request for a test of a new run with these settings and this input.
    pub fn request<T: Test>(&self, settings: T::Settings, input: T::Input) -> TestRequest<'_, T> {
        self.options.request(&self.target, settings, input)
    }
}

/// The help of `--meter`, with the tests that show a simulated drive's own account.
pub fn meter_help() -> String {
    format!(
        "Read this meter ten times a second: battery, rapl, hwmon:NAME, scpi:HOST:PORT, scpi:TTY[@SPEED], csv:FILE (columns \
         time and watts, read afterwards; times in seconds since 1970, or ISO 8601 with a zone), or sim (a simulated drive's \
         own account, with {})",
        tests_with_simulated_energy()
    )
}

/// The options that all tests share, those of several targets and of none that is named, too.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("meter", |arg| arg.help(meter_help())))]
pub struct TestOptions {
    #[command(flatten)]
    pub result: ResultArgs,
    #[command(flatten)]
    pub meter: MeterOptions,
    #[command(flatten)]
    pub safety: SafetyOptions,
}

impl TestOptions {
    /// The request for a test of a new run on this target.
    pub fn request<'a, T: Test>(
        &'a self,
        target: &'a str,
        settings: T::Settings,
        input: T::Input,
    ) -> TestRequest<'a, T> {
        TestRequest {
            target,
            reached_by: None,
            goes_on: false,
            settings,
            input,
            seed: self.result.seed.number,
            destination: self.result.destination(),
            safety: &self.safety,
            meter: &self.meter,
        }
    }
}

/// The name of a result, and remarks on it.
#[derive(Clone, Debug, Args)]
pub struct NameArgs {
    /// What the result is called, on pages and in comparisons [default: the target]
    #[arg(long, value_name = "TEXT", value_parser = units::line_of_text)]
    pub label: Option<String>,
    /// A remark on the result, which its page shows
    #[arg(long, value_name = "TEXT", value_parser = units::line_of_text)]
    pub note: Option<String>,
    #[command(flatten)]
    pub hide_serial: HideSerialArg,
}

/// Whether the serial number of a drive is shown.
#[derive(Clone, Copy, Debug, Args)]
pub struct HideSerialArg {
    /// Leave serial numbers out of the page, the summary and the document; the folder of a result keeps them in its files
    #[arg(long)]
    pub hide_serial: bool,
}

impl NameArgs {
    /// The name of the only result of a command.
    pub fn result_name(&self) -> ResultName<'_> {
        ResultName {
            label: self.label.as_deref(),
            note: self.note.as_deref(),
            hides_serial: self.hide_serial.hide_serial,
            is_shared: false,
        }
    }
}

/// The name of a trace.
#[derive(Clone, Debug, Args)]
pub struct TraceLabelArg {
    /// What the result is called, on pages and in comparisons [default: its folder]
    #[arg(id = "label", long = "label", value_name = "TEXT", value_parser = units::line_of_text)]
    pub text: Option<String>,
}

/// Which phases of a run are read.
#[derive(Clone, Debug, Args)]
pub struct PhaseArgs {
    /// Of the folder of a run, read the phases of this name, or `all` of them [default: what the run measured]
    #[arg(long, value_name = "NAME", help_heading = None)]
    phase: Option<PhaseRequest>,
}

impl PhaseArgs {
    /// What is asked for.
    pub fn request(&self) -> PhaseRequest {
        self.phase.clone().unwrap_or_default()
    }
}

/// The purge before a test that writes the drive full.
#[derive(Clone, Copy, Debug, Args)]
pub struct PurgeArg {
    /// How the drive is purged before: discard (the range), auto, sanitize, format, secure-erase (the whole drive), or none (not
    /// of trim)
    #[arg(id = "purge", long = "purge", value_name = "HOW", default_value = "discard")]
    pub asked: PurgeOption,
}

/// From when on an I/O is slow.
#[derive(Clone, Debug, Default, Args)]
pub struct SlowArgs {
    /// I/Os that take this or more are slow [default: chosen by how many are, and the same for all that is compared]
    #[arg(id = "slow", long = "slow", value_name = "DURATION", value_parser = units::duration, help_heading = None)]
    pub asked: Option<Nanos>,
}

impl SlowArgs {
    /// What is counted while I/Os are read.
    pub fn thresholds(&self) -> Thresholds {
        self.asked.map_or_else(Thresholds::default, |slow| Thresholds::with(slow.get()))
    }
}

/// Whether, and for how long at most, the drive is read before anything is measured, until it is warm.
#[derive(Clone, Copy, Debug, Args)]
pub struct UntilWarmArg {
    /// Read the range before anything is measured, until the drive is warm: the mean temperature of a minute is less than 1 K
    /// above that of the minute five minutes before. Go on and say so after this time [default where the option has no
    /// value: 30min]
    #[arg(id = "until_warm", long = "until-warm", value_name = "DURATION", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "30min", value_parser = at_most)]
    pub at_most: Option<Nanos>,
}

/// A time in which a drive can be seen to be warm.
fn at_most(text: &str) -> Result<Nanos, String> {
    match units::duration(text)? {
        time if time >= WarmUp::SHORTEST => Ok(time),
        _ => Err(
            "whether a drive is warm is known after 6 min at the earliest: write 6min or more, such as 30min"
                .to_owned(),
        ),
    }
}

/// When what was written is read back.
#[derive(Clone, Debug, Args)]
pub struct VerifyOption {
    /// When to read back what was written
    ///
    /// This notices nothing at places that were not written, no data that is lost later, such as in a power cut, and no fault of
    /// flash while the drive answers from its own cache: write more than the cache holds.
    #[arg(id = "verify", long = "verify", value_name = "VERIFY", default_value = "end", value_parser = units::choice([
        ("continuous", "Half a pass over the range behind the writing, the rest at the end", ReadBack::Continuous),
        ("end", "When all is written: the writing is not disturbed", ReadBack::End),
        ("no", "Not at all", ReadBack::No),
    ]))]
    pub read_back: ReadBack,
}

/// The run whose writes are read back after a crash.
#[derive(Clone, Debug, Args)]
pub struct AfterCrashArg {
    /// Read back what a run acknowledged that was killed or lost its power; its folder
    #[arg(long, value_name = "DIR")]
    pub verify_after_crash: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_in_which_no_drive_is_seen_to_be_warm_is_refused() {
        assert_eq!(at_most("6min"), Ok(WarmUp::SHORTEST));
        assert!(at_most("359s").is_err_and(|error| error.contains("6min")));
        assert!(at_most("10").is_err_and(|error| error.contains("10min")));
    }
}
