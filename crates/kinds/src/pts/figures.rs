//! The figures by which drives are compared.

use drivelab_view::{Better, Quantity, Section};

use super::findings::{PtsCellFindings, PtsFindings, PtsSample, PtsTestFindings};
use super::settings::PtsTest;
use crate::Comparison;
use crate::shown::ComparedFigures;

/// A figure of a result.
type OfResult<'a> = &'a dyn Fn(&PtsFindings) -> Option<f64>;

/// A few figures of each test; all cells are in the tables.
pub(super) fn figures(compared: &Comparison<'_, super::Pts>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    let mut add = |test: PtsTest, name: &str, (quantity, better): (Quantity, Better), of: OfResult<'_>| {
        figures.add((test.title(), name), quantity, better, |one| of(&one.findings));
    };
    let (iops, rate) = ((Quantity::Iops, Better::High), (Quantity::BytesPerSecond, Better::High));
    let time = (Quantity::Nanoseconds, Better::Low);
    for (name, mix) in [("random reads", 100), ("65/35", 65), ("random writes", 0)] {
        add(PtsTest::Iops, name, iops, &|found| Some(found.find(PtsTest::Iops)?.small(mix)?.1.iops));
    }
    for test in [PtsTest::ThroughputLarge, PtsTest::ThroughputSmall] {
        for (name, place) in [("reads", 0), ("writes", 1)] {
            add(test, name, rate, &|found| Some(at(found.find(test)?, place)?.mb_s * 1e6));
        }
    }
    let latency = PtsTest::Latency;
    for (mix, mean, tail) in [(100, "reads, mean", "reads, p99.9"), (0, "writes, mean", "writes, p99.9")] {
        add(latency, mean, time, &|found| Some(found.find(latency)?.small(mix)?.1.mean_ns));
        add(latency, tail, time, &|found| Some(found.find(latency)?.small(mix)?.1.p99_9_ns as f64));
    }
    add(PtsTest::Saturation, "random writes", iops, &|found| {
        Some(at(found.find(PtsTest::Saturation)?, 0)?.iops)
    });
    let idle = PtsTest::IdleRecovery;
    add(idle, "without a pause", iops, &|found| Some(at(found.find(idle)?, 0)?.iops));
    add(idle, "after the longest pause", iops, &|found| Some(found.find(idle)?.cells.last()?.result?.iops));
    let cross = PtsTest::CrossStimulus;
    for (name, place) in [("sequential, before", 0), ("random", 1), ("sequential, after", 2)] {
        add(cross, name, rate, &|found| Some(at(found.find(cross)?, place)?.mb_s * 1e6));
    }
    add(PtsTest::Demand, "most IOPS", iops, &|found| {
        let cells = found.find(PtsTest::Demand)?.cells.iter();
        cells.filter_map(|cell: &PtsCellFindings| Some(cell.result?.iops)).reduce(f64::max)
    });
    let note =
        "Random I/O, latency and saturation: blocks of 4 KiB, or the drive's own where these are longer.";
    figures.figures.notes.push(note.to_owned());
    figures.section("Figures")
}

fn at(test: &PtsTestFindings, place: usize) -> Option<PtsSample> {
    test.cells.get(place)?.result
}
