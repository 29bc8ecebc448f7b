//! Arguments as they are typed, a file for each group of commands. They end here: commands turn them into validated plans.

mod advice;
mod cells;
mod fio_job;
mod loads;
mod machine;
mod precondition;
mod results;
mod review;
mod shared;
mod stream;
#[cfg(test)]
mod tests;
mod trace;
mod units;
mod writes;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::command_list::for_each_command;

pub use advice::parse;
pub use cells::{MatrixArgs, PathsArgs};
pub use loads::*;
pub use machine::*;
pub use precondition::Precondition;
pub use results::*;
pub use review::ReviewArgs;
pub use shared::*;
pub use stream::*;
pub use trace::*;
pub use units::range;
pub use writes::*;

/// Finds out how a storage drive behaves over time, not only how fast it is on average.
///
/// A TARGET is a block device, a regular file, or a simulated drive: `sim:PROFILE` or `sim:FILE.toml`, with
/// keys overridden as in `sim:sm2246en?size=64GiB&over_provisioning=12%`.
///
/// Exit codes: 0 success, 1 the run's own check failed, 2 usage, 3 device or environment, 4 refused for safety,
/// 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "drivelab", version, max_term_width = 100)]
pub struct Cli {
    /// What to do; where nothing is said, what there is to be tested is shown.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Makes the commands of a list: a variant each, and where in its arguments those of a test are.
macro_rules! commands {
    ($($(#[$about:meta])* $name:ident($args:ty): $of_test:ident => $run:path,)*) => {
        /// What to do.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[$about])* $name($args),)*
        }

        impl Command {
            /// What every test and every review has, to be changed; none of other commands.
            pub fn test(&mut self) -> Option<TestOfCommand<'_>> {
                match self {
                    $(Command::$name(args) => test_of!(args.$of_test),)*
                }
            }
        }
    };
}

/// What a command has of a test: nothing, a test of one target or of several ones, or the options alone of what has no process of
/// its own: a review has one for each step, and a matrix makes what it tests.
macro_rules! test_of {
    ($args:ident.none) => {{
        let _ = $args;
        None
    }};
    ($args:ident.test) => {
        Some(TestOfCommand { targets: vec![$args.test.target.as_str()], options: &mut $args.test.options })
    };
    ($args:ident.targets) => {{
        let targets = $args.targets.iter().map(String::as_str).collect();
        Some(TestOfCommand { targets, options: &mut $args.options })
    }};
    ($args:ident.options) => {
        Some(TestOfCommand { targets: Vec::new(), options: &mut $args.options })
    };
}

/// What every test and every review has.
pub struct TestOfCommand<'a> {
    /// The targets that it tests itself, as they were typed.
    pub targets: Vec<&'a str>,
    /// Its options.
    pub options: &'a mut TestOptions,
}

for_each_command!(commands);

impl Command {
    /// The targets of a test or a recording, which is done by a process of its own: a drive that hangs may keep it in the kernel.
    pub fn tested_targets(&mut self) -> Vec<&str> {
        match self {
            // A name that is no text is none of a simulated drive.
            Command::Stream(StreamCommand::Record(args)) => vec![args.target.to_str().unwrap_or_default()],
            _ => self.test().map_or_else(Vec::new, |test| test.targets),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: a drive of one's own
  drivelab profiles sm2246en > mine.toml    # change what differs
  drivelab consistency 'sim:mine.toml?size=64GiB' -o runs")]
pub struct ProfilesArgs {
    /// Print the TOML of this simulated drive
    #[arg(value_name = "PROFILE")]
    pub profile: Option<String>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Keep a page for every command in this folder, instead of printing one
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
