//! A load in the form of fio's output, for programs that read that.

use std::collections::BTreeMap;

use drivelab_block::{Nanos, Op};
use drivelab_fio::{DirectionOutput, FioOutput, JobOutput, LatencyOutput};
use drivelab_stats::{Bin, Distribution, Moments, OpAnalysis, bucket_range};

use super::{Load, LoadSettings, Operation};
use crate::{ComparedResult, StoredResult};

/// The percentiles that fio has where none are asked for, as shares.
const PERCENTILES: [f64; 17] =
    [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999];
/// The bounds of fio's distributions of latencies, in each of its units.
const BOUNDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1_000];
/// The bound that milliseconds have besides.
const LONG_BOUND: u64 = 2_000;

/// A load as fio would have written it; none where figures are withheld or the load has none, and of flushes, for which fio has
/// no kind of job. The processor time is 0 until it is filled in.
pub(super) fn fio_output(kept: &ComparedResult<'_, Load>) -> Option<FioOutput> {
    let rw = rw(kept.settings.operation)?;
    let measured = &kept.recorded.as_ref()?.measured;
    let phase = measured.analysis.filter(|_| !measured.is_withheld)?;
    let lasted = Nanos::from_secs_f64(kept.findings.duration_s?);
    let (bins, _) = phase.whole_seconds(measured.duration);
    let all_bytes = phase.bytes().get();
    let direction = |op: Op, of_bin: fn(&Bin) -> (u64, u64)| {
        phase.op(op).map_or_else(DirectionOutput::default, |found| {
            let seconds: Vec<(u64, u64)> = bins.iter().map(of_bin).collect();
            direction(found, lasted, all_bytes, &seconds)
        })
    };
    let [latency_ns, latency_us, latency_ms] = distributions(&phase.service());
    let job = JobOutput {
        jobname: kept.run.label.clone(),
        elapsed: lasted.get().div_ceil(1_000_000_000),
        options: options(kept, rw),
        read: direction(Op::Read, |bin| (bin.reads.into(), bin.read_bytes)),
        write: direction(Op::Write, |bin| (bin.writes.into(), bin.written_bytes)),
        // The bytes of discards are not kept by the second.
        trim: direction(Op::Discard, |bin| (bin.discards.into(), 0)),
        job_runtime: lasted.get() / 1_000_000,
        latency_ns,
        latency_us,
        latency_ms,
        latency_depth: kept.settings.queue_depth,
        ..JobOutput::default()
    };
    Some(FioOutput {
        version: format!("drivelab-{}", kept.run.version),
        jobs: vec![job],
        ..FioOutput::default()
    })
}

/// fio's word for what is done.
fn rw(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::Flush => None,
        Operation::Discard => Some("trim"),
        other => Some(other.word()),
    }
}

fn options(kept: &StoredResult<Load>, rw: &str) -> BTreeMap<&'static str, String> {
    let LoadSettings { operation, block_size_bytes, queue_depth, threads, rate, .. } = kept.settings;
    let mut options = BTreeMap::from([
        ("name", kept.run.label.clone()),
        ("filename", kept.run.target.clone()),
        ("ioengine", "io_uring".to_owned()),
        ("direct", "1".to_owned()),
        ("rw", rw.to_owned()),
        ("bs", block_size(block_size_bytes)),
        ("iodepth", queue_depth.to_string()),
        ("numjobs", threads.to_string()),
        ("group_reporting", "1".to_owned()),
        ("norandommap", "1".to_owned()),
        ("randseed", kept.run.seed.to_string()),
    ]);
    if let Operation::Randrw { read_percent } = operation {
        options.insert("rwmixread", read_percent.to_string());
    }
    // The rate is that of all threads together, and fio's that of each.
    let of_each = rate.map(|rate| rate / f64::from(threads));
    options.extend(of_each.map(|rate| ("rate_iops", format!("{rate:.0}"))));
    let seconds = kept.settings.duration_ns.map(|nanos| Nanos::new(nanos).as_secs_f64().to_string());
    options.extend(seconds.map(|seconds| ("runtime", seconds)));
    options.extend(kept.settings.bytes.map(|bytes| ("size", bytes.to_string())));
    options
}

