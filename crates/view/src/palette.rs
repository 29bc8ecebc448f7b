//! The colours and marks of subjects and names.

/// The outline of a mark. Neighbours in a list differ in it as well as in their colour, for readers who cannot tell the
/// colours apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Disc,
    Square,
    /// A triangle that points up.
    Triangle,
    Diamond,
    /// A triangle that points down.
    Inverted,
    Cross,
    Hourglass,
}

/// Colours on a light ground.
const HUES: [&str; 10] = [
    "#0b66b3", "#c4460f", "#0a7a5c", "#8b3c91", "#96660a", "#0b8ba8", "#bb2364", "#4a5563", "#5b7a0c",
    "#7a4a32",
];
/// As many as there are marks has no divisor in common with the number of colours: seventy combinations differ.
const MARKS: [Mark; 7] =
    [Mark::Disc, Mark::Square, Mark::Triangle, Mark::Diamond, Mark::Inverted, Mark::Cross, Mark::Hourglass];

/// How many shades the colour scale of a heat map has.
pub const SHADE_COUNT: usize = 24;

const HEAT: [[f64; 3]; 5] = [
    [201.0, 230.0, 189.0],
    [116.0, 198.0, 184.0],
    [36.0, 137.0, 189.0],
    [35.0, 80.0, 159.0],
    [10.0, 28.0, 85.0],
];

/// The colour of the subject or name with this place in its list.
pub fn hue(index: usize) -> &'static str {
    HUES[index % HUES.len()]
}

/// The mark of the subject or name with this place in its list.
pub fn mark(index: usize) -> Mark {
    MARKS[index % MARKS.len()]
}

/// A shade of the colour scale of heat maps, from few (0) to many ([`SHADE_COUNT`] - 1), as `#rrggbb`.
pub fn shade(step: usize) -> String {
    let along = step.min(SHADE_COUNT - 1) as f64 / (SHADE_COUNT - 1) as f64 * (HEAT.len() - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 4")]
    let stop = (along as usize).min(HEAT.len() - 2);
    let mixed = |channel: usize| {
        let (from, to) = (HEAT[stop][channel], HEAT[stop + 1][channel]);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
        let byte = (from + (to - from) * (along - stop as f64)).round() as u8;
        byte
    };
    format!("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_twenty_differ_in_colour_or_mark() {
        let all: Vec<(&str, Mark)> = (0..20).map(|index| (hue(index), mark(index))).collect();
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{place}");
        }
    }

    #[test]
    fn a_scale_of_shades_begins_and_ends_with_its_stops() {
        assert_eq!([0, 23, 99].map(shade), ["#c9e6bd", "#0a1c55", "#0a1c55"]);
    }
}
