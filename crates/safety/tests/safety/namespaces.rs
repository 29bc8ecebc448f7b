//! What of the machine is not seen from namespaces of their own: this program is started again in them.

use std::env;
use std::process::Command;

use crate::support::{devices_can_be_made, has, skipped};
use drivelab_safety::{System, Unseen, UsageScan};

/// Set where a test was started again: it tells what is not seen there.
const INSIDE: &str = "DRIVELAB_TEST_INSIDE";

/// What is not seen by the test of this name in new namespaces, after a shell has run `prepare` there.
fn unseen(test: &str, namespaces: &[&str], prepare: &str) -> String {
    let program = env::current_exe().expect("this program");
    let script = format!("{prepare} && exec \"$0\" --exact {test} --nocapture");
    let output = Command::new("unshare")
        .args(namespaces)
        .args(["sh", "-c", &script])
        .arg(program)
        .env(INSIDE, "")
        .output()
        .expect("another namespace");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

#[test]
fn a_machine_is_not_seen_whole_from_a_namespace_of_processes_nor_where_proc_is_something_else() {
    if env::var_os(INSIDE).is_some() {
        println!("not seen: {:?}", UsageScan::take(&System::live()).unseen_of_drives());
        return;
    }
    if !devices_can_be_made() || !has("unshare") {
        return skipped("other namespaces need unshare");
    }
    let test = "namespaces::a_machine_is_not_seen_whole_from_a_namespace_of_processes_nor_where_proc_is_something_else";
    let few = unseen(test, &["--mount", "--pid", "--fork", "--mount-proc"], "true");
    assert!(few.contains(&format!("{:?}", Unseen::OtherProcesses)), "{few}");
    let none = unseen(test, &["--mount"], "mount -t tmpfs none /proc && mkdir /proc/1");
    assert!(none.contains(&format!("{:?}", Unseen::ProcessTable)), "{none}");
}
