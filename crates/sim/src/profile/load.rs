//! From a spec string, or from the text of a TOML file, to parameters.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::{ProfileError, refused};
use super::parameters::Parameters;
use super::row::{KeyRow, Slot};
use super::shipped::{shipped_profiles, shipped_toml};
use super::table::{TABLE, find, nearest, plain};

/// The keys that settle how much raw flash there is; which of them were given decides which follows.
const RAW: &str = "raw";
const OVER_PROVISIONING: &str = "over_provisioning";
const SIZE: &str = "size";
const PAGES_PER_BLOCK: &str = "pages_per_block";
/// The least letters of a word that is looked for in descriptions.
const WORD_MIN: usize = 3;
/// The most keys that are named in place of a wrong one.
const MEANT_MAX: usize = 5;

/// Parameters, and the name they go by.
pub(crate) struct Loaded {
    pub(crate) name: String,
    /// Whether the profile is a file of the user's.
    pub(crate) is_of_file: bool,
    pub(crate) parameters: Parameters,
    /// The parameters of the profile, before any is overridden.
    pub(crate) profile: Parameters,
    /// The keys that the profile gives.
    pub(crate) of_profile: BTreeSet<String>,
    /// The keys that are overridden.
    pub(crate) overrides: BTreeSet<String>,
    /// Whether blocks may be made smaller, so that a smaller drive still has enough of them.
    pub(crate) may_shrink_blocks: bool,
}

/// Reads `PROFILE` or `FILE.toml`, then the overrides behind `?`.
pub(crate) fn load(spec: &str) -> Result<Loaded, ProfileError> {
    let (base, overrides) = spec.split_once('?').unwrap_or((spec, ""));
    let mut parameters = plain();
    let (name, text) = base_text(base)?;
    let of_profile = apply_toml(&mut parameters, &name, &text)?;
    if !of_profile.contains(SIZE) {
        return refused(format!("{name}: the key 'size' is missing: add a line such as size = \"240GB\""));
    }
    settle_raw(&mut parameters, of_profile.contains(RAW));
    let profile = parameters.clone();
    let overrides = apply_overrides(&mut parameters, overrides)?;
    let is_given = |key: &str| overrides.contains(key);
    if is_given(RAW) && is_given(OVER_PROVISIONING) {
        return refused("'raw' and 'over_provisioning' say the same thing twice: give one of them");
    }
    if is_given(SIZE) || is_given(OVER_PROVISIONING) || is_given(RAW) {
        settle_raw(&mut parameters, is_given(RAW));
    }
    if parameters.kind != profile.kind {
        return refused(format!(
            "kind: {name} is another kind of drive: leave it out, and name a profile of that kind"
        ));
    }
    let may_shrink_blocks = is_given(SIZE) && !is_given(PAGES_PER_BLOCK);
    let is_of_file = is_file(base);
    Ok(Loaded { name, is_of_file, parameters, profile, of_profile, overrides, may_shrink_blocks })
}

/// Whether a profile is named by its file.
fn is_file(base: &str) -> bool {
    Path::new(base).extension().is_some_and(|extension| extension == "toml")
}

/// The profile's name and its TOML.
fn base_text(base: &str) -> Result<(String, String), ProfileError> {
    if is_file(base) {
        let path = Path::new(base);
        let text = drivelab_files::read_text(path, drivelab_files::SMALL).or_else(|error| {
            refused(format!("profile file '{base}' cannot be read: {error}; check the path"))
        })?;
        let stem =
            path.file_stem().map_or_else(|| base.to_owned(), |stem| stem.to_string_lossy().into_owned());
        return Ok((stem, text));
    }
    match shipped_toml(base) {
        Some(text) => Ok((base.to_owned(), text.to_owned())),
        None => refused(format!("no simulated drive is called '{base}': {}", instead_of(base))),
    }
}

