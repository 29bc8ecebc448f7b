//! The JSON Schemas in the repository are those of the types. `DRIVELAB_WRITE_SCHEMAS=1` writes them anew.

use std::path::Path;

use drivelab_documents::{ENERGY_SCHEMA, EnergyDocument};
use drivelab_kinds::PlanDocument;
use drivelab_kinds::energy::{ENERGY_COMPARISON_SCHEMA, EnergyComparisonDocument};
use drivelab_runner::KINDS;

/// The schemas of all documents that have one made from types.
fn schemas() -> Vec<serde_json::Value> {
    let named = |mut schema: serde_json::Value, name: &str| {
        schema["$id"] = name.into();
        schema
    };
    let others = [
        named(schemars::schema_for!(PlanDocument).into(), PlanDocument::SCHEMA),
        named(schemars::schema_for!(EnergyDocument).into(), ENERGY_SCHEMA),
        named(schemars::schema_for!(EnergyComparisonDocument).into(), ENERGY_COMPARISON_SCHEMA),
    ];
    KINDS.iter().map(|kind| (kind.schema)()).chain(others).collect()
}

#[test]
fn schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kinds/schemas");
    for schema in schemas() {
        let id = schema["$id"].as_str().expect("a schema has its name");
        let file = folder.join(format!("{}.json", id.replace('/', "-")));
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n";
        if std::env::var_os("DRIVELAB_WRITE_SCHEMAS").is_some() {
            std::fs::write(&file, &text).expect("the schemas' folder");
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, text, "{id} differs from its types: run this test with DRIVELAB_WRITE_SCHEMAS=1");
    }
}
