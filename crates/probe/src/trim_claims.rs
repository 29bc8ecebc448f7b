//! What a drive and the kernel claim of its TRIM.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::Roots;
use crate::smartctl::{answer, find};

/// What is claimed; none where nobody says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrimClaims {
    /// The most bytes that the kernel gives up in one request (`discard_max_bytes`); 0 where it passes none on.
    pub request_max_bytes: Option<u64>,
    /// Whether a trimmed block returns the same at every read (ATA: DRAT, deterministic read after TRIM).
    pub deterministic: Option<bool>,
    /// Whether it returns zeros (ATA: RZAT, read zeros after TRIM).
    pub zeros: Option<bool>,
}

/// Asks the kernel about the drive of this kernel name, and smartctl about the one at `node`, which may be silent for as
/// long as `patience`.
pub fn trim_claims(roots: &Roots, drive: &str, node: &Path, patience: Duration) -> TrimClaims {
    let most = roots.text(format!("sys/block/{drive}/queue/discard_max_bytes"));
    let (deterministic, zeros) = find()
        .zip(node.to_str())
        .and_then(|(program, node)| answer(&program, &["--json=c", "--info", "--", node], patience).ok())
        .map_or((None, None), |said| ata_claims(&said));
    TrimClaims { request_max_bytes: most.and_then(|text| text.parse().ok()), deterministic, zeros }
}

/// smartctl's `trim` object, which only ATA drives have.
fn ata_claims(said: &[u8]) -> (Option<bool>, Option<bool>) {
    let document: Value = serde_json::from_slice(said).unwrap_or_default();
    let claim = |name: &str| document["trim"][name].as_bool();
    (claim("deterministic"), claim("zeroed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_read_where_there_are_any() {
        let said = br#"{"trim": {"supported": true, "deterministic": true, "zeroed": false}}"#;
        assert_eq!(ata_claims(said), (Some(true), Some(false)));
        assert_eq!(ata_claims(b"{}"), (None, None));
        assert_eq!(ata_claims(b"not JSON"), (None, None));
        let folder = tempfile::tempdir().expect("a folder");
        let queue = folder.path().join("sys/block/sdx/queue");
        std::fs::create_dir_all(&queue).expect("folders");
        std::fs::write(queue.join("discard_max_bytes"), "0\n").expect("a file");
        let nowhere = Path::new("/nonexistent");
        let found = trim_claims(&Roots::at(folder.path()), "sdx", nowhere, Duration::from_secs(30));
        assert_eq!(found, TrimClaims { request_max_bytes: Some(0), ..TrimClaims::default() });
    }
}
