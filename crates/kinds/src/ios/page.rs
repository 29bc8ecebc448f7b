//! The page that kinds of results share whose figures come from the records of I/Os.

use drivelab_view::{Section, View};

use super::{delays, failed, gauges, latency, phases};
use crate::{Comparison, ResultKind, shown};

/// The view of results: these sections (the answer of each, the rate of every second, the figures), and what else was recorded.
pub(crate) fn view<K: ResultKind>(
    compared: &Comparison<'_, K>,
    title: String,
    mut sections: Vec<Section>,
) -> View {
    sections.extend(latency(compared));
    sections.extend(shown::machine(compared).map(|mut section| {
        section.blocks.extend(gauges(compared));
        section
    }));
    sections.extend(shown::energy(compared));
    sections.extend(shown::media_writes(compared));
    sections.extend(shown::heat(compared));
    sections.extend(delays(compared));
    sections.extend(failed(compared));
    sections.extend(shown::kernel_log(compared));
    sections.push(phases(compared));
    sections.push(shown::conditions(compared));
    shown::titled(compared, title, sections)
}
