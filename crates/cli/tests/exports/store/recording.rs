//! The rollup of a recording in a store that is away when it begins.

use std::path::Path;

use rustix::process::Signal;

use crate::common::devices::{Loop, events_can_be_had, eventually, loops_can_be_made};
use crate::common::running::Running;
use crate::common::{folder, text, tree};
use crate::store::outages::Access;
use crate::store::proxy::Proxy;
use crate::store::server::{BUCKET, Server};

#[test]
fn a_recording_begins_without_its_store_and_the_store_has_everything_in_the_end() {
    if !(events_can_be_had() && loops_can_be_made()) {
        return;
    }
    let (folder, server, disk) = (folder(), Server::start(), Loop::of_zeros(64));
    let proxy = Proxy::start(server.address);
    let access = Access::to(proxy.address);
    let trace = folder.path().join("trace");
    let to = format!("s3://{BUCKET}/fleet");
    proxy.cut_after(0);
    let record = ["trace", "record", "--device", text(&disk.node), "-o", text(&trace), "--rollup-to", &to];
    let recorder = Running::of(access.command(&record));
    assert!(eventually(|| trace.join("trace.json").exists()), "the recording never began");
    access.run(&["load", text(&disk.node), "--rw", "randread", "--bytes", "16MiB"]).with_code(0);
    assert!(server.held().objects.is_empty());
    proxy.mend();
    recorder.signal(Signal::INT);
    let ended = recorder.ends().with_code(0);
    for said in ["the store cannot be reached", "is written again", "rollup: run t"] {
        assert_eq!(ended.stderr.matches(said).count(), 1, "{said}: {}", ended.stderr);
    }
    let exported = folder.path().join("exported");
    access.run(&["export", text(&trace), "--destination", text(&exported)]).with_code(0);
    let in_folder: Vec<(String, Vec<u8>)> = tree(&exported)
        .into_iter()
        .map(|(path, bytes)| (Path::new("fleet").join(path).display().to_string(), bytes))
        .collect();
    let in_store: Vec<(String, Vec<u8>)> =
        server.held().objects.iter().map(|(key, bytes)| (key.clone(), bytes.clone())).collect();
    assert!(in_store == in_folder, "each byte");
    // What can never be written is refused before anything is recorded.
    let other = folder.path().join("other");
    let record = ["trace", "record", "--device", text(&disk.node), "-o", text(&other), "--rollup-to"];
    access
        .run(&[&record[..], &["s3://none/fleet"]].concat())
        .fails_in_one_line(3, &["no bucket none", "AWS_ENDPOINT_URL"]);
    server.held().refusal = Some("403 Forbidden");
    access
        .run(&[&record[..], &[to.as_str()]].concat())
        .fails_in_one_line(3, &["refuses access", "AWS_SECRET_ACCESS_KEY"]);
    assert!(!other.exists(), "nothing was begun");
}
