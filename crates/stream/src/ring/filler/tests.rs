//! Rooms, frames and blocks of a ring.

use super::*;

const BLOCK: usize = 64 << 10;

fn filler() -> Filler {
    let buffers = Buffer::map(&[BLOCK; 4]).expect("a little memory");
    Filler::new(0, Arc::new(Pool::new(buffers)), BLOCK)
}

fn frame(filler: &mut Filler, sequence: u64, length: usize) {
    assert!(filler.reserve(length.max(1)), "room");
    filler.begin(sequence, 0, 0);
    filler.advance(length);
    filler.end(0);
}

fn flushed(filler: &mut Filler) -> Vec<u64> {
    assert!(filler.flush());
    filler.take_ready().iter().flat_map(|block| &block.header.frames).map(|frame| frame.sequence).collect()
}

#[test]
fn an_empty_frame_alone_in_its_block_is_flushed() {
    let mut filler = filler();
    frame(&mut filler, 0, 5);
    assert_eq!(flushed(&mut filler), [0]);
    frame(&mut filler, 1, 0);
    assert_eq!(flushed(&mut filler), [1]);
    assert_eq!(flushed(&mut filler), Vec::<u64>::new());
}

#[test]
fn what_lies_before_a_frame_that_was_given_up_is_flushed() {
    let mut filler = filler();
    assert!(filler.reserve(BLOCK), "room");
    frame(&mut filler, 0, 100);
    // What belongs to no frame fills the block to its end, so that the next frame begins in another.
    filler.advance(BLOCK - HEADER_BYTES - 100);
    filler.begin(1, 0, 0);
    filler.advance(10);
    filler.abandon();
    assert_eq!(flushed(&mut filler), [0]);
}

/// Bytes of a block that frames can take.
const CAPACITY: usize = BLOCK - HEADER_BYTES;

#[test]
fn room_is_what_is_left_of_the_blocks_in_hand() {
    let mut filler = filler();
    assert_eq!((filler.frame_bytes_max(), filler.room(), filler.table_room()), (3 * CAPACITY, 0, FRAMES_MAX));
    assert!(!filler.has_all() && !filler.holds_frames());
    assert!(filler.reserve(1), "room");
    assert_eq!((filler.room(), filler.table_room()), (CAPACITY, FRAMES_MAX));
    assert!(filler.reserve(CAPACITY), "the room that is there already");
    assert_eq!(filler.room(), CAPACITY);
    assert!(filler.reserve(CAPACITY + 1), "room");
    assert_eq!(filler.room(), 2 * CAPACITY);
    frame(&mut filler, 0, 100);
    assert_eq!((filler.room(), filler.table_room()), (2 * CAPACITY - 100, FRAMES_MAX - 1));
    frame(&mut filler, 1, CAPACITY);
    assert_eq!(
        (filler.room(), filler.table_room()),
        (CAPACITY - 100, FRAMES_MAX),
        "the second block begins no frame yet"
    );
    assert!(filler.reserve(3 * CAPACITY - 100), "all of the ring");
    assert!(filler.has_all());
    assert!(!filler.reserve(3 * CAPACITY) && filler.reserve(1));
}

#[test]
fn a_block_that_can_begin_no_more_frames_has_no_room_between_two() {
    let mut filler = filler();
    assert!(filler.reserve(CAPACITY), "room");
    (0..FRAMES_MAX as u64).for_each(|sequence| frame(&mut filler, sequence, 1));
    assert_eq!((filler.table_room(), filler.room()), (FRAMES_MAX, 0), "the block is ready");
    // The next frame needs another block, and begins in it.
    frame(&mut filler, FRAMES_MAX as u64, 1);
    assert_eq!((filler.table_room(), filler.room()), (FRAMES_MAX - 1, CAPACITY - 1));
    assert!(filler.flush());
    let blocks = filler.take_ready();
    let begun: Vec<usize> = blocks.iter().map(|block| block.header.frames.len()).collect();
    assert_eq!(begun, [FRAMES_MAX, 1]);
    assert_eq!(blocks.iter().map(|block| block.header.channel_sequence).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn frames_wait_from_their_first_byte_until_they_are_handed_on() {
    let mut filler = filler();
    assert!(filler.reserve(10), "room");
    assert!(!filler.holds_frames(), "room alone is no frame");
    filler.begin(0, 0, 0);
    filler.advance(5);
    assert!(filler.holds_frames());
    assert!(!filler.flush(), "a frame that is under way is not torn");
    filler.end(0);
    assert!(filler.flush() && !filler.holds_frames());
    assert!(filler.reserve(1), "room");
    filler.begin(1, 0, 0);
    filler.end(0);
    assert!(filler.holds_frames(), "an empty frame waits, too");
    assert_eq!(filler.take_ready().len(), 1);
}

#[test]
fn blocks_that_hold_nothing_are_not_handed_on() {
    let mut filler = filler();
    assert!(filler.reserve(CAPACITY + 1), "room");
    assert!(filler.flush() && filler.take_ready().is_empty());
    assert_eq!(filler.room(), 2 * CAPACITY);
}

#[test]
fn a_frame_that_fills_its_block_ends_in_it_where_there_is_no_other() {
    let mut filler = filler();
    assert!(filler.reserve(CAPACITY), "room");
    filler.begin(0, 0, 0);
    filler.advance(CAPACITY);
    assert!(filler.areas(1).is_empty());
    assert_eq!(filler.position(), CAPACITY);
    filler.end(0);
    assert_eq!(filler.take_ready().iter().map(|block| block.ended.frames).collect::<Vec<_>>(), [1]);
}
