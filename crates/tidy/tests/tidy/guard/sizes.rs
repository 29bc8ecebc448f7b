//! How long files, functions and lines may be.

use crate::guard::rust::Workspace;
use crate::guard::sources::{Source, repository};
use crate::guard::typescript::{self, Piece, SCRIPTS, Token};

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const LINE_WIDTH_MAX: usize = 130;

/// Files that are too long.
pub fn long_files(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in
        sources.iter().filter(|source| source.ends_with(&["rs", "css"]) || source.ends_with(SCRIPTS))
    {
        let lines = source.text.lines().count();
        if lines > FILE_LINES_MAX {
            faults.push(format!("{}: {lines} lines", source.path));
        }
    }
    faults
}

/// Lines that are too wide.
pub fn wide_lines(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in
        sources.iter().filter(|source| source.ends_with(&["rs", "md", "toml"]) || source.ends_with(SCRIPTS))
    {
        for (index, line) in source.text.lines().enumerate() {
            // A table or a link of Markdown cannot be broken.
            let unbreakable = source.ends_with(&["md"]) && (line.starts_with('|') || line.contains("]("));
            if line.chars().count() > LINE_WIDTH_MAX && !unbreakable {
                faults.push(format!("{}:{}", source.path, index + 1));
            }
        }
    }
    faults
}

/// Functions of Rust that are too long, those of tests included.
pub fn long_functions(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, file) in &workspace.files {
        for function in file.everything.values().flat_map(|facts| &facts.functions) {
            if function.lines > FUNCTION_LINES_MAX {
                faults.push(format!(
                    "{path}:{}: {} has {} lines",
                    function.line, function.name, function.lines
                ));
            }
        }
    }
    faults
}

/// Functions of scripts that are too long.
pub fn long_script_functions(sources: &[Source]) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources.iter().filter(|source| source.ends_with(SCRIPTS)) {
        let tokens = typescript::tokens(&source.text);
        for (at, token) in tokens.iter().enumerate() {
            let Some(body) = body_of(&tokens, at) else { continue };
            let lines = line_of_end(&tokens, body) + 1 - token.line;
            if lines > FUNCTION_LINES_MAX {
                faults.push(format!("{}:{}: a function has {lines} lines", source.path, token.line));
            }
        }
    }
    faults
}

/// Where the brace stands that opens the body of a function which begins at a place: at `function`, or at an arrow.
fn body_of(tokens: &[Token], at: usize) -> Option<usize> {
    let sign =
        |place: usize, sign: char| tokens.get(place).is_some_and(|token| token.piece == Piece::Sign(sign));
    if sign(at, '=') && sign(at + 1, '>') && sign(at + 2, '{') {
        return Some(at + 2);
    }
    if tokens[at].piece != Piece::Word("function".to_owned()) {
        return None;
    }
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(at + 1) {
        match token.piece {
            Piece::Sign('(') => depth += 1,
            Piece::Sign(')') => depth = depth.saturating_sub(1),
            Piece::Sign('{') if depth == 0 => return Some(place),
            Piece::Sign(';') if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The line of the brace that closes what another one opens.
fn line_of_end(tokens: &[Token], opening: usize) -> usize {
    let mut depth = 0_usize;
    for token in &tokens[opening..] {
        match token.piece {
            Piece::Sign('{') => depth += 1,
            Piece::Sign('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return token.line;
        }
    }
    tokens.last().map_or(0, |token| token.line)
}

#[test]
fn files_are_short() {
    assert_eq!(long_files(repository()), Vec::<String>::new());
}

#[test]
fn functions_fit_on_a_screen() {
    assert_eq!(long_functions(crate::guard::workspace()), Vec::<String>::new());
    assert_eq!(long_script_functions(repository()), Vec::<String>::new());
}

#[test]
fn lines_are_not_too_wide() {
    assert_eq!(wide_lines(repository()), Vec::<String>::new());
}
