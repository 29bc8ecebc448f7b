//! How much room words take, and how they are broken into lines.

/// The advance widths of the characters from space to tilde in thousandths of the font's size: those of `DejaVu` Sans, which is
/// wider than the usual fonts of a page.
const ADVANCES: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
    500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
/// What any other character is taken to be; only few characters are wider.
const OTHER_ADVANCE: u16 = 1_100;
/// By how much a bold character is wider, in thousandths of the font's size.
const BOLD_ADVANCE: u16 = 75;

/// The letters of ticks and of the names of landmarks.
pub(super) const TICK_LETTERS: Lettering = Lettering::plain(18.0);
pub(super) const LABEL_LETTERS: Lettering = Lettering::plain(18.0);
pub(super) const HEAD_LETTERS: Lettering = Lettering::bold(20.0);

/// The size of letters in pixels, and their weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lettering {
    pub size: f64,
    pub is_bold: bool,
}

impl Lettering {
    pub const fn plain(size: f64) -> Lettering {
        Lettering { size, is_bold: false }
    }

    pub const fn bold(size: f64) -> Lettering {
        Lettering { size, is_bold: true }
    }

    /// The width of words in pixels.
    pub fn width(self, words: &str) -> f64 {
        let more = if self.is_bold { BOLD_ADVANCE } else { 0 };
        let advance = |character: char| {
            let index = u32::from(character).checked_sub(32).and_then(|index| usize::try_from(index).ok());
            let known = index.and_then(|index| ADVANCES.get(index).copied());
            f64::from(known.unwrap_or(OTHER_ADVANCE) + more)
        };
        words.chars().map(advance).sum::<f64>() / 1_000.0 * self.size
    }

    /// The words in lines that are no wider than so many pixels. A word that is wider is broken between characters.
    pub fn lines(self, words: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in words.split_whitespace() {
            for piece in self.pieces(word, width) {
                let joined = lines.last().map(|line| format!("{line} {piece}"));
                match joined.filter(|line| self.width(line) <= width) {
                    Some(line) => *lines.last_mut().expect("a line was joined") = line,
                    None => lines.push(piece),
                }
            }
        }
        lines
    }

    /// A word in pieces that are each no wider than so many pixels, but at least one character long.
    fn pieces(self, word: &str, width: f64) -> Vec<String> {
        if self.width(word) <= width {
            return vec![word.to_owned()];
        }
        let mut pieces = vec![String::new()];
        for character in word.chars() {
            let last = pieces.last_mut().expect("there is one");
            last.push(character);
            if last.chars().count() > 1 && self.width(last) > width {
                last.pop();
                pieces.push(character.to_string());
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_asked_for_and_lose_nothing() {
        let letters = Lettering::plain(20.0);
        let words = "One line of several words, and a_very_long_word_that_fits_on_no_line_of_its_own at all";
        let lines = letters.lines(words, 200.0);
        assert!(lines.len() > 3);
        assert!(lines.iter().all(|line| letters.width(line) <= 200.0), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), words.replace(' ', ""));
    }
}
