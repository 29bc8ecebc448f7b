//! The words of a text, one after the other: macros' arguments are read like all other code.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use syn::UseTree;

use super::facts::{Facts, Form, Function, Import, Mention, Name, Struct};
use super::product;

/// What is found in a text, by the modules that are written in it.
pub fn modules(tokens: TokenStream) -> BTreeMap<Name, Facts> {
    let mut walk = Walk { modules: BTreeMap::from([(Vec::new(), Facts::default())]) };
    walk.read(tokens, &Place { module: Vec::new(), is_outermost: true });
    walk.modules
}

/// A name without what makes a keyword one.
pub fn plain_name(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// Words that begin no path.
const KEYWORDS: &[&str] = &[
    "as", "async", "await", "box", "break", "const", "continue", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
    "static", "struct", "trait", "true", "type", "unsafe", "use", "where", "while",
];
/// Words before a path with which braces behind it are no value of that type.
const NO_VALUE_BEHIND: &[&str] =
    &["enum", "for", "impl", "in", "match", "mod", "struct", "trait", "union", "while"];

/// Where words stand.
struct Place {
    module: Name,
    /// Whether they stand in no function, type or macro.
    is_outermost: bool,
}

struct Walk {
    modules: BTreeMap<Name, Facts>,
}

/// The path that begins at a word.
struct Path {
    parts: Name,
    /// The word behind it.
    end: usize,
}

impl Walk {
    fn facts(&mut self, place: &Place) -> &mut Facts {
        self.modules.entry(place.module.clone()).or_default()
    }

    fn read(&mut self, tokens: TokenStream, place: &Place) {
        let words: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < words.len() {
            at = match &words[at] {
                TokenTree::Ident(_) => self.read_word(&words, at, place),
                TokenTree::Group(group) => {
                    self.read(group.stream(), &Place { module: place.module.clone(), is_outermost: false });
                    at + 1
                }
                TokenTree::Punct(sign) => match sign.as_char() {
                    // A lifetime.
                    '\'' => at + 2,
                    '#' => self.read_attribute(&words, at, place),
                    ':' if begins_path(&words, at) => self.read_path(&words, at, place),
                    '<' => self.read_qualified(&words, at, place),
                    _ => at + 1,
                },
                TokenTree::Literal(_) => at + 1,
            };
        }
    }

    /// Reads from one word on, and returns the place of the next that is not read.
    fn read_word(&mut self, words: &[TokenTree], at: usize, place: &Place) -> usize {
        let line = line_of(&words[at]);
        let (word, next) = (word_at(words, at), word_at(words, at + 1));
        match word.as_deref().unwrap_or_default() {
            "use" => {
                if let Some(end) = self.read_use(words, at, place) {
                    return end;
                }
            }
            "extern" if next.as_deref() == Some("crate") => {
                let renamed = word_at(words, at + 3).filter(|word| word == "as").and(word_at(words, at + 4));
                if let Some(name) = word_at(words, at + 2) {
                    let import = Import {
                        name: Some(renamed.unwrap_or_else(|| name.clone())),
                        path: vec![name],
                        line,
                    };
                    self.facts(place).imports.push(import);
                }
                return at + 3;
            }
            "mod" => {
                if let (Some(name), Some(inside)) = (next, braces_at(words, at + 2)) {
                    let module = [&place.module[..], &[name]].concat();
                    self.modules.entry(module.clone()).or_default();
                    self.read(inside.stream(), &Place { module, is_outermost: place.is_outermost });
                    return at + 3;
                }
                return at + 2;
            }
            "unsafe" => self.facts(place).unsafe_lines.push(line),
            "fn" => {
                if let (Some(name), Some(lines)) = (next, lines_of_body(words, at)) {
                    self.facts(place).functions.push(Function { name, line, lines });
                    return at + 2;
                }
            }
            "struct" => {
                if let Some(name) = next {
                    self.facts(place).types.push(name.clone());
                    self.note_struct(words, at, name, place);
                    return at + 2;
                }
            }
            "enum" | "trait" => self.facts(place).types.extend(next),
            "type" if place.is_outermost => self.note_other_name(words, at, place),
            _ => {}
        }
        let is_field_or_method =
            is_sign(words, at.wrapping_sub(1), '.') && !is_sign(words, at.wrapping_sub(2), '.');
        let begins = word.is_some_and(|word| !KEYWORDS.contains(&word.as_str()));
        if begins && !is_field_or_method { self.read_path(words, at, place) } else { at + 1 }
    }

    fn read_path(&mut self, words: &[TokenTree], at: usize, place: &Place) -> usize {
        let path = path_from(words, at);
        self.note_path(words, at, path, place)
    }

    /// `<Type>::name` and `<Type as Trait>::name`.
    fn read_qualified(&mut self, words: &[TokenTree], at: usize, place: &Place) -> usize {
        let inner = path_from(words, at + 1);
        let closing = (inner.end..words.len())
            .take_while(|at| !is_sign(words, *at, ';'))
            .find(|at| is_sign(words, *at, '>'));
        if let Some(closing) = closing
            && !inner.parts.is_empty()
            && begins_path(words, closing + 1)
        {
            let rest = path_from(words, closing + 1);
            let parts = inner.parts.into_iter().chain(rest.parts.into_iter().skip(1)).collect();
            self.note_path(words, at, Path { parts, end: rest.end }, place);
        }
        at + 1
    }

    fn note_path(&mut self, words: &[TokenTree], at: usize, path: Path, place: &Place) -> usize {
        let Path { parts, end } = path;
        if parts.is_empty() {
            return at + 1;
        }
        let line = line_of(&words[at]);
        // In a macro's arguments, a group may stand for several ends of one path.
        if is_path_sign(words, end) && braces_at(words, end + 2).is_some() {
            let whole: TokenStream = words[at..end + 3].iter().cloned().collect();
            if let Ok(tree) = syn::parse2::<UseTree>(whole) {
                self.facts(place).imports.extend(leaves(&tree, &Vec::new(), line));
                return end + 3;
            }
        }
        let before = word_at(words, at.wrapping_sub(1)).unwrap_or_default();
        let follows_arrow =
            is_sign(words, at.wrapping_sub(1), '>') && is_sign(words, at.wrapping_sub(2), '-');
        let is_call = is_sign(words, end, '!') && matches!(words.get(end + 1), Some(TokenTree::Group(_)));
        let is_value =
            braces_at(words, end).is_some() && !follows_arrow && !NO_VALUE_BEHIND.contains(&before.as_str());
        let form = if is_call || word_at(words, end + 1).is_some() && is_sign(words, end, '!') {
            Form::Macro
        } else if is_value {
            Form::Literal
        } else {
            Form::Plain
        };
        self.facts(place).mentions.entry(Mention { path: parts, form }).or_insert(line);
        end
    }

    /// Reads a declaration of imports up to its `;`; none if it is no such declaration.
    fn read_use(&mut self, words: &[TokenTree], at: usize, place: &Place) -> Option<usize> {
        let end = (at..words.len()).find(|at| is_sign(words, *at, ';'))?;
        let whole: TokenStream = words[at..=end].iter().cloned().collect();
        let item: syn::ItemUse = syn::parse2(whole).ok()?;
        let prefix = if item.leading_colon.is_some() { vec![String::new()] } else { Vec::new() };
        self.facts(place).imports.extend(leaves(&item.tree, &prefix, line_of(&words[at])));
        Some(end + 1)
    }

    /// Notes `type Name = path;`, which is another name of what the path names.
    fn note_other_name(&mut self, words: &[TokenTree], at: usize, place: &Place) {
        let Some(name) = word_at(words, at + 1) else { return };
        if is_sign(words, at + 2, '=') {
            let path = path_from(words, at + 3);
            if !path.parts.is_empty() && is_sign(words, path.end, ';') {
                let import = Import { name: Some(name), path: path.parts, line: line_of(&words[at]) };
                self.facts(place).imports.push(import);
            }
        }
    }

    fn note_struct(&mut self, words: &[TokenTree], at: usize, name: String, place: &Place) {
        let body =
            (at..words.len()).take_while(|at| !is_sign(words, *at, ';')).find_map(|at| braces_at(words, at));
        let has_open_fields = body.is_some_and(|body| {
            let words: Vec<TokenTree> = body.stream().into_iter().collect();
            let is_public = |at: usize| {
                // `pub(crate)` and its like do not leave the crate.
                word_at(&words, at).as_deref() == Some("pub")
                    && !matches!(words.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
            };
            (0..words.len()).any(is_public)
        });
        self.facts(place).structs.push(Struct { name, has_open_fields });
    }

    /// Reads an attribute without what holds in tests alone.
    fn read_attribute(&mut self, words: &[TokenTree], at: usize, place: &Place) -> usize {
        let group_at = if is_sign(words, at + 1, '!') { at + 2 } else { at + 1 };
        let Some(TokenTree::Group(group)) = words.get(group_at) else { return at + 1 };
        if group.delimiter() != Delimiter::Bracket {
            return at + 1;
        }
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        match word_at(&inside, 0).as_deref() {
            Some("ignore") => self.facts(place).ignored_tests.push(line_of(&words[at])),
            Some("cfg_attr") if !may_hold_in_product(&inside) => return group_at + 1,
            Some("cfg_attr") if mentions_ignore(&inside) => {
                self.facts(place).ignored_tests.push(line_of(&words[at]));
            }
            _ => {}
        }
        self.read(group.stream(), &Place { module: place.module.clone(), is_outermost: false });
        group_at + 1
    }
}

/// The ends of a tree of imports: `a::{b, c::{d as e, f}}` has three.
fn leaves(tree: &UseTree, prefix: &[String], line: usize) -> Vec<Import> {
    let with = |name: &Ident| -> Name { prefix.iter().cloned().chain([plain_name(name)]).collect() };
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident), line),
        UseTree::Group(group) => group.items.iter().flat_map(|one| leaves(one, prefix, line)).collect(),
        UseTree::Glob(_) => vec![Import { name: None, path: prefix.to_vec(), line }],
        UseTree::Name(name) if name.ident == "self" && !prefix.is_empty() => {
            vec![Import { name: prefix.last().cloned(), path: prefix.to_vec(), line }]
        }
        UseTree::Rename(pair) if pair.ident == "self" && !prefix.is_empty() => {
            vec![Import { name: Some(plain_name(&pair.rename)), path: prefix.to_vec(), line }]
        }
        UseTree::Name(name) => {
            vec![Import { name: Some(plain_name(&name.ident)), path: with(&name.ident), line }]
        }
        UseTree::Rename(pair) => {
            vec![Import { name: Some(plain_name(&pair.rename)), path: with(&pair.ident), line }]
        }
    }
}

