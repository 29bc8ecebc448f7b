//! The profiles that come with the program.

const SHIPPED: &[(&str, &str)] = &[
    ("sm2246en", include_str!("../../profiles/sm2246en.toml")),
    ("consistent", include_str!("../../profiles/consistent.toml")),
    ("mx200-250", include_str!("../../profiles/mx200-250.toml")),
    ("x300s-128", include_str!("../../profiles/x300s-128.toml")),
    ("qlc-slc", include_str!("../../profiles/qlc-slc.toml")),
    ("tlc-nvme", include_str!("../../profiles/tlc-nvme.toml")),
    ("hmb-nvme", include_str!("../../profiles/hmb-nvme.toml")),
    ("qlc-nvme", include_str!("../../profiles/qlc-nvme.toml")),
    ("enterprise-nvme", include_str!("../../profiles/enterprise-nvme.toml")),
    ("hdd-7200", include_str!("../../profiles/hdd-7200.toml")),
];

/// The names of the profiles that come with the program, in the order in which a list shows them.
pub fn shipped_profiles() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// The TOML of the profile with this name, for a profile of one's own to begin with.
pub fn shipped_toml(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
