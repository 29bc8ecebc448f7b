//! Frames, put together from their blocks.

use super::chart::{Chart, LogPlace};
use super::problem::{FrameSpot, Problem};
use super::recover::{FoundBlock, Recording};
use crate::StreamError;
use crate::layout::{BlockHeader, Damage, FirstLast, FrameEntry};

/// Which frames of a channel are wanted: both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Their numbers.
    pub sequences: FirstLast,
    /// Their times, in nanoseconds of Unix time.
    pub times_unix_ns: FirstLast,
}

impl Wanted {
    /// All of them.
    pub const ALL: Wanted =
        Wanted { sequences: FirstLast::new(0, u64::MAX), times_unix_ns: FirstLast::new(0, u64::MAX) };

    fn has(&self, frame: &FrameEntry) -> bool {
        self.sequences.contains(frame.sequence) && self.times_unix_ns.contains(frame.time_unix_ns)
    }

    /// Whether a block may hold, or go on with, any of them.
    fn may_be_in(&self, place: &LogPlace) -> bool {
        let by_number = place.entry.frame_sequences.overlaps(self.sequences);
        let by_time = place.entry.frames == 0 || place.entry.times_unix_ns.overlaps(self.times_unix_ns);
        by_number && by_time
    }
}

/// A frame with its bytes, every one of them proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Where it lies.
    pub spot: FrameSpot,
    /// What it holds.
    pub bytes: &'a [u8],
}

/// Puts the frames of one channel together, in order.
pub struct FrameReader<'a> {
    recording: &'a Recording<'a>,
    places: Vec<LogPlace>,
    payload: Vec<u8>,
    frame: Vec<u8>,
}

/// A frame that goes on in its channel's next block.
struct Partial {
    spot: FrameSpot,
    /// How many of its bytes lie in the blocks until now.
    bytes: u64,
    /// The channel's block that the rest is expected in.
    next_block: u64,
}

/// What a block has of a frame that began in an earlier one.
enum Rest {
    /// All that was missing.
    All,
    /// Some of it: the frame goes on.
    Some(Partial),
    /// Something else.
    Nothing,
}

impl Partial {
    /// The last frame of a block, where that goes on behind it.
    fn from_header(header: &BlockHeader) -> Option<Partial> {
        let entry = *header.frames.last().filter(|_| header.goes_on())?;
        Some(Partial {
            spot: FrameSpot { channel: header.channel, entry, block: header.sequence },
            bytes: u64::from(header.used.saturating_sub(entry.offset)),
            next_block: header.channel_sequence.saturating_add(1),
        })
    }

    /// Looks whether the frame goes on in this block.
    fn rest_in(self, header: &BlockHeader) -> Rest {
        let length = u64::from(self.spot.entry.length);
        let bytes = self.bytes + u64::from(header.carried);
        let fits = header.channel_sequence == self.next_block
            && header.carried_sequence == self.spot.entry.sequence
            && u64::from(header.carried_at) == self.bytes
            && header.carried > 0;
        if fits && bytes == length {
            Rest::All
        } else if fits && bytes < length && header.frames.is_empty() && header.carried == header.used {
            Rest::Some(Partial { bytes, next_block: self.next_block.saturating_add(1), ..self })
        } else {
            Rest::Nothing
        }
    }
}

