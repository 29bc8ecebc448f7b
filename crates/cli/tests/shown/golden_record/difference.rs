//! What differs between two texts, line by line, for a reader of a failed test.

use std::fmt::Write as _;

/// Unchanged lines that are shown before and after a change.
const AROUND: usize = 2;
/// Lines of a difference that are shown; the whole new text is in a file.
const SHOWN_LINES: usize = 60;
/// Characters of a line that are shown.
const SHOWN_CHARACTERS: usize = 240;
/// Cells of the table of common lines. Above it, all lines between the first and the last change are shown as changed.
const MOST_CELLS: usize = 4_000_000;

/// A line, and on which side it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Both(&'a str),
    Kept(&'a str),
    New(&'a str),
}

/// The lines that differ, with those around them: `-` before what was kept, `+` before what is new.
pub fn difference(kept: &str, new: &str) -> String {
    let (kept, new): (Vec<&str>, Vec<&str>) = (kept.lines().collect(), new.lines().collect());
    let lines = side_by_side(&kept, &new);
    let is_near = |at: usize| {
        let near = &lines[at.saturating_sub(AROUND).min(lines.len())..(at + AROUND + 1).min(lines.len())];
        near.iter().any(|line| !matches!(line, Line::Both(_)))
    };
    let (mut shown, mut count, mut was_near) = (String::new(), 0, is_near(0));
    for (at, line) in lines.iter().enumerate() {
        let near = is_near(at);
        if near && count < SHOWN_LINES {
            if !was_near {
                shown.push_str("  ...\n");
            }
            let (mark, text) = match line {
                Line::Both(text) => (' ', text),
                Line::Kept(text) => ('-', text),
                Line::New(text) => ('+', text),
            };
            let text: String = text.chars().take(SHOWN_CHARACTERS).collect();
            let _ = writeln!(shown, "{mark} {text}");
        }
        count += usize::from(near);
        was_near = near;
    }
    if count > SHOWN_LINES {
        let _ = writeln!(shown, "  ... and {} more lines", count - SHOWN_LINES);
    }
    shown
}

/// All lines of both, those that both have once.
fn side_by_side<'a>(kept: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let start = kept.iter().zip(new).take_while(|(kept, new)| kept == new).count();
    let (kept_rest, new_rest) = (&kept[start..], &new[start..]);
    let end = kept_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(kept, new)| kept == new).count();
    let (kept_middle, new_middle) = (&kept_rest[..kept_rest.len() - end], &new_rest[..new_rest.len() - end]);
    let mut lines: Vec<Line<'a>> = kept[..start].iter().map(|line| Line::Both(line)).collect();
    lines.extend(changed(kept_middle, new_middle));
    lines.extend(kept_rest[kept_rest.len() - end..].iter().map(|line| Line::Both(line)));
    lines
}

/// The same of lines of which the first and the last differ, by their longest common subsequence.
fn changed<'a>(kept: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let width = new.len() + 1;
    if kept.len() * width > MOST_CELLS {
        let kept = kept.iter().map(|line| Line::Kept(line));
        return kept.chain(new.iter().map(|line| Line::New(line))).collect();
    }
    // Lines that are common from here on, of both.
    let mut common = vec![0_u32; (kept.len() + 1) * width];
    for row in (0..kept.len()).rev() {
        for column in (0..new.len()).rev() {
            let below = common[(row + 1) * width + column];
            let beside = common[row * width + column + 1];
            let both = common[(row + 1) * width + column + 1] + 1;
            common[row * width + column] = if kept[row] == new[column] { both } else { below.max(beside) };
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while row < kept.len() && column < new.len() {
        if kept[row] == new[column] {
            lines.push(Line::Both(kept[row]));
            (row, column) = (row + 1, column + 1);
        } else if common[(row + 1) * width + column] >= common[row * width + column + 1] {
            lines.push(Line::Kept(kept[row]));
            row += 1;
        } else {
            lines.push(Line::New(new[column]));
            column += 1;
        }
    }
    lines.extend(kept[row..].iter().map(|line| Line::Kept(line)));
    lines.extend(new[column..].iter().map(|line| Line::New(line)));
    lines
}

#[test]
fn a_difference_shows_what_changed_and_what_stands_around_it() {
    let kept = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
    let new = "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\neight\n";
    let expected = "  ...\n  two\n  three\n- four\n+ FOUR\n  five\n  six\n  seven\n+ eight\n";
    assert_eq!(difference(kept, new), expected);
    assert_eq!(difference(kept, kept), "");
    let long: String = (0..500).map(|number| format!("{number}\n")).collect();
    assert!(difference(&long, "").ends_with("  ... and 440 more lines\n"));
}
