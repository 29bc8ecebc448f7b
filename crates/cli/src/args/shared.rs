//! Options that several commands have, declared once: one name, one kind of value, one sentence of help.

use std::path::{Path, PathBuf};

use clap::Args;
use drivelab_block::ByteCount;
use drivelab_kinds::RangeOption;
use drivelab_runner::{Destination, ParentProgress, Printed};

use super::{AddressRange, HideSerialArg, NameArgs, units};

/// The part of the drive that is used.
#[derive(Clone, Copy, Debug, Args)]
pub struct RangeArg {
    /// The part of the drive that is used: sizes or percentages
    #[arg(long, value_name = "START-END", default_value = "0%-100%", value_parser = AddressRange::parse)]
    range: AddressRange,
}

impl RangeArg {
    /// The range as it was typed.
    pub fn typed(self) -> RangeOption {
        self.range.typed()
    }

    /// Whether that is the whole drive.
    pub fn is_whole(self) -> bool {
        self.range.is_whole()
    }
}

/// Bytes of one I/O. A command with another default states it by `mut_arg`.
#[derive(Clone, Copy, Debug, Args)]
pub struct BlockSizeArg {
    /// Bytes of one I/O
    #[arg(long, value_name = "SIZE", default_value = "4KiB", value_parser = units::size_above_zero)]
    block_size: ByteCount,
}

impl BlockSizeArg {
    /// The size.
    pub fn size(self) -> ByteCount {
        self.block_size
    }
}

/// I/Os in flight. A command with another default states it by `mut_arg`.
#[derive(Clone, Copy, Debug, Args)]
pub struct QueueDepthArg {
    /// I/Os in flight, for each thread
    #[arg(long, value_name = "N", default_value = "32")]
    queue_depth: u32,
}

impl QueueDepthArg {
    /// The depth.
    pub fn depth(self) -> u32 {
        self.queue_depth
    }
}

/// How far the data can be compressed.
#[derive(Clone, Copy, Debug, Args)]
pub struct CompressibilityArg {
    /// How far the data that is written can be compressed
    #[arg(long, value_name = "PERCENT", default_value = "0%", value_parser = units::whole_percent)]
    compressibility: u8,
}

impl CompressibilityArg {
    /// In per cent, 0 to 100.
    pub fn percent(self) -> u8 {
        self.compressibility
    }
}

/// The seed of a test.
#[derive(Clone, Copy, Debug, Args)]
pub struct SeedArg {
    /// The seed of every random draw: equal seeds give equal requests and data
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl SeedArg {
    /// The seed.
    pub fn number(self) -> u64 {
        self.seed
    }
}

/// Where a result goes.
#[derive(Clone, Debug, Args)]
pub struct OutputArg {
    /// Keep the result in this folder, which must be empty or not there yet; `drivelab report DIR` opens it again
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl OutputArg {
    /// The folder, where one was named.
    pub fn folder(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

/// Whether a document is printed.
#[derive(Clone, Copy, Debug, Args)]
pub struct JsonArg {
    /// Print one JSON document instead of the summary
    #[arg(long)]
    json: bool,
}

impl JsonArg {
    /// Whether it is.
    pub fn is_asked(self) -> bool {
        self.json
    }
}

/// Where a command writes what it does now.
#[derive(Clone, Debug, Args)]
pub struct LiveArg {
    /// Write what the run does now to this file every five seconds, as metrics for the textfile collector of Prometheus'
    /// node exporter, which reads files whose names end in .prom
    #[arg(long, value_name = "FILE")]
    openmetrics: Option<PathBuf>,
}

impl LiveArg {
    /// The file, where one was named.
    pub fn file(&self) -> Option<&Path> {
        self.openmetrics.as_deref()
    }
}

/// What every test of a drive has: the seed of its draws, where its result goes, and how that is printed.
#[derive(Clone, Debug, Args)]
pub struct ResultArgs {
    /// The seed of every random draw.
    #[command(flatten)]
    seed: SeedArg,
    /// Where the result goes.
    #[command(flatten)]
    output: OutputArg,
    /// What the result is called.
    #[command(flatten)]
    name: NameArgs,
    /// Whether a document is printed.
    #[command(flatten)]
    json: JsonArg,
    /// Where the command writes what it does now.
    #[command(flatten)]
    live: LiveArg,
    /// What the test is a part of, which is not typed.
    #[arg(skip)]
    parent: Option<ParentProgress>,
}

impl ResultArgs {
    /// Those of a test that no user has typed.
    pub fn new(seed: u64, folder: Option<PathBuf>, name: NameArgs, json: bool) -> ResultArgs {
        let (seed, output, live) =
            (SeedArg { seed }, OutputArg { output: folder }, LiveArg { openmetrics: None });
        ResultArgs { seed, output, name, json: JsonArg { json }, live, parent: None }
    }

    /// The same of a test that is a part of something.
    #[must_use]
    pub fn part_of(self, parent: ParentProgress) -> ResultArgs {
        ResultArgs { parent: Some(parent), ..self }
    }

    /// Where the result goes.
    pub fn output(&self) -> &OutputArg {
        &self.output
    }

    /// Whether the serial number is shown.
    pub fn hide_serial(&self) -> HideSerialArg {
        self.name.hide_serial()
    }

    /// Where the command writes what it does now.
    pub fn live(&self) -> &LiveArg {
        &self.live
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed.number()
    }

    /// The folder that keeps the result, where one was named.
    pub fn folder(&self) -> Option<&Path> {
        self.output.folder()
    }

    /// Whether one JSON document is printed instead of the summary.
    pub fn is_json(&self) -> bool {
        self.json.is_asked()
    }

    /// Where the only result goes; no page besides that of the folder.
    pub fn destination(&self) -> Destination<'_> {
        Destination {
            folder: self.folder(),
            page: None,
            printed: Printed::json(self.is_json()),
            name: self.name.result_name(),
            parent: self.parent.as_ref(),
        }
    }
}
