//! Documents: what `--json` prints.

use drivelab_export::fleet;
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use crate::{boot, contend, decode, index, lifetime, stream, trace};

/// A kind of findings that has a document.
pub trait Inspection: JsonSchema {
    /// The kind as it is spelled in documents, such as `lifetime`.
    const NAME: &'static str;
    /// The version of its document: it grows whenever a field changes its name or its meaning.
    const VERSION: u32;

    /// The name and version of the document, such as `drivelab.lifetime/2`.
    fn document_name() -> String {
        format!("drivelab.{}/{}", Self::NAME, Self::VERSION)
    }
}

/// Every kind of findings that has a document, with its name and its version.
macro_rules! inspections {
    ($($findings:ty: $name:literal, $version:literal;)*) => {
        $(impl Inspection for $findings {
            const NAME: &'static str = $name;
            const VERSION: u32 = $version;
        })*
    };
}

inspections! {
    boot::BootFindings: "boot", 2;
    contend::ContendFindings: "contend", 2;
    decode::DecodeFindings: "decode", 2;
    fleet::FleetFindings: "fleet", 1;
    index::IndexFindings: "index", 1;
    lifetime::LifetimeFindings: "lifetime", 2;
    stream::StreamFindings: "stream", 2;
    trace::TraceFindings: "trace", 3;
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
        InspectionDocument { schema: F::document_name(), findings }
    }
}

/// The JSON Schema of a kind's document, made from its types.
pub fn schema_of_findings<F: Inspection>() -> Schema {
    let mut schema = schema_for!(InspectionDocument<F>);
    schema.insert("$id".to_owned(), F::document_name().into());
    schema
}
