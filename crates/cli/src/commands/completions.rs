//! `drivelab completions`.

use clap::CommandFactory as _;

use drivelab_runner::{Ending, Failure, output};

use crate::args::{Cli, CompletionsArgs};

/// Prints the completions of a shell.
pub fn main(args: &CompletionsArgs) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "drivelab", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
