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
                    let offset = self.recording.superblock().offset(sequence);
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
