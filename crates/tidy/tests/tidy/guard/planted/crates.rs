//! Faults of names: what a crate may not use, read, print or make.

use super::{assert_finds, assert_passes, faults_of};
use crate::guard::rust::Workspace;
use crate::guard::sources::planted;
use crate::guard::{absences, arrows, circles};

#[test]
fn clocks_are_found() {
    let sources = [
        "fn f() { std::time::Instant::now(); }",
        "use std::time::{Duration, Instant};\nfn f() { Instant::now(); }",
        "use std::time::Instant as Moment;\nfn f() { Moment::now(); }",
        "use std::time;\nfn f() { time::SystemTime::now(); }",
        "use std::time as t;\nfn f() { log!(\"{}\", t::Instant::now()); }",
        "use std::thread::{self as threads, spawn};\nfn f() { threads::sleep(D); }",
        "use std::thread::*;\nfn f() { sleep(D); }",
        "use std::thread::sleep as wait;",
        "type Moment = std::time::Instant;",
        "fn f() { check!(a, { std::thread::sleep(D) }); }",
        "fn f() { inner! { use std::{io, thread::{sleep}}; sleep(D) } }",
        "fn f() { <std::time::Instant>::now(); }",
        "macro_rules! now { () => { ::std::time::SystemTime::now() }; }",
        "#[cfg(not(test))]\nfn f() { rustix::time::clock_gettime(C); }",
        "#[cfg(any(test, unix))]\nfn f() { std::thread::sleep(D); }",
        "fn f() { let pause = r#std::thread::sleep; pause(D); }",
        "mod inner { pub fn f() { core::arch::x86_64::_rdtsc(); } }",
    ];
    assert_finds(absences::clocks, "stats", &sources);
    assert_passes(absences::clocks, "runner", &sources);
    // Words of comments and strings, and a type of one's own.
    let harmless = [
        "// std::time::Instant::now()\nfn f() { g(\"thread::sleep\"); }",
        "struct Instant(u64);\nfn f(at: Instant) {}",
    ];
    assert_passes(absences::clocks, "stats", &harmless);
}

#[test]
fn clocks_are_found_behind_names_that_modules_and_crates_pass_on() {
    let within = [
        ("crates/sim/src/lib.rs", "mod pause;\nmod drive;"),
        ("crates/sim/src/pause.rs", "pub use drivelab_files::rest;"),
        ("crates/sim/src/drive.rs", "use crate::pause::*;\nfn f() { rest::sleep(D); }"),
        ("crates/files/src/lib.rs", "pub use std::thread as rest;"),
    ];
    let faults = faults_of(absences::clocks, &within);
    assert_eq!(faults, ["crates/sim/src/drive.rs:2: thread::sleep"]);
}

#[test]
fn what_touches_the_machine_is_found() {
    let sources = [
        "fn f() { std::fs::read(P); }",
        "use std::{fmt, fs::{self, File}};",
        "use std::fs as files;\nfn f() { files::read(P); }",
        "use std::*;\nfn f() { env::var(N); }",
        "fn f() { html! { p { (std::process::id()) } } }",
        "impl A { fn f() { std::thread::spawn(g); } }",
        "#[cfg(all(unix, not(test)))]\nuse std::net::TcpStream;",
    ];
    assert_finds(absences::impurities, "view", &sources);
    assert_passes(absences::impurities, "record", &sources);
    assert_passes(absences::impurities, "view", &["fn f() { let fs = 1; show!(fs, self.env.process()); }"]);
}

#[test]
fn output_is_found() {
    let sources = [
        "fn f() { println!(\"a\"); }",
        "fn f() { std::eprint!(\"a\"); }",
        "use std::println as say;\nfn f() { say!(\"a\"); }",
        "use std::io::{self as stdio, Write};\nfn f() { stdio::stdout().write_all(B); }",
        "fn f() { with!(std::io::stderr()); }",
        "fn f() { outer!(inner!(print!(\"a\"))); }",
    ];
    assert_finds(absences::output, "record", &sources);
    assert_passes(absences::output, "cli", &sources);
    assert_passes(
        absences::output,
        "record",
        &["fn print(a: u8) {}\nfn f() { print(1); if a != print { } }"],
    );
}

#[test]
fn unsafe_code_is_found() {
    let sources = [
        "fn f() { unsafe { g() } }",
        "unsafe fn f() {}",
        "unsafe impl Send for A {}",
        "fn f() { now!(unsafe { g() }); }",
        "macro_rules! g { () => { unsafe { h() } }; }",
        "#[unsafe(no_mangle)]\nfn f() {}",
        "unsafe extern \"C\" { fn f(); }",
        "fn f() {\n    #[cfg(test)]\n    let a = 1;\n    unsafe {\n        g() } }",
    ];
    assert_finds(absences::unsafe_code, "record", &sources);
    assert_passes(absences::unsafe_code, "uring", &sources);
    assert_passes(absences::unsafe_code, "record", &["#![forbid(unsafe_code)]\n// unsafe {\nfn f() {}"]);
}

