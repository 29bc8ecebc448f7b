//! Stores that cannot be used, and what is said then.

use std::path::{Path, PathBuf};

use crate::common::{folder, text};
use crate::store::outages::{Access, load};
use crate::store::server::Server;

fn run(folder: &Path) -> PathBuf {
    let run = folder.join("run");
    load(&run, "1s");
    run
}

#[test]
fn a_store_that_cannot_be_used_says_what_to_set_and_nothing_is_written() {
    let (folder, server) = (folder(), Server::start());
    let run = run(folder.path());
    let access = Access::to(server.address);
    let export = |access: &Access, to: &str| access.run(&["export", text(&run), "--destination", to]);
    export(&access, "s3://none/fleet").fails_in_one_line(3, &["no bucket none", "AWS_ENDPOINT_URL"]);
    access
        .run(&["fleet", "report", "s3://none/fleet"])
        .fails_in_one_line(3, &["no bucket none", "AWS_REGION"]);
    access
        .run(&["fleet", "report", "s3://fleet/a"])
        .fails_in_one_line(2, &["s3://fleet/a: there is no export in it"]);
    for (status, said) in [
        ("403 Forbidden", ["refuses access", "AWS_SECRET_ACCESS_KEY to those"]),
        ("401 Unauthorized", ["refuses access", "AWS_SECRET_ACCESS_KEY to those"]),
        ("503 Service Unavailable", ["the store failed (", "503"]),
        ("501 Not Implemented", ["the store failed (", "501"]),
    ] {
        server.held().refusal = Some(status);
        export(&access, "s3://fleet/a").fails_in_one_line(3, &said);
        access.run(&["fleet", "report", "s3://fleet/a"]).fails_in_one_line(3, &said);
    }
    server.held().refusal = None;
    let nowhere = "127.0.0.1:1".parse().expect("an address");
    export(&Access::to(nowhere), "s3://fleet/a")
        .fails_in_one_line(3, &["cannot be reached", "AWS_ENDPOINT_URL"]);
    for (name, value, code, said) in [
        ("AWS_ACCESS_KEY_ID", "", 2, ["AWS_SECRET_ACCESS_KEY is set", "AWS_ACCESS_KEY_ID is not"]),
        ("AWS_ALLOW_HTTP", "", 2, ["without encryption", "AWS_ALLOW_HTTP=true"]),
        ("AWS_MAX_ATTEMPTS", "often", 2, ["AWS_MAX_ATTEMPTS", "such as 5"]),
    ] {
        export(&access.clone().with(name, value), "s3://fleet/a").fails_in_one_line(code, &said);
    }
    let anonymous = access.with("AWS_ACCESS_KEY_ID", "").with("AWS_SECRET_ACCESS_KEY", "");
    export(&anonymous, "s3://fleet/a").fails_in_one_line(3, &["no credentials", "set AWS_ACCESS_KEY_ID"]);
    assert!(server.held().objects.is_empty());
    assert_eq!(server.held().begun, 0);
}

#[test]
fn a_prefix_that_holds_something_else_is_refused_and_one_with_exports_is_not() {
    let (folder, server) = (folder(), Server::start());
    let run = run(folder.path());
    let access = Access::to(server.address);
    server.held().objects.insert("other/notes.txt".to_owned(), b"kept".to_vec());
    let export = |to: &str| access.run(&["export", text(&run), "--destination", to]);
    export("s3://fleet").fails_in_one_line(2, &["something else than exports", "such as s3://fleet/fleet"]);
    export("s3://fleet/other").fails_in_one_line(2, &["something else than exports"]);
    export("s3://fleet/oth").with_code(0);
    assert!(export("s3://fleet/oth/").with_code(0).stdout.contains("was there already"));
    assert_eq!(server.held().objects.len(), 4);
}
