//! Exports that cannot be made, or not wholly.

use std::fs;
use std::io::{self, Write};

use drivelab_block::Op;
use drivelab_trace::{ExportFormat, TraceError, export};

use crate::export::{Trial, at, source};

#[test]
fn what_cannot_be_read_is_named() {
    let trial = Trial::new();
    let trace = trial.trace(&[at(0, Op::Read, 0, 1)]);
    let segment =
        fs::read_dir(trace.join("segments")).expect("a folder").flatten().next().expect("a segment").path();
    fs::write(&segment, "no Parquet").expect("room on disk");
    let source = source(&trace);
    let told = export(&source, ExportFormat::Fio3, None, Vec::new(), &mut || true).expect("memory");
    assert_eq!(told.requests, 0);
    assert_eq!(told.faults.len(), 1, "{:?}", told.faults);
    assert!(told.faults[0].contains("is damaged"), "{:?}", told.faults);
}

/// Takes nothing.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_written_is_an_error_and_an_interrupt_is_none() {
    let trial = Trial::new();
    let trace = trial.trace(&[at(0, Op::Read, 0, 1), at(3, Op::Read, 8, 1)]);
    let source = source(&trace);
    for format in ExportFormat::ALL {
        let error = export(&source, format, None, Full, &mut || true).expect_err("no room");
        assert!(matches!(error, TraceError::Output(_)), "{error}");
        let told = export(&source, format, None, Vec::new(), &mut || false).expect("memory");
        assert_eq!(told.requests, 0);
    }
}
