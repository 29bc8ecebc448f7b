//! Outages of the store and kills of the program in the middle of an export.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::common::running::pause;
use crate::common::{Ended, drivelab, folder, program, text, tree};
use crate::store::proxy::Proxy;
use crate::store::server::{BUCKET, Server};

const OUTAGES: u64 = 100;
const KILLS: u64 = 20;
/// Outages while parts of one object are sent.
const OUTAGES_OF_PARTS: u64 = 6;

/// Where the store is, and who asks.
#[derive(Clone)]
pub struct Access(Vec<(String, String)>);

impl Access {
    pub fn to(address: SocketAddr) -> Access {
        let endpoint = format!("http://{address}");
        let settings = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            // An outage fails the command.
            ("AWS_MAX_ATTEMPTS", "1"),
            // Where a machine of Amazon's cloud has its credentials.
            ("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1"),
        ];
        Access(settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec())
    }

    /// With another setting; without it where the value is empty.
    pub fn with(mut self, name: &str, value: &str) -> Access {
        self.0.retain(|(own, _)| own != name);
        self.0.extend((!value.is_empty()).then(|| (name.to_owned(), value.to_owned())));
        self
    }

    /// The program with these arguments.
    pub fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = program();
        std::env::vars().filter(|(name, _)| name.starts_with("AWS_")).for_each(|(name, _)| {
            command.env_remove(name);
        });
        command.args(arguments).envs(self.0.iter().cloned());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&self.command(arguments).output().expect("drivelab starts"))
    }
}

/// A load of random reads and writes of a simulated drive.
pub fn load(into: &Path, duration: &str) {
    let asked = ["load", "sim:consistent?size=256MiB", "--rw", "randrw", "--rate", "1500/s"];
    drivelab(&[&asked[..], &["--duration", duration, "-o", text(into)]].concat()).with_code(0);
}

/// A number below `all`, drawn from the `nth` of `parts` equal parts.
fn place_in_part(all: u64, (nth, parts): (u64, u64), state: &mut u64) -> u64 {
    // xorshift64 (Marsaglia, 2003).
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    let (begin, end) = (all * nth / parts, all * (nth + 1) / parts);
    begin + *state % (end - begin).max(1)
}

/// Results, and what an export of them to a folder has.
struct Exported {
    results: PathBuf,
    files: Vec<(String, Vec<u8>)>,
}

const OPTIONS: [&str; 6] = ["--as", "records", "--host", "lab 7/8", "--started", "2026-11-24T23:59:58Z"];
const PREFIX: &str = "one/year";

impl Exported {
    fn of(folder: &Path, results: &Path) -> Exported {
        let fleet = folder.join("fleet");
        let command = ["export", text(results), "--destination", text(&fleet)];
        drivelab(&[&command[..], &OPTIONS].concat()).with_code(0);
        let named = |(path, bytes): (PathBuf, Vec<u8>)| (format!("{PREFIX}/{}", path.display()), bytes);
        Exported { results: results.to_owned(), files: tree(&fleet).into_iter().map(named).collect() }
    }

    fn command(&self) -> Vec<String> {
        let to = format!("s3://{BUCKET}/{PREFIX}");
        let command = ["export", text(&self.results), "--destination", &to];
        command.iter().chain(&OPTIONS).map(|&word| word.to_owned()).collect()
    }

