//! Inside a room, too, arrows run one way: no two modules import each other.
//!
//! A parent and the modules in its folder are one thing and may know each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A module by its path from the root of its crate.
type Name = Vec<String>;

/// The modules of a crate, each with what it imports.
struct Crate(BTreeMap<Name, Vec<Name>>);

impl Crate {
    fn read(src: &Path) -> Crate {
        let mut modules = BTreeMap::new();
        let mut left = vec![src.to_owned()];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source in UTF-8");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                modules.insert(module_name(src, &path), imports(code));
            }
        }
        Crate(modules)
    }

    /// An import of a module as a path from the crate's root; none for other crates.
    fn absolute(&self, module: &Name, import: &[String]) -> Option<Name> {
        let (first, rest) = import.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let above = module[..module.len().checked_sub(1)?].to_vec();
                if rest.first().is_some_and(|next| next == "super") {
                    return self.absolute(&above, rest);
                }
                Some([&above[..], rest].concat())
            }
            _ => {
                let below = [&module[..], import].concat();
                self.0.contains_key(&below[..=module.len()]).then_some(below)
            }
        }
    }

    /// The module that an item lies in, seen through the names that a parent passes on.
    fn home(&self, item: &Name) -> Name {
        let depth = (0..=item.len()).rev().find(|depth| self.0.contains_key(&item[..*depth])).unwrap_or(0);
        let (module, rest) = (item[..depth].to_vec(), &item[depth..]);
        let passed_on = rest.first().and_then(|wanted| {
            let imports = self.0.get(&module)?.iter().filter(|import| import.last() == Some(wanted));
            imports.filter_map(|import| self.absolute(&module, import)).find(|found| found != item)
        });
        passed_on.map_or(module, |found| self.home(&found))
    }

    fn circles(&self) -> Vec<String> {
        let mut arrows: BTreeMap<&Name, Vec<Name>> = BTreeMap::new();
        for (module, imports) in &self.0 {
            let items = imports.iter().filter_map(|import| self.absolute(module, import));
            arrows.insert(module, items.map(|item| self.home(&item)).collect());
        }
        let knows = |one: &Name, other: &Name| arrows.get(one).is_some_and(|known| known.contains(other));
        let mut found = Vec::new();
        for one in self.0.keys() {
            for other in self.0.keys().filter(|other| one < *other && !other.starts_with(one)) {
                if knows(one, other) && knows(other, one) {
                    found.push(format!("{} <-> {}", one.join("/"), other.join("/")));
                }
            }
        }
        found
    }
}

fn module_name(src: &Path, path: &Path) -> Name {
    let plain: PathBuf = path.strip_prefix(src).expect("below the root").with_extension("");
    let mut name: Name = plain.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if name.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        name.pop();
    }
    name
}

/// Every path that the `use` lines of a source name, without its groups.
fn imports(code: &str) -> Vec<Name> {
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

#[test]
fn no_two_modules_import_each_other() {
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for room in std::fs::read_dir(rooms).expect("the folder of crates").flatten() {
        let src = room.path().join("src");
        if src.is_dir() {
            let name = room.file_name().to_string_lossy().into_owned();
            found.extend(Crate::read(&src).circles().into_iter().map(|circle| format!("{name}: {circle}")));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_circle_is_seen_through_names_that_are_passed_on() {
    let names = |text: &str| text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let sources = [
        ("", "mod claim;\nmod grant;\npub use grant::{Grant, Identity as Who};"),
        ("claim", "use crate::{Grant, System};"),
        ("grant", "use std::fmt;\nuse crate::{checks, claim::{self, a::{b}}};"),
        ("checks", "use super::claim::{self, first};"),
    ];
    let modules = sources.iter().map(|(name, code)| (names(name), imports(code)));
    assert_eq!(Crate(modules.collect()).circles(), ["claim <-> grant"]);
}