/// The path that begins at a word, with what is between `<` and `>` left out.
fn path_from(words: &[TokenTree], at: usize) -> Path {
    let mut path = Path { parts: Vec::new(), end: at };
    if begins_path(words, at) {
        path = Path { parts: vec![String::new()], end: at + 2 };
    }
    let Some(first) = word_at(words, path.end) else { return Path { parts: Vec::new(), end: at } };
    path.parts.push(first);
    path.end += 1;
    while is_path_sign(words, path.end) {
        if let Some(word) = word_at(words, path.end + 2) {
            path.parts.push(word);
            path.end += 3;
        } else if is_sign(words, path.end + 2, '<') {
            let Some(behind) = behind_generics(words, path.end + 2) else { break };
            path.end = behind;
        } else {
            break;
        }
    }
    path
}

/// The word behind the `>` that closes the `<` at a place.
fn behind_generics(words: &[TokenTree], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for place in at..words.len() {
        let is_arrow = is_sign(words, place.wrapping_sub(1), '-');
        if is_sign(words, place, '<') {
            depth += 1;
        } else if is_sign(words, place, '>') && !is_arrow {
            depth -= 1;
        }
        if depth == 0 {
            return Some(place + 1);
        }
    }
    None
}

/// Whether `::` stands at a place with a word behind it, and no path before it.
fn begins_path(words: &[TokenTree], at: usize) -> bool {
    is_path_sign(words, at) && word_at(words, at + 2).is_some()
}

