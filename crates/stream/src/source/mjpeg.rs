//! Where JPEG pictures begin and end in a stream of bytes (ITU-T T.81, annex B).
//!
//! A picture is followed segment by segment: what lies in a segment, such as a thumbnail in its Exif data, neither
//! begins nor ends a picture. A picture that begins where another has not ended cuts that one off; a picture in which
//! something else stands where a marker has to be is damaged.

use memchr::memchr;

/// A place in what was fed where a picture begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureMark {
    /// The first byte of a picture.
    Start(usize),
    /// The byte behind a picture.
    End(usize),
    /// The byte behind a picture that is cut off, or damaged.
    Damaged(usize),
}

/// Follows a stream of pictures, in pieces of any length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Splitter {
    state: State,
    /// Something else stood where a marker of the picture had to be.
    is_damaged: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Between pictures.
    #[default]
    Outside,
    /// Between pictures, behind an FF.
    OutsideAfterFf,
    /// In a picture where a marker is to come.
    BeforeMarker,
    /// Behind the FF of a marker.
    Marker,
    /// Before the first, or the second, byte of a segment's length.
    LengthHigh(bool),
    LengthLow(bool, u8),
    /// In a segment; whether coded data follow it.
    Segment(bool, u16),
    /// In coded data.
    Coded,
    /// In coded data, behind an FF.
    CodedAfterFf,
}

const SOI: u8 = 0xd8;
const EOI: u8 = 0xd9;
const SOS: u8 = 0xda;

impl Splitter {
    /// Whether the last byte may be the first of a picture. It has to be fed again then, before the next.
    pub fn holds_byte(self) -> bool {
        matches!(self.state, State::OutsideAfterFf | State::Marker | State::CodedAfterFf)
    }

    /// Goes back to before the byte that is held, where one is; whether there is one.
    pub fn take_held_byte(&mut self) -> bool {
        let held = self.holds_byte();
        self.state = match self.state {
            State::OutsideAfterFf => State::Outside,
            State::Marker => State::BeforeMarker,
            State::CodedAfterFf => State::Coded,
            state => state,
        };
        held
    }

    /// Reads a piece that lies `at` bytes into what is marked.
    pub fn feed(&mut self, piece: &[u8], at: usize, marks: &mut Vec<PictureMark>) {
        let mut index = 0;
        while index < piece.len() {
            let rest = &piece[index..];
            match self.state {
                State::Outside | State::Coded => {
                    let Some(found) = memchr(0xff, rest) else { return };
                    index += found + 1;
                    self.state =
                        if self.state == State::Coded { State::CodedAfterFf } else { State::OutsideAfterFf };
                }
                State::Segment(is_coded, left) => {
                    let part = rest.len().min(usize::from(left));
                    index += part;
                    #[expect(clippy::cast_possible_truncation, reason = "at most `left`")]
                    let left = left - part as u16;
                    self.state = match (left, is_coded) {
                        (0, true) => State::Coded,
                        (0, false) => State::BeforeMarker,
                        _ => State::Segment(is_coded, left),
                    };
                }
                _ => {
                    self.byte(rest[0], at + index, marks);
                    index += 1;
                }
            }
        }
    }

    /// Takes one byte at `at`, where the state is one of single bytes.
    fn byte(&mut self, byte: u8, at: usize, marks: &mut Vec<PictureMark>) {
        self.state = match (self.state, byte) {
            (State::OutsideAfterFf, SOI) => self.begin(at, marks),
            (State::OutsideAfterFf, 0xff) => State::OutsideAfterFf,
            (State::OutsideAfterFf, _) => State::Outside,
            // Fill bytes of FF may come before a marker.
            (State::BeforeMarker | State::Marker, 0xff) => State::Marker,
            (State::Marker | State::CodedAfterFf, EOI) => {
                let end = at + 1;
                marks.push(if self.is_damaged { PictureMark::Damaged(end) } else { PictureMark::End(end) });
                State::Outside
            }
            (State::Marker | State::CodedAfterFf, SOI) => {
                marks.push(PictureMark::Damaged(at.saturating_sub(1)));
                self.begin(at, marks)
            }
            // No marker is 0: coded data have gone astray into the segments.
            (State::BeforeMarker, _) | (State::Marker, 0x00) => {
                self.is_damaged = true;
                State::BeforeMarker
            }
            (State::Marker, 0x01 | 0xd0..=0xd7) => State::BeforeMarker,
            (State::CodedAfterFf, 0xff) => State::CodedAfterFf,
            (State::CodedAfterFf, 0x00 | 0x01 | 0xd0..=0xd7) => State::Coded,
            (State::Marker | State::CodedAfterFf, SOS) => State::LengthHigh(true),
            (State::Marker | State::CodedAfterFf, _) => State::LengthHigh(false),
            (State::LengthHigh(is_coded), high) => State::LengthLow(is_coded, high),
            (State::LengthLow(is_coded, high), low) => {
                // The length counts its own two bytes.
                match u16::from_be_bytes([high, low]).saturating_sub(2) {
                    0 if is_coded => State::Coded,
                    0 => State::BeforeMarker,
                    left => State::Segment(is_coded, left),
                }
            }
            (state, _) => state,
        };
    }

