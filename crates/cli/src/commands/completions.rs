//! `drivelab completions`.

use clap::CommandFactory as _;

use super::output;
use crate::args::{Cli, CompletionsArgs};
use crate::exit::{Ending, Failure};

/// Prints the completions of a shell.
pub fn main(args: &CompletionsArgs) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "drivelab", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
