//! The profiles that come with the program.

const SHIPPED: &[(&str, &str)] = &[
    ("sm2246en", include_str!("../../profiles/sm2246en.toml")),
    ("consistent", include_str!("../../profiles/consistent.toml")),
];

/// Their names, in the order in which a list shows them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// The TOML of the profile with this name.
pub(crate) fn text_of(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
