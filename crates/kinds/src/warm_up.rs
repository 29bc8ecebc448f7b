//! Reads before a test measures anything, until the drive is warm.

use drivelab_block::{ByteRange, Geometry, Nanos, Op};
use drivelab_documents::{Condition, Notice, Severity, WarmUpDocument};
use drivelab_method::{LoadPlan, StopRule};
use drivelab_stats::WarmUp;
use drivelab_view::format::long_time;
use drivelab_workload::{Order, Seed};

use crate::Outline;
use crate::one_load::random_load;

/// Bytes of a read. Larger ones make no drive warmer, and have fewer records.
const BLOCK: u64 = 1 << 20;
/// Reads in flight, of all threads together; of more threads each has one.
const QUEUE_DEPTH: u32 = 8;

/// Reads of the range of a test until the drive is warm ([`WarmUp`] has the criterion), before anything is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUpPlan {
    /// How long it takes at most. In less than [`WarmUp::SHORTEST`] no drive is seen to be warm.
    pub at_most: Nanos,
}

impl WarmUpPlan {
    /// The name of the phase.
    pub const PHASE: &'static str = "reads until warm";

    /// Reads of a range of a drive, its first byte and the one past its last, in sequence and again, by this many threads.
    pub fn reads(&self, range: ByteRange, geometry: &Geometry, threads: u16) -> LoadPlan {
        let logical = u64::from(geometry.logical_block.max(1));
        let length = range.length().get();
        let block = (length.min(BLOCK) / logical * logical).max(logical);
        LoadPlan {
            order: Order::Sequential,
            queue_depth: (QUEUE_DEPTH / u32::from(threads.max(1))).max(1),
            workers: threads,
            stop: StopRule { duration: Some(self.at_most), bytes: None },
            // In sequence nothing is drawn.
            ..random_load(WarmUpPlan::PHASE, Op::Read, block, range, Seed::new(0))
        }
    }

    /// A plan in words with the warm-up, which comes before what is measured.
    #[must_use]
    pub fn outlined(&self, mut outline: Outline) -> Outline {
        outline.sentences.push(format!(
            "before anything is measured, the drive is read until it is warm, for at most {}",
            long_time(self.at_most.as_secs_f64())
        ));
        if let Some(time) = &mut outline.time {
            time.timed = time.timed + self.at_most;
        }
        outline
    }

    /// The warm-up as the conditions of a run have it.
    pub fn condition(&self) -> Condition {
        let value = format!(
            "reads until the temperature has risen by less than {} K within {}, for at most {}",
            WarmUp::RISE_MAX,
            long_time(WarmUp::WITHIN.as_secs_f64()),
            long_time(self.at_most.as_secs_f64())
        );
        Condition::new("Workload", "Warm-up", value)
    }
}

/// A warm-up that has ended, in a sentence.
pub fn warm_up_notice(found: &WarmUpDocument) -> Notice {
    let lasted = long_time(found.lasted_s.round());
    let within = long_time(WarmUp::WITHIN.as_secs_f64());
    let (severity, text) = match found.rise_kelvins {
        _ if found.is_warm => (Severity::Note, format!("The drive was read for {lasted} until it was warm")),
        Some(rise) => (
            Severity::Warning,
            format!(
                "The drive was read for {lasted} and was still getting warmer (by {rise:.1} K in the last {within})"
            ),
        ),
        None => (
            Severity::Warning,
            format!(
                "The drive was read for {lasted}, and whether it was warm then is not known, since its sensor showed no \
                 temperature for a part of the last {}",
                long_time(WarmUp::SHORTEST.as_secs_f64())
            ),
        ),
    };
    let temperatures = found.from_celsius.zip(found.to_celsius).map_or_else(String::new, |(from, to)| {
        format!(": {from:.0} °C at the beginning, {to:.0} °C when the measuring began")
    });
    Notice { severity, text: format!("{text}{temperatures}.") }
}

#[cfg(test)]
mod tests {
    use drivelab_block::ByteCount;

    use super::*;

    const GEOMETRY: Geometry =
        Geometry { capacity: ByteCount::new(1 << 30), logical_block: 4096, physical_block: 4096 };

    #[test]
    fn a_range_of_any_size_is_read_in_blocks_of_the_drive() {
        let plan = WarmUpPlan { at_most: Nanos::from_secs(360) };
        for (length, threads) in [(4096, 1), (4096 * 5, 3), (3 << 20, 64), (1 << 30, 1)] {
            let reads =
                plan.reads(ByteRange::new(ByteCount::new(0), ByteCount::new(length)), &GEOMETRY, threads);
            reads.phase(&GEOMETRY, false).expect("a phase");
            assert_eq!(reads.workloads(threads).expect("workloads").len(), usize::from(threads));
        }
    }

    #[test]
    fn a_sentence_says_whether_the_drive_was_warm() {
        let warm = WarmUpDocument {
            lasted_s: 720.0,
            from_celsius: Some(33.85),
            to_celsius: Some(50.85),
            rise_kelvins: Some(0.3),
            is_warm: true,
        };
        assert_eq!(
            warm_up_notice(&warm).text,
            "The drive was read for 12 min until it was warm: 34 °C at the beginning, 51 °C when the measuring began."
        );
        let rising = WarmUpDocument { rise_kelvins: Some(1.44), is_warm: false, ..warm };
        let notice = warm_up_notice(&rising);
        assert_eq!(notice.severity, Severity::Warning);
        assert!(
            notice.text.contains("and was still getting warmer (by 1.4 K in the last 5 min): 34 °C at"),
            "{}",
            notice.text
        );
        let unknown = WarmUpDocument { rise_kelvins: None, to_celsius: None, ..rising };
        assert!(warm_up_notice(&unknown).text.ends_with("a part of the last 6 min."));
    }
}
