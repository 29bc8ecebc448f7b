//! The real traces beside the project, where they are.

use std::path::Path;

use crate::common::ios;
use drivelab_block::Op;
use drivelab_trace::import;

/// Counts that SOURCES.md gives of the real traces beside the project.
#[test]
fn real_traces_have_their_counts() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        return drivelab_testbed::skipped("the real traces are not beside the project, in ../shared/data");
    }
    let expected = [
        ("msr_hm0_sample_1000.csv", 508, 492),
        ("systor17_sample.csv.gz", 826, 173),
        ("tencent_cbs_sample.csv.bz2", 24_521, 25_479),
        ("blkreplay_linux-mysql.load.gz", 7_187, 73_607),
        ("blkreplay_windows-mssql.load.gz", 2_528, 40_448),
        ("mqsim_wsrch-small.trace", 24_778, 4),
        ("disksim_cheetah9LP.trace", 6_594, 3_406),
        ("disksim_ibm18es.trace", 6_582, 3_418),
        ("takeoverjp_sample.blktrace.0", 963, 0),
        ("kernel-6.18/tracefs_block.txt", 468, 0),
        ("kernel-6.18/trace_pipe_raw.cpu1", 468, 0),
    ];
    for (name, reads, writes) in expected {
        let folder = tempfile::tempdir().expect("a temporary folder");
        import(&[data.join(name)], None, folder.path(), "test", &mut || true).expect("a known format");
        let imported = ios(folder.path());
        let count = |op| imported.iter().filter(|io| io.op == op).count();
        assert_eq!((count(Op::Read), count(Op::Write)), (reads, writes), "{name}");
    }
}
