//! What a result is called.

use std::path::PathBuf;

use clap::Args;
use drivelab_runner::ResultName;

use super::units;

/// The name of a result, and remarks on it.
#[derive(Clone, Debug, Args)]
pub struct NameArgs {
    /// What the result is called, on pages and in comparisons [default: the target]
    #[arg(long, value_name = "TEXT", value_parser = units::line_of_text)]
    label: Option<String>,
    /// A remark on the result, which its page shows
    #[arg(long, value_name = "TEXT", value_parser = units::line_of_text)]
    note: Option<String>,
}

impl NameArgs {
    /// The name of the only result of a command.
    pub fn result_name(&self) -> ResultName<'_> {
        ResultName { label: self.label.as_deref(), note: self.note.as_deref(), is_shared: false }
    }
}

/// Arguments of `label`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Nothing else of the result changes, and its page is made again. Pages of comparisons stay as they are: `drivelab report` makes \
new ones.

Example:
  drivelab label sdb --label 'MX200, after a year' --note 'in the rack, 31 degrees'")]
#[group(id = "name", multiple = true, required = true, args = ["label", "note"])]
pub struct LabelArgs {
    /// The folder of the result
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The name and the remark.
    #[command(flatten)]
    pub name: NameArgs,
}
