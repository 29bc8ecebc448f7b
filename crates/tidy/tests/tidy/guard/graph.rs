//! Circles in what imports what.

use std::collections::{BTreeMap, BTreeSet};

/// A module by the parts of its path.
type Name = Vec<String>;

/// What each module imports of the others.
pub type Arrows = BTreeMap<Name, BTreeSet<Name>>;

type Borrowed<'a> = BTreeMap<&'a Name, BTreeSet<&'a Name>>;

/// Modules each of which reaches each of the others by imports.
#[derive(Debug, PartialEq, Eq)]
pub struct Circle {
    /// Their paths, as in `source/open`, in the order of the alphabet.
    pub modules: Vec<String>,
    /// Every import among them, as in `source/open -> plan`.
    pub arrows: Vec<String>,
}

impl Circle {
    fn of(members: &BTreeSet<&Name>, arrows: &Borrowed<'_>) -> Circle {
        let mut inside = Vec::new();
        for from in members {
            for to in arrows[from].iter().filter(|to| members.contains(*to)) {
                inside.push(format!("{} -> {}", from.join("/"), to.join("/")));
            }
        }
        Circle { modules: members.iter().map(|member| member.join("/")).collect(), arrows: inside }
    }

    /// The circle as a fault, with every import in it.
    pub fn fault(&self, whose: &str) -> String {
        let (number, modules) = (self.modules.len(), self.modules.join(", "));
        let arrows = self.arrows.join("\n  ");
        format!("{whose}: a circle of {number} modules ({modules}); cut one of these imports:\n  {arrows}")
    }
}

/// The circles: modules of one folder among themselves, and folders with what lies in them among each other.
///
/// A parent and the modules in its folder are one thing: what they import of each other makes no circle by itself, and
/// what any of them imports counts for all of them.
pub fn circles(arrows: &Arrows) -> Vec<Circle> {
    let mut all = Borrowed::new();
    for (from, to) in arrows {
        all.insert(from, to.iter().filter(|to| *to != from && arrows.contains_key(*to)).collect());
    }
    let mut found: Vec<BTreeSet<&Name>> =
        components(&all).into_iter().filter(|members| !are_one_thing(members)).collect();
    let mut without_parents = Borrowed::new();
    for (from, known) in &all {
        let others = known.iter().filter(|to| !from.starts_with(to) && !to.starts_with(from));
        without_parents.insert(from, others.copied().collect());
    }
    for members in components(&without_parents) {
        if !found.iter().any(|larger| members.is_subset(larger)) {
            found.push(members);
        }
    }
    found.iter().map(|members| Circle::of(members, &all)).collect()
}

/// Whether modules are a parent and what lies in its folder.
fn are_one_thing(members: &BTreeSet<&Name>) -> bool {
    members.iter().any(|parent| members.iter().all(|member| member.starts_with(parent)))
}

/// The strongly connected components of more than one module.
fn components<'a>(arrows: &Borrowed<'a>) -> BTreeSet<BTreeSet<&'a Name>> {
    let reached: Borrowed = arrows.keys().map(|module| (*module, reached_from(module, arrows))).collect();
    let mut found = BTreeSet::new();
    for (one, others) in &reached {
        let members: BTreeSet<&Name> =
            others.iter().copied().filter(|other| reached[other].contains(one)).collect();
        if members.len() > 1 {
            found.insert(members);
        }
    }
    found
}

/// Every module that one reaches by imports, over however many others; itself only where a way leads back.
fn reached_from<'a>(module: &'a Name, arrows: &Borrowed<'a>) -> BTreeSet<&'a Name> {
    let mut found = BTreeSet::new();
    let mut left = vec![module];
    while let Some(one) = left.pop() {
        left.extend(arrows[one].iter().copied().filter(|next| found.insert(*next)));
    }
    found
}
