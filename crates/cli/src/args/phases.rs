//! Which phases of a run are read, where a run is read as a trace.

use std::convert::Infallible;

use clap::Args;
use drivelab_record::PhaseRequest;

/// Which phases of a run are read.
#[derive(Clone, Debug, Args)]
pub struct PhaseArgs {
    /// Of the folder of a run, read the phases of this name, or `all` of them [default: what the run measured]
    #[arg(long, value_name = "NAME", value_parser = named)]
    phase: Option<PhaseRequest>,
}

impl PhaseArgs {
    /// What is asked for.
    pub fn request(&self) -> PhaseRequest {
        self.phase.clone().unwrap_or_default()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a parser of clap's may fail")]
fn named(text: &str) -> Result<PhaseRequest, Infallible> {
    Ok(if text == "all" { PhaseRequest::All } else { PhaseRequest::Named(text.to_owned()) })
}