impl<'a> FrameReader<'a> {
    /// A reader of a channel.
    pub fn new(recording: &'a Recording<'a>, chart: &Chart, channel: u16) -> FrameReader<'a> {
        let places = chart.places.iter().filter(|place| place.entry.channel == channel).copied().collect();
        FrameReader { recording, places, payload: Vec::new(), frame: Vec::new() }
    }

    /// The frames whose blocks are all there, by what these say of themselves.
    ///
    /// # Errors
    /// What `found` returns.
    pub fn spots(
        &self,
        wanted: Wanted,
        found: &mut dyn FnMut(FrameSpot) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let mut partial: Option<Partial> = None;
        for place in &self.places {
            let has_frames = place.entry.frames > 0 && wanted.may_be_in(place);
            if !has_frames && partial.is_none() {
                continue;
            }
            let Ok(FoundBlock::Block(header)) = self.recording.found(place.sequence) else {
                partial = None;
                continue;
            };
            if let Some(going) = partial.take() {
                let spot = going.spot;
                match going.rest_in(&header) {
                    Rest::All => found(spot)?,
                    Rest::Some(going) => partial = Some(going),
                    Rest::Nothing => {}
                }
            }
            let whole = header.frames.len() - usize::from(header.goes_on());
            for entry in header.frames[..whole].iter().filter(|entry| wanted.has(entry)) {
                found(FrameSpot { channel: header.channel, entry: *entry, block: place.sequence })?;
            }
            let last = Partial::from_header(&header).filter(|last| wanted.has(&last.spot.entry));
            partial = last.or(partial);
        }
        Ok(())
    }

    /// The frame that the channel's last block has the begin of, or goes on with, and not the end.
    pub fn under_way(&self) -> Option<FrameSpot> {
        let first = self.places.iter().rposition(|place| place.entry.frames > 0)?;
        let mut partial = None;
        for place in &self.places[first..] {
            let Ok(FoundBlock::Block(header)) = self.recording.found(place.sequence) else {
                return None;
            };
            partial = match partial.map(|going: Partial| going.rest_in(&header)) {
                Some(Rest::Some(going)) => Some(going),
                Some(Rest::All | Rest::Nothing) | None => Partial::from_header(&header),
            };
        }
        partial.map(|going| going.spot)
    }

    /// Every wanted frame that is whole, and what is wrong with blocks that are not.
    ///
    /// # Errors
    /// What `found` returns.
    pub fn frames(
        &mut self,
        wanted: Wanted,
        found: &mut dyn FnMut(Frame<'_>) -> Result<(), StreamError>,
        broken: &mut dyn FnMut(Problem),
    ) -> Result<(), StreamError> {
        let mut partial: Option<Partial> = None;
        for number in 0..self.places.len() {
            let place = self.places[number];
            if partial.is_none() && !wanted.may_be_in(&place) {
                continue;
            }
            let header = match self.recording.proved(place.sequence, &mut self.payload) {
                Ok(header) if header.channel == place.entry.channel => header,
                other => {
                    let of_another = Damage::Impossible("a block of another channel");
                    let (sequence, damage) = (place.sequence, other.err().unwrap_or(of_another));
                    let offset = self.recording.superblock.offset(sequence);
                    broken(Problem::Block { sequence, offset, damage });
                    // The frame that was to go on there is cut there, and not where the log ends.
                    if let Some(Partial { spot, .. }) = partial.take() {
                        broken(Problem::Frame { spot, cut_at: Some(place.sequence) });
                    }
                    continue;
                }
            };
            self.go_on(&header, &mut partial, found, broken)?;
            let whole = header.frames.len() - usize::from(header.goes_on());
            for entry in header.frames[..whole].iter().filter(|entry| wanted.has(entry)) {
                let start = entry.offset as usize;
                let bytes = &self.payload[start..start + entry.length as usize];
                let spot = FrameSpot { channel: header.channel, entry: *entry, block: place.sequence };
                found(Frame { spot, bytes })?;
            }
            if let Some(last) = Partial::from_header(&header).filter(|last| wanted.has(&last.spot.entry)) {
                self.frame.clear();
                self.frame.extend_from_slice(&self.payload[last.spot.entry.offset as usize..]);
                partial = Some(last);
            }
        }
        if let Some(partial) = partial {
            broken(Problem::Frame { spot: partial.spot, cut_at: None });
        }
        Ok(())
    }

    /// Adds a block's first bytes to the frame that goes on in it. A frame whose next block is missing is broken.
    fn go_on(
        &mut self,
        header: &BlockHeader,
        partial: &mut Option<Partial>,
        found: &mut dyn FnMut(Frame<'_>) -> Result<(), StreamError>,
        broken: &mut dyn FnMut(Problem),
    ) -> Result<(), StreamError> {
        let Some(going) = partial.take() else { return Ok(()) };
        let spot = going.spot;
        let rest = going.rest_in(header);
        if !matches!(rest, Rest::Nothing) {
            self.frame.extend_from_slice(&self.payload[..header.carried as usize]);
        }
        match rest {
            Rest::All => found(Frame { spot, bytes: &self.frame })?,
            Rest::Some(going) => *partial = Some(going),
            Rest::Nothing => broken(Problem::Frame { spot, cut_at: Some(header.sequence) }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::IndexEntry;

    fn frame(sequence: u64, time_unix_ns: u64) -> FrameEntry {
        FrameEntry { offset: 0, length: 100, sequence, time_unix_ns }
    }

    /// A block with frames of these numbers and times; of none, with the number of the one that goes on in it.
    fn place(frames: u16, numbers: (u64, u64), times: (u64, u64)) -> LogPlace {
        let frame_sequences = FirstLast::new(numbers.0, numbers.1);
        let times_unix_ns = FirstLast::new(times.0, times.1);
        let entry =
            IndexEntry { channel: 0, frames, used: 1, channel_sequence: 0, frame_sequences, times_unix_ns };
        LogPlace { sequence: 0, entry }
    }

    #[test]
    fn frames_are_wanted_from_the_first_number_and_time_to_the_last() {
        let wanted = Wanted { sequences: FirstLast::new(10, 20), times_unix_ns: FirstLast::new(500, 600) };
        for (sequence, time, is_wanted) in [
            (10, 500, true),
            (20, 600, true),
            (9, 550, false),
            (21, 550, false),
            (15, 499, false),
            (15, 601, false),
        ] {
            assert_eq!(wanted.has(&frame(sequence, time)), is_wanted, "{sequence} at {time}");
            assert!(Wanted::ALL.has(&frame(sequence, time)));
        }
    }

    #[test]
    fn a_block_is_read_where_a_wanted_frame_may_lie_in_it_and_not_where_none_can() {
        let wanted = Wanted { sequences: FirstLast::new(10, 20), times_unix_ns: FirstLast::new(500, 600) };
        for (place, may) in [
            (place(3, (8, 10), (400, 500)), true),
            (place(3, (20, 22), (600, 700)), true),
            (place(3, (5, 9), (500, 600)), false),
            (place(3, (21, 25), (500, 600)), false),
            (place(3, (10, 20), (400, 499)), false),
            (place(3, (10, 20), (601, 700)), false),
            // Of a frame that only goes on there, the time is not in the index.
            (place(0, (15, 15), (0, 0)), true),
            (place(0, (9, 9), (0, 0)), false),
        ] {
            assert_eq!(wanted.may_be_in(&place), may, "{place:?}");
        }
    }

    /// A frame of 100 bytes, of which 30 are known, and which goes on in block 8 of its channel.
    fn partial() -> Partial {
        Partial { spot: FrameSpot { channel: 0, entry: frame(7, 1), block: 3 }, bytes: 30, next_block: 8 }
    }

    /// A block in which these bytes of the frame go on.
    fn going_on(carried: u32) -> BlockHeader {
        BlockHeader {
            channel_sequence: 8,
            carried,
            carried_sequence: 7,
            carried_at: 30,
            used: carried,
            ..BlockHeader::default()
        }
    }

    fn is_rest(header: &BlockHeader) -> Option<u64> {
        match partial().rest_in(header) {
            Rest::All => Some(100),
            Rest::Some(longer) => {
                assert_eq!(longer.next_block, 9);
                Some(longer.bytes)
            }
            Rest::Nothing => None,
        }
    }

    #[test]
    fn a_frame_goes_on_only_where_its_next_bytes_lie() {
        assert_eq!((is_rest(&going_on(70)), is_rest(&going_on(40))), (Some(100), Some(70)));
        let behind = BlockHeader { frames: vec![frame(8, 2)], used: 170, ..going_on(70) };
        assert_eq!(is_rest(&behind), Some(100), "another frame begins behind its end");
        for wrong in [
            going_on(0),
            going_on(71),
            BlockHeader { channel_sequence: 9, ..going_on(70) },
            BlockHeader { carried_sequence: 8, ..going_on(70) },
            BlockHeader { carried_at: 29, ..going_on(70) },
            // What is left of it would have to fill the block.
            BlockHeader { frames: vec![frame(8, 2)], used: 140, ..going_on(40) },
            BlockHeader { used: 41, ..going_on(40) },
        ] {
            assert_eq!(is_rest(&wrong), None, "{wrong:?}");
        }
    }
}
