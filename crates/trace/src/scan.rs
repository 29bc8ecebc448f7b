//! Reading numbers and words off the front of a line.

/// Nanoseconds of a second.
pub const SECOND: u64 = 1_000_000_000;

/// The whole number that a word is.
pub fn number_of(word: &[u8]) -> Option<u64> {
    let mut scan = Scan(word);
    scan.number().filter(|_| scan.is_empty())
}

/// The decimal number of units of `unit` nanoseconds that a word is, in nanoseconds.
pub fn nanos_of(word: &[u8], unit: u64) -> Option<u64> {
    let mut scan = Scan(word);
    scan.nanos(unit).filter(|_| scan.is_empty())
}

/// What is left of a line. Each method takes something off its front, or says `None` and takes an unstated part.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a>(pub &'a [u8]);

impl<'a> Scan<'a> {
    /// Skips blanks.
    #[inline]
    pub fn blanks(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    /// Takes this byte.
    #[inline]
    pub fn byte(&mut self, expected: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first == expected).then_some(())
    }

    /// Takes a whole number.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        let mut digits = 0;
        while let Some(digit) = self.digit() {
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
            digits += 1;
        }
        (digits > 0).then_some(value)
    }

    /// Takes a hexadecimal number, with or without `0x`.
    pub fn hex(&mut self) -> Option<u64> {
        if let [b'0', b'x' | b'X', rest @ ..] = self.0 {
            self.0 = rest;
        }
        let mut value = 0u64;
        let mut digits = 0;
        while let Some(digit) = self.0.first().and_then(|byte| (*byte as char).to_digit(16)) {
            value = value.checked_mul(16)?.checked_add(u64::from(digit))?;
            self.0 = &self.0[1..];
            digits += 1;
        }
        (digits > 0).then_some(value)
    }

    /// Takes a decimal number of units of `unit` nanoseconds, exactly: digits below a nanosecond are dropped.
    #[inline]
    pub fn nanos(&mut self, unit: u64) -> Option<u64> {
        let mut value = self.number()?.checked_mul(unit)?;
        if let [b'.', rest @ ..] = self.0 {
            self.0 = rest;
            let mut place = unit;
            while let Some(digit) = self.digit() {
                place /= 10;
                value = value.checked_add(u64::from(digit) * place)?;
            }
        }
        Some(value)
    }

    #[inline]
    fn digit(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        let digit = first.wrapping_sub(b'0');
        (digit < 10).then(|| {
            self.0 = rest;
            digit
        })
    }

    /// Takes what comes before `end`, and `end` itself.
    #[inline]
    pub fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let place = memchr::memchr(end, self.0)?;
        let word = &self.0[..place];
        self.0 = &self.0[place + 1..];
        Some(word)
    }

    /// Takes a word, up to the next blank, and the blanks before it; empty at the end.
    #[inline]
    pub fn word(&mut self) -> &'a [u8] {
        self.blanks();
        let end = self.0.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    /// Takes a word as a whole number.
    pub fn word_number(&mut self) -> Option<u64> {
        number_of(self.word())
    }

    /// Whether nothing is left but blanks.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_nanoseconds() {
        let nanos = |text: &str, unit| Scan(text.as_bytes()).nanos(unit);
        assert_eq!(nanos("1456095145.133076000", 1_000_000_000), Some(1_456_095_145_133_076_000));
        assert_eq!(nanos("13661.00000", 1_000), Some(13_661_000));
        assert_eq!(nanos("0.1234567899", 1_000_000_000), Some(123_456_789));
        assert_eq!(nanos("7", 1_000), Some(7_000));
        assert_eq!(nanos("99999999999999999999", 1), None);
        assert_eq!(nanos("x", 1), None);
    }

    #[test]
    fn words_are_told_apart_by_blanks() {
        let mut scan = Scan(b"  one\ttwo  3 ");
        assert_eq!(scan.word(), b"one");
        assert_eq!(scan.word(), b"two");
        assert_eq!(scan.word_number(), Some(3));
        assert!(scan.is_empty());
        assert_eq!(scan.word(), b"");
    }
}
