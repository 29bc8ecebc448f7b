//! The rules of ARCHITECTURE.md. Each is a function from sources to faults; it is applied to the repository, and to small
//! sources with a fault planted in each (`planted`).

mod absences;
mod arrows;
mod circles;
mod graph;
mod names;
mod planted;
mod rust;
mod sizes;
mod sources;
mod typescript;
mod unfinished;

use std::sync::OnceLock;

use rust::Workspace;

/// The repository's Rust, read once for all rules.
fn workspace() -> &'static Workspace {
    static WORKSPACE: OnceLock<Workspace> = OnceLock::new();
    WORKSPACE.get_or_init(|| Workspace::read(sources::repository()))
}

/// A rule holds for nothing that could not be read.
#[test]
fn every_source_is_read() {
    assert_eq!(workspace().unread, Vec::<String>::new());
    let members = arrows::ARROWS.iter().map(|arrow| arrow.krate);
    let unseen: Vec<&str> = members.filter(|krate| !workspace().crates.contains_key(*krate)).collect();
    assert_eq!(unseen, Vec::<&str>::new(), "crates without sources");
}
