//! Faults of sizes, and what is left for later.

use crate::guard::rust::Workspace;
use crate::guard::sources::planted;
use crate::guard::{names, sizes, unfinished};

#[test]
fn a_long_function_is_found_wherever_it_stands() {
    let found =
        |text: &str| sizes::long_functions(&Workspace::read(&planted(&[("crates/a/tests/b.rs", text)])));
    let body = "    g();\n".repeat(68);
    assert_eq!(found(&format!("fn f() {{\n{body}}}\n")), Vec::<String>::new());
    let long = format!("{body}    g(); // a }} of a comment\n");
    for text in [
        format!("fn f() {{\n{long}}}\n"),
        format!("pub(in crate::a) const unsafe fn f() -> u8\nwhere\n    A: B,\n{{\n{long}}}\n"),
        format!("#[cfg(test)]\nmod tests {{\n    impl A {{\n        async fn f() {{\n{long}}} }}\n}}\n"),
        format!("all! {{\n    #[test]\n    fn f(a in 0..2) {{\n{long}    }}\n}}\n"),
        format!("fn outer() {{ fn f() {{\n{long}}} }}\n"),
    ] {
        assert!(!found(&text).is_empty(), "{text}");
    }
    // The lines of a type of a function, and of a function without a body, are those of no function.
    assert_eq!(
        found(&format!("trait A {{ fn f();\n{} }}", "const C: fn() = g;\n".repeat(90))),
        Vec::<String>::new()
    );
}

#[test]
fn long_files_and_wide_lines_are_found() {
    let long = "\n".repeat(501);
    for path in ["crates/a/src/lib.rs", "page/src/a.ts", "page/src/a.css", "page/test/a.test.mjs"] {
        assert_eq!(sizes::long_files(&planted(&[(path, &long)])).len(), 1, "{path}");
        assert_eq!(sizes::long_files(&planted(&[(path, &long[1..])])), Vec::<String>::new());
    }
    let wide = "é".repeat(131);
    for path in ["crates/a/src/lib.rs", "page/src/a.ts", "a.toml", "a.md", "page/build.mjs"] {
        assert_eq!(sizes::wide_lines(&planted(&[(path, &wide)])), [format!("{path}:1")]);
    }
    assert_eq!(sizes::wide_lines(&planted(&[("a.md", &format!("| {wide}"))])), Vec::<String>::new());
}

#[test]
fn a_type_name_with_two_meanings_is_found() {
    let shared = |first: &str, second: &str| {
        let files = [("crates/a/src/lib.rs", first), ("crates/b/src/lib.rs", second)];
        names::shared_types(&Workspace::read(&planted(&files)))
    };
    for (first, second) in [
        ("struct Source;", "enum Source { A }"),
        ("pub(crate) trait Source<T> {}", "struct Source<'a>(&'a str);"),
        ("mod c { pub struct Source; }", "fn f() { struct Source; }"),
    ] {
        assert_eq!(
            shared(first, second),
            ["Source: crates/a/src/lib.rs, crates/b/src/lib.rs"],
            "{first} {second}"
        );
    }
    for (first, second) in [
        ("struct Source;", "struct Sources;"),
        ("struct Source;", "#[cfg(test)]\nmod tests { struct Source; }"),
        ("struct Source;", "use a::Source;\nimpl Source {}\n// struct Source;"),
    ] {
        assert_eq!(shared(first, second), Vec::<String>::new(), "{first} {second}");
    }
}

#[test]
fn a_function_called_of_is_found() {
    let found =
        |path: &str, text: &str| names::functions_called_of(&Workspace::read(&planted(&[(path, text)])));
    for text in ["fn of() {}", "impl A { pub fn of(a: B) -> A { A } }", "mod c { pub const fn of() {} }"] {
        assert_eq!(found("crates/a/src/lib.rs", text).len(), 1, "{text}");
    }
    for text in ["fn often() {}", "fn f(of: u8) { of(of) }", "#[cfg(test)]\nmod tests { fn of() {} }"] {
        assert_eq!(found("crates/a/src/lib.rs", text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(found("crates/guest/src/lib.rs", "fn of() {}"), Vec::<String>::new());
}

#[test]
fn what_is_left_for_later_is_found() {
    let stand_ins =
        |text: &str| unfinished::stand_ins(&Workspace::read(&planted(&[("crates/a/tests/b.rs", text)])));
    for text in [
        "fn f() { todo!() }",
        "fn f() { todo ! [] }",
        "fn f() { std::unimplemented!(\"a\") }",
        "fn f() { show!(a, dbg!(b)); }",
        "use std::{fmt, todo as later};\nfn f() { later!() }",
        "#[cfg(test)]\nmod tests { fn f() { dbg!(1); } }",
        "#[ignore]\nfn f() {}",
        "#[test]\n#[ignore = \"slow\"]\nfn f() {}",
        "#[cfg_attr(not(unix), ignore)]\nfn f() {}",
        "all! { #[ignore]\nfn f() {} }",
    ] {
        assert_eq!(stand_ins(text).len(), 1, "{text}");
    }
    assert_eq!(stand_ins("// todo!()\nfn todo() { f(\"dbg!(\"); todo(); }"), Vec::<String>::new());
    for (path, mark) in [("a.rs", ["// FIX", "ME"]), ("a.ts", ["// XX", "X: a"]), ("a.sh", ["# FIX", "ME"])] {
        assert_eq!(unfinished::marks(&planted(&[(path, &mark.concat())])).len(), 1, "{path}");
    }
}
