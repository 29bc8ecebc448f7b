//! What drivelab is built from may be given away under MIT or Apache-2.0.

use std::path::Path;
use std::process::Command;

use spdx::{Expression, ParseMode};

/// Licences that ask for no more than a notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

#[test]
fn every_dependency_has_a_licence_that_allows_it() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let strangers: Vec<String> = packages
        .iter()
        .filter(|package| !is_allowed(package["license"].as_str().unwrap_or_default()))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert_eq!(strangers, Vec::<String>::new());
    let elsewhere = |package: &&serde_json::Value| {
        package["source"].as_str().is_some_and(|source| !source.starts_with("registry+"))
    };
    assert_eq!(packages.iter().filter(elsewhere).count(), 0, "every dependency comes from a registry");
}

fn is_allowed(licence: &str) -> bool {
    let Ok(expression) = Expression::parse_mode(licence, ParseMode::LAX) else { return false };
    expression.evaluate(|asked| asked.license.id().is_some_and(|id| ALLOWED.contains(&id.name)))
}

#[test]
fn a_licence_that_asks_for_more_is_noticed() {
    assert!(is_allowed("MIT OR Apache-2.0"));
    assert!(is_allowed("MIT/Apache-2.0"));
    assert!(is_allowed("GPL-3.0-only OR MIT"));
    assert!(!is_allowed("GPL-3.0-only"));
    assert!(!is_allowed("MIT AND GPL-3.0-only"));
    assert!(!is_allowed(""));
}
