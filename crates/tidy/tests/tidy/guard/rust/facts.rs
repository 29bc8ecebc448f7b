//! What one module's text names and holds.

use std::collections::BTreeMap;

/// A module or an item by the parts of its path. An empty first part stands for a `::` before the path.
pub type Name = Vec<String>;

/// How a path is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// As a type, a value, a function or a part of an attribute.
    Plain,
    /// As a macro that is called.
    Macro,
    /// With braces behind it, which make or match a value.
    Literal,
}

/// A path and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The path as it is written.
    pub path: Name,
    /// How it is used.
    pub form: Form,
}

/// A name that a module gets from elsewhere: by `use`, `extern crate`, or as another name of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Its name in the module; none for a glob.
    pub name: Option<String>,
    /// What it stands for, as it is written.
    pub path: Name,
    /// The line, from 1 on.
    pub line: usize,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The line of its `fn`, from 1 on.
    pub line: usize,
    /// Lines from its `fn` to its closing brace.
    pub lines: usize,
}

/// A struct with named fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Whether a field of it can be reached from other crates.
    pub has_open_fields: bool,
}

/// What is found in a module.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Names from elsewhere.
    pub imports: Vec<Import>,
    /// Every path in its text, apart from those of `use`, each with the first line that has it.
    pub mentions: BTreeMap<Mention, usize>,
    /// Lines with the word `unsafe`.
    pub unsafe_lines: Vec<usize>,
    /// Lines of attributes that keep a test from being run.
    pub ignored_tests: Vec<usize>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// Its structs.
    pub structs: Vec<Struct>,
    /// The names of its structs, enums and traits.
    pub types: Vec<String>,
}
