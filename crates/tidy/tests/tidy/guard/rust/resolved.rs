//! What the names in a text stand for, through imports, other names, globs and other crates.

use super::facts::{Form, Name};
use super::workspace::{Krate, Workspace};

/// Names that stand for each other in a circle lead nowhere.
const DEPTH_MAX: usize = 12;

/// Something that a module names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What it may be, by paths that begin with the name of a crate, as in `std::fs::read`: several where globs leave it open,
    /// and the path as it is written where nothing is known.
    pub targets: Vec<Name>,
    /// How it is used.
    pub form: Form,
    /// The line, from 1 on.
    pub line: usize,
}

impl Reference {
    /// Whether one of the targets has these parts one after the other.
    pub fn has(&self, parts: &[&str]) -> bool {
        let is_there = |target: &Name| target.windows(parts.len()).any(|window| window == parts);
        self.targets.iter().any(is_there)
    }
}

/// The name of a crate, as code writes it.
fn code_name(folder: &str) -> String {
    format!("drivelab_{folder}")
}

impl Workspace {
    /// Finds what every module names.
    pub(super) fn resolve(&mut self) {
        let mut found = Vec::new();
        for (folder, krate) in &self.crates {
            for (name, module) in &krate.modules {
                let mut references = Vec::new();
                for import in &module.facts.imports {
                    let targets = self.import_targets(folder, name, &import.path, import.name.as_deref(), 0);
                    references.push(Reference { targets, form: Form::Plain, line: import.line });
                }
                for (mention, line) in &module.facts.mentions {
                    let targets = self.targets(folder, name, &mention.path, 0);
                    references.push(Reference { targets, form: mention.form, line: *line });
                }
                found.push((folder.clone(), name.clone(), references));
            }
        }
        for (folder, name, references) in found {
            let module = self.crates.get_mut(&folder).and_then(|krate| krate.modules.get_mut(&name));
            if let Some(module) = module {
                module.references = references;
            }
        }
    }

    /// What an import stands for. Its own name means something from outside: `use serde::serde`.
    fn import_targets(
        &self,
        folder: &str,
        module: &Name,
        path: &[String],
        own: Option<&str>,
        depth: usize,
    ) -> Vec<Name> {
        let first = path.first().map(String::as_str);
        if first.is_some() && first == own {
            return self.targets_outside(folder, module, path, depth);
        }
        self.targets(folder, module, path, depth)
    }

    /// What a path in a module may stand for.
    fn targets(&self, folder: &str, module: &Name, path: &[String], depth: usize) -> Vec<Name> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        if depth > DEPTH_MAX {
            return Vec::new();
        }
        match first.as_str() {
            "crate" => self.inside(folder, &Vec::new(), rest, depth),
            "self" => self.inside(folder, module, rest, depth),
            "super" => {
                let Some((_, above)) = module.split_last() else { return Vec::new() };
                let above = above.to_vec();
                match rest.first().map(String::as_str) {
                    Some("super") => self.targets(folder, &above, rest, depth + 1),
                    _ => self.inside(folder, &above, rest, depth),
                }
            }
            _ => {
                let known = self.named_in(folder, module, path, depth);
                if known.is_empty() { self.targets_outside(folder, module, path, depth) } else { known }
            }
        }
    }

    /// A path that begins with a module or a crate, and not with a name that is imported.
    fn targets_outside(&self, folder: &str, module: &Name, path: &[String], depth: usize) -> Vec<Name> {
        let child = [&module[..], &path[..1]].concat();
        if self.module(folder, &child).is_some() {
            return self.inside(folder, &child, &path[1..], depth);
        }
        let path = if path[0].is_empty() { &path[1..] } else { path };
        let other = path.first().and_then(|first| first.strip_prefix("drivelab_"));
        match other {
            Some(other) if self.crates.contains_key(other) && depth <= DEPTH_MAX => {
                self.inside(other, &Vec::new(), &path[1..], depth + 1)
            }
            _ => vec![path.to_vec()],
        }
    }

    /// What a path stands for that begins in a module.
    fn inside(&self, folder: &str, module: &Name, rest: &[String], depth: usize) -> Vec<Name> {
        let own = || [&[code_name(folder)], &module[..], rest].concat();
        let Some(first) = rest.first() else { return vec![own()] };
        if depth > DEPTH_MAX {
            return vec![own()];
        }
        let child = [&module[..], std::slice::from_ref(first)].concat();
        let known = self.named_in(folder, module, rest, depth);
        if self.module(folder, &child).is_some() {
            return [self.inside(folder, &child, &rest[1..], depth), known].concat();
        }
        if known.is_empty() { vec![own()] } else { known }
    }

    /// What a path stands for whose first part a module imports, by its name or by a glob.
    fn named_in(&self, folder: &str, module: &Name, path: &[String], depth: usize) -> Vec<Name> {
        let (Some(found), Some(first)) = (self.module(folder, module), path.first()) else {
            return Vec::new();
        };
        let mut targets = Vec::new();
        // A function may have the name of a module; what has parts is the module.
        if path.len() > 1 && self.has_child(folder, module, first) {
            return targets;
        }
        for import in &found.facts.imports {
            if import.name.as_ref() == Some(first) {
                let whole = [&import.path[..], &path[1..]].concat();
                targets.extend(self.import_targets(folder, module, &whole, Some(first), depth + 1));
            }
        }
        if targets.is_empty() && !self.has_child(folder, module, first) {
            for import in found.facts.imports.iter().filter(|import| import.name.is_none()) {
                targets.extend(self.through_glob(folder, module, &import.path, path, depth + 1));
            }
        }
        targets
    }

    /// What a path stands for if a glob provides its first part.
    fn through_glob(
        &self,
        folder: &str,
        module: &Name,
        glob: &[String],
        path: &[String],
        depth: usize,
    ) -> Vec<Name> {
        let mut found = Vec::new();
        if depth > DEPTH_MAX {
            return found;
        }
        for target in self.import_targets(folder, module, glob, None, depth) {
            match self.own_module(&target) {
                Some((folder, module)) => {
                    let folder = folder.to_owned();
                    if self.has_child(&folder, &module, &path[0]) {
                        found.extend(self.inside(&folder, &module, path, depth));
                    } else {
                        found.extend(self.named_in(&folder, &module, path, depth));
                    }
                }
                // What a type of the workspace has, and what another crate has.
                None => found.push([&target[..], path].concat()),
            }
        }
        // A name that no glob is known to provide is the module's own.
        if !found.is_empty() && path.len() == 1 {
            found.push([&[code_name(folder)], &module[..], path].concat());
        }
        found
    }

    /// The module of the workspace that a path names.
    fn own_module(&self, target: &[String]) -> Option<(&str, Name)> {
        let (folder, krate) = self.krate_of(target)?;
        let module = target[1..].to_vec();
        krate.modules.contains_key(&module).then_some((folder, module))
    }

    /// The crate of the workspace that a path begins with.
    pub fn krate_of(&self, target: &[String]) -> Option<(&str, &Krate)> {
        let folder = target.first()?.strip_prefix("drivelab_")?;
        self.crates.get_key_value(folder).map(|(folder, krate)| (folder.as_str(), krate))
    }

    fn has_child(&self, folder: &str, module: &Name, name: &str) -> bool {
        self.module(folder, &[&module[..], &[name.to_owned()]].concat()).is_some()
    }

    fn module(&self, folder: &str, name: &[String]) -> Option<&super::workspace::Module> {
        self.crates.get(folder)?.modules.get(name)
    }
}
