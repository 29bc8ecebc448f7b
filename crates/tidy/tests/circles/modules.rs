//! The modules of a crate, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::imports::{self, Name};

/// The modules of a crate, each with what it imports.
pub struct Modules(BTreeMap<Name, Vec<Name>>);

/// What each module imports of the others of its crate.
type Arrows<'a> = BTreeMap<&'a Name, BTreeSet<&'a Name>>;

/// Modules each of which reaches each of the others by imports.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle {
    /// Their paths from the root of the crate, as in `source/open`, in the order of the alphabet.
    pub modules: Vec<String>,
    /// Every import among them, as in `source/open -> plan`.
    pub arrows: Vec<String>,
}

impl Modules {
    /// Modules by their names, with the text of each.
    pub fn new(sources: impl IntoIterator<Item = (Name, String)>) -> Modules {
        Modules(sources.into_iter().map(|(name, code)| (name, imports::of(&code))).collect())
    }

    /// The modules of the sources in a folder. Unit tests do not count: they may use everything.
    pub fn read(src: &Path) -> Modules {
        let mut sources = Vec::new();
        let mut left = vec![src.to_owned()];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source in UTF-8");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                sources.push((module_name(src, &path), code));
            }
        }
        Modules::new(sources)
    }

    /// The circles: modules of one folder among themselves, and folders with what lies in them among each other.
    ///
    /// A parent and the modules in its folder are one thing: what they import of each other makes no circle by itself, and
    /// what any of them imports counts for all of them.
    pub fn circles(&self) -> Vec<Circle> {
        let all = self.arrows();
        let is_one_thing = |members: &BTreeSet<&Name>| {
            members.iter().any(|parent| members.iter().all(|member| member.starts_with(parent)))
        };
        let mut found: Vec<BTreeSet<&Name>> =
            components(&all).into_iter().filter(|members| !is_one_thing(members)).collect();
        let without_parents = all.iter().map(|(from, known)| {
            let others = known.iter().filter(|to| !from.starts_with(to) && !to.starts_with(from));
            (*from, others.copied().collect())
        });
        for members in components(&without_parents.collect()) {
            if !found.iter().any(|larger| members.is_subset(larger)) {
                found.push(members);
            }
        }
        found.iter().map(|members| Circle::of(members, &all)).collect()
    }

    /// Who imports whom. The root of the crate is left out: everything lies in its folder.
    fn arrows(&self) -> Arrows<'_> {
        let mut arrows = Arrows::new();
        for (module, imports) in self.0.iter().filter(|(module, _)| !module.is_empty()) {
            let items = imports.iter().filter_map(|import| self.absolute(module, import));
            let homes =
                items.filter_map(|item| self.0.get_key_value(&self.home(&item)).map(|(name, _)| name));
            arrows.insert(module, homes.filter(|home| !home.is_empty() && *home != module).collect());
        }
        arrows
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
}

/// The strongly connected components of more than one module.
fn components<'a>(arrows: &Arrows<'a>) -> BTreeSet<BTreeSet<&'a Name>> {
    let reached: Arrows = arrows.keys().map(|module| (*module, reached_from(module, arrows))).collect();
    let component = |(one, others): (&&'a Name, &BTreeSet<&'a Name>)| -> BTreeSet<&'a Name> {
        others.iter().copied().filter(|other| reached[other].contains(one)).collect()
    };
    reached.iter().map(component).filter(|members| members.len() > 1).collect()
}

impl Circle {
    fn of(members: &BTreeSet<&Name>, arrows: &Arrows<'_>) -> Circle {
        let arrow = |from: &Name, to: &Name| format!("{} -> {}", from.join("/"), to.join("/"));
        let inside = members.iter().flat_map(|from| {
            arrows[from].iter().filter(|to| members.contains(*to)).map(move |to| arrow(from, to))
        });
        Circle { modules: members.iter().map(|member| member.join("/")).collect(), arrows: inside.collect() }
    }
}

/// Every module that one reaches by imports, over however many others; itself only where a way leads back.
fn reached_from<'a>(module: &'a Name, arrows: &Arrows<'a>) -> BTreeSet<&'a Name> {
    let mut found = BTreeSet::new();
    let mut left = vec![module];
    while let Some(one) = left.pop() {
        left.extend(arrows[one].iter().copied().filter(|next| found.insert(*next)));
    }
    found
}

fn module_name(src: &Path, path: &Path) -> Name {
    let plain: PathBuf = path.strip_prefix(src).expect("below the root").with_extension("");
    let mut name: Name = plain.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if name.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        name.pop();
    }
    name
}
