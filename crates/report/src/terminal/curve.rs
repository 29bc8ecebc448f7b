//! A small curve of dots in text: IOPS of every second on a logarithmic scale.

use crate::scale::LogScale;

/// Dots in a braille cell: two columns of four.
const DOTS_WIDE: usize = 2;
const DOTS_HIGH: usize = 4;
/// The bit of each dot of a braille cell, by row and column.
const BRAILLE_BITS: [[u32; DOTS_WIDE]; DOTS_HIGH] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const BRAILLE_BLANK: u32 = 0x2800;
/// Marks for one to four and more dots in a cell, where braille cannot be shown.
const ASCII_MARKS: [char; 5] = [' ', '.', ':', '*', '#'];

/// A grid of dots.
pub(crate) struct Curve {
    columns: usize,
    rows: usize,
    dots: Vec<bool>,
}

impl Curve {
    /// The curve of `rates` over `seconds_shown` seconds in `columns` x `rows` characters.
    ///
    /// Seconds at zero lie on the lowest row of dots, since a logarithmic scale has no zero.
    pub fn of(rates: &[f64], seconds_shown: usize, scale: LogScale, columns: usize, rows: usize) -> Curve {
        let (wide, high) = (columns * DOTS_WIDE, rows * DOTS_HIGH);
        let mut curve = Curve { columns, rows, dots: vec![false; wide * high] };
        for (second, rate) in rates.iter().enumerate().take(seconds_shown) {
            let x = second * wide / seconds_shown;
            let from_bottom = scale.place(*rate) * (high - 1) as f64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and high - 1"
            )]
            let y = high - 1 - from_bottom.round() as usize;
            curve.dots[y * wide + x] = true;
        }
        curve
    }

    /// The text of one row of characters, from the top.
    pub fn row(&self, row: usize, ascii: bool) -> String {
        (0..self.columns).map(|column| self.character(row, column, ascii)).collect()
    }

    /// How many rows of characters there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    fn character(&self, row: usize, column: usize, ascii: bool) -> char {
        let wide = self.columns * DOTS_WIDE;
        let mut bits = 0;
        for (y, line) in BRAILLE_BITS.iter().enumerate() {
            for (x, bit) in line.iter().enumerate() {
                if self.dots[(row * DOTS_HIGH + y) * wide + column * DOTS_WIDE + x] {
                    bits |= bit;
                }
            }
        }
        match (ascii, bits) {
            (true, _) => ASCII_MARKS[(bits.count_ones() as usize).min(ASCII_MARKS.len() - 1)],
            (false, 0) => ' ',
            (false, _) => char::from_u32(BRAILLE_BLANK + bits).unwrap_or(' '),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_rate_is_a_level_line_and_zero_lies_at_the_bottom() {
        let scale = LogScale::over([100.0, 10_000.0]);
        let curve = Curve::of(&[10_000.0, 10_000.0, 0.0, 0.0], 4, scale, 2, 2);
        assert_eq!([curve.row(0, false), curve.row(1, false)], ["⠉ ", " ⣀"]);
        assert_eq!([curve.row(0, true), curve.row(1, true)], [": ", " :"]);
    }
}
