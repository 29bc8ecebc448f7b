//! Documents: what `--json` prints.

use drivelab_export::fleet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{boot, contend, decode, index, lifetime, stream, trace};

/// A kind of findings that has a document.
pub trait Inspection: JsonSchema {
    /// The name and version of the document, such as `drivelab.lifetime/2`: the version grows whenever a field changes its name
    /// or its meaning.
    const DOCUMENT: &'static str;
}

/// Every kind of findings that has a document, with its name and its version.
macro_rules! inspections {
    ($($findings:ty: $document:literal;)*) => {
        $(impl Inspection for $findings {
            const DOCUMENT: &'static str = $document;
        })*
    };
}

inspections! {
    boot::BootFindings: "drivelab.boot/2";
    contend::ContendFindings: "drivelab.contend/2";
    decode::DecodeFindings: "drivelab.decode/2";
    fleet::FleetFindings: "drivelab.fleet/1";
    index::IndexFindings: "drivelab.index/1";
    lifetime::LifetimeFindings: "drivelab.lifetime/2";
    stream::StreamFindings: "drivelab.stream/2";
    trace::TraceFindings: "drivelab.trace/3";
}

/// The document of findings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InspectionDocument<F> {
    /// The name and version of the document, such as `drivelab.lifetime/2`.
    pub schema: String,
    /// What was found.
    pub findings: F,
}

impl<F: Inspection> InspectionDocument<F> {
    /// The document of these findings.
    pub fn new(findings: F) -> InspectionDocument<F> {
        InspectionDocument { schema: F::DOCUMENT.to_owned(), findings }
    }
}
