//! TypeScript and JavaScript as the rules see them: words, strings and signs, without comments.

use std::collections::{BTreeMap, BTreeSet};

use crate::guard::graph::Arrows;
use crate::guard::sources::Source;

/// Endings of scripts.
pub const SCRIPTS: &[&str] = &["ts", "mts", "js", "mjs"];

/// A piece of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A name, a keyword or a number.
    Word(String),
    /// What a string says, or the text of a template before its first value.
    Text(String),
    /// A template with values in it.
    Template,
    /// Any other sign.
    Sign(char),
}

/// A piece and the line that it begins in, from 1 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub piece: Piece,
    /// Its line.
    pub line: usize,
}

/// An import of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptImport {
    /// What is imported, as it is written; none where a program computes it.
    pub from: Option<String>,
    /// The line.
    pub line: usize,
}

/// Which scripts import which others.
#[derive(Default)]
pub struct ScriptImports {
    /// The imports, by the paths of the scripts without their endings.
    pub arrows: Arrows,
    /// Imports that lead to no known file, each as a fault.
    pub lost: Vec<String>,
}

/// Reads the imports of all scripts.
pub fn arrows(sources: &[Source]) -> ScriptImports {
    let files: BTreeMap<&str, Vec<String>> =
        sources.iter().map(|source| (source.path.as_str(), module_of(&source.path))).collect();
    let mut found = ScriptImports::default();
    for source in sources.iter().filter(|source| source.ends_with(SCRIPTS)) {
        let mut known = BTreeSet::new();
        for import in imports(&tokens(&source.text)) {
            let Some(from) = import.from else {
                found.lost.push(format!("{}:{}: an import that is computed", source.path, import.line));
                continue;
            };
            if from.starts_with('.') {
                match place_of(&source.path, &from, &files) {
                    Some(module) => drop(known.insert(module.clone())),
                    None => found.lost.push(format!("{}:{}: {from} is not there", source.path, import.line)),
                }
            }
        }
        found.arrows.insert(module_of(&source.path), known);
    }
    found
}

/// A script's name as a module.
fn module_of(path: &str) -> Vec<String> {
    let plain = path.rsplit_once('.').map_or(path, |(plain, _)| plain);
    plain.split('/').map(str::to_owned).collect()
}

/// The module that a relative import of a script means.
fn place_of<'a>(script: &str, from: &str, files: &'a BTreeMap<&str, Vec<String>>) -> Option<&'a Vec<String>> {
    let mut parts: Vec<&str> = script.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    let plain = path.rsplit_once('.').map_or(path.as_str(), |(plain, _)| plain);
    let with_endings =
        |plain: &str| SCRIPTS.iter().map(|ending| format!("{plain}.{ending}")).collect::<Vec<_>>();
    // A script may be imported by the name that it has when it is compiled, as in `./plot.js` for `plot.ts`.
    let places = [
        vec![path.clone()],
        with_endings(&path),
        with_endings(&format!("{path}/index")),
        with_endings(plain),
    ];
    places.iter().flatten().find_map(|place| files.get(place.as_str()))
}

/// Every import and every export of what another script has.
pub fn imports(tokens: &[Token]) -> Vec<ScriptImport> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_member = at > 0 && tokens[at - 1].piece == Piece::Sign('.');
        let Piece::Word(word) = &token.piece else { continue };
        if is_member {
            continue;
        }
        let from = match word.as_str() {
            "import" | "require" if piece(tokens, at + 1) == Some(&Piece::Sign('(')) => {
                Some(text_of(piece(tokens, at + 2)))
            }
            "import" => statement_source(tokens, at).map(Some),
            "export" if begins_list(tokens, at + 1) => statement_source(tokens, at).map(Some),
            _ => None,
        };
        if let Some(from) = from {
            found.push(ScriptImport { from, line: token.line });
        }
    }
    found
}

/// Whether names in braces or a star stand behind `export` or `export type`.
fn begins_list(tokens: &[Token], at: usize) -> bool {
    match piece(tokens, at) {
        Some(Piece::Sign('{' | '*')) => true,
        Some(Piece::Word(word)) if word == "type" => {
            matches!(piece(tokens, at + 1), Some(Piece::Sign('{' | '*')))
        }
        _ => false,
    }
}