#[test]
fn write_grants_are_found() {
    let safety = ("crates/safety/src/lib.rs", "pub struct WriteGrant { pub(crate) path: PathBuf }");
    for source in [
        "fn f() { WriteGrant { path } }",
        "use drivelab_safety::{Target, WriteGrant as Leave};\nfn f() { Leave { path } }",
        "use drivelab_safety::*;\n#[cfg(test)]\nmod tests {}\nfn f() { send!(WriteGrant { path }) }",
        "type Leave = drivelab_safety::WriteGrant;\nfn f() { let a = Leave { path }; }",
    ] {
        let faults = faults_of(absences::write_grants, &[safety, ("crates/runner/src/lib.rs", source)]);
        assert_eq!(faults.len(), 1, "{source}");
    }
    let used = "use drivelab_safety::WriteGrant;\nfn f(g: &WriteGrant) -> WriteGrant { g.again() }\nimpl A for WriteGrant {}";
    let user = ("crates/runner/src/lib.rs", used);
    assert_eq!(faults_of(absences::write_grants, &[safety, user]), Vec::<String>::new());
    let open = "#[cfg(test)]\nmod tests {}\npub struct WriteGrant { pub(crate) a: u8, pub path: PathBuf }";
    assert_eq!(faults_of(absences::write_grants, &[("crates/safety/src/lib.rs", open)]).len(), 1);
    assert_eq!(faults_of(absences::write_grants, &[("crates/safety/src/lib.rs", "")]).len(), 1, "no grant");
}

#[test]
fn crates_that_may_not_be_used_are_found() {
    let runner = ("crates/runner/src/lib.rs", "pub struct A;");
    for source in [
        "use drivelab_runner::A;",
        "use {std::fmt, drivelab_runner::{A as B}};",
        "fn f() { show!(drivelab_runner::A); }",
        "fn f(a: drivelab_runner::A) {}",
        "extern crate drivelab_runner as lower;",
    ] {
        let source = format!("#[cfg(test)]\nuse drivelab_runner::A as T;\n{source}");
        let faults = faults_of(arrows::forbidden_names, &[runner, ("crates/view/src/lib.rs", &source)]);
        assert!(!faults.is_empty(), "{source}");
        let faults = faults_of(arrows::forbidden_names, &[runner, ("crates/cli/src/main.rs", &source)]);
        assert_eq!(faults, Vec::<String>::new());
    }
}

#[test]
fn dependencies_that_may_not_be_are_found_the_command_line_among_them() {
    let package = |name: &str, folder: &str, dependencies: serde_json::Value| {
        let manifest = format!("/w/crates/{folder}/Cargo.toml");
        serde_json::json!({ "name": name, "manifest_path": manifest, "dependencies": dependencies })
    };
    let on = |name: &str, kind: serde_json::Value| serde_json::json!([{ "name": name, "kind": kind }]);
    let faults = |dependencies: serde_json::Value| {
        let none = serde_json::json!([]);
        let packages = [
            package("drivelab", "cli", none.clone()),
            package("drivelab-runner", "runner", none.clone()),
            package("drivelab-documents", "documents", none.clone()),
            package("drivelab-record", "record", none),
            package("drivelab-view", "view", dependencies),
        ];
        arrows::forbidden_dependencies(&serde_json::json!({ "packages": packages }))
    };
    let normal = serde_json::Value::Null;
    assert_eq!(faults(on("drivelab-runner", normal.clone())), ["crates/view may not use runner"]);
    assert_eq!(faults(on("drivelab-runner", "build".into())), ["crates/view may not use runner"]);
    assert_eq!(faults(on("drivelab", normal.clone())), ["crates/view may not use cli"]);
    assert_eq!(faults(on("drivelab-record", normal.clone())), ["crates/view may not use record"]);
    assert_eq!(faults(on("drivelab-documents", normal)), Vec::<String>::new());
    assert_eq!(faults(on("drivelab-runner", "dev".into())), Vec::<String>::new());
}

#[test]
fn a_row_of_the_table_that_says_something_else_is_found() {
    let says_of_view = |cell: &str| {
        let faults = arrows::wrong_rows(&format!("| `view` | blocks | {cell} | clocks |"));
        faults.iter().any(|fault| fault.starts_with("view "))
    };
    assert!(!says_of_view("stats, documents"));
    assert!(!says_of_view("all but `cli`, `tidy`"));
    assert!(says_of_view("stats, documents, record"));
    assert!(says_of_view("documents"));
    assert!(says_of_view(""));
    assert!(says_of_view("all but `documents`"));
    assert!(arrows::wrong_rows("").iter().any(|fault| fault == "view has no row"));
}

