//! The JSON Schemas of the documents that only a command prints are those of the types. `DRIVELAB_WRITE_SCHEMAS=1` writes them
//! anew.

use std::path::Path;

use drivelab_documents::review::{REVIEW_SCHEMA, ReviewRecord};
use schemars::{Schema, schema_for};

use super::drives::DrivesDocument;
use super::export::document::ExportDocument;
use super::image::ImageDocument;
use super::image::ImageListDocument;
use super::purge::PurgeDocument;
use super::review::planned::ReviewPlanDocument;
use super::stream::plan::StreamPlanDocument;

#[test]
fn schemas_are_those_of_the_types() {
    let schemas: [(&str, Schema); 8] = [
        (DrivesDocument::SCHEMA, schema_for!(DrivesDocument)),
        (ExportDocument::SCHEMA, schema_for!(ExportDocument)),
        (ImageDocument::SCHEMA, schema_for!(ImageDocument<'static>)),
        (ImageListDocument::SCHEMA, schema_for!(ImageListDocument<'static>)),
        (PurgeDocument::SCHEMA, schema_for!(PurgeDocument)),
        (StreamPlanDocument::SCHEMA, schema_for!(StreamPlanDocument)),
        (ReviewPlanDocument::SCHEMA, schema_for!(ReviewPlanDocument)),
        (REVIEW_SCHEMA, schema_for!(ReviewRecord)),
    ];
    for (name, mut schema) in schemas {
        schema.insert("$id".to_owned(), name.into());
        let file = format!("schemas/{}.json", name.replace('/', "-"));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
        if std::env::var_os("DRIVELAB_WRITE_SCHEMAS").is_some() {
            std::fs::write(&file, &text).expect("the schemas' folder");
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, text, "{name} differs from its types: run this test with DRIVELAB_WRITE_SCHEMAS=1");
    }
}
