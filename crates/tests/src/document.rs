//! Documents: what `--json` prints, and what a folder keeps.

use drivelab_record::Manifest;
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use crate::{Kept, ResultKind};

/// The document of a result: what was run, and what was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document<F> {
    /// The name and version of the document, such as `drivelab.quick/2`.
    pub schema: String,
    /// What was run, on which drive, in which environment, and how it ended.
    pub run: Manifest,
    /// What was found.
    pub findings: F,
}

/// The file of findings in the folder of a result, beside its `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingsFile<F> {
    /// The name and version of the document that they are of, such as `drivelab.quick/2`.
    pub schema: String,
    /// The run that they are of: [`Manifest::id`].
    pub run: String,
    /// What was found.
    pub findings: F,
}

impl<F: Clone> Document<F> {
    /// The document of a result.
    pub fn of<K: ResultKind<Findings = F>>(kept: &Kept<K>) -> Document<F> {
        Document { schema: schema_name::<K>(), run: kept.run.clone(), findings: kept.findings.clone() }
    }
}

impl<F: Clone> FindingsFile<F> {
    /// The name of the file.
    pub const NAME: &'static str = "findings.json";

    /// The file of a result.
    pub fn of<K: ResultKind<Findings = F>>(kept: &Kept<K>) -> FindingsFile<F> {
        FindingsFile::of_findings::<K>(&kept.run, &kept.findings)
    }

    /// The file of what a run has found so far.
    pub fn of_findings<K: ResultKind<Findings = F>>(run: &Manifest, findings: &F) -> FindingsFile<F> {
        FindingsFile { schema: schema_name::<K>(), run: run.id(), findings: findings.clone() }
    }

    /// The findings of this run.
    ///
    /// # Errors
    /// A sentence that says why these are none of it: another kind or version, or those of another run.
    pub fn of_run<K: ResultKind<Findings = F>>(self, run: &Manifest) -> Result<F, String> {
        let wanted = schema_name::<K>();
        if self.schema != wanted {
            return Err(format!(
                "its schema is {}, this drivelab reads {wanted}: use the version that made the result",
                self.schema
            ));
        }
        if self.run != run.id() {
            return Err(
                "it belongs to another run than run.json: put back a whole copy of the folder".to_owned()
            );
        }
        Ok(self.findings)
    }
}

/// The JSON Schema of a kind's document, made from its types.
pub fn schema_of<K: ResultKind>() -> Schema {
    let mut schema = schema_for!(Document<K::Findings>);
    schema.insert("$id".to_owned(), schema_name::<K>().into());
    schema
}

fn schema_name<K: ResultKind>() -> String {
    format!("drivelab.{}/{}", K::NAME, K::VERSION)
}
