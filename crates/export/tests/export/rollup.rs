//! Rollups add up exactly, come back from Parquet as they were, and are small.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::busy_host::BusyHost;
use drivelab_block::{ByteCount, Nanos, Op};
use drivelab_export::rollup::{
    FileLife, IoOutcome, Rollup, RollupInterval, RollupRow, RollupSums, RollupWriter, visit_rollup,
};
use drivelab_stats::bucket_of;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::statistics::Statistics;
use proptest::prelude::*;

/// When, on which device, measured or not, what, how many bytes, and how it ended.
type Io = (u64, &'static str, bool, Op, u64, IoOutcome);

fn any_io() -> impl Strategy<Value = Io> {
    let at = prop_oneof![0..4_000_000_000_000_u64, any::<u64>()];
    let device = prop_oneof![Just("sda"), Just("a longer name, of another drive"), Just("")];
    let op = (0_u8..4).prop_map(|code| Op::from_code(code).expect("four operations"));
    let outcome = prop_oneof![
        4 => any::<u64>().prop_map(|nanos| IoOutcome::Served(Nanos::new(nanos))),
        8 => (0..3_000_000_u64).prop_map(|nanos| IoOutcome::Served(Nanos::new(nanos))),
        1 => Just(IoOutcome::ServedWithoutTime),
        1 => Just(IoOutcome::Failed),
    ];
    (at, device, any::<bool>(), op, any::<u64>(), outcome)
}

fn rollup_of(ios: &[Io]) -> Rollup {
    let mut rollup = Rollup::default();
    for (at, device, is_measured, op, bytes, outcome) in ios {
        let (bucket, sums) = outcome.counted(ByteCount::new(*bytes));
        rollup.add(RollupRow {
            interval: RollupInterval::of_unix_nanos(*at),
            device: Arc::from(*device),
            is_measured: *is_measured,
            op: *op,
            bucket,
            sums,
        });
    }
    rollup
}

fn read_rollup(file: bytes::Bytes) -> parquet::errors::Result<Rollup> {
    let mut rollup = Rollup::default();
    visit_rollup(file, &mut |row| rollup.add(row.clone()))?;
    Ok(rollup)
}

fn written(rollup: &Rollup) -> bytes::Bytes {
    let mut writer = RollupWriter::new(Vec::new(), FileLife::Kept).expect("memory");
    writer.append(rollup).expect("memory");
    writer.finish(&[]).expect("memory").into()
}

proptest! {
    #[test]
    fn the_sum_of_two_rollups_is_the_rollup_of_both(
        first in proptest::collection::vec(any_io(), 0..60),
        second in proptest::collection::vec(any_io(), 0..60),
    ) {
        let mut sum = rollup_of(&first);
        rollup_of(&second).rows().for_each(|row| sum.add(row));
        let both = rollup_of(&[&first[..], &second].concat());
        prop_assert_eq!(&sum, &both);
        prop_assert_eq!(written(&sum), written(&both), "and their files have the same bytes");
    }

    #[test]
    fn a_rollup_comes_back_from_parquet_whole_and_in_order(
        ios in proptest::collection::vec(any_io(), 0..100), cut: u64,
    ) {
        let whole = rollup_of(&ios);
        let rows: Vec<_> = whole.rows().collect();
        let key = |row: &RollupRow| {
            (row.interval, Arc::clone(&row.device), row.is_measured, row.op, row.bucket)
        };
        prop_assert!(rows.iter().map(key).is_sorted_by(|one, next| one < next));
        // In two parts, as a recorder has it.
        let mut rest = whole.clone();
        let first = rest.take_before(RollupInterval::of_unix_nanos(cut));
        let mut writer = RollupWriter::new(Vec::new(), FileLife::Kept).expect("memory");
        writer.append(&first).and_then(|()| writer.append(&rest)).expect("memory");
        let bytes = bytes::Bytes::from(writer.finish(&[]).expect("memory"));
        prop_assert_eq!(&bytes, &written(&whole));
        prop_assert_eq!(read_rollup(bytes).expect("a rollup"), whole);
    }

    #[test]
    fn percentiles_of_a_rollup_are_those_of_the_records(
        nanos in proptest::collection::vec(0..5_000_000_u64, 1..200), share in 0.0..1.0_f64,
    ) {
        let io = |at: usize, nanos: u64| {
            (at as u64 * 100_000_000_000, "sda", true, Op::Read, 4_096, IoOutcome::Served(Nanos::new(nanos)))
        };
        let ios: Vec<Io> = nanos.iter().enumerate().map(|(at, nanos)| io(at, *nanos)).collect();
        let (mut buckets, mut times) = (BTreeMap::<_, u64>::new(), nanos);
        for row in rollup_of(&ios).rows() {
            *buckets.entry(row.bucket.expect("each has a time")).or_default() += row.sums.ios;
        }
        times.sort_unstable();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
        let place = (share * times.len() as f64) as usize;
        let mut seen = 0;
        let holds_the_rank = |(_, ios): &(&u16, &u64)| {
            seen += **ios;
            seen > place as u64
        };
        let found = buckets.iter().find(holds_the_rank).map(|(bucket, _)| *bucket);
        prop_assert_eq!(found, Some(bucket_of(times[place])));
    }
}

#[test]
fn percentiles_of_a_thousand_rollups_are_those_of_all_their_records() {
    let (mut state, mut times, mut buckets) = (7_u64, Vec::new(), BTreeMap::<u16, u64>::new());
    for host in 0..1_000_u64 {
        let ios: Vec<Io> = (0..host % 300)
            .map(|number| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // From 100 ns to some milliseconds, each host slower than the one before, and a long tail.
                let nanos = (100 + host) << ((state >> 40) % 12);
                times.push(nanos);
                (number * 1_000_000_000, "sda", true, Op::Read, 4_096, IoOutcome::Served(Nanos::new(nanos)))
            })
            .collect();
        for row in read_rollup(written(&rollup_of(&ios))).expect("a rollup").rows() {
            *buckets.entry(row.bucket.expect("each has a time")).or_default() += row.sums.ios;
        }
    }
    times.sort_unstable();
    let count = times.len() as u64;
    for thousandths in 1..=1_000 {
        let rank = (count * thousandths).div_ceil(1_000);
        let expected = times[usize::try_from(rank).expect("small") - 1];
        let mut reached = 0;
        let found = buckets.iter().find(|(_, ios)| {
            reached += **ios;
            reached >= rank
        });
        assert_eq!(found.map(|(bucket, _)| *bucket), Some(bucket_of(expected)), "{thousandths} of {count}");
    }
}

