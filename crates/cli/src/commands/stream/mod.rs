//! `drivelab stream`: streams to a raw drive, and back.

pub mod contend;
mod extract;
mod look;
mod opened;
pub mod plan;
mod record;

use drivelab_runner::{Ending, Failure, keep_private};

use crate::args::StreamCommand;

/// Does what was asked with streams. What was recorded is its owner's alone, extracted frames like the
/// recording.
pub fn main(command: &StreamCommand) -> Result<Ending, Failure> {
    keep_private();
    match command {
        StreamCommand::Record(args) => record::main(args),
        StreamCommand::List(args) => look::list_frames(args),
        StreamCommand::Extract(args) => extract::main(args),
        StreamCommand::Check(args) => look::check_recording(args),
        StreamCommand::Info(args) => look::show_info(args),
        StreamCommand::Plan(args) => plan::main(args),
        StreamCommand::Contend(args) => contend::main(args),
    }
}
