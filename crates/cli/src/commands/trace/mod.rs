//! `drivelab trace`: traces in and out, and what they show.

mod analysed;
mod destination;
mod export;
mod import;
mod judged;
mod of_run;
mod record;
mod show;

pub use show::report;

use drivelab_runner::{Ending, Failure};

use crate::args::{TraceArgs, TraceCommand};

/// Does what was asked with traces.
pub fn main(args: &TraceArgs) -> Result<Ending, Failure> {
    match &args.command {
        TraceCommand::Record(args) => record::main(args),
        TraceCommand::Import(args) => import::main(args),
        TraceCommand::Show(args) => show::main(args),
        TraceCommand::Export(args) => export::main(args),
    }
}
