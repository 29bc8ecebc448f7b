//! The index of dispersion of slow I/Os.

use drivelab_view::chart::{Axis, Extra, Scale, Series, Shape, Spread};
use drivelab_view::format::capitalised;
use drivelab_view::{Block, Quantity};

use super::{add, chart, drawn};
use crate::slow::{DIRECTIONS, DispersionFindings, SlowFindings};
use crate::trace::{AnalysedTrace, TraceFindings};
use drivelab_block::Op;

/// Standard deviations within which chance stays in 95 of 100 cases.
const WITHIN_95: f64 = 1.96;

/// The index by the length of the window, with what chance allows; nothing where no I/O is slow.
pub(super) fn charts(shown: &[AnalysedTrace]) -> Vec<Block> {
    let across = Axis::new("Window", Quantity::Seconds, Scale::Log);
    let up = Axis::new("Index of dispersion", Quantity::Number, Scale::Log);
    let mut made = chart(shown, ("dispersion", "Index of dispersion of slow I/Os"), vec![across], up);
    // Reads and writes come first, so that they have the colours that they have in every graph of the page.
    for series in [indices, chance] {
        for (subject, one) in shown.iter().enumerate() {
            for (op, words) in DIRECTIONS {
                if let Some(found) = slow_ios(&one.found, op) {
                    add(&mut made, series(found, subject, words));
                }
            }
        }
    }
    made.notes.push(
        "1 is chance; in 95 of 100 cases chance stays within the band. Below twenty windows the index says little. Where it \
         rises in long windows only, slow I/Os are far apart in time and yet come together, as those of one hour of the day do."
            .to_owned(),
    );
    drawn(made, "Dots: the index of dispersion of slow I/Os by window, with what chance allows.")
        .into_iter()
        .collect()
}

fn slow_ios(found: &TraceFindings, op: Op) -> Option<&SlowFindings> {
    match op {
        Op::Read => found.slow_ios.read.as_ref(),
        Op::Write => found.slow_ios.write.as_ref(),
        Op::Discard | Op::Flush => None,
    }
}

fn indices(found: &SlowFindings, subject: usize, words: &str) -> Series {
    let points = found.dispersion.iter().map(|one| (one.window_s, one.index));
    let mut series = Series::of_points(capitalised(words), subject, Shape::DottedLine, points);
    let windows = found.dispersion.iter().map(|one| one.windows as f64).collect();
    series.extras.push(Extra { name: "windows".to_owned(), quantity: Quantity::Count, values: windows });
    series
}

fn chance(found: &SlowFindings, subject: usize, words: &str) -> Series {
    let points = found.dispersion.iter().map(|one| (one.window_s, 1.0));
    let mut band = Series::of_points(format!("{}, chance", capitalised(words)), subject, Shape::Band, points);
    let reach = |one: &DispersionFindings| WITHIN_95 * one.deviation;
    band.spread = Some(Spread {
        low: found.dispersion.iter().map(|one| (1.0 - reach(one)).max(0.01)).collect(),
        high: found.dispersion.iter().map(|one| 1.0 + reach(one)).collect(),
    });
    band
}
