//! `drivelab trace`: traces in and out, and what they show.

mod analysed;
mod destination;
mod export;
mod import;
mod new_folder;
mod of_run;
mod opened;
mod record;
mod rollup;
mod show;

pub use show::report;

use drivelab_runner::{Ending, Failure, keep_private};

use crate::args::{TraceArgs, TraceCommand};

/// Does what was asked with traces. They name programs and what these did, so all files are their owner's
/// alone.
pub fn main(args: &TraceArgs) -> Result<Ending, Failure> {
    let mask = keep_private();
    match &args.command {
        TraceCommand::Record(args) => record::main(args, mask),
        TraceCommand::Import(args) => import::main(args),
        TraceCommand::Show(args) => show::main(args),
        TraceCommand::Export(args) => export::main(args),
    }
}