#[test]
fn what_failed_is_counted_apart_and_what_has_no_time_is_in_no_bucket() {
    let io = |bytes, outcome| (1, "sda", true, Op::Write, bytes, outcome);
    let rollup = rollup_of(&[
        io(4_096, IoOutcome::Served(Nanos::new(700))),
        io(8_192, IoOutcome::Served(Nanos::new(701))),
        io(512, IoOutcome::ServedWithoutTime),
        io(1_024, IoOutcome::Failed),
    ]);
    let rows: Vec<_> = rollup.rows().map(|row| (row.bucket, row.sums)).collect();
    let without = RollupSums { ios: 1, failed_ios: 1, bytes: 512, service_ns: 0 };
    let with = RollupSums { ios: 2, failed_ios: 0, bytes: 12_288, service_ns: 1_401 };
    assert_eq!(rows, [(None, without), (Some(bucket_of(700)), with)]);
}

#[test]
fn a_file_that_is_no_rollup_or_is_cut_is_refused() {
    let whole = written(&rollup_of(&[(1, "sda", true, Op::Read, 1, IoOutcome::Failed)]));
    for cut in 0..whole.len() {
        assert!(read_rollup(whole.slice(..cut)).is_err(), "{cut} of {} bytes", whole.len());
    }
}

/// The whole day is what `cargo bench -p drivelab-export --bench day` makes.
#[test]
fn an_interval_of_a_busy_host_takes_its_share_of_five_megabytes_a_day() {
    let mut host = BusyHost::new();
    let (one, other) = (host.interval(0), host.interval(72));
    let mut both = one.clone();
    other.rows().for_each(|row| both.add(row));
    let bytes = written(&both);
    assert!(bytes.len() < 2 * 5_000_000 / 288, "{} bytes of {} rows", bytes.len(), both.rows().count());
    let reader = SerializedFileReader::new(bytes).expect("Parquet");
    let times = reader.metadata().row_group(0).column(0).statistics();
    let Some(Statistics::Int64(times)) = times else { panic!("row groups say when they begin and end") };
    assert_eq!((times.min_opt(), times.max_opt()), (Some(&1_795_478_400_000), Some(&1_795_500_000_000)));
}
