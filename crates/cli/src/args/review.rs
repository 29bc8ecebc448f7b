//! Arguments of `review`.

use std::path::{Path, PathBuf};

use clap::Args;
use drivelab_documents::review::ShippedPlan;

use super::{TestOptions, units};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A plan is a list of tests with their options: short (minutes), standard (an afternoon and a night), full (days), or a TOML file \
of your own, which begins best with one of them. Before anything is done, the review says how long each step takes and how much \
it writes; --dry-run says no more. Whatever ends it, a power cut too, --resume goes on with the step that was cut off, on the \
same drives. Targets are tested one after the other; the page compares them. With --meter every test that takes one reads it, \
except for steps that name a meter of their own.

Examples:
  drivelab review sim:sm2246en sim:consistent --plan short -o review
  drivelab review sim:sm2246en sim:consistent --plan short --meter sim -o review-energy
  drivelab review /dev/sdb --dry-run
  drivelab review /dev/sdb --serial=S3Z9NB0K123456 --destroy-data -o sdb
  drivelab review --resume sdb --serial=S3Z9NB0K123456 --destroy-data
  drivelab review --print-plan standard > mine.toml")]
pub struct ReviewArgs {
    /// Drives, files or simulated drives
    #[arg(
        value_name = "TARGET",
        required_unless_present_any = ["resume", "print_plan"],
        conflicts_with_all = ["resume", "print_plan"]
    )]
    pub targets: Vec<String>,
    /// The tests: short, standard, full, or a file such as mine.toml
    #[arg(long, value_name = "PLAN", default_value = ShippedPlan::Standard.word())]
    pub plan: String,
    /// Print this plan, to begin one of your own from
    #[arg(long, value_name = "NAME", value_parser = units::word(ShippedPlan::ALL, ShippedPlan::word))]
    pub print_plan: Option<ShippedPlan>,
    /// Go on with the review in this folder, on its targets and with its meter: confirm them as at its begin
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "output", "plan", "seed", "label", "note", "meter", "volts", "baseline", "battery"
    ])]
    pub resume: Option<PathBuf>,
    /// The endurance that each drive is rated for, in decimal terabytes written: the share of it that is written is shown
    #[arg(long, value_name = "TB", value_parser = units::rated_terabytes)]
    pub rated_tbw: Option<f64>,
    #[command(flatten)]
    pub options: TestOptions,
}

impl ReviewArgs {
    /// The folder of the review, where one was named.
    pub fn folder(&self) -> Option<&Path> {
        self.resume.as_deref().or(self.options.result.folder())
    }
}
