//! Where a command writes what it does now, and which other files and folders it works on.

use std::path::{Path, PathBuf};
use std::slice;

use super::{Command, ExportPlace, LiveArg, MeterArgs, ResultArgs, SafetyArgs, StreamCommand, TraceCommand};

/// A file or folder that a command works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPath {
    /// What it is to the command: `the target`.
    pub role: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

impl CommandPath {
    fn new(role: &'static str, path: impl Into<PathBuf>) -> CommandPath {
        CommandPath { role, path: path.into() }
    }

    /// A target as it was typed; none if it is a simulated drive.
    fn target(typed: &str) -> Option<CommandPath> {
        (!typed.starts_with("sim:")).then(|| CommandPath::new("the target", typed))
    }

    fn output(folder: Option<&Path>) -> Option<CommandPath> {
        folder.map(|folder| CommandPath::new("the folder of the result", folder))
    }
}

impl Command {
    /// Where the command writes what it does now, if that was requested.
    pub fn live_file(&mut self) -> Option<&Path> {
        self.live()?.file()
    }

    /// The option of a command that has it. Each command is named, so that a new one is not forgotten.
    fn live(&mut self) -> Option<&LiveArg> {
        match self {
            Command::Trace(command) => match command {
                TraceCommand::Record(args) => Some(&args.live),
                TraceCommand::Import(_) | TraceCommand::Show(_) | TraceCommand::Export(_) => None,
            },
            Command::Stream(command) => match command {
                StreamCommand::Record(args) => Some(&args.live),
                StreamCommand::List(_)
                | StreamCommand::Extract(_)
                | StreamCommand::Check(_)
                | StreamCommand::Info(_)
                | StreamCommand::Plan(_)
                | StreamCommand::Contend(_) => None,
            },
            Command::Energy(args) => Some(&args.live),
            _ => self.test().map(|test| &*test.result).map(ResultArgs::live),
        }
    }

    /// The files and folders that a command with such a file works on.
    pub fn paths(&mut self) -> Vec<CommandPath> {
        let mut paths = Vec::new();
        if let Some(test) = self.test() {
            paths.extend(test.targets.into_iter().filter_map(CommandPath::target));
            paths.extend(CommandPath::output(test.result.folder()));
        }
        match self {
            Command::Review(args) => paths.extend(CommandPath::output(args.resume.as_deref())),
            Command::Quick(args) => {
                paths.extend(args.report.as_ref().map(|page| CommandPath::new("the page", page)));
            }
            Command::Energy(args) => paths.extend(CommandPath::output(args.output.folder())),
            Command::Trace(TraceCommand::Record(args)) => {
                paths.extend(CommandPath::output(args.output.as_deref()));
                if let Some(ExportPlace::Folder(folder)) = &args.rollup.rollup_to {
                    paths.push(CommandPath::new("the folder of the rollup", folder));
                }
            }
            Command::Stream(StreamCommand::Record(args)) => {
                paths.push(CommandPath::new("the target", &args.target));
                paths.extend(args.kept.as_ref().map(|kept| CommandPath::new("the file of --kept", kept)));
            }
            _ => {}
        }
        paths
    }

    /// The targets of a test or a recording, which is done by a process of its own: a drive that hangs may keep it in the kernel.
    pub fn tested_targets(&mut self) -> Vec<&str> {
        match self {
            // A review has a process of its own for each step, and a matrix makes what it tests.
            Command::Review(_) | Command::Matrix(_) => Vec::new(),
            Command::Stream(StreamCommand::Record(args)) => {
                // A name that is no text is none of a simulated drive.
                vec![args.target.to_str().unwrap_or_default()]
            }
            _ => self.test().map_or_else(Vec::new, |test| test.targets),
        }
    }

