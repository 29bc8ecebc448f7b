//! Where a command writes what it does now, and which other files and folders it works on.

use std::path::{Path, PathBuf};

use super::{Command, ExportPlace, ResultArgs, StreamArgs, StreamCommand, TraceArgs, TraceCommand};

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
    pub fn live_file(&self) -> Option<&Path> {
        match self {
            Command::Trace(TraceArgs { command: TraceCommand::Record(args) }) => args.live.file(),
            Command::Stream(StreamArgs { command: StreamCommand::Record(args) }) => args.live.file(),
            Command::Energy(args) => args.live.file(),
            _ => self.result()?.live_file(),
        }
    }

    /// The files and folders that a command with such a file works on.
    pub fn paths(&self) -> Vec<CommandPath> {
        let mut paths: Vec<CommandPath> =
            self.targets().into_iter().filter_map(CommandPath::target).collect();
        paths.extend(CommandPath::output(self.result().and_then(ResultArgs::folder)));
        match self {
            Command::Review(args) => paths.extend(CommandPath::output(args.resume.as_deref())),
            Command::Quick(args) => {
                paths.extend(args.report.as_ref().map(|page| CommandPath::new("the page", page)));
            }
            Command::Energy(args) => paths.extend(CommandPath::output(args.output.folder())),
            Command::Trace(TraceArgs { command: TraceCommand::Record(args) }) => {
                paths.extend(CommandPath::output(args.output.as_deref()));
                if let Some(ExportPlace::Folder(folder)) = &args.rollup.rollup_to {
                    paths.push(CommandPath::new("the folder of the rollup", folder));
                }
            }
            Command::Stream(StreamArgs { command: StreamCommand::Record(args) }) => {
                paths.push(CommandPath::new("the target", &args.target));
                paths.extend(args.kept.as_ref().map(|kept| CommandPath::new("the file of --kept", kept)));
            }
            _ => {}
        }
        paths
    }

    /// The arguments of the result of a test or a review.
    fn result(&self) -> Option<&ResultArgs> {
        Some(match self {
            Command::Review(args) => &args.result,
            Command::Consistency(args) => &args.result,
            Command::Fill(args) => &args.result,
            Command::Load(args) => &args.result,
            Command::Stalls(args) => &args.result,
            Command::Paths(args) => &args.result,
            Command::Matrix(args) => &args.result,
            Command::Quick(args) => &args.result,
            Command::Trim(args) => &args.result,
            Command::Wake(args) => &args.result,
            Command::WorkingSet(args) => &args.result,
            Command::OfferedLoad(args) => &args.result,
            Command::Pts(args) => &args.result,
            Command::Replay(args) => &args.result,
            _ => return None,
        })
    }

    /// The targets of a test or a review, as they were typed.
    fn targets(&self) -> Vec<&str> {
        match self {
            Command::Review(args) => args.targets.iter().map(String::as_str).collect(),
            Command::Consistency(args) => args.targets.iter().map(String::as_str).collect(),
            Command::Fill(args) => vec![&args.target],
            Command::Load(args) => vec![&args.target],
            Command::Stalls(args) => vec![&args.target],
            Command::Paths(args) => vec![&args.target],
            Command::Matrix(args) => args.target.iter().map(String::as_str).collect(),
            Command::Quick(args) => vec![&args.target],
            Command::Trim(args) => vec![&args.target],
            Command::Wake(args) => vec![&args.target],
            Command::WorkingSet(args) => vec![&args.target],
            Command::OfferedLoad(args) => vec![&args.target],
            Command::Pts(args) => vec![&args.target],
            Command::Replay(args) => vec![&args.target],
            _ => Vec::new(),
        }
    }
}
