//! Metrics in the text format of Prometheus, version 0.0.4.
//!
//! Source: "Exposition formats" of the documentation of Prometheus. Names are lower case with underscores, units are base units
//! (seconds, bytes), and counters end in `_total`.

use std::fmt::Write as _;

use drivelab_stats::Distribution;

use super::latency::{cumulated, latency_bounds};

/// What tells the samples of a metric apart: names and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(Vec<(&'static str, String)>);

impl Labels {
    pub fn new<const N: usize>(labels: [(&'static str, String); N]) -> Labels {
        Labels(labels.into())
    }

    /// The same with one more.
    #[must_use]
    pub fn with(&self, name: &'static str, value: impl Into<String>) -> Labels {
        let mut labels = self.0.clone();
        labels.push((name, value.into()));
        Labels(labels)
    }

    /// In braces, as the format has them.
    fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let pairs: Vec<String> =
            self.0.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        format!("{{{}}}", pairs.join(","))
    }
}

/// A backslash, a quote and a line end are written with a backslash in the value of a label.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[derive(Debug, Default)]
pub struct Exposition {
    text: String,
}

impl Exposition {
    /// Begins a counter, which only grows while the process runs. `help` is a sentence on one line, the same in every file that
    /// has the metric.
    pub fn counter(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "counter", help)
    }

    /// Begins a gauge, which may grow and shrink.
    pub fn gauge(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "gauge", help)
    }

    /// Begins a histogram: counts of values up to bounds.
    pub fn histogram(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, "histogram", help)
    }

    fn family(&mut self, name: &'static str, kind: &str, help: &str) -> Family<'_> {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Family { text: &mut self.text, name }
    }

    /// Adds a gauge that shows this value, where it is known.
    pub fn known_gauge(&mut self, name: &'static str, help: &str, labels: &Labels, value: Option<f64>) {
        if let Some(value) = value {
            self.gauge(name, help).number(labels, value);
        }
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

#[derive(Debug)]
pub struct Family<'a> {
    text: &'a mut String,
    name: &'static str,
}

impl Family<'_> {
    pub fn count(&mut self, labels: &Labels, value: u64) {
        let _ = writeln!(self.text, "{}{} {value}", self.name, labels.text());
    }

    /// Adds a number. One that is not finite is left out.
    pub fn number(&mut self, labels: &Labels, value: f64) {
        if value.is_finite() {
            let _ = writeln!(self.text, "{}{} {value}", self.name, labels.text());
        }
    }

    /// Adds the histogram of a latency, in seconds, up to [`latency_bounds`].
    pub fn latency(&mut self, labels: &Labels, latency: &Distribution) {
        let counts = cumulated(latency.histogram());
        for (bound, count) in latency_bounds().zip(counts) {
            let labels = labels.with("le", seconds(bound.into()));
            let _ = writeln!(self.text, "{}_bucket{} {count}", self.name, labels.text());
        }
        let (moments, all) = (latency.moments(), labels.with("le", "+Inf"));
        let (count, sum) = (moments.count(), moments.sum());
        let _ = writeln!(self.text, "{}_bucket{} {count}", self.name, all.text());
        let _ = writeln!(self.text, "{}_sum{} {}", self.name, labels.text(), seconds(sum));
        let _ = writeln!(self.text, "{}_count{} {count}", self.name, labels.text());
    }
}

/// Nanoseconds as seconds, to the last digit.
fn seconds(nanos: u128) -> String {
    let text = format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_and_a_histogram_are_as_prometheus_reads_them() {
        let mut all = Exposition::default();
        let drive = Labels::new([("target", "a \"b\"\\\n".to_owned())]);
        let mut ios = all.counter("drivelab_ios_total", "I/Os that ended.");
        ios.count(&drive.with("operation", "read"), 3);
        let mut latency = Distribution::default();
        [900, 1_024, 1_300_000_000_000].into_iter().for_each(|nanos| latency.add(nanos));
        let mut times = all.histogram("drivelab_service_time_seconds", "Service times.");
        times.latency(&Labels::default(), &latency);
        let text = all.into_text();
        let begin = "# HELP drivelab_ios_total I/Os that ended.\n# TYPE drivelab_ios_total counter\n\
                     drivelab_ios_total{target=\"a \\\"b\\\"\\\\\\n\",operation=\"read\"} 3\n";
        assert!(text.starts_with(begin), "{text}");
        assert!(text.contains("drivelab_service_time_seconds_bucket{le=\"0.000001023\"} 1\n"), "{text}");
        assert!(text.contains("drivelab_service_time_seconds_bucket{le=\"0.000001279\"} 2\n"), "{text}");
        assert!(text.contains("drivelab_service_time_seconds_bucket{le=\"+Inf\"} 3\n"), "{text}");
        let end = "drivelab_service_time_seconds_sum 1300.000001924\ndrivelab_service_time_seconds_count 3\n";
        assert!(text.ends_with(end), "{text}");
    }
}
