//! Mutations by what an input means: lines, fields and numbers of text; words of what is binary.

/// Numbers at which readers err.
const EXTREMES: [&str; 24] = [
    "0",
    "-1",
    "1",
    "255",
    "256",
    "511",
    "512",
    "65535",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "18014398509481983",
    "18014398509481984",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "0.0000000001",
    "1e308",
    "NaN",
    "0xffffffffffffffff",
];

/// The same, as words.
const WORDS: [u64; 13] = [
    0,
    1,
    7,
    8,
    0xFF,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0x1_0000_0000,
    (1 << 54) - 1,
    1 << 63,
    u64::MAX,
];

/// Random numbers of a seed.
struct Draw(u64);

impl Draw {
    /// A number below `end`; 0 where that is 0.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % end.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

/// The input with one to four changes.
pub fn mutate(input: &[u8], is_text: bool, seed: u32) -> Vec<u8> {
    let mut draw = Draw(u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut output = input.to_vec();
    for _ in 0..=draw.below(4) {
        output =
            if is_text && draw.below(8) > 0 { text(&output, &mut draw) } else { binary(output, &mut draw) };
    }
    output
}

/// One change of lines, or within one.
fn text(input: &[u8], draw: &mut Draw) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (draw.below(lines.len()), draw.below(lines.len()));
    match draw.below(10) {
        0 => lines.swap(one, other),
        1 => lines.insert(one, lines[other].clone()),
        2 if lines.len() > 1 => drop(lines.remove(one)),
        3 => {
            let length = draw.below(lines[one].len());
            lines[one].truncate(length);
        }
        4 => {
            let field = field_of(&lines[other], draw);
            lines[one] = with_field(&lines[one], &field, draw);
        }
        _ => {
            let extreme = draw.of(&EXTREMES).as_bytes();
            lines[one] = with_number(&lines[one], extreme, draw);
        }
    }
    lines.join(&b'\n')
}

/// Where the words of a line are, at its commas, semicolons and blanks.
fn fields(line: &[u8]) -> Vec<(usize, usize)> {
    spans(line, |byte| !matches!(byte, b',' | b';' | b' ' | b'\t' | b'='))
}

/// The spans of bytes that belong to something.
fn spans(line: &[u8], belongs: impl Fn(u8) -> bool) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.iter().enumerate().filter(|(_, byte)| belongs(**byte)) {
        match found.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}

fn field_of(line: &[u8], draw: &mut Draw) -> Vec<u8> {
    let fields = fields(line);
    fields.get(draw.below(fields.len())).map_or(Vec::new(), |(start, end)| line[*start..*end].to_vec())
}

fn with_field(line: &[u8], field: &[u8], draw: &mut Draw) -> Vec<u8> {
    let fields = fields(line);
    replaced(line, fields.get(draw.below(fields.len())), field)
}

fn with_number(line: &[u8], number: &[u8], draw: &mut Draw) -> Vec<u8> {
    let numbers = spans(line, |byte| byte.is_ascii_digit());
    replaced(line, numbers.get(draw.below(numbers.len())), number)
}

fn replaced(line: &[u8], span: Option<&(usize, usize)>, with: &[u8]) -> Vec<u8> {
    span.map_or(line.to_vec(), |(start, end)| [&line[..*start], with, &line[*end..]].concat())
}

/// One change of words, or of pieces.
fn binary(mut input: Vec<u8>, draw: &mut Draw) -> Vec<u8> {
    let at = draw.below(input.len());
    match draw.below(6) {
        0 if !input.is_empty() => input[at] ^= 1 << draw.below(8),
        1 => input.truncate(at),
        2 => {
            let piece = input[at..(at + 64).min(input.len())].to_vec();
            let to = draw.below(input.len());
            input.splice(to..to, piece);
        }
        _ => {
            let word = WORDS[draw.below(WORDS.len())];
            let width = [1, 2, 4, 8][draw.below(4)];
            let bytes = if draw.below(2) == 0 {
                word.to_le_bytes()
            } else {
                word.rotate_right(width * 8).to_be_bytes()
            };
            let at = at / 4 * 4;
            let end = (at + width as usize).min(input.len());
            input[at..end].copy_from_slice(&bytes[..end - at]);
        }
    }
    input
}