/// What to write instead of the name of a profile that there is not.
fn instead_of(base: &str) -> String {
    let typed = base.to_lowercase();
    let name =
        typed.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-').next().unwrap_or_default();
    if name != typed && shipped_toml(name).is_some() {
        return format!(
            "what is changed of a profile stands behind a question mark, with & between: write 'sim:{name}?KEY=VALUE&KEY=VALUE' \
             in quotes (`drivelab profiles` lists the keys)"
        );
    }
    let begins = |name: &&str| !typed.is_empty() && (name.starts_with(&typed) || typed.starts_with(*name));
    match shipped_profiles().find(begins).or_else(|| nearest(&typed, shipped_profiles())) {
        Some(near) => format!("did you mean sim:{near}? `drivelab profiles` lists them all"),
        None => format!(
            "give one of {} (see `drivelab profiles`), or a file that ends in .toml",
            shipped_profiles().collect::<Vec<_>>().join(", ")
        ),
    }
}

fn apply_toml(parameters: &mut Parameters, name: &str, text: &str) -> Result<BTreeSet<String>, ProfileError> {
    let table: toml::Table = text.parse().or_else(|error: toml::de::Error| {
        let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].lines().count().max(1));
        let reason = one_line(error.message());
        refused(format!("profile '{name}', line {line}: {reason}; see the TOML format"))
    })?;
    let mut given = BTreeSet::new();
    for (key, value) in &table {
        let text = match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Boolean(flag) => flag.to_string(),
            other => {
                let kind = other.type_str();
                return refused(format!("'{key}' is a {kind}: write it as a string in quotes"));
            }
        };
        apply(parameters, key, &text)?;
        given.insert(key.clone());
    }
    Ok(given)
}

fn apply_overrides(parameters: &mut Parameters, overrides: &str) -> Result<BTreeSet<String>, ProfileError> {
    let mut given: BTreeSet<String> = BTreeSet::new();
    for pair in overrides.split('&').filter(|pair| !pair.is_empty()) {
        let Some((key, value)) = pair.split_once('=') else {
            return refused(format!("'{pair}' is no override: write it like size=64GiB"));
        };
        if given.contains(key) {
            return refused(format!("'{key}' is given twice: leave one of them out"));
        }
        apply(parameters, key, value)?;
        given.insert(key.to_owned());
    }
    Ok(given)
}

fn apply(parameters: &mut Parameters, key: &str, value: &str) -> Result<(), ProfileError> {
    let Some(row) = find(key) else {
        return refused(format!("no key is called '{}': {}", one_line(key), advice(key)));
    };
    let is_text = matches!(row.slot, Slot::Text { .. });
    // Of text anything may be a part.
    if !is_text && value.contains('=') {
        let value = one_line(value);
        return refused(format!("'{value}' is no value of {key}: write & between two keys, in quotes"));
    }
    row.set(parameters, if is_text { value } else { value.trim() })
        .or_else(|advice| refused(format!("{key} = '{}' cannot be: {advice}", one_line(value))))
}

/// What to type in place of a key that there is not: keys that begin with it, the nearest one, or those that its word is in.
fn advice(key: &str) -> String {
    let names = || TABLE.iter().map(|row| row.name);
    let meant =
        |names: Vec<&str>| Some(names.join(", ")).filter(|names| !names.is_empty() && !key.is_empty());
    let begin = meant(names().filter(|name| name.starts_with(key)).collect());
    let nearest = || nearest(key, names()).map(|name| format!("'{name}'"));
    let word = key.to_lowercase();
    // What comes after the first clause is about other keys.
    let has_word = |row: &&KeyRow| {
        let clause = row.doc.split([';', '.']).next().unwrap_or_default().to_lowercase();
        word.len() >= WORD_MIN && clause.contains(&word)
    };
    let described = || meant(TABLE.iter().filter(has_word).take(MEANT_MAX).map(|row| row.name).collect());
    match begin.or_else(nearest).or_else(described) {
        Some(names) => format!("did you mean {names}?"),
        None => "drivelab profiles lists the keys".to_owned(),
    }
}

/// Makes `raw` and `over_provisioning` agree; the other one follows.
fn settle_raw(parameters: &mut Parameters, raw_is_given: bool) {
    let size = u128::from(parameters.size.max(1));
    let flash = &mut parameters.flash;
    if raw_is_given {
        let spare = u128::from(flash.raw).saturating_sub(size);
        flash.over_provisioning = u64::try_from(spare * 1_000_000 / size).unwrap_or(u64::MAX);
    } else {
        let spare = size * u128::from(flash.over_provisioning) / 1_000_000;
        flash.raw = u64::try_from(size + spare).unwrap_or(u64::MAX);
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