/// Bytes as they are written in job files: `4k`, `1m`, or a plain number.
fn block_size(bytes: u64) -> String {
    match bytes {
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 20) => format!("{}m", bytes >> 20),
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 10) => format!("{}k", bytes >> 10),
        bytes => bytes.to_string(),
    }
}

/// One direction; `seconds` are the I/Os and bytes of each second.
fn direction(found: &OpAnalysis, lasted: Nanos, all_bytes: u64, seconds: &[(u64, u64)]) -> DirectionOutput {
    let a_second = |amount: u64| amount as f64 / lasted.as_secs_f64().max(1e-9);
    let bytes_a_second = u128::from(found.bytes) * 1_000_000_000 / u128::from(lasted.get().max(1));
    let bytes_a_second = u64::try_from(bytes_a_second).unwrap_or(u64::MAX);
    let (mut ios, mut kib) = (Moments::default(), Moments::default());
    seconds.iter().for_each(|(count, bytes)| {
        ios.add(*count);
        kib.add(bytes >> 10);
    });
    let latency = latency(&found.service);
    DirectionOutput {
        io_bytes: found.bytes,
        io_kbytes: found.bytes >> 10,
        bw_bytes: bytes_a_second,
        bw: bytes_a_second >> 10,
        iops: a_second(found.completed),
        runtime: lasted.get() / 1_000_000,
        total_ios: found.completed,
        clat_ns: LatencyOutput { percentile: percentiles(&found.service), ..latency.clone() },
        lat_ns: latency,
        bw_min: kib.min().unwrap_or(0),
        bw_max: kib.max().unwrap_or(0),
        bw_agg: 100.0 * found.bytes as f64 / all_bytes.max(1) as f64,
        bw_mean: kib.mean().unwrap_or(0.0),
        bw_dev: kib.stddev().unwrap_or(0.0),
        bw_samples: kib.count(),
        iops_min: ios.min().unwrap_or(0),
        iops_max: ios.max().unwrap_or(0),
        iops_mean: ios.mean().unwrap_or(0.0),
        iops_stddev: ios.stddev().unwrap_or(0.0),
        iops_samples: ios.count(),
        ..DirectionOutput::default()
    }
}

fn latency(service: &Distribution) -> LatencyOutput {
    let moments = service.moments();
    LatencyOutput {
        min: moments.min().unwrap_or(0),
        max: moments.max().unwrap_or(0),
        mean: moments.mean().unwrap_or(0.0),
        stddev: moments.stddev().unwrap_or(0.0),
        count: moments.count(),
        percentile: BTreeMap::new(),
    }
}

fn percentiles(service: &Distribution) -> BTreeMap<String, u64> {
    PERCENTILES
        .into_iter()
        .filter_map(|q| Some((format!("{:.6}", q * 100.0), service.quantile(q)?)))
        .collect()
}

/// The shares of latencies in per cent: below a microsecond, below a millisecond, and the others. A bucket is taken for its
/// middle, which is within 0.4 % of each of its values.
fn distributions(service: &Distribution) -> [BTreeMap<String, f64>; 3] {
    let units = [1, 1_000, 1_000_000];
    let bounds: BTreeMap<String, f64> = BOUNDS.map(|bound| (bound.to_string(), 0.0)).into();
    let mut shares = [bounds.clone(), bounds.clone(), bounds];
    shares[2].extend([LONG_BOUND.to_string(), format!(">={LONG_BOUND}")].map(|bound| (bound, 0.0)));
    let all = service.moments().count().max(1) as f64;
    for (bucket, count) in service.histogram().occupied() {
        let (low, high) = bucket_range(bucket);
        let nanos = low + (high - low) / 2;
        let unit = units.iter().rposition(|unit| nanos >= *unit).unwrap_or(0);
        let amount = nanos / units[unit];
        let bound = BOUNDS.into_iter().chain([LONG_BOUND]).find(|bound| amount < *bound);
        let name = bound.map_or_else(|| format!(">={LONG_BOUND}"), |bound| bound.to_string());
        if let Some(share) = shares[unit].get_mut(&name) {
            *share += 100.0 * count as f64 / all;
        }
    }
    shares
}
