//! `drivelab completions`.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::exit::{Ending, Failure};

/// Prints the completions of a shell.
pub fn main(args: &CompletionsArgs) -> Result<Ending, Failure> {
    clap_complete::generate(args.shell, &mut Cli::command(), "drivelab", &mut std::io::stdout());
    Ok(Ending::Passed)
}
