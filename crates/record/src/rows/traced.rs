//! A traced I/O as columns: what a record of a trace looks like on disk.

use bytes::{Buf as _, BufMut as _};
use drivelab_block::{
    DeviceId, Extent, Instant, IoFlags, Nanos, Op, ProcessId, Sector, SectorCount, Status, TracedIo,
};

use super::column::{Sparse, stored_columns};
use super::{Columns, Row};

// The schema of a segment. Times are nanoseconds; `sector` and `sectors` are units of 512 bytes; what the
// source did not know is absent.
//
// As for completions: what follows closely by its differences, what jumps by its bytes. Small numbers that change from row
// to row are packed by their differences, too: zstd would look long for what they have in common. What hardly ever changes is
// left to it.
stored_columns!(TracedColumns of "traced_io", {
    issue_time: Vec<i64> as DELTA_BINARY_PACKED, "REQUIRED INT64 issue_time_ns";
    queue: Sparse as BYTE_STREAM_SPLIT, "OPTIONAL INT64 queue_ns";
    service: Sparse as BYTE_STREAM_SPLIT, "OPTIONAL INT64 service_ns";
    sector: Vec<i64> as BYTE_STREAM_SPLIT, "REQUIRED INT64 sector";
    sectors: Vec<i32> as DELTA_BINARY_PACKED, "REQUIRED INT32 sectors";
    operation: Vec<i32> as DELTA_BINARY_PACKED, "REQUIRED INT32 operation (INTEGER(8, false))";
    flags: Vec<i32> as PLAIN, "REQUIRED INT32 flags (INTEGER(8, false))";
    status: Vec<i32> as PLAIN, "REQUIRED INT32 status (INTEGER(16, true))";
    device: Vec<i32> as DELTA_BINARY_PACKED, "REQUIRED INT32 device (INTEGER(16, false))";
    process: Vec<i32> as DELTA_BINARY_PACKED, "REQUIRED INT32 process (INTEGER(32, false))";
});

/// In a tail, for a span that is not known.
const UNKNOWN: u64 = u64::MAX;

impl Row for TracedIo {
    type Columns = TracedColumns;
    const TAIL_MAGIC: [u8; 16] = *b"drivelab trace3\n";
    const TAIL_BYTES: usize = 46;

    #[inline]
    fn time(&self) -> Instant {
        self.issued_at
    }

    fn push_to(&self, buffer: &mut Vec<u8>) {
        let span = |span: Option<Nanos>| span.map_or(UNKNOWN, Nanos::get);
        buffer.put_u64_le(self.issued_at.as_nanos());
        buffer.put_u64_le(span(self.queued_for));
        buffer.put_u64_le(span(self.service));
        buffer.put_u64_le(self.extent.start.get());
        buffer.put_u32_le(self.extent.length.get());
        buffer.put_u32_le(self.process.0);
        buffer.put_u16_le(self.device.0);
        buffer.put_i16_le(self.status.code());
        buffer.put_u8(self.op.code());
        buffer.put_u8(self.flags.bits());
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<TracedIo> {
        let span = |nanos: u64| (nanos != UNKNOWN).then(|| Nanos::new(nanos));
        Some(TracedIo {
            issued_at: Instant::from_nanos(bytes.try_get_u64_le().ok()?),
            queued_for: span(bytes.try_get_u64_le().ok()?),
            service: span(bytes.try_get_u64_le().ok()?),
            extent: Extent {
                start: Sector::new(bytes.try_get_u64_le().ok()?),
                length: SectorCount::new(bytes.try_get_u32_le().ok()?),
            },
            process: ProcessId(bytes.try_get_u32_le().ok()?),
            device: DeviceId(bytes.try_get_u16_le().ok()?),
            status: Status::from_code(bytes.try_get_i16_le().ok()?),
            op: Op::from_code(bytes.try_get_u8().ok()?)?,
            flags: IoFlags::from_bits(bytes.try_get_u8().ok()?),
        })
    }
}

impl Columns for TracedColumns {
    type Row = TracedIo;

    fn times(&self) -> &[i64] {
        &self.issue_time
    }

    #[expect(clippy::cast_possible_wrap, reason = "the bits come back as they were")]
    fn extend(&mut self, ios: &[TracedIo]) {
        for io in ios {
            self.issue_time.push(io.issued_at.as_nanos() as i64);
            self.queue.push(io.queued_for.map(|span| span.get() as i64));
            self.service.push(io.service.map(|span| span.get() as i64));
            self.sector.push(io.extent.start.get() as i64);
            self.sectors.push(io.extent.length.get() as i32);
            self.operation.push(i32::from(io.op.code()));
            self.flags.push(i32::from(io.flags.bits()));
            self.status.push(i32::from(io.status.code()));
            self.device.push(i32::from(io.device.0));
            self.process.push(io.process.0 as i32);
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "the bits come back as they were")]
    #[inline]
    fn row(&self, row: usize) -> Option<TracedIo> {
        let span = |nanos: i64| Nanos::new(nanos as u64);
        Some(TracedIo {
            issued_at: Instant::from_nanos(*self.issue_time.get(row)? as u64),
            queued_for: self.queue.get(row).map(span),
            service: self.service.get(row).map(span),
            extent: Extent {
                start: Sector::new(*self.sector.get(row)? as u64),
                length: SectorCount::new(*self.sectors.get(row)? as u32),
            },
            process: ProcessId(*self.process.get(row)? as u32),
            device: DeviceId(u16::try_from(*self.device.get(row)?).ok()?),
            status: Status::from_code(i16::try_from(*self.status.get(row)?).ok()?),
            op: Op::from_code(u8::try_from(*self.operation.get(row)?).ok()?)?,
            flags: IoFlags::from_bits(u8::try_from(*self.flags.get(row)?).ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn any_io()(
            at: u64, queued: Option<u64>, service: Option<u64>, start: u64, length: u32,
            who: (u32, u16), status: i16, op in 0u8..4, flags: u8,
        ) -> TracedIo {
            let known = |span: Option<u64>| span.filter(|nanos| *nanos != UNKNOWN).map(Nanos::new);
            TracedIo {
                issued_at: Instant::from_nanos(at),
                queued_for: known(queued),
                service: known(service),
                extent: Extent { start: Sector::new(start), length: SectorCount::new(length) },
                process: ProcessId(who.0),
                device: DeviceId(who.1),
                status: Status::from_code(status),
                op: Op::from_code(op).expect("four operations"),
                flags: IoFlags::from_bits(flags),
            }
        }
    }

    proptest! {
        #[test]
        fn every_io_comes_back_whole(ios in proptest::collection::vec(any_io(), 0..50)) {
            let mut columns = TracedColumns::default();
            columns.extend(&ios);
            let mut again = Vec::new();
            prop_assert_eq!(columns.to_rows(0..ios.len(), &mut again), Some(()));
            prop_assert_eq!(&again, &ios);
            for io in ios {
                let mut bytes = Vec::new();
                io.push_to(&mut bytes);
                prop_assert_eq!(bytes.len(), TracedIo::TAIL_BYTES);
                prop_assert_eq!(TracedIo::from_bytes(&bytes), Some(io));
            }
        }
    }
}