    /// What every test and every review has, to be changed; none of other commands. Each command is named, so that a new one is
    /// not forgotten.
    pub fn test(&mut self) -> Option<TestOfCommand<'_>> {
        macro_rules! own {
            ($args:expr, $targets:expr) => {
                TestOfCommand {
                    targets: $targets.iter().map(String::as_str).collect(),
                    result: &mut $args.result,
                    meter: &mut $args.meter,
                    safety: &mut $args.safety,
                }
            };
            ($args:expr) => {
                own!($args, slice::from_ref(&$args.target))
            };
        }
        Some(match self {
            Command::Review(args) => own!(args, args.targets),
            Command::Consistency(args) => own!(args, args.targets),
            Command::Matrix(args) => own!(args, args.target),
            Command::Paths(args) => own!(args, slice::from_ref(&args.target)),
            Command::Fill(args) => own!(args.test),
            Command::Load(args) => own!(args.test),
            Command::Stalls(args) => own!(args.test),
            Command::Quick(args) => own!(args.test),
            Command::Trim(args) => own!(args.test),
            Command::Wake(args) => own!(args.test),
            Command::WorkingSet(args) => own!(args.test),
            Command::OfferedLoad(args) => own!(args.test),
            Command::Pts(args) => own!(args.test),
            Command::Replay(args) => own!(args.test),
            Command::Image(_)
            | Command::Energy(_)
            | Command::Lifetime(_)
            | Command::Trace(_)
            | Command::Boot(_)
            | Command::Stream(_)
            | Command::Purge(_)
            | Command::Drives(_)
            | Command::Report(_)
            | Command::Index(_)
            | Command::Export(_)
            | Command::Fleet(_)
            | Command::Label(_)
            | Command::Profiles(_)
            | Command::Decode(_)
            | Command::Completions(_)
            | Command::Man(_) => return None,
        })
    }
}

/// What every test and every review has.
pub struct TestOfCommand<'a> {
    /// Its targets, as they were typed.
    pub targets: Vec<&'a str>,
    /// Its seed, and where its result goes.
    pub result: &'a mut ResultArgs,
    /// How the power is measured.
    pub meter: &'a mut MeterArgs,
    /// What is said before anything is written.
    pub safety: &'a mut SafetyArgs,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _};

    use super::*;
    use crate::args::Cli;

    /// All commands that have this option, as they are typed.
    fn with_option(command: &clap::Command, path: &[String], name: &str) -> Vec<Vec<String>> {
        let own = command.get_arguments().any(|arg| arg.get_long() == Some(name)).then(|| path.to_vec());
        let inner = command
            .get_subcommands()
            .filter(|inner| inner.get_name() != "help")
            .flat_map(|inner| with_option(inner, &[path, &[inner.get_name().to_owned()]].concat(), name));
        own.into_iter().chain(inner).collect()
    }

    #[test]
    fn every_command_with_the_option_hands_its_file_over() {
        let commands = with_option(&Cli::command(), &[], "openmetrics");
        assert!(commands.len() > 15, "{commands:?}");
        for path in commands {
            let command = path.join(" ");
            let more: &[&str] = match command.as_str() {
                "energy" => &["--meter", "rapl", "--", "true"],
                "trace record" => &["-o", "kept"],
                "stream record" => &["drive", "--channel", "a=synthetic,rate=1/s"],
                "replay" => &["trace", "sim:consistent"],
                "stalls" => &["sim:consistent", "--rate", "1MB/s"],
                _ => &["sim:consistent"],
            };
            let words = ["drivelab"].into_iter().chain(path.iter().map(String::as_str));
            let words = words.chain(["--openmetrics", "now.prom"]).chain(more.iter().copied());
            let matches = Cli::command().try_get_matches_from(words);
            let matches = matches.unwrap_or_else(|error| panic!("{command}: {error}"));
            let mut cli =
                Cli::from_arg_matches(&matches).unwrap_or_else(|error| panic!("{command}: {error}"));
            let file = cli.command.as_mut().and_then(Command::live_file);
            assert_eq!(file, Some(Path::new("now.prom")), "{command}");
        }
    }
}
