//! How a picture looks.

/// The ground that a picture lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// White.
    Light,
    /// Nearly black.
    Dark,
    /// That of the page which the picture is part of: the picture has no ground and no XML declaration. Words take the page's
    /// colour and font. Series take the variables `--hue-0` to `--hue-9`, heat maps `--shade-0` to `--shade-23`, and both the
    /// colours of a light ground where the page does not define them.
    Embedded,
}

/// How a picture looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SvgStyle {
    /// The ground that it lies on.
    pub ground: Background,
    /// How many values of a series and how many columns of a heat map it shows at most; none for all of them. Of several
    /// values the least and the greatest are kept, of several columns the greatest count in each row.
    pub values_max: Option<usize>,
}

impl SvgStyle {
    /// A file on a white ground.
    pub const LIGHT: SvgStyle = SvgStyle { ground: Background::Light, values_max: None };
    /// A file on a dark ground.
    pub const DARK: SvgStyle = SvgStyle { ground: Background::Dark, values_max: None };

    /// Part of a page, with at most so many values a series.
    pub const fn embedded(values_max: usize) -> SvgStyle {
        SvgStyle { ground: Background::Embedded, values_max: Some(values_max) }
    }
}
