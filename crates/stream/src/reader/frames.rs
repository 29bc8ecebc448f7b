//! Frames, put together from their blocks.

use super::chart::{Chart, Place};
use super::recover::Recording;
use crate::StreamError;
use crate::layout::{BlockHeader, FrameEntry};

/// Which frames of a channel are wanted: both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Their numbers.
    pub sequences: (u64, u64),
    /// Their times, in nanoseconds of Unix time.
    pub times_unix_ns: (u64, u64),
}

impl Wanted {
    /// All of them.
    pub const ALL: Wanted = Wanted { sequences: (0, u64::MAX), times_unix_ns: (0, u64::MAX) };

    fn has(&self, frame: &FrameEntry) -> bool {
        (self.sequences.0..=self.sequences.1).contains(&frame.sequence)
            && (self.times_unix_ns.0..=self.times_unix_ns.1).contains(&frame.time_unix_ns)
    }

    /// Whether a block may hold, or go on with, any of them.
    fn may_be_in(&self, place: &Place) -> bool {
        let (sequences, times) = (place.entry.frame_sequences, place.entry.times_unix_ns);
        let by_number = sequences.0 <= self.sequences.1 && sequences.1 >= self.sequences.0;
        let by_time =
            place.entry.frames == 0 || times.0 <= self.times_unix_ns.1 && times.1 >= self.times_unix_ns.0;
        by_number && by_time
    }
}

/// Where a frame lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSpot {
    /// The number of its channel.
    pub channel: u16,
    /// Number, length and time.
    pub entry: FrameEntry,
    /// The block of the log that it begins in.
    pub block: u64,
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
    places: Vec<Place>,
    payload: Vec<u8>,
    frame: Vec<u8>,
}

/// A frame that goes on in the next block.
struct Partial {
    spot: FrameSpot,
    next_block: u64,
}

impl<'a> FrameReader<'a> {
    /// A reader of a channel.
    pub fn new(recording: &'a Recording<'a>, chart: &Chart, channel: u16) -> FrameReader<'a> {
        let places = chart.places.iter().filter(|place| place.entry.channel == channel).copied().collect();
        FrameReader { recording, places, payload: Vec::new(), frame: Vec::new() }
    }

    /// The frames that begin in blocks which can be read, without their bytes; an error of `found` ends it.
    ///
    /// # Errors
    /// Where the image cannot be read, or what was found cannot be given on.
    pub fn spots(
        &self,
        wanted: Wanted,
        found: &mut dyn FnMut(FrameSpot) -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        for place in self.places.iter().filter(|place| place.entry.frames > 0 && wanted.may_be_in(place)) {
            let Ok(super::recover::Found::Block(header)) = self.recording.found(place.sequence)? else {
                continue;
            };
            for entry in header.frames.iter().filter(|entry| wanted.has(entry)) {
                found(FrameSpot { channel: header.channel, entry: *entry, block: place.sequence })?;
            }
        }
        Ok(())
    }

    /// Every wanted frame that is whole, and what is wrong with blocks that are not.
    ///
    /// # Errors
    /// Where the image cannot be read, or what was found cannot be given on.
    pub fn frames(
        &mut self,
        wanted: Wanted,
        found: &mut dyn FnMut(Frame<'_>) -> Result<(), StreamError>,
        broken: &mut dyn FnMut(Break),
    ) -> Result<(), StreamError> {
        let mut partial: Option<Partial> = None;
        for number in 0..self.places.len() {
            let place = self.places[number];
            if partial.is_none() && !wanted.may_be_in(&place) {
                continue;
            }
            let mut payload = std::mem::take(&mut self.payload);
            let proved = self.recording.proved(place.sequence, &mut payload)?;
            self.payload = payload;
            let header = match proved {
                Ok(header) => header,
                Err(damage) => {
                    broken(Break::Block { sequence: place.sequence, damage });
                    continue;
                }
            };
            self.go_on(&header, &mut partial, found, broken)?;
            for (index, entry) in header.frames.iter().enumerate().filter(|(_, entry)| wanted.has(entry)) {
                let spot = FrameSpot { channel: header.channel, entry: *entry, block: place.sequence };
                let start = entry.offset as usize;
                if index + 1 == header.frames.len() && header.goes_on() {
                    self.frame.clear();
                    self.frame.extend_from_slice(&self.payload[start..]);
                    partial = Some(Partial { spot, next_block: header.channel_sequence.saturating_add(1) });
                } else {
                    let bytes = &self.payload[start..start + entry.length as usize];
                    found(Frame { spot, bytes })?;
                }
            }
        }
        if let Some(partial) = partial {
            broken(Break::Frame { spot: partial.spot, cut_at: None });
        }
        Ok(())
    }

    /// Adds a block's first bytes to the frame that goes on in it. A frame whose next block is missing is broken.
    fn go_on(
        &mut self,
        header: &BlockHeader,
        partial: &mut Option<Partial>,
        found: &mut dyn FnMut(Frame<'_>) -> Result<(), StreamError>,
        broken: &mut dyn FnMut(Break),
    ) -> Result<(), StreamError> {
        let Some(mut going) = partial.take() else { return Ok(()) };
        let length = going.spot.entry.length as usize;
        let fits = header.channel_sequence == going.next_block
            && header.carried_sequence == going.spot.entry.sequence
            && header.carried_at as usize == self.frame.len()
            && header.carried as usize <= length - self.frame.len();
        if !fits || header.carried == 0 {
            broken(Break::Frame { spot: going.spot, cut_at: Some(header.sequence) });
            return Ok(());
        }
        self.frame.extend_from_slice(&self.payload[..header.carried as usize]);
        if self.frame.len() == length {
            return found(Frame { spot: going.spot, bytes: &self.frame });
        }
        if header.frames.is_empty() && header.carried == header.used {
            going.next_block = going.next_block.saturating_add(1);
            *partial = Some(going);
        } else {
            broken(Break::Frame { spot: going.spot, cut_at: Some(header.sequence) });
        }
        Ok(())
    }
}

impl Break {
    /// Whether it is what a kill leaves, or a cyclic recording that goes on, or the end of a full target.
    pub fn is_by_right(&self, recording: &Recording<'_>) -> bool {
        let settled = recording.settled_start()..recording.settled_end();
        match self {
            Break::Block { sequence, .. } => !settled.contains(sequence),
            Break::Frame { cut_at, .. } => cut_at.is_none_or(|at| !settled.contains(&at)),
        }
    }
}

/// What stands in the way of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// A block of frames is not what the index says.
    Block {
        /// Its number in the log.
        sequence: u64,
        /// What is wrong with it.
        damage: crate::layout::Damage,
    },
    /// A frame begins, and the rest of it is missing.
    Frame {
        /// Where.
        spot: FrameSpot,
        /// The block of the log in which it does not go on; none where its channel has no further block.
        cut_at: Option<u64>,
    },
}