/// The circles among modules of a crate.
fn circles_of(sources: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(String, &str)> =
        sources.iter().map(|(path, text)| (format!("crates/cli/src/{path}.rs"), *text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    faults_of(circles::of_rust, &files)
}

fn assert_one_circle(sources: &[(&str, &str)], members: &str) {
    let found = circles_of(sources);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(&format!("({members})")), "{}", found[0]);
}

#[test]
fn a_circle_is_seen_however_it_is_written() {
    for import in [
        "use crate::b::B;",
        "use super::{b::{self, B}, c};",
        "use crate::b as other;\nfn f() { other::g(); }",
        "use crate::*;\nfn f() { b::g(); }",
        "fn f() { crate::b::g(); }",
        "fn f() { show!(\"{}\", crate::b::g()); }",
        "fn f() { show! { use super::{b::B as C}; C } }",
        "use crate::Passed;",
        "mod inner { use super::super::b::B; }",
        "fn f() { <crate::b::B as Clone>::clone(x); }",
    ] {
        let a = format!("{}{import}", super::UNIT_TESTS);
        let sources = [
            ("main", "mod a;\nmod b;\nmod c;\npub use b::B as Passed;"),
            ("a", &a),
            ("b", "use crate::a;"),
            ("c", ""),
        ];
        let found = circles_of(&sources);
        assert_eq!(found.len(), 1, "{import}");
        assert!(found[0].contains("a -> b") || found[0].contains("a/inner -> b"), "{import}: {}", found[0]);
    }
    let in_tests =
        "#[cfg(test)]\nuse crate::b;\n#[cfg(all(test, unix))]\nmod tests { use crate::b; }\n// crate::b\n";
    assert_eq!(
        circles_of(&[("main", "mod a;\nmod b;"), ("a", in_tests), ("b", "use crate::a;")]),
        Vec::<String>::new()
    );
}

#[test]
fn a_circle_is_seen_through_names_that_are_passed_on() {
    assert_one_circle(
        &[
            ("main", "mod claim;\nmod grant;\nmod checks;\npub use grant::{Grant, Identity as Who};"),
            ("claim", "use crate::{Grant, System};"),
            ("grant", "use std::fmt;\nuse crate::{checks, claim::{self, a::{b}}};"),
            ("checks", "use super::claim::{self, first};"),
        ],
        "checks, claim, grant",
    );
}

#[test]
fn a_circle_of_three_is_found_with_what_hangs_on_it_left_out() {
    assert_one_circle(
        &[
            ("main", "mod plan;\nmod source;\nmod writer;\nmod error;"),
            ("plan", "use crate::source::open::Kind;\nuse crate::error::Error;"),
            ("source", "mod open;\npub use open::Kind;"),
            ("source/open", "// crate::error::Error\nfn ring() -> crate::writer::Ring { later }"),
            ("writer", "use crate::plan;"),
            ("error", "use super::nothing;"),
        ],
        "plan, source/open, writer",
    );
}

#[test]
fn a_parent_and_its_folder_may_know_each_other() {
    let found = circles_of(&[
        ("main", "mod ring;"),
        ("ring/mod", "mod pool;\nmod filler;\nuse filler::Filler;"),
        ("ring/filler", "use super::{Shape, Pool};"),
        ("ring/pool", "use super::Shape;"),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn two_folders_know_each_other_through_any_of_their_modules() {
    assert_one_circle(
        &[
            ("main", "mod html;\nmod picture;"),
            ("html", "mod page;\nmod lane;\nuse page::Page;"),
            ("html/page", "use crate::picture::draw;"),
            ("html/lane", ""),
            ("picture", "mod ink;\nmod plot;\npub use plot::draw;\nuse ink::Ink;"),
            ("picture/plot", "use super::Shade;"),
            ("picture/ink", "use crate::html::Colour;"),
        ],
        "html, html/page, picture, picture/ink, picture/plot",
    );
}

#[test]
fn a_function_with_the_name_of_a_module_is_no_way_into_that_module() {
    let found = circles_of(&[
        ("main", "mod health;\nmod asked;\nmod read;\npub use asked::health;\npub use health::Health;"),
        ("health", "pub struct Health;"),
        ("asked", "use crate::read;"),
        ("read", "use crate::health::Health;"),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn what_no_rule_could_read_is_a_fault() {
    let unread = |files: &[(&str, &str)]| Workspace::read(&planted(files)).unread;
    assert_eq!(unread(&[("crates/a/src/lib.rs", "fn f( {")]).len(), 1, "no Rust");
    assert_eq!(unread(&[("crates/a/src/lib.rs", "mod b;")]).len(), 1, "a file that is not there");
    assert_eq!(
        unread(&[("crates/a/src/lib.rs", ""), ("crates/a/src/b.rs", "")]).len(),
        1,
        "a file of no module"
    );
    let elsewhere = [
        ("crates/a/src/lib.rs", "#[cfg(test)]\n#[path = \"b_tests.rs\"]\nmod tests;\nmod b;"),
        ("crates/a/src/b_tests.rs", ""),
        ("crates/a/src/b.rs", "mod c { mod d; }"),
        ("crates/a/src/b/c/d.rs", ""),
        ("crates/a/src/inside/main.rs", "mod e;\n#[path = \"../b.rs\"]\nmod again;"),
        ("crates/a/src/inside/e.rs", ""),
    ];
    assert_eq!(unread(&elsewhere), Vec::<String>::new());
}
