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
    /// Whether its serial number is shown.
    #[command(flatten)]
    hide_serial: HideSerialArg,
}

/// Whether the serial number of a drive is shown.
#[derive(Clone, Copy, Debug, Args)]
pub struct HideSerialArg {
    /// Leave serial numbers out of the page, the summary and the document; the folder of a result keeps them in its files
    #[arg(long)]
    hide_serial: bool,
}

impl HideSerialArg {
    /// Whether it is not shown.
    pub fn is_asked(self) -> bool {
        self.hide_serial
    }
}

impl NameArgs {
    /// A name, a remark, and whether the serial number of the drive is not shown.
    pub fn new(label: Option<String>, note: Option<String>, hide_serial: bool) -> NameArgs {
        NameArgs { label, note, hide_serial: HideSerialArg { hide_serial } }
    }

    /// Whether the serial number is shown.
    pub fn hide_serial(&self) -> HideSerialArg {
        self.hide_serial
    }

    /// The name of the only result of a command.
    pub fn result_name(&self) -> ResultName<'_> {
        ResultName {
            label: self.label.as_deref(),
            note: self.note.as_deref(),
            hides_serial: self.hide_serial.is_asked(),
            is_shared: false,
        }
    }
}

/// The name of a trace.
#[derive(Clone, Debug, Args)]
pub struct TraceLabelArg {
    /// What the result is called, on pages and in comparisons [default: its folder]
    #[arg(long, value_name = "TEXT", value_parser = units::line_of_text)]
    label: Option<String>,
}

impl TraceLabelArg {
    /// The name, where one was given.
    pub fn text(&self) -> Option<&str> {
        self.label.as_deref()
    }
}

/// Arguments of `label`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Nothing else of the result changes, and its page is made again, unless millions of records would have to be read for it. \
Pages of comparisons stay as they are: `drivelab report` makes new ones.

Example:
  drivelab label sdb --label 'MX200, after a year' --note 'in the rack, 31 degrees'
  drivelab label sdb --hide-serial      # before the page is published")]
#[group(id = "name", multiple = true, required = true, args = ["label", "note", "hide_serial", "show_serial"])]
pub struct LabelArgs {
    /// The folder of the result, of a review, of a drive in a review, or of a trace
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The name and the remark.
    #[command(flatten)]
    pub name: NameArgs,
    /// Show the drive's serial number again
    #[arg(long, conflicts_with = "hide_serial")]
    pub show_serial: bool,
}
