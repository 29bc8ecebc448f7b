//! The figures of streams.

use drivelab_view::Better::{High, Low, Neither};
use drivelab_view::Quantity::{Bytes, BytesPerSecond, Celsius, Count, Factor, Nanoseconds, Seconds, Share};
use drivelab_view::{Better, Quantity, Section, Value};

use crate::Comparison;
use crate::shown::ComparedFigures;
use crate::stalls::{
    DELAY_DEFINITION, DeviceTimesFindings, Stalls, StreamFindings, TimesSummary, VerificationFindings,
};

/// Buffers for which the fastest stream is shown, in bytes, with their names.
const BUFFERS: [(u64, &str); 3] = [
    (64 << 20, "with a buffer of 64 MiB"),
    (256 << 20, "with a buffer of 256 MiB"),
    (1 << 30, "with a buffer of 1 GiB"),
];

type StreamTable<'c, 'a> = ComparedFigures<'c, 'a, Stalls>;

pub(super) fn section(compared: &Comparison<'_, Stalls>) -> Section {
    let mut table = ComparedFigures::new("figures", compared);
    writes(&mut table);
    streams(&mut table);
    delays(&mut table);
    device(&mut table);
    rest(&mut table);
    table.figures.notes.push(format!(
        "Times of writes are those of the writes that are no delays. {DELAY_DEFINITION} The fastest stream is the one for which \
         the buffer was never too small in this run."
    ));
    table.section("Figures")
}

impl StreamTable<'_, '_> {
    /// Adds a figure of the writes.
    fn of_stream(
        &mut self,
        name: (&str, &str),
        quantity: Quantity,
        better: Better,
        of: impl Fn(&StreamFindings) -> Option<f64>,
    ) {
        self.add(name, quantity, better, |one| of(one.findings.stream.as_ref()?));
    }

    /// Adds a time of the writes that is a lower bound where the longest of them is one.
    fn of_longest(
        &mut self,
        name: (&str, &str),
        better: Better,
        of: impl Fn(&StreamFindings) -> Option<f64>,
    ) {
        self.add(name, Nanoseconds, better, |one| {
            let stream = one.findings.stream.as_ref()?;
            Some(Value::new(Nanoseconds, of(stream)?).at_least_where(stream.is_bound()))
        });
    }

    /// Adds the times of a group of writes. They are not ranked: a drive whose long writes are delays has the shorter others.
    fn times(&mut self, group: &str, of: impl Fn(&StreamFindings) -> Option<TimesSummary>) {
        self.of_stream((group, "mean"), Nanoseconds, Neither, |stream| Some(of(stream)?.mean));
        let deviation = (group, "standard deviation");
        self.of_stream(deviation, Nanoseconds, Neither, |stream| Some(of(stream)?.stddev));
        self.of_stream((group, "p99"), Nanoseconds, Neither, |stream| Some(of(stream)?.p99 as f64));
        self.of_stream((group, "max"), Nanoseconds, Neither, |stream| Some(of(stream)?.max as f64));
    }
}

fn writes(table: &mut StreamTable<'_, '_>) {
    table.times("Writes", |stream| stream.write_ns);
    let group = "Writing";
    table.of_longest((group, "longest write"), Low, |stream| Some(stream.all_writes_ns?.max as f64));
    table.of_stream((group, "rate"), BytesPerSecond, High, |stream| Some(stream.mb_s? * 1e6));
    table.of_stream((group, "written"), Bytes, Neither, |stream| Some(stream.written_bytes as f64));
    table.of_stream((group, "duration"), Seconds, Neither, |stream| Some(stream.duration_s));
    table.of_stream((group, "time with a write in flight"), Share, Neither, |stream| stream.busy_share);
    table.of_stream((group, "writes that failed"), Count, Low, |stream| {
        Some(stream.failed_writes as f64).filter(|failed| *failed > 0.0)
    });
}

fn streams(table: &mut StreamTable<'_, '_>) {
    for (buffer, name) in BUFFERS {
        table.add(("Fastest stream", name), BytesPerSecond, High, |kept| {
            let stream = kept.findings.stream.as_ref()?;
            let fastest = stream.buffer_curve.of_blocks(kept.settings.block_bytes).fastest_stream(buffer)?;
            Some(fastest.min(stream.mb_s? * 1e6))
        });
    }
}

fn delays(table: &mut StreamTable<'_, '_>) {
    let group = "Delays";
    table.of_stream((group, "number"), Count, Low, |stream| {
        Some(stream.delay_ns.map_or(0.0, |delays| delays.count as f64))
    });
    table.of_stream((group, "longer than"), Nanoseconds, Neither, |stream| {
        Some(stream.delay_threshold_ns? as f64)
    });
    table.of_longest((group, "mean"), Low, |stream| Some(stream.delay_ns?.mean));
    let deviation = (group, "standard deviation");
    table.of_stream(deviation, Nanoseconds, Neither, |stream| Some(stream.delay_ns?.stddev));
    let between = "Data from one delay to the next";
    table.of_stream((between, "mean"), Bytes, High, |stream| Some(stream.bytes_between?.mean));
    let deviation = (between, "standard deviation");
    table.of_stream(deviation, Bytes, Neither, |stream| Some(stream.bytes_between?.stddev));
    table.add((between, "mean, in capacities of the drive"), Factor, High, |kept| {
        let between = kept.findings.stream.as_ref()?.bytes_between?;
        Some(between.mean / kept.run.drive.size_bytes.max(1) as f64)
    });
}

fn device(table: &mut StreamTable<'_, '_>) {
    use crate::RequestSpan::{IssueToCompletion, RequestToCompletion};
    for span in [IssueToCompletion, RequestToCompletion] {
        let group = format!("Writes in the device, {} ({})", span.words(), span.word());
        let of = |found: &DeviceTimesFindings| found.times_ns.filter(|_| found.measured == span);
        table.times(&group, |stream| of(stream.device.as_ref()?));
    }
}

fn rest(table: &mut StreamTable<'_, '_>) {
    let group = "Verification";
    table.add((group, "blocks read back"), Count, Neither, |kept| {
        Some(kept.findings.verification.as_ref()?.blocks)
    });
    table.add((group, "not as written"), Count, Low, |kept| {
        kept.findings.verification.as_ref().filter(|found| found.blocks > 0).map(VerificationFindings::faulty)
    });
    table.add(("Drive", "highest temperature"), Celsius, Neither, |kept| {
        let readings = kept.findings.health.temperature_celsius.iter();
        readings.map(|(_, degrees)| f64::from(*degrees)).reduce(f64::max)
    });
}
