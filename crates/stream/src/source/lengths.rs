//! Frames with their length before them: four bytes, little-endian.

use std::io::{self, IoSliceMut};
use std::os::fd::BorrowedFd;

use rustix::io::{Errno, read, readv};

use super::station::ChannelWriter;

const PREFIX: usize = 4;
/// The most that is read at a time: far fewer areas than a system call takes, however short the blocks.
const READ_MAX: usize = 2 << 20;
/// What is dropped is read in pieces of this.
const SCRATCH: usize = 256 << 10;

/// Reads frames until the stream ends, or the recording does.
pub fn run(descriptor: BorrowedFd<'_>, station: &mut ChannelWriter<'_>) -> io::Result<()> {
    let mut prefix = [0; PREFIX];
    let mut have = 0;
    loop {
        while have < PREFIX {
            if !station.wait_readable(descriptor)? {
                return Ok(());
            }
            match again(read(descriptor, &mut prefix[have..]))? {
                Some(0) => return Ok(()),
                count => have += count.unwrap_or(0),
            }
        }
        let length = u32::from_le_bytes(prefix);
        let sequence = station.next_sequence();
        let wanted = length as usize;
        let fits = wanted <= station.filler.frame_bytes_max();
        // Even an empty frame needs a block to stand in.
        let room = if fits { station.make_room(wanted.max(1)) } else { Some(false) };
        have = match room {
            None => {
                station.unfinished();
                return Ok(());
            }
            Some(true) => {
                station.filler.begin(sequence, length, 0);
                match place(descriptor, station, wanted, &mut prefix)? {
                    Some(have) => have,
                    None => return Ok(()),
                }
            }
            Some(false) => {
                let is_whole = skip(descriptor, station, wanted)?;
                if fits && !is_whole {
                    station.unfinished();
                    return Ok(());
                }
                station.drops.add_frame(u64::from(length));
                if !fits {
                    station.tally.unfit += 1;
                }
                if !is_whole {
                    return Ok(());
                }
                0
            }
        };
    }
}

/// Reads a frame straight into the ring, and with its last bytes what is there of the next length: how many bytes
/// of that. `None` where the stream or the recording ended before the frame did.
fn place(
    descriptor: BorrowedFd<'_>,
    station: &mut ChannelWriter<'_>,
    length: usize,
    prefix: &mut [u8; PREFIX],
) -> io::Result<Option<usize>> {
    let mut left = length;
    let mut have = 0;
    while left > 0 {
        if !station.wait_readable(descriptor)? {
            station.unfinished();
            return Ok(None);
        }
        let mut areas = station.filler.areas(left.min(READ_MAX));
        if areas.iter().map(|area| area.len()).sum::<usize>() == left {
            areas.push(IoSliceMut::new(prefix));
        }
        let Some(count) = again(readv(descriptor, &mut areas))? else { continue };
        if count == 0 {
            station.unfinished();
            return Ok(None);
        }
        let own = count.min(left);
        station.filler.advance(own);
        left -= own;
        have = count - own;
    }
    let now = station.unix_ns(station.clock.now());
    station.filler.end(now);
    station.placed(length, false);
    Ok(Some(have))
}

/// Reads a frame that is dropped; whether it was all there.
fn skip(descriptor: BorrowedFd<'_>, station: &mut ChannelWriter<'_>, length: usize) -> io::Result<bool> {
    let mut scratch = vec![0; SCRATCH.min(length)];
    let mut left = length;
    while left > 0 {
        if !station.wait_readable(descriptor)? {
            return Ok(false);
        }
        let part = left.min(scratch.len());
        match again(read(descriptor, &mut scratch[..part]))? {
            Some(0) => return Ok(false),
            count => left -= count.unwrap_or(0),
        }
    }
    Ok(true)
}

/// A read that has to be tried again gives nothing.
pub fn again(result: rustix::io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        // A program that goes away with its socket may leave this behind: the end of its stream.
        Err(Errno::CONNRESET) => Ok(Some(0)),
        Err(error) => Err(error.into()),
    }
}