fn is_path_sign(words: &[TokenTree], at: usize) -> bool {
    let is_joint = matches!(words.get(at), Some(TokenTree::Punct(sign)) if sign.spacing() == Spacing::Joint);
    is_joint && is_sign(words, at, ':') && is_sign(words, at + 1, ':')
}

fn is_sign(words: &[TokenTree], at: usize, expected: char) -> bool {
    matches!(words.get(at), Some(TokenTree::Punct(sign)) if sign.as_char() == expected)
}

fn word_at(words: &[TokenTree], at: usize) -> Option<String> {
    match words.get(at)? {
        TokenTree::Ident(ident) => Some(plain_name(ident)),
        _ => None,
    }
}

fn braces_at(words: &[TokenTree], at: usize) -> Option<&Group> {
    match words.get(at)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    }
}

fn line_of(word: &TokenTree) -> usize {
    word.span().start().line
}

/// The lines of a function from its `fn` to its closing brace; none without a body.
fn lines_of_body(words: &[TokenTree], at: usize) -> Option<usize> {
    for place in at + 2..words.len() {
        if is_sign(words, place, ';') {
            return None;
        }
        if let Some(body) = braces_at(words, place) {
            return Some(body.span_close().end().line + 1 - line_of(&words[at]));
        }
    }
    None
}

/// The words of the arguments of `cfg_attr(...)`.
fn arguments(attribute: &[TokenTree]) -> Option<TokenStream> {
    match attribute.get(1)? {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    }
}

/// Whether the condition of a `cfg_attr(...)` may hold where no test is compiled.
fn may_hold_in_product(attribute: &[TokenTree]) -> bool {
    let Some(arguments) = arguments(attribute) else { return true };
    let condition = arguments
        .into_iter()
        .take_while(|word| !matches!(word, TokenTree::Punct(sign) if sign.as_char() == ','));
    let condition: Result<syn::Meta, _> = syn::parse2(condition.collect());
    condition.map_or(true, |condition| product::holds_in_product(&condition) != Some(false))
}

/// Whether a `cfg_attr(...)` may make a test an ignored one.
fn mentions_ignore(attribute: &[TokenTree]) -> bool {
    let words = arguments(attribute).into_iter().flatten();
    words.into_iter().any(|word| matches!(word, TokenTree::Ident(word) if word == "ignore"))
}
