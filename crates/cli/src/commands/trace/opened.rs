//! The folder of a trace or a run, opened to be read as a trace.

use std::path::Path;

use drivelab_record::PhaseRequest;
use drivelab_review::is_review_folder;
use drivelab_runner::Failure;
use drivelab_trace::{TraceSource, is_trace_folder};

/// Opens a folder.
///
/// # Errors
/// Where it is that of no trace and no run; of a review, it says what shows that.
pub fn open(path: &Path, phases: &PhaseRequest) -> Result<TraceSource, Failure> {
    if is_review_folder(path) && !is_trace_folder(path) {
        let shown = path.display();
        return Err(Failure::Usage(format!(
            "{shown} is the folder of a review: type drivelab report {shown}, or name the folder of one of its results in it"
        )));
    }
    Ok(TraceSource::open(path, phases)?)
}
