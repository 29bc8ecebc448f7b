//! The per-second series of a run in bins that a picture can show.

use drivelab_stats::Bin;

/// More dots than this in one picture are not told apart.
const BINS_MAX: usize = 4_096;
/// The widths of bins, in seconds.
const WIDTHS: [usize; 12] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 3_600];

/// What was completed in one bin of one or more whole seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WideBin {
    /// Mean I/Os that succeeded a second; no number where the program stood still in every second of the bin.
    pub iops: f64,
    /// The slowest second of the bin; no number there either.
    pub slowest: f64,
    /// Bytes written from the start of the phase to the end of the bin.
    pub written_bytes: u64,
    /// I/Os that failed.
    pub failed: u64,
    /// The longest service time, in nanoseconds.
    pub service_max: u64,
}

/// A run's series in bins of one width.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binned {
    /// The width of every bin in seconds; the last bin may hold fewer.
    pub bin_s: usize,
    pub bins: Vec<WideBin>,
}

impl Binned {
    /// The series of a run: one bin a second where that can be shown, else the least width that can.
    pub fn from_seconds(seconds: &[Bin], judged: &[bool]) -> Binned {
        let fits = |width: &&usize| seconds.len().div_ceil(**width) <= BINS_MAX;
        let bin_s = WIDTHS.iter().find(fits).copied().unwrap_or_else(|| seconds.len().div_ceil(BINS_MAX));
        Binned { bin_s, bins: joined(seconds, judged, bin_s) }
    }
}

fn joined(seconds: &[Bin], judged: &[bool], bin_s: usize) -> Vec<WideBin> {
    let mut written_bytes = 0;
    let join = |(part, judged): (&[Bin], &[bool])| {
        let judged = part.iter().zip(judged).filter(|(_, is_judged)| **is_judged);
        let rates = judged.map(|(bin, _)| f64::from(bin.ios()));
        written_bytes += part.iter().map(|bin| bin.written_bytes).sum::<u64>();
        WideBin {
            iops: rates.clone().sum::<f64>() / rates.clone().count() as f64,
            slowest: rates.reduce(f64::min).unwrap_or(f64::NAN),
            written_bytes,
            failed: part.iter().map(|bin| u64::from(bin.failed)).sum(),
            service_max: part.iter().map(|bin| bin.service_max).max().unwrap_or(0),
        }
    };
    seconds.chunks(bin_s.max(1)).zip(judged.chunks(bin_s.max(1))).map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_bins_keep_the_slowest_second_and_every_byte() {
        let second = |writes: u32| Bin { writes, written_bytes: u64::from(writes) * 4_096, ..Bin::default() };
        let bins = joined(&[second(10), second(0), second(4)], &[true; 3], 2);
        assert_eq!(bins.len(), 2);
        assert!((bins[0].iops - 5.0).abs() < 1e-12 && bins[0].slowest.abs() < 1e-12);
        assert_eq!(bins[1].written_bytes, 14 * 4_096);
    }

    #[test]
    fn seconds_in_which_the_program_stood_still_are_no_rates() {
        let second = |writes: u32| Bin { writes, ..Bin::default() };
        let bins = joined(&[second(10), second(0), second(0), second(3)], &[true, false, false, false], 2);
        assert!((bins[0].iops - 10.0).abs() < 1e-12 && (bins[0].slowest - 10.0).abs() < 1e-12);
        assert!(bins[1].iops.is_nan() && bins[1].slowest.is_nan());
    }
}
