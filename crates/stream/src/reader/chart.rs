//! A chart of the log: what every block holds, from the indexes where they are whole, from the blocks where not.

use super::recover::{FoundBlock, Recording};
use crate::layout::IndexEntry;

/// A block of the log on a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPlace {
    /// Its number in the log.
    pub sequence: u64,
    /// What it holds.
    pub entry: IndexEntry,
}

/// What the blocks of a log hold, oldest first. Blocks that are missing are not on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// The blocks of frames.
    pub places: Vec<LogPlace>,
    /// Indexes that could not be read, so that the blocks themselves were asked.
    pub lost_indexes: Vec<u64>,
}

impl Chart {
    /// Draws the chart of a recording.
    pub fn read(recording: &Recording<'_>) -> Chart {
        let range = recording.blocks();
        let mut chart = Chart::default();
        let behind = recording.tail.iter().rev();
        let mut newest_first: Vec<LogPlace> = behind
            .filter_map(|(sequence, entry)| Some(LogPlace { sequence: *sequence, entry: (*entry)? }))
            .collect();
        let mut next = recording.last_index;
        while let Some(index) = next.filter(|index| *index >= range.start) {
            next = if let Ok(FoundBlock::Index(found)) = recording.found(index) {
                let told = (found.first()..index).rev().zip(found.entries.iter().rev());
                let told = told.filter(|(sequence, _)| *sequence >= range.start);
                newest_first.extend(told.map(|(sequence, entry)| LogPlace { sequence, entry: *entry }));
                found.previous.filter(|previous| *previous < index)
            } else {
                chart.lost_indexes.push(index);
                ask_blocks(recording, index, range.start, &mut newest_first)
            };
        }
        newest_first.reverse();
        // An index that did not get into a superblock is of no channel.
        newest_first.retain(|place| usize::from(place.entry.channel) < recording.superblock.channels.len());
        chart.places = newest_first;
        chart
    }
}

/// Asks the blocks before a lost index one by one, back to the index before it.
fn ask_blocks(
    recording: &Recording<'_>,
    index: u64,
    first: u64,
    newest_first: &mut Vec<LogPlace>,
) -> Option<u64> {
    for sequence in recording.on_image(first..index).into_iter().rev() {
        match recording.found(sequence) {
            Ok(FoundBlock::Index(_)) => return Some(sequence),
            Ok(FoundBlock::Block(header)) => {
                newest_first.push(LogPlace { sequence, entry: IndexEntry::from_header(&header) });
            }
            Err(_) => {}
        }
    }
    None
}
