//! Pictures made of characters: a plot of dots, a line of levels, a bar.

use crate::bins::{AxisStretch, SeriesBin};

/// Dots in a braille cell: two columns of four.
const DOTS_WIDE: usize = 2;
const DOTS_HIGH: usize = 4;
/// The bit of each dot of a braille cell, by row and column.
const BRAILLE_BITS: [[u32; DOTS_WIDE]; DOTS_HIGH] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const BRAILLE_BLANK: u32 = 0x2800;
/// Marks for one to four and more dots in a cell, where braille cannot be shown.
const ASCII_MARKS: [char; 5] = [' ', '.', ':', '*', '#'];
/// Levels from the lowest to the highest.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_LEVELS: [char; 8] = ['_', '.', '-', '=', '+', '*', '#', '@'];

/// Dots in rows of characters.
pub(super) struct DotPlot {
    columns: usize,
    rows: usize,
    dots: Vec<bool>,
}

impl DotPlot {
    /// The points on two stretches, in `columns` x `rows` characters.
    pub fn draw(
        points: impl Iterator<Item = (f64, f64)>,
        (across, up): (AxisStretch, AxisStretch),
        (columns, rows): (usize, usize),
    ) -> DotPlot {
        let (wide, high) = (columns * DOTS_WIDE, rows * DOTS_HIGH);
        let mut plot = DotPlot { columns, rows, dots: vec![false; wide * high] };
        for (x, y) in points {
            let from_top = high - 1 - up.step(y, high);
            plot.dots[from_top * wide + across.step(x, wide)] = true;
        }
        plot
    }

    /// The rows of characters, from the top.
    pub fn rows(&self, ascii: bool) -> impl Iterator<Item = String> {
        (0..self.rows)
            .map(move |row| (0..self.columns).map(|column| self.character(row, column, ascii)).collect())
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

/// The lowest and the highest level.
pub(super) fn ends_of_levels(ascii: bool) -> (char, char) {
    let levels = if ascii { ASCII_LEVELS } else { LEVELS };
    (levels[0], levels[levels.len() - 1])
}

/// The mean of each bin as a level; a space where there is none.
pub(super) fn levels(bins: &[Option<SeriesBin>], up: AxisStretch, ascii: bool) -> String {
    let levels = if ascii { ASCII_LEVELS } else { LEVELS };
    bins.iter().map(|bin| bin.map_or(' ', |bin| levels[up.step(bin.mean, levels.len())])).collect()
}

/// A bar of this share of `columns`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the number of columns"
)]
pub(super) fn bar(share: f64, columns: usize, ascii: bool) -> String {
    let length = (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    if ascii { "#" } else { "█" }.repeat(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_rate_is_a_level_line_and_zero_lies_at_the_bottom() {
        let across = AxisStretch { low: 0.0, high: 4.0, is_log: false };
        let up = AxisStretch { low: 100.0, high: 10_000.0, is_log: true };
        let points = [(0.0, 10_000.0), (1.0, 10_000.0), (2.0, 0.0), (3.0, 0.0)];
        let plot = DotPlot::draw(points.into_iter(), (across, up), (2, 2));
        assert_eq!(plot.rows(false).collect::<Vec<_>>(), ["⠉ ", " ⣀"]);
        assert_eq!(plot.rows(true).collect::<Vec<_>>(), [": ", " :"]);
    }
}
