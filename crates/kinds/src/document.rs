//! Documents: what `--json` prints, and what a folder keeps.

use drivelab_documents::Manifest;
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{ResultKind, StoredResult};

/// The document of a result: what was run, and what was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document<F> {
    /// The name and version of the document, such as `drivelab.quick/3`.
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
    /// The name and version of the document that they are of, such as `drivelab.quick/3`.
    pub schema: String,
    /// The run that they are of: [`Manifest::id`].
    pub run: String,
    /// What was found.
    pub findings: F,
}

impl<F: Clone> Document<F> {
    /// The document of a result.
    pub fn from_kept<K: ResultKind<Findings = F>>(kept: &StoredResult<K>) -> Document<F> {
        Document { schema: schema_name::<K>(), run: kept.run.clone(), findings: kept.findings.clone() }
    }
}

impl<F: Clone + DeserializeOwned> FindingsFile<F> {
    /// The name of the file.
    pub const NAME: &'static str = "findings.json";

    /// The file of what the run with this [`Manifest::id`] has found.
    pub fn of_findings<K: ResultKind<Findings = F>>(run: String, findings: &F) -> FindingsFile<F> {
        FindingsFile { schema: schema_name::<K>(), run, findings: findings.clone() }
    }

    /// The findings in the text of a file that is of this run.
    ///
    /// # Errors
    /// A sentence that says why there are none: the file is damaged, of another kind or version, or of another run.
    pub fn parse<K: ResultKind<Findings = F>>(text: &[u8], run: &Manifest) -> Result<F, String> {
        let damaged = |error: serde_json::Error| format!("damaged ({error}): put back a whole copy");
        let document: serde_json::Value = serde_json::from_slice(text).map_err(damaged)?;
        let wanted = schema_name::<K>();
        // Looked at before anything else, since another version may say everything else differently.
        let schema = document["schema"].as_str();
        let schema = schema.ok_or("damaged (it names no schema): put back a whole copy")?;
        if schema != wanted {
            return Err(format!(
                "its schema is {schema}, this drivelab reads {wanted}: use the version that made the result"
            ));
        }
        if document["run"].as_str() != Some(&run.id()) {
            return Err("it belongs to another run than run.json: put back a whole copy of the folder".into());
        }
        serde_json::from_value(document).map(|file: FindingsFile<F>| file.findings).map_err(damaged)
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
