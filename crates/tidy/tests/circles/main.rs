//! Imports run one way inside a crate, too: no modules import each other in a circle, however long.
//!
//! A parent and the modules in its folder are one thing and may know each other.

mod imports;
mod modules;

use std::path::Path;

use imports::Name;
use modules::{Circle, Modules};

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(crates).expect("the folder of crates").flatten() {
        let src = folder.path().join("src");
        if src.is_dir() {
            let name = folder.file_name().to_string_lossy().into_owned();
            found.extend(Modules::read(&src).circles().into_iter().map(|circle| (name.clone(), circle)));
        }
    }
    assert!(found.is_empty(), "{}", faults(&found).join("\n"));
}

/// A line for each circle, with every import in it.
fn faults(found: &[(String, Circle)]) -> Vec<String> {
    let fault = |(krate, circle): &(String, Circle)| {
        format!(
            "{krate}: a circle of {} modules ({}); cut one of these imports:\n  {}",
            circle.modules.len(),
            circle.modules.join(", "),
            circle.arrows.join("\n  ")
        )
    };
    found.iter().map(fault).collect()
}

fn modules(sources: &[(&str, &str)]) -> Modules {
    let name =
        |text: &str| -> Name { text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    Modules::new(sources.iter().map(|(path, code)| (name(path), (*code).to_owned())))
}

#[test]
fn a_circle_is_seen_through_names_that_are_passed_on() {
    let found = modules(&[
        ("", "mod claim;\nmod grant;\npub use grant::{Grant, Identity as Who};"),
        ("claim", "use crate::{Grant, System};"),
        ("grant", "use std::fmt;\nuse crate::{checks, claim::{self, a::{b}}};"),
        ("checks", "use super::claim::{self, first};"),
    ]);
    let circles = found.circles();
    assert_eq!(circles.len(), 1);
    assert_eq!(circles[0].modules, ["checks", "claim", "grant"]);
    assert_eq!(circles[0].arrows, ["checks -> claim", "claim -> grant", "grant -> checks", "grant -> claim"]);
}

#[test]
fn a_circle_of_three_is_found_with_what_hangs_on_it_left_out() {
    let found = modules(&[
        ("", "mod plan;\nmod source;\nmod writer;\nmod error;"),
        ("plan", "use crate::source::open::Kind;\nuse crate::error::Error;"),
        ("source", "mod open;\npub use open::Kind;"),
        // A path in the code is an import as well as a `use` line is; a comment is none.
        ("source/open", "// crate::error::Error\nfn ring() -> crate::writer::Ring { todo }"),
        ("writer", "use crate::plan;"),
        ("error", "use super::nothing;"),
    ]);
    let circles = found.circles();
    assert_eq!(circles.len(), 1);
    assert_eq!(circles[0].modules, ["plan", "source/open", "writer"]);
}

#[test]
fn a_parent_and_its_folder_may_know_each_other() {
    let found = modules(&[
        ("", "mod ring;"),
        ("ring", "mod pool;\nmod filler;\nuse filler::Filler;"),
        ("ring/filler", "use super::{Shape, Pool};"),
        ("ring/pool", "use super::Shape;"),
    ]);
    assert_eq!(found.circles(), Vec::<Circle>::new());
}

#[test]
fn two_folders_know_each_other_through_any_of_their_modules() {
    let found = modules(&[
        ("html", "mod page;\nmod lane;\nuse page::Page;"),
        ("html/page", "use crate::picture::draw;"),
        ("html/lane", ""),
        ("picture", "mod ink;\nmod plot;\npub use plot::draw;\nuse ink::Ink;"),
        ("picture/plot", "use super::Shade;"),
        ("picture/ink", "use crate::html::Colour;"),
    ]);
    let circles = found.circles();
    assert_eq!(circles.len(), 1);
    assert_eq!(circles[0].modules, ["html", "html/page", "picture", "picture/ink", "picture/plot"]);
}