/// The string of a statement `import "x"`, `import ... from "x"` or `export ... from "x"`.
fn statement_source(tokens: &[Token], at: usize) -> Option<String> {
    let mut depth = 0_usize;
    for place in at + 1..tokens.len() {
        match &tokens[place].piece {
            Piece::Text(text) if place == at + 1 => return Some(text.clone()),
            Piece::Word(word) if word == "from" && depth == 0 => {
                if let Some(Piece::Text(text)) = piece(tokens, place + 1) {
                    return Some(text.clone());
                }
            }
            Piece::Sign('{') => depth += 1,
            Piece::Sign('}') => depth = depth.checked_sub(1)?,
            Piece::Sign(',' | '*') | Piece::Word(_) | Piece::Text(_) => {}
            // `import name = require("x")` is found at its `require`.
            _ => return None,
        }
    }
    None
}

fn piece(tokens: &[Token], at: usize) -> Option<&Piece> {
    tokens.get(at).map(|token| &token.piece)
}

fn text_of(piece: Option<&Piece>) -> Option<String> {
    match piece {
        Some(Piece::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

/// A script in pieces.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader { signs: text.chars().collect(), at: 0, line: 1, found: Vec::new() };
    reader.read(false);
    reader.found
}

struct Reader {
    signs: Vec<char>,
    at: usize,
    line: usize,
    found: Vec<Token>,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.signs.get(self.at + ahead).copied()
    }

    fn step(&mut self) -> Option<char> {
        let sign = self.peek(0)?;
        self.at += 1;
        self.line += usize::from(sign == '\n');
        Some(sign)
    }

    /// Reads to the end, or to the brace that closes a value in a template.
    fn read(&mut self, is_in_template: bool) {
        let mut depth = 0_usize;
        while let Some(sign) = self.peek(0) {
            let line = self.line;
            match (sign, self.peek(1)) {
                ('/', Some('/')) => self.skip_line(),
                ('/', Some('*')) => self.skip_comment(),
                ('/', _) if self.expects_a_value() => self.skip_pattern(),
                ('"' | '\'', _) => self.read_string(),
                ('`', _) => self.read_template(),
                _ if sign.is_alphanumeric() || matches!(sign, '_' | '$' | '#') => self.read_name(),
                _ => {
                    self.step();
                    match sign {
                        '{' => depth += 1,
                        '}' if depth == 0 && is_in_template => return,
                        '}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    if !sign.is_whitespace() {
                        self.found.push(Token { piece: Piece::Sign(sign), line });
                    }
                }
            }
        }
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|sign| sign != '\n') {
            self.step();
        }
    }

    fn skip_comment(&mut self) {
        self.step();
        self.step();
        while let Some(sign) = self.step() {
            if sign == '*' && self.peek(0) == Some('/') {
                self.step();
                return;
            }
        }
    }

    /// Whether a `/` begins a regular expression here, and divides nothing.
    fn expects_a_value(&self) -> bool {
        match self.found.last().map(|token| &token.piece) {
            Some(Piece::Word(word)) => {
                ["return", "typeof", "case", "of", "in", "await"].contains(&word.as_str())
            }
            Some(Piece::Text(_) | Piece::Template | Piece::Sign(')' | ']' | '}')) => false,
            Some(Piece::Sign(_)) | None => true,
        }
    }

    fn skip_pattern(&mut self) {
        self.step();
        let mut is_in_class = false;
        while let Some(sign) = self.step() {
            match sign {
                '\\' => drop(self.step()),
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                '/' if !is_in_class => return,
                '\n' => return,
                _ => {}
            }
        }
    }

    fn read_name(&mut self) {
        let (line, start) = (self.line, self.at);
        while self.peek(0).is_some_and(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '$' | '#')) {
            self.step();
        }
        let word = self.signs[start..self.at].iter().collect();
        self.found.push(Token { piece: Piece::Word(word), line });
    }

    fn read_string(&mut self) {
        let line = self.line;
        let quote = self.step();
        let mut text = String::new();
        while let Some(sign) = self.step() {
            match sign {
                '\\' => text.extend(self.step()),
                _ if Some(sign) == quote => break,
                _ => text.push(sign),
            }
        }
        self.found.push(Token { piece: Piece::Text(text), line });
    }

    fn read_template(&mut self) {
        let (line, before) = (self.line, self.found.len());
        self.step();
        let mut text = String::new();
        let mut has_values = false;
        while let Some(sign) = self.step() {
            match sign {
                '`' => break,
                '\\' => text.extend(self.step()),
                '$' if self.peek(0) == Some('{') => {
                    self.step();
                    has_values = true;
                    self.read(true);
                }
                _ => text.push(sign),
            }
        }
        let piece = if has_values { Piece::Template } else { Piece::Text(text) };
        self.found.insert(before, Token { piece, line });
    }
}

#[test]
fn every_import_of_a_script_leads_to_a_file() {
    assert_eq!(arrows(crate::guard::sources::repository()).lost, Vec::<String>::new());
}
