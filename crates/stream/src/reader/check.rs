//! Proving a whole recording.

use super::chart::Chart;
use super::frames::{Frame, FrameReader, Wanted};
use super::problem::Problem;
use super::recover::Recording;
use crate::StreamError;
use crate::layout::{FirstLast, IndexEntry};

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
/// As from [`Recording::look_again`].
pub fn check(recording: &Recording<'_>, chart: &Chart) -> Result<Checked, StreamError> {
    let channels = recording.superblock.channels.len();
    let mut checked = Checked { frames: vec![0; channels], bytes: vec![0; channels], ..Checked::default() };
    let mut problems = Vec::new();
    for channel in 0..channels {
        #[expect(clippy::cast_possible_truncation, reason = "at most CHANNELS_MAX")]
        let number = channel as u16;
        let mut reader = FrameReader::new(recording, chart, number);
        let (frames, bytes) = (&mut checked.frames[channel], &mut checked.bytes[channel]);
        let mut found = |frame: Frame<'_>| {
            *frames += 1;
            *bytes += frame.bytes.len() as u64;
            Ok(())
        };
        reader.frames(Wanted::ALL, &mut found, &mut |problem| problems.push(problem))?;
    }
    let damaged = problems.iter().filter(|problem| matches!(problem, Problem::Block { .. })).count();
    checked.blocks = (chart.places.len() - damaged) as u64;
    problems.extend(absent(recording, chart));
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

/// What a reader of frames does not come across, because there is nothing where it should be: blocks that no index tells of and
/// that are not there, blocks that are missing between two of a channel, and the last index.
pub fn absent(recording: &Recording<'_>, chart: &Chart) -> Vec<Problem> {
    let superblock = &recording.superblock;
    let mut problems = holes(recording);
    let channels = (0_u16..).zip(&superblock.channels);
    problems.extend(channels.flat_map(|(channel, _)| missing(chart, channel)));
    // The one that the superblock names is not on the chart where the log was gone through.
    let last = superblock.last_index.filter(|_| recording.recovery.index_lost);
    problems.extend(last.map(|sequence| Problem::Index { sequence, is_last: true }));
    problems
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
fn holes(recording: &Recording<'_>) -> Vec<Problem> {
    let lacking = recording.tail.iter().filter(|(_, entry)| entry.is_none());
    let hole = |&(sequence, _): &(u64, Option<IndexEntry>)| {
        let damage = recording.found(sequence).err()?;
        Some(Problem::Block { sequence, offset: recording.superblock.offset(sequence), damage })
    };
    lacking.filter_map(hole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
