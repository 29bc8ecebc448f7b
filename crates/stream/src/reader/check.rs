//! Proving a whole recording.

use super::chart::Chart;
use super::frames::{Break, FrameReader, FrameSpot, Wanted};
use super::recover::Recording;
use crate::StreamError;
use crate::layout::{Damage, FirstLast, Superblock};

/// Something that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A block that has to be there is damaged.
    Block {
        /// Its number in the log.
        sequence: u64,
        /// Where it lies on the target, in bytes.
        offset: u64,
        /// What is wrong with it.
        damage: Damage,
    },
    /// Blocks of a channel are missing.
    Missing {
        /// The number of the channel.
        channel: u16,
        /// The numbers of the blocks before and behind, among those of the channel.
        between: FirstLast,
        /// The block of the log behind them.
        before_block: u64,
    },
    /// A frame begins, and the rest of it is missing.
    Frame {
        /// Where.
        spot: FrameSpot,
        /// The block of the log in which it does not go on; none where its channel has no further block.
        cut_at: Option<u64>,
    },
    /// An index is not there; the blocks that it tells of were asked themselves.
    Index {
        /// Its number in the log.
        sequence: u64,
        /// Whether it is the one that the superblock names, so that the end of the log had to be searched for.
        is_last: bool,
    },
}

