//! Where devices were read and written, over the time that the other charts show first.

use std::borrow::Cow;

use drivelab_stats::{AddressMap, Course};
use drivelab_view::chart::{Axis, Data, Heat, HeatColumn, Scale};
use drivelab_view::format::{by_number, capitalised, count, things};
use drivelab_view::{Block, Chart, Fold, Quantity};

use super::drawn;
use super::time::{Along, TimeAxes, begins};
use crate::slow::DIRECTIONS;
use crate::trace::AnalysedTrace;
use crate::trace::devices::in_words;

/// The map of the busiest device of each trace; those of the others are folded away.
pub(super) fn charts(shown: &[AnalysedTrace], axes: &TimeAxes) -> Vec<Block> {
    let [along, _] = axes.order();
    let devices: Vec<Vec<(Cow<'_, str>, &AddressMap)>> = shown.iter().map(|one| maps(one, along)).collect();
    let most = devices.iter().map(Vec::len).max().unwrap_or(0);
    let mut charts = (0..most).filter_map(|rank| chart(shown, &devices, (rank, along, axes.axis(along))));
    let mut blocks: Vec<Block> = charts.next().into_iter().collect();
    let others: Vec<Block> = charts.collect();
    if !others.is_empty() {
        let devices = if others.len() == 1 { "device" } else { "devices" };
        let summary = format!("Addresses of {} {devices} with fewer requests", count(others.len() as f64));
        blocks.push(Block::Fold(Fold { summary, blocks: others }));
    }
    let unmapped: u64 =
        shown.iter().filter_map(|one| Along::BusyTime.course(one)).map(|course| course.unmapped).sum();
    if unmapped > 0 {
        let (requests, are) = (things(unmapped, "request"), by_number(unmapped, "is", "are"));
        blocks.push(Block::Text(format!("{requests} of further devices {are} in no map.")));
    }
    blocks
}

/// The devices of a trace with their maps, the busiest first.
fn maps(one: &AnalysedTrace, along: Along) -> Vec<(Cow<'_, str>, &AddressMap)> {
    let maps = along.course(one).map_or(&[][..], |course| &course.maps);
    let names = one.found.devices.iter().map(|device| in_words(&device.name));
    let mut maps: Vec<_> = names.zip(maps).filter(|(_, map)| map.requests > 0).collect();
    maps.sort_by_key(|(_, map)| std::cmp::Reverse(map.requests));
    maps
}

/// The devices of one rank in each trace.
fn chart(
    shown: &[AnalysedTrace],
    devices: &[Vec<(Cow<'_, str>, &AddressMap)>],
    (rank, along, axis): (usize, Along, &Axis),
) -> Option<Block> {
    let of_rank =
        || devices.iter().enumerate().filter_map(|(subject, list)| Some((subject, list.get(rank)?)));
    let label = |(subject, (name, _)): (usize, &(Cow<'_, str>, &AddressMap))| match shown.len() {
        1 => name.to_string(),
        _ => format!("{name} in {}", shown[subject].found.trace),
    };
    let title = format!("Addresses of {}", of_rank().map(label).collect::<Vec<_>>().join(", "));
    let id = if rank == 0 { "addresses".to_owned() } else { format!("addresses-{}", rank + 1) };
    let up = Axis::new("Address", Quantity::Bytes, Scale::Linear);
    let mut made = Chart::new(&id, &title, vec![axis.clone()], up);
    for (subject, (_, map)) in of_rank() {
        let Some(course) = along.course(&shown[subject]) else { continue };
        let heats = DIRECTIONS.iter().enumerate().filter_map(|(way, (_, words))| {
            heat(course, map, (way, axis)).map(|heat| Heat { name: capitalised(words), subject, ..heat })
        });
        made.heats.extend(heats);
    }
    drawn(made, "Map: where was read and written.")
}

/// The map of reads (0) or writes (1); none where there are none.
fn heat(course: &Course, map: &AddressMap, (way, axis): (usize, &Axis)) -> Option<Heat> {
    let (first, rows) = map.rows()?;
    let row = map.row_bytes() as f64;
    let columns: Vec<HeatColumn> = map.columns(way).map(|counts| HeatColumn::trimmed(&counts)).collect();
    let is_empty = columns.iter().all(|column| column.counts.is_empty());
    (!is_empty).then(|| Heat {
        name: String::new(),
        subject: 0,
        start: begins(course, axis),
        width: course.clock.column_nanos as f64 / 1e9,
        edges: Data::Regular { start: first as f64 * row, step: row, count: rows + 1 },
        columns,
        unit: "requests".to_owned(),
        quantity: Quantity::Count,
    })
}
