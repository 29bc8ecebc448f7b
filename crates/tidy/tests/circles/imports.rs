//! Which other modules a source names: in its `use` lines, and by whole paths elsewhere.

/// A module, or an item in one, by its path from the root of its crate.
pub type Name = Vec<String>;

/// Every path that a source names and that may lead to another module of its crate.
pub fn of(code: &str) -> Vec<Name> {
    let mut found = use_lines(code);
    found.extend(code.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(whole_paths));
    found
}

/// The paths of a line that begin with `crate` or `super`.
fn whole_paths(line: &str) -> Vec<Name> {
    let is_of_a_path = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ':');
    let words = line.split(|sign| !is_of_a_path(sign));
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    paths.map(|path| path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()).collect()
}

/// The paths of the `use` lines, without their groups.
fn use_lines(code: &str) -> Vec<Name> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("use ") {
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let Some((tree, more)) = after.split_once(';') else { break };
        if line.is_empty() || line.starts_with("pub") {
            expand(&[], tree, &mut found);
            rest = more;
        } else {
            rest = after;
        }
    }
    found
}

/// Takes a tree of imports apart: `a::{b, c::{d, e}}` names three.
fn expand(prefix: &[String], tree: &str, found: &mut Vec<Name>) {
    let (mut depth, mut start) = (0_usize, 0);
    for (at, sign) in tree.char_indices().chain([(tree.len(), ',')]) {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                expand_one(prefix, tree[start..at].trim(), found);
                start = at + 1;
            }
            _ => {}
        }
    }
}

fn expand_one(prefix: &[String], tree: &str, found: &mut Vec<Name>) {
    let (path, group) = tree.split_once('{').map_or((tree, None), |(path, group)| (path, Some(group)));
    let path = path.split(" as ").next().unwrap_or_default();
    let parts = path.split("::").map(str::trim).filter(|part| !part.is_empty() && *part != "self");
    let is_own = path.trim_start().starts_with("self::").then(|| "self".to_owned());
    let name: Name = prefix.iter().cloned().chain(is_own).chain(parts.map(str::to_owned)).collect();
    match group {
        Some(group) => {
            expand(&name, group.trim_end().trim_end_matches(',').strip_suffix('}').unwrap_or(group), found);
        }
        None if !tree.is_empty() => found.push(name),
        None => {}
    }
}
