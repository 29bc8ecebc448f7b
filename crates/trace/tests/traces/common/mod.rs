//! What the tests of traces share.

use std::path::Path;

use drivelab_block::TracedIo;
use drivelab_trace::TraceFolder;

/// All I/Os of a trace, of which none may be missing.
pub fn ios(folder: &Path) -> Vec<TracedIo> {
    let (folder, _) = TraceFolder::open(folder).expect("a trace");
    let mut reader = folder.reader().expect("its segments");
    let mut ios = Vec::new();
    while let Some(batch) = reader.next_batch() {
        ios.extend(batch);
    }
    assert_eq!(reader.faults(), [""; 0]);
    ios
}
