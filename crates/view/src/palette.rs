//! The colours and marks of subjects and names, on a light and on a dark ground.

/// One colour on both grounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hue {
    /// On a light ground, as `#rrggbb`.
    pub light: &'static str,
    /// On a dark ground, as `#rrggbb`.
    pub dark: &'static str,
}

/// The outline of a mark. Neighbours in a list differ in it as well as in their colour, for readers who cannot tell the
/// colours apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A filled circle.
    Disc,
    /// A square on its side.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    Inverted,
    /// An upright cross.
    Cross,
    /// Two triangles that touch at their tips.
    Hourglass,
}

const HUES: [Hue; 10] = [
    Hue { light: "#0b66b3", dark: "#6ab3f7" },
    Hue { light: "#c4460f", dark: "#ff9460" },
    Hue { light: "#0a7a5c", dark: "#4bcba4" },
    Hue { light: "#8b3c91", dark: "#d791dc" },
    Hue { light: "#96660a", dark: "#e0b34b" },
    Hue { light: "#0b8ba8", dark: "#58cfe6" },
    Hue { light: "#bb2364", dark: "#ff8ab8" },
    Hue { light: "#4a5563", dark: "#b3bdc9" },
    Hue { light: "#5b7a0c", dark: "#a9cf4d" },
    Hue { light: "#7a4a32", dark: "#d3a587" },
];
/// As many as there are marks has no divisor in common with the number of colours: seventy combinations differ.
const MARKS: [Mark; 7] =
    [Mark::Disc, Mark::Square, Mark::Triangle, Mark::Diamond, Mark::Inverted, Mark::Cross, Mark::Hourglass];

/// How many colours there are; with the next index they begin again.
pub const HUE_COUNT: usize = HUES.len();
/// How many shades the colour scale of a heat map has.
pub const SHADE_COUNT: usize = 24;

const LIGHT_HEAT: [[f64; 3]; 5] = [
    [201.0, 230.0, 189.0],
    [116.0, 198.0, 184.0],
    [36.0, 137.0, 189.0],
    [35.0, 80.0, 159.0],
    [10.0, 28.0, 85.0],
];
const DARK_HEAT: [[f64; 3]; 5] = [
    [29.0, 58.0, 92.0],
    [35.0, 104.0, 158.0],
    [54.0, 166.0, 189.0],
    [152.0, 216.0, 176.0],
    [253.0, 251.0, 207.0],
];

/// The colour of the subject or name with this place in its list.
pub fn hue(index: usize) -> Hue {
    HUES[index % HUES.len()]
}

/// The mark of the subject or name with this place in its list.
pub fn mark(index: usize) -> Mark {
    MARKS[index % MARKS.len()]
}

/// A shade of the colour scale of heat maps on a light or on a dark ground, from few (0) to many ([`SHADE_COUNT`] - 1), as
/// `#rrggbb`.
pub fn shade(step: usize, is_dark: bool) -> String {
    let stops = if is_dark { DARK_HEAT } else { LIGHT_HEAT };
    let along = step.min(SHADE_COUNT - 1) as f64 / (SHADE_COUNT - 1) as f64 * (stops.len() - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 4")]
    let stop = (along as usize).min(stops.len() - 2);
    let mixed = |channel: usize| {
        let (from, to) = (stops[stop][channel], stops[stop + 1][channel]);
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
        let all: Vec<(Hue, Mark)> = (0..20).map(|index| (hue(index), mark(index))).collect();
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{place}");
        }
    }

    #[test]
    fn a_scale_of_shades_begins_and_ends_with_its_stops() {
        assert_eq!([shade(0, false), shade(23, false), shade(99, true)], ["#c9e6bd", "#0a1c55", "#fdfbcf"]);
    }
}