    fn run(&self, access: &Access) -> Ended {
        let command = self.command();
        access.run(&command.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// What is there is whole.
    fn assert_nothing_is_half(&self, server: &Server) {
        for (key, object) in &server.held().objects {
            let whole = self.files.iter().find(|(name, _)| name == key);
            assert!(
                whole.is_some_and(|(_, bytes)| bytes == object),
                "{key} is half or no file of the export"
            );
        }
    }

    /// All is there, each was put once, and nothing is put again.
    fn assert_all_is_there_once(&self, server: &Server, access: &Access) {
        let again = self.run(access).with_code(0);
        assert!(again.stdout.contains(", 0 files written"), "{}", again.stdout);
        let held = server.held();
        let objects: Vec<_> = held.objects.iter().map(|(key, bytes)| (key.clone(), bytes.clone())).collect();
        assert!(objects == self.files, "the store has what the folder has");
        assert!(held.puts.values().all(|puts| *puts == 1), "{:?}", held.puts);
    }
}

fn small(folder: &Path) -> Exported {
    let results = folder.join("results");
    std::fs::create_dir(&results).expect("room");
    for (name, duration) in [("first", "4s"), ("second", "6s")] {
        load(&results.join(name), duration);
    }
    let exported = Exported::of(folder, &results);
    assert_eq!(exported.files.len(), 2 * 4, "a row, drives, and records of two days each");
    exported
}

#[test]
fn after_any_of_100_outages_the_same_command_leaves_every_file_once_and_none_half() {
    let (folder, server) = (folder(), Server::start());
    let (exported, proxy) = (small(folder.path()), Proxy::start(server.address));
    let access = Access::to(proxy.address);
    exported.run(&access).with_code(0);
    let all = proxy.passed();
    let (mut state, mut with_some) = (0x9e37_79b9_7f4a_7c15, 0);
    for outage in 0..OUTAGES {
        *server.held() = crate::store::server::Held::default();
        proxy.cut_after(place_in_part(all, (outage, OUTAGES), &mut state));
        exported.run(&access).fails_in_one_line(3, &["cannot be reached", "the same command again"]);
        exported.assert_nothing_is_half(&server);
        with_some += usize::from(!server.held().objects.is_empty());
        proxy.mend();
        exported.run(&access).with_code(0);
        exported.assert_all_is_there_once(&server, &access);
    }
    assert!(with_some > 20, "{with_some} outages met an export that had sent files");
}

#[test]
fn a_killed_export_to_a_store_leaves_nothing_half_and_goes_on() {
    let (folder, server) = (folder(), Server::start());
    let exported = small(folder.path());
    let access = Access::to(server.address);
    #[expect(clippy::disallowed_methods, reason = "to kill exports at moments all over their time")]
    let began = std::time::Instant::now();
    exported.run(&access).with_code(0);
    let lasted = began.elapsed();
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for kill in 0..KILLS {
        *server.held() = crate::store::server::Held::default();
        let command = exported.command();
        let mut command = access.command(&command.iter().map(String::as_str).collect::<Vec<_>>());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("drivelab starts");
        let nanos = u64::try_from(lasted.as_nanos()).expect("seconds");
        pause(Duration::from_nanos(place_in_part(nanos, (kill, KILLS), &mut state)));
        child.kill().and_then(|()| child.wait()).expect("the process ends");
        // What it had sent whole may still arrive.
        pause(Duration::from_millis(20));
        exported.assert_nothing_is_half(&server);
        exported.run(&access).with_code(0);
        exported.assert_all_is_there_once(&server, &access);
    }
}

#[test]
fn a_file_that_is_sent_in_parts_is_there_when_the_last_one_is() {
    let (folder, server) = (folder(), Server::start());
    let run = folder.path().join("run");
    let asked = ["load", "sim:consistent", "--rw", "randrw", "--queue-depth", "32", "--duration", "20s"];
    drivelab(&[&asked[..], &["-o", text(&run)]].concat()).with_code(0);
    let exported = Exported::of(folder.path(), &run);
    let proxy = Proxy::start(server.address);
    let access = Access::to(proxy.address);
    exported.run(&access).with_code(0);
    assert!(server.held().begun > 0, "a day has more than a part takes");
    let (all, mut state, mut begun) = (proxy.passed(), 0x9e37_79b9_7f4a_7c15, 0);
    for outage in 0..OUTAGES_OF_PARTS {
        *server.held() = crate::store::server::Held::default();
        proxy.cut_after(place_in_part(all, (outage, OUTAGES_OF_PARTS), &mut state));
        exported.run(&access).fails_in_one_line(3, &["cannot be reached"]);
        exported.assert_nothing_is_half(&server);
        begun += server.held().begun;
        proxy.mend();
        exported.run(&access).with_code(0);
        exported.assert_all_is_there_once(&server, &access);
    }
    assert!(begun > 0, "no outage met an upload in parts");
    // A store that refuses a part keeps no parts: the upload is aborted.
    *server.held() = crate::store::server::Held { refused_part: Some(2), ..Default::default() };
    exported.run(&access).fails_in_one_line(3, &["the store failed", "500"]);
    assert!(server.held().begun == 1 && server.held().uploads.is_empty());
    exported.assert_nothing_is_half(&server);
}

#[test]
fn an_object_that_another_program_cut_is_put_again() {
    let (folder, server) = (folder(), Server::start());
    let exported = small(folder.path());
    let access = Access::to(server.address);
    exported.run(&access).with_code(0);
    for (key, whole) in &exported.files {
        for cut in [0, 7, whole.len() / 2] {
            *server.held().objects.get_mut(key).expect("the object") = whole[..cut].to_vec();
            exported.run(&access).with_code(0);
            assert!(server.held().objects[key] == *whole, "{key} cut to {cut} bytes");
        }
    }
    assert!(server.held().puts.values().all(|puts| *puts == 1 + 3), "{:?}", server.held().puts);
}

#[test]
fn the_report_of_a_fleet_in_a_store_is_that_of_its_folder() {
    let (folder, server) = (folder(), Server::start());
    let results = folder.path().join("results");
    std::fs::create_dir(&results).expect("room");
    load(&results.join("first"), "4s");
    load(&results.join("second"), "6s");
    let (fleet, store) = (folder.path().join("fleet"), format!("s3://{BUCKET}/fleet"));
    let access = Access::to(server.address);
    for to in [text(&fleet), &store] {
        access.run(&["export", text(&results), "--destination", to, "--host", "lab 7/8"]).with_code(0);
    }
    let report = |of: &str, code| access.run(&["fleet", "report", of, "--json"]).with_code(code);
    assert_eq!(report(&store, 0).json(), report(text(&fleet), 0).json());
    let key = server.held().objects.keys().find(|key| key.ends_with("rollup.parquet")).cloned();
    server.held().objects.insert(key.clone().expect("a rollup"), b"PAR1".to_vec());
    let ended = report(&store, 1);
    let said = format!("s3://{BUCKET}/{}: it cannot be read", key.expect("a rollup"));
    assert!(ended.stderr.contains(&said), "{}", ended.stderr);
}
