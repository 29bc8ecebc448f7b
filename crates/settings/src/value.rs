//! One setting with its value.

use std::fmt;

use drivelab_block::{ByteCount, Nanos};

use crate::range::AskedRange;
use crate::replay::{AddressMapping, Prefill, ReplayTiming};
use crate::test::TestKind;

/// A setting and what it was set to. Two runs have the same setting where the kinds are equal, and agree in it where the
/// values are.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// The kind of test.
    Test(TestKind),
    /// Bytes of an I/O.
    BlockSize(ByteCount),
    /// I/Os in flight, for each thread.
    QueueDepth(u32),
    /// The part of the drive.
    Range(AskedRange),
    /// How long; none without an end in time.
    Duration(Option<Nanos>),
    /// How much; none without an end in bytes.
    Bytes(Option<ByteCount>),
    /// How far the data can be compressed, in per cent.
    Compressibility(u8),
    /// The folder of a trace.
    Trace(String),
    /// When its requests are made.
    Timing(ReplayTiming),
    /// How much faster than the trace.
    Speed(f64),
    /// What idle spans are cut to; none where they are kept.
    MaxIdle(Option<Nanos>),
    /// Where requests go.
    Mapping(AddressMapping),
    /// The only device of the trace; none where all are replayed.
    TraceDevice(Option<String>),
    /// Whether writes are made.
    Writes(bool),
    /// Whether discards are made.
    Discards(bool),
    /// What is written before a replay; none where nothing is.
    Prefill(Option<Prefill>),
}

impl SettingValue {
    /// The name of the setting.
    pub fn name(&self) -> &'static str {
        match self {
            SettingValue::Test(_) => "test",
            SettingValue::BlockSize(_) => "block size",
            SettingValue::QueueDepth(_) => "queue depth",
            SettingValue::Range(_) => "range",
            SettingValue::Duration(_) => "duration",
            SettingValue::Bytes(_) => "bytes",
            SettingValue::Prefill(_) => "fill",
            SettingValue::Compressibility(_) => "compressibility",
            SettingValue::Trace(_) => "trace",
            SettingValue::Timing(_) => "timing",
            SettingValue::Speed(_) => "speed",
            SettingValue::MaxIdle(_) => "longest idle time",
            SettingValue::Mapping(_) => "map",
            SettingValue::TraceDevice(_) => "device of the trace",
            SettingValue::Writes(_) => "writes",
            SettingValue::Discards(_) => "discards",
        }
    }
}

/// The value alone, with its unit; two that differ read differently.
impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Test(test) => test.fmt(f),
            SettingValue::BlockSize(bytes) => f.write_str(&exact_bytes(*bytes)),
            SettingValue::QueueDepth(depth) => depth.fmt(f),
            SettingValue::Range(range) => range.fmt(f),
            SettingValue::Duration(duration) => or(f, "no limit", duration.map(exact_time)),
            SettingValue::Bytes(bytes) => or(f, "no limit", bytes.map(exact_bytes)),
            SettingValue::Writes(is_set) | SettingValue::Discards(is_set) => {
                f.write_str(if *is_set { "yes" } else { "no" })
            }
            SettingValue::Compressibility(percent) => write!(f, "{percent} %"),
            SettingValue::Trace(name) => f.write_str(name),
            SettingValue::Timing(timing) => timing.fmt(f),
            SettingValue::Speed(factor) => factor.fmt(f),
            SettingValue::MaxIdle(time) => or(f, "as recorded", time.map(exact_time)),
            SettingValue::Mapping(map) => map.fmt(f),
            SettingValue::TraceDevice(name) => or(f, "all", name.as_ref()),
            SettingValue::Prefill(what) => or(f, "no", *what),
        }
    }
}

fn or(f: &mut fmt::Formatter<'_>, none: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    match value {
        Some(value) => value.fmt(f),
        None => f.write_str(none),
    }
}

/// Bytes without rounding, in the largest binary unit that they are a whole number of.
pub(crate) fn exact_bytes(bytes: ByteCount) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let fits = |(unit, _): &&(u64, &str)| bytes.get() > 0 && bytes.get().is_multiple_of(*unit);
    match units.iter().find(fits) {
        Some((unit, name)) => format!("{} {name}", bytes.get() / unit),
        None => format!("{} bytes", bytes.get()),
    }
}

/// A time without rounding, in seconds.
fn exact_time(time: Nanos) -> String {
    format!("{} s", time.as_secs_f64())
}
