//! The JSON Schemas in the repository are those of the types. `DRIVELAB_WRITE_SCHEMAS=1` writes them anew.

use std::path::Path;

use drivelab_export::fleet::FleetFindings;
use drivelab_inspect::boot::BootFindings;
use drivelab_inspect::contend::ContendFindings;
use drivelab_inspect::decode::DecodeFindings;
use drivelab_inspect::index::IndexFindings;
use drivelab_inspect::lifetime::LifetimeFindings;
use drivelab_inspect::stream::StreamFindings;
use drivelab_inspect::trace::TraceFindings;
use drivelab_inspect::{Inspection, InspectionDocument};
use schemars::{Schema, schema_for};

/// The JSON Schema of a kind's document, made from its types.
fn schema_of_findings<F: Inspection>() -> Schema {
    let mut schema = schema_for!(InspectionDocument<F>);
    schema.insert("$id".to_owned(), F::DOCUMENT.into());
    schema
}

#[test]
fn schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let schemas = [
        schema_of_findings::<BootFindings>(),
        schema_of_findings::<FleetFindings>(),
        schema_of_findings::<IndexFindings>(),
        schema_of_findings::<LifetimeFindings>(),
        schema_of_findings::<TraceFindings>(),
        schema_of_findings::<ContendFindings>(),
        schema_of_findings::<DecodeFindings>(),
        schema_of_findings::<StreamFindings>(),
    ];
    for schema in schemas {
        let id = schema.get("$id").and_then(|id| id.as_str()).expect("a schema has its name");
        let file = folder.join(format!("{}.json", id.replace('/', "-")));
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
        if std::env::var_os("DRIVELAB_WRITE_SCHEMAS").is_some() {
            std::fs::write(&file, &text).expect("the schemas' folder");
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, text, "{id} differs from its types: run this test with DRIVELAB_WRITE_SCHEMAS=1");
    }
}