impl Problem {
    /// What is wrong, in words; the recording knows its channels by name.
    pub fn words(&self, superblock: &Superblock) -> String {
        let name = |channel: u16| {
            let known = superblock.channels.get(usize::from(channel));
            known.map_or_else(|| format!("channel {channel}"), |channel| channel.name.clone())
        };
        match self {
            Problem::Block { sequence, offset, damage } => {
                format!("block {sequence} of the log, at byte {offset} of the target: {damage}")
            }
            Problem::Missing {
                channel,
                between: FirstLast { first: before, last: behind },
                before_block,
            } => format!(
                "{}: {} of its blocks are missing before block {before_block} of the log",
                name(*channel),
                behind.saturating_sub(before.saturating_add(1))
            ),
            Problem::Index { sequence, is_last: true } => format!(
                "block {sequence} of the log, an index that the superblock names, is not there: what was behind it \
                 cannot be told"
            ),
            Problem::Index { sequence, is_last: false } => {
                format!(
                    "block {sequence} of the log, an index, is not there: its blocks were asked themselves"
                )
            }
            Problem::Frame { spot, .. } => format!(
                "{}: frame {} begins in block {} of the log, and the rest of it is missing",
                name(spot.channel),
                spot.entry.sequence,
                spot.block
            ),
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Frames that are whole, each proved, by channel.
    pub frames: Vec<u64>,
    /// Their bytes.
    pub bytes: Vec<u64>,
    /// Blocks of frames that were proved.
    pub blocks: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What is missing by right: frames that were under way when the recording was killed, and those that a cyclic
    /// one was overwriting.
    pub unfinished: Vec<Problem>,
}

/// Reads every block of a recording and puts every frame together.
///
/// # Errors
/// Where the image cannot be read.
pub fn check(recording: &Recording<'_>, chart: &Chart) -> Result<Checked, StreamError> {
    let channels = recording.superblock().channels.len();
    let mut checked = Checked { frames: vec![0; channels], bytes: vec![0; channels], ..Checked::default() };
    let mut problems = Vec::new();
    for channel in 0..channels {
        #[expect(clippy::cast_possible_truncation, reason = "at most CHANNELS_MAX")]
        let number = channel as u16;
        let mut reader = FrameReader::new(recording, chart, number);
        let (frames, bytes) = (&mut checked.frames[channel], &mut checked.bytes[channel]);
        let mut found = |frame: super::Frame<'_>| {
            *frames += 1;
            *bytes += frame.bytes.len() as u64;
            Ok(())
        };
        let mut broken = |broken: Break| {
            problems.push(match broken {
                Break::Block { sequence, damage } => {
                    Problem::Block { sequence, offset: recording.superblock().offset(sequence), damage }
                }
                Break::Frame { spot, cut_at } => Problem::Frame { spot, cut_at },
            });
        };
        reader.frames(Wanted::ALL, &mut found, &mut broken)?;
    }
    let damaged = problems.iter().filter(|problem| matches!(problem, Problem::Block { .. })).count();
    checked.blocks = (chart.places.len() - damaged) as u64;
    problems.extend(absent(recording, chart)?);
    let others =
        chart.lost_indexes.iter().map(|sequence| Problem::Index { sequence: *sequence, is_last: false });
    problems.extend(others);
    if !problems.is_empty() {
        recording.look_again()?;
    }
    for problem in problems {
        let list =
            if problem.is_by_right(recording) { &mut checked.unfinished } else { &mut checked.problems };
        list.push(problem);
    }
    Ok(checked)
}

impl Problem {
    /// Whether it is what a kill leaves, or a cyclic recording that goes on, or the end of a full target.
    pub fn is_by_right(&self, recording: &Recording<'_>) -> bool {
        let settled = recording.settled_start()..recording.settled_end();
        match self {
            Problem::Index { sequence, .. } => *sequence < recording.settled_start(),
            Problem::Missing { before_block, .. } => !settled.contains(before_block),
            Problem::Block { sequence, damage, .. } => {
                Break::Block { sequence: *sequence, damage: *damage }.is_by_right(recording)
            }
            Problem::Frame { spot, cut_at } => {
                Break::Frame { spot: *spot, cut_at: *cut_at }.is_by_right(recording)
            }
        }
    }
}

/// What a reader of frames does not come across, because there is nothing where it should be: blocks that no index tells of and
/// that are not there, blocks that are missing between two of a channel, and the last index.
///
/// # Errors
/// Where the image cannot be read.
pub fn absent(recording: &Recording<'_>, chart: &Chart) -> Result<Vec<Problem>, StreamError> {
    let superblock = recording.superblock();
    let mut problems = holes(recording)?;
    let channels = (0_u16..).zip(&superblock.channels);
    problems.extend(channels.flat_map(|(channel, _)| missing(chart, channel)));
    // The one that the superblock names is not on the chart where the log was gone through.
    let last = superblock.last_index.filter(|_| recording.recovery().index_lost);
    problems.extend(last.map(|sequence| Problem::Index { sequence, is_last: true }));
    Ok(problems)
}

/// Runs of a channel's blocks that are not on the chart, but for what a cyclic log has overwritten before the first.
fn missing(chart: &Chart, channel: u16) -> Vec<Problem> {
    let own: Vec<_> = chart.places.iter().filter(|place| place.entry.channel == channel).collect();
    let gap = |pair: &[&super::LogPlace]| {
        let (before, behind) = (pair[0].entry.channel_sequence, pair[1].entry.channel_sequence);
        (before.checked_add(1) != Some(behind)).then_some(Problem::Missing {
            channel,
            between: FirstLast::new(before, behind),
            before_block: pair[1].sequence,
        })
    };
    own.windows(2).filter_map(gap).collect()
}

/// Blocks that an index does not tell of and that are not there.
fn holes(recording: &Recording<'_>) -> Result<Vec<Problem>, StreamError> {
    let mut holes = Vec::new();
    for &(sequence, _) in recording.tail().iter().filter(|(_, entry)| entry.is_none()) {
        if let Err(damage) = recording.found(sequence)? {
            holes.push(Problem::Block { sequence, offset: recording.superblock().offset(sequence), damage });
        }
    }
    Ok(holes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::IndexEntry;
    use crate::reader::LogPlace;

    #[test]
    fn a_block_that_is_missing_between_two_of_a_channel_is_named() {
        let place = |sequence: u64, channel: u16, channel_sequence: u64| {
            let (frame_sequences, times_unix_ns) = (FirstLast::default(), FirstLast::default());
            let entry =
                IndexEntry { channel, frames: 0, used: 0, channel_sequence, frame_sequences, times_unix_ns };
            LogPlace { sequence, entry }
        };
        // The second channel lacks its blocks 6 and 7; what lies before its first one may have been overwritten.
        let places =
            vec![place(10, 0, 3), place(11, 1, 5), place(12, 0, 4), place(14, 1, 8), place(15, 0, 5)];
        let chart = Chart { places, lost_indexes: Vec::new() };
        assert_eq!(missing(&chart, 0), []);
        assert_eq!(
            missing(&chart, 1),
            [Problem::Missing { channel: 1, between: FirstLast::new(5, 8), before_block: 14 }]
        );
    }
}
