//! `drivelab stream`: streams to a raw drive, and back.

mod check;
pub mod contend;
mod documents;
mod extract;
mod info;
mod list;
mod opened;
pub mod plan;
mod record;
mod text;

use drivelab_runner::{Ending, Failure, keep_private};

use crate::args::{StreamArgs, StreamCommand};

/// Does what was asked with streams. What was recorded is its owner's alone, extracted frames like the
/// recording.
pub fn main(args: &StreamArgs) -> Result<Ending, Failure> {
    keep_private();
    match &args.command {
        StreamCommand::Record(args) => record::main(args),
        StreamCommand::List(args) => list::main(args),
        StreamCommand::Extract(args) => extract::main(args),
        StreamCommand::Check(args) => check::main(args),
        StreamCommand::Info(args) => info::main(args),
        StreamCommand::Plan(args) => plan::main(args),
        StreamCommand::Contend(args) => contend::main(args),
    }
}
