//! What every test and every review has, whichever command it is.

use std::slice;

use super::{Command, MeterArgs, ResultArgs, SafetyArgs, StreamCommand};

impl Command {
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