    /// A picture begins with the byte before the one at `at`.
    fn begin(&mut self, at: usize, marks: &mut Vec<PictureMark>) -> State {
        marks.push(PictureMark::Start(at.saturating_sub(1)));
        self.is_damaged = false;
        State::BeforeMarker
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture with a thumbnail in a segment, stuffed and restart bytes in its data, and two scans.
    fn picture() -> Vec<u8> {
        let mut bytes = vec![0xff, SOI, 0xff, 0xe1, 0, 8, 0xff, SOI, 1, 2, 0xff, EOI];
        bytes.extend([0xff, SOS, 0, 3, 7, 1, 2, 0xff, 0, 3, 0xff, 0xd3, 4]);
        bytes.extend([0xff, 0xc4, 0, 4, 0xff, EOI, 0xff, SOS, 0, 2, 9, 0xff, 0xff, EOI]);
        bytes
    }

    #[test]
    fn pictures_are_found_whatever_the_pieces() {
        let one = picture();
        let stream = [&[0xff, 1, 0xff][..], &one, &[0, 0xff, 0], &one].concat();
        let second = 3 + one.len() + 3;
        let expected = [
            PictureMark::Start(3),
            PictureMark::End(3 + one.len()),
            PictureMark::Start(second),
            PictureMark::End(second + one.len()),
        ];
        for length in 1..stream.len() {
            let (mut splitter, mut marks) = (Splitter::default(), Vec::new());
            for (number, piece) in stream.chunks(length).enumerate() {
                splitter.feed(piece, number * length, &mut marks);
            }
            assert_eq!(marks, expected, "pieces of {length}");
        }
    }

    /// The pictures that are found: where each begins and ends, and whether it is whole.
    fn found(stream: &[u8]) -> Vec<(usize, usize, bool)> {
        let (mut splitter, mut marks) = (Splitter::default(), Vec::new());
        splitter.feed(stream, 0, &mut marks);
        let pairs = marks.chunks(2).map(|pair| match *pair {
            [PictureMark::Start(start), PictureMark::End(end)] => (start, end, true),
            [PictureMark::Start(start), PictureMark::Damaged(end)] => (start, end, false),
            _ => panic!("{marks:?}"),
        });
        pairs.collect()
    }

    #[test]
    fn a_picture_without_its_end_is_cut_off_where_the_next_begins() {
        let one = picture();
        let length = one.len();
        // Without the end; without all from the middle of its coded data on; without all behind its first segment.
        for kept in [length - 2, 19, 12] {
            let stream = [&one[..], &one[..kept], &one, &one].concat();
            let second = length + kept;
            let expected = [
                (0, length, true),
                (length, second, false),
                (second, second + length, true),
                (second + length, second + 2 * length, true),
            ];
            assert_eq!(found(&stream), expected, "{kept} of {length}");
        }
    }

    #[test]
    fn a_wrong_length_costs_the_pictures_that_it_reaches_over_and_no_others() {
        let one = picture();
        let mut damaged = 0;
        // The first segment says that it is longer than it is, by up to two pictures.
        for length in 9..80 {
            let mut wrong = one.clone();
            wrong[5] = length;
            let stream = [&wrong[..], &one, &one, &one].concat();
            let pictures = found(&stream);
            let last = stream.len() - one.len();
            assert_eq!(pictures.last(), Some(&(last, stream.len(), true)), "{length}: {pictures:?}");
            damaged += usize::from(pictures.iter().any(|picture| !picture.2));
        }
        // A length that ends where a marker is by chance shows nothing.
        assert!(damaged > 50, "{damaged}");
    }

    /// A comment of no byte, behind which there is none of a marker.
    #[test]
    fn behind_an_empty_segment_a_marker_is_expected() {
        assert_eq!(found(&[0xff, SOI, 0xff, 0xfe, 0, 2, 0xff, EOI]), [(0, 8, true)]);
        assert_eq!(found(&[0xff, SOI, 0xff, 0xfe, 0, 2, 7, 0xff, EOI]), [(0, 9, false)]);
    }
}
