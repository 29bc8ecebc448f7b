//! What `run.json` says, and when it is written.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_documents::{Drive, Manifest, Outcome};
use drivelab_record::{RecordError, RunFolder, is_run_folder};

use crate::support::manifest;

/// A folder below this one whose path has so many bytes.
fn deep(folder: &Path, bytes: usize) -> PathBuf {
    let mut path = folder.to_owned();
    while path.as_os_str().len() + 256 < bytes {
        path.push("d".repeat(200));
    }
    path.push("d".repeat(bytes - path.as_os_str().len() - 1));
    path
}

#[test]
fn what_is_not_said_is_absent_and_what_is_said_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let (kept, _) = RunFolder::create(&folder.path().join("run"), &manifest()).expect("a new folder");
    let text = |outcome: Outcome, hides_serial: bool| {
        kept.save(&Manifest { outcome: Some(outcome), hides_serial, ..manifest() }).expect("room on disk");
        fs::read_to_string(kept.path().join("run.json")).expect("a manifest")
    };
    let bare = text(Outcome::default(), false);
    for field in ["hides_serial", "kernel_log", "left_out", "standstills"] {
        assert!(!bare.contains(field), "{field} in {bare}");
    }
    let said = text(Outcome { left_out: 1, ..Outcome::default() }, true);
    assert!(said.contains("\"hides_serial\": true") && said.contains("\"left_out\": 1"), "{said}");
}

#[test]
fn a_serial_number_and_a_world_wide_name_are_hidden_only_where_that_was_asked_for() {
    let drive = Drive {
        serial: Some("S649NX0R123".to_owned()),
        wwn: Some("eui.0025385971b0aaaa".to_owned()),
        ..Drive::default()
    };
    let shown = |hides_serial: bool| {
        let run = Manifest { hides_serial, drive: drive.clone(), ..manifest() };
        run.hidden_serials().in_text("S649NX0R123, 0025385971b0aaaa")
    };
    assert_eq!(shown(false), "S649NX0R123, 0025385971b0aaaa");
    assert!(
        !shown(true).contains("S649NX0R123") && !shown(true).contains("0025385971b0aaaa"),
        "{}",
        shown(true)
    );
}

#[test]
fn the_last_manifest_is_written_into_the_room_that_was_held_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, file) = (folder.path().join("run"), folder.path().join("run/run.json"));
    let room = path.join("run.json.room");
    let end = |completions: u64| Manifest {
        outcome: Some(Outcome { completions, ..Outcome::default() }),
        ..manifest()
    };
    let (kept, _) = RunFolder::create(&path, &manifest()).expect("a new folder");
    let held = fs::metadata(&room).expect("room is held");
    assert!(held.len() >= 512 << 10 && held.blocks() * 512 >= held.len(), "{held:?}");
    kept.save_the_end(&end(1)).expect("room on disk");
    assert_eq!(RunFolder::open(&path).expect("a run").1, end(1));
    assert_eq!(fs::metadata(&file).expect("a manifest").ino(), held.ino(), "the room is what was written to");
    assert!(!room.exists());
    // A run that goes on later holds room again; where somebody takes it away, the end is written all the same.
    // Its run has to have ended.
    assert!(matches!(RunFolder::open_ended(&path).map(drop), Err(RecordError::UnderWay { .. })));
    drop(kept);
    let (again, _) = RunFolder::open_ended(&path).expect("a run");
    again.take_room().expect("room");
    fs::remove_file(&room).expect("room is held again");
    again.save_the_end(&end(2)).expect("room on disk");
    assert_eq!(RunFolder::open(&path).expect("a run").1, end(2));
}

#[test]
fn a_folder_that_cannot_be_made_leaves_nothing_that_was_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let most = 4095;
    // The longest path that the system takes has no room for the name of the manifest, or for that of the room.
    for room in ["/run.json.partial".len() - 1, "/run.json.partial".len()] {
        let path = deep(folder.path(), most - room);
        let refused = || RunFolder::create(&path, &manifest()).map(drop);
        fs::create_dir_all(path.parent().expect("a folder above")).expect("room on disk");
        assert!(matches!(refused(), Err(RecordError::Io { .. })));
        assert!(!path.exists(), "it was made for the run");
        fs::create_dir(&path).expect("room on disk");
        assert!(matches!(refused(), Err(RecordError::Io { .. })));
        assert_eq!(fs::read_dir(&path).expect("it was there before").count(), 0);
    }
}

#[test]
fn a_folder_is_that_of_a_run_where_it_has_a_manifest_and_what_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run");
    let error = |path: &Path| RunFolder::open(path).map(drop).expect_err("no run");
    assert!(!is_run_folder(&path) && matches!(error(&path), RecordError::NotARun { .. }));
    RunFolder::create(&path, &manifest()).expect("a new folder");
    assert!(is_run_folder(&path));
    assert!(matches!(error(&path.join("run.json")), RecordError::NotARun { .. }), "a file is no folder");
    fs::remove_file(path.join("run.json")).expect("a manifest");
    fs::create_dir(path.join("run.json")).expect("room on disk");
    assert!(!is_run_folder(&path) && matches!(error(&path), RecordError::Io { .. }));
}
