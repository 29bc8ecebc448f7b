//! A stream of JPEG pictures, whose lengths are known when they end.
//!
//! Pieces of the stream are read straight into the ring and looked through there. Where a picture ends in a piece,
//! the next one begins in place behind it; what lies between pictures is left as a gap.

use std::io::{self, IoSliceMut};
use std::os::fd::BorrowedFd;

use rustix::io::{read, readv};

use super::lengths::again;
use super::mjpeg::{PictureMark, Splitter};
use super::station::ChannelWriter;
use crate::ring::OnFull;

/// The most that is read at a time.
const PIECE: usize = 1 << 20;
/// No picture is shorter: its tables alone are longer. So this tells how many can begin in a piece.
const PICTURE_MIN: usize = 125;
/// Fewer places than this for pictures, and a block is closed between two of them.
const TABLE_ROOM_MIN: usize = 8;

/// Reads pictures until the stream ends, or the recording does.
pub fn run(descriptor: BorrowedFd<'_>, station: &mut ChannelWriter<'_>) -> io::Result<()> {
    let mut reader = Pictures { descriptor, splitter: Splitter::default(), is_dropping: false };
    while station.wait_readable(descriptor)? {
        let goes_on = match reader.find_room(station) {
            Room::Ring => reader.read_into_ring(station)?,
            Room::Nowhere => reader.read_past(station)?,
            Room::Stopped => false,
        };
        if !goes_on {
            break;
        }
    }
    if station.filler.is_in_frame() {
        station.unfinished();
    }
    Ok(())
}

struct Pictures<'a> {
    descriptor: BorrowedFd<'a>,
    splitter: Splitter,
    /// The picture under way found no room.
    is_dropping: bool,
}

/// Where the next piece can go.
enum Room {
    Ring,
    Nowhere,
    Stopped,
}

impl Pictures<'_> {
    fn find_room(&mut self, station: &mut ChannelWriter<'_>) -> Room {
        if !station.filler.is_in_frame() && station.filler.table_room() < TABLE_ROOM_MIN {
            station.flush();
        }
        // Two bytes, so that a byte that is held has one behind it.
        if station.filler.reserve(PIECE) || station.filler.room() >= 2 {
            return Room::Ring;
        }
        if station.filler.is_in_frame() && station.filler.has_all() {
            self.give_up(station);
            station.tally.unfit += 1;
            return Room::Ring;
        }
        if station.on_full == OnFull::Wait {
            return if station.make_room(2).is_some() { Room::Ring } else { Room::Stopped };
        }
        station.has_no_room();
        if station.filler.is_in_frame() {
            self.give_up(station);
        }
        if station.filler.room() >= 2 { Room::Ring } else { Room::Nowhere }
    }

    /// Drops the picture under way.
    fn give_up(&mut self, station: &mut ChannelWriter<'_>) {
        station.drops.add_frame(station.filler.frame_bytes() as u64);
        station.filler.abandon();
        self.is_dropping = true;
    }

    /// Reads a piece into the ring and looks it through; whether there was one.
    fn read_into_ring(&mut self, station: &mut ChannelWriter<'_>) -> io::Result<bool> {
        let held = usize::from(self.splitter.take_held_byte());
        // A block has no more places than its header; where one is left, pictures are read byte by byte.
        let places = station.filler.table_room().saturating_sub(1);
        let limit = (places * PICTURE_MIN).clamp(1 + held, PIECE);
        let mut areas = station.filler.areas(limit);
        let mut rest = &mut areas[..];
        if held == 1
            && let Some(first) = rest.first_mut()
        {
            // The byte that may begin a picture stands where the picture would.
            first[0] = 0xff;
            IoSliceMut::advance_slices(&mut rest, 1);
        }
        let count = readv(self.descriptor, rest);
        let count = again(count)?;
        if count == Some(0) {
            return Ok(false);
        }
        let count = count.unwrap_or(0) + held;
        let mut marks = Vec::new();
        let mut at = 0;
        for piece in station.filler.pending(count) {
            self.splitter.feed(piece, at, &mut marks);
            at += piece.len();
        }
        self.place(station, &marks, count);
        Ok(true)
    }

    /// Counts in what the marks say of the bytes that were read.
    fn place(&mut self, station: &mut ChannelWriter<'_>, marks: &[PictureMark], count: usize) {
        // Up to where bytes lie in the ring for good, and up to where the tally knows of them: what is dropped stays in the
        // ring as a gap before the next picture.
        let (mut at, mut told) = (0, 0);
        for mark in marks {
            match *mark {
                PictureMark::Start(start) => {
                    station.tally.skipped_bytes += (start - told) as u64;
                    told = start;
                    let sequence = station.next_sequence();
                    if station.filler.table_room() < 2 {
                        station.drops.add_frame(0);
                        station.tally.unfit += 1;
                        self.is_dropping = true;
                        continue;
                    }
                    station.filler.advance(start - at);
                    at = start;
                    station.filler.begin(sequence, 0, 0);
                }
                PictureMark::End(end) | PictureMark::Damaged(end) if self.is_dropping => {
                    station.drops.add_bytes((end - told) as u64);
                    told = end;
                    self.is_dropping = false;
                }
                PictureMark::End(end) | PictureMark::Damaged(end) => {
                    // What a camera delivers is kept as it is; that it is no whole picture is counted.
                    if matches!(mark, PictureMark::Damaged(_)) {
                        station.tally.damaged += 1;
                    }
                    station.filler.advance(end - at);
                    (at, told) = (end, end);
                    let bytes = station.filler.frame_bytes();
                    let now = station.unix_ns(station.clock.now());
                    station.filler.end(now);
                    station.has_room();
                    station.placed(bytes, count > end);
                }
            }
        }
        // A byte that is held is read again with the next piece.
        let known = count - usize::from(self.splitter.holds_byte());
        if station.filler.is_in_frame() {
            station.filler.advance(known.saturating_sub(at));
        } else if self.is_dropping {
            station.drops.add_bytes(known.saturating_sub(told) as u64);
        } else {
            station.tally.skipped_bytes += known.saturating_sub(told) as u64;
        }
    }

    /// Reads a piece that there is no room for: the pictures in it are dropped.
    fn read_past(&mut self, station: &mut ChannelWriter<'_>) -> io::Result<bool> {
        let mut scratch = vec![0; 64 << 10];
        let count = again(read(self.descriptor, &mut scratch))?;
        if count == Some(0) {
            return Ok(false);
        }
        let mut marks = Vec::new();
        self.splitter.feed(&scratch[..count.unwrap_or(0)], 0, &mut marks);
        for mark in marks {
            self.is_dropping = matches!(mark, PictureMark::Start(_));
            if self.is_dropping {
                station.next_sequence();
                station.drops.add_frame(0);
            }
        }
        station.drops.add_bytes(count.unwrap_or(0) as u64);
        Ok(true)
    }
}
