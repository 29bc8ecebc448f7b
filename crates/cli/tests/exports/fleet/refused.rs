//! What cannot be read, and what is missing.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::common::{drivelab, folder, text, tree};
use crate::fleet::{export, load, report};

/// Two loads of two machines.
fn two(folder: &Path) {
    for host in ["a", "b"] {
        load(
            folder,
            host,
            "2026-11-24T10:00:00Z",
            &["--rw", "randread", "--duration", "2s", "--rate", "1000/s"],
        );
    }
}

/// The file of a machine whose path has this in it.
fn file_of(folder: &Path, host: &str, part: &str) -> std::path::PathBuf {
    let fleet = folder.join("fleet");
    let is_own = |path: &&std::path::PathBuf| {
        let path = path.to_string_lossy();
        path.starts_with(part)
            && (path.contains(&format!("host={host}/")) || path.contains(&format!(".{host}.")))
    };
    let files: Vec<_> = tree(&fleet).into_iter().map(|(path, _)| path).collect();
    fleet.join(files.iter().find(is_own).expect("a file"))
}

#[test]
fn a_folder_without_exports_says_what_to_name() {
    let folder = folder();
    let none = folder.path().join("none");
    drivelab(&["fleet", "report", text(&none)]).fails_in_one_line(2, &["no such folder", "--destination"]);
    fs::create_dir_all(none.join("catalogue")).expect("room");
    drivelab(&["fleet", "report", text(&none)]).fails_in_one_line(2, &["no export in it", "--destination"]);
    two(folder.path());
    let taken = folder.path().join("taken.html");
    fs::write(&taken, "kept").expect("room");
    report(folder.path(), &["--report", text(&taken)]).fails_in_one_line(2, &["is there already"]);
}

#[test]
fn what_is_damaged_or_missing_is_named_and_in_no_sum() {
    let changes: [(&str, &str, &[&str], u64); 4] = [
        ("date=", "cut", &["rollup.parquet", "cannot be read", "export its result again"], 2_000),
        ("drives", "remove", &["is not in the table of drives", "host a"], 2_000),
        ("catalogue", "remove", &["is not in the catalogue", "host a"], 4_000),
        ("date=", "remove", &["has no rollup", "--as rollup"], 2_000),
    ];
    for (part, change, said, ios) in changes {
        let folder = folder();
        two(folder.path());
        let path = file_of(folder.path(), "a", part);
        match change {
            "cut" => {
                let bytes = fs::read(&path).expect("a file");
                fs::write(&path, &bytes[..bytes.len() / 2]).expect("room");
            }
            _ => fs::remove_file(&path).expect("a file"),
        }
        let ended = report(folder.path(), &["--json"]).with_code(1);
        let lines: Vec<&str> = ended.stderr.lines().collect();
        assert!(
            lines.iter().any(|line| said.iter().all(|word| line.contains(word))),
            "{part} {change}: {lines:?}"
        );
        let found = ended.json()["findings"].clone();
        assert_eq!(found["percentiles_by_model"][0]["ios"], ios, "{part} {change}");
        assert_eq!(found["left_out"].as_array().map(Vec::len), Some(lines.len()));
    }
}

/// A table of one row as another version may write it: it has a run and a format, and else whatever it likes.
fn of_another_version(path: &Path, format: &str) {
    let message = "message other { REQUIRED BYTE_ARRAY run (STRING); REQUIRED BYTE_ARRAY format (STRING); }";
    let schema = Arc::new(parse_message_type(message).expect("a schema"));
    let file = fs::File::create(path).expect("room");
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).expect("room");
    let mut group = writer.next_row_group().expect("room");
    for text in ["r0123456789abcdef", format] {
        let mut column = group.next_column().expect("room").expect("a column");
        let values = [ByteArray::from(text)];
        column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("room");
        column.close().expect("room");
    }
    group.close().expect("room");
    writer.close().expect("room");
}

#[test]
fn a_table_of_another_version_is_named_with_its_format_and_the_others_are_shown() {
    let folder = folder();
    two(folder.path());
    of_another_version(&file_of(folder.path(), "a", "catalogue"), "drivelab.catalogue/9");
    let ended = report(folder.path(), &["--json"]).with_code(1);
    let said = ended.stderr.lines().any(|line| {
        ["its format is drivelab.catalogue/9", "drivelab.catalogue/1"].iter().all(|word| line.contains(word))
    });
    assert!(said, "{}", ended.stderr);
    let found = ended.json()["findings"].clone();
    assert_eq!((found["results"].as_u64(), found["reviews"][0]["host"].as_str()), (Some(1), Some("b")));
}

#[test]
fn a_file_whose_name_or_place_is_another_one_is_not_counted() {
    let folder = folder();
    two(folder.path());
    let path = file_of(folder.path(), "a", "date=");
    // As an export leaves it that is killed, and a copy in the folder of another day.
    fs::copy(&path, path.with_file_name(".rollup.parquet.partial")).expect("room");
    let moved = path.to_string_lossy().replace("date=2026-11-24", "date=2026-11-25");
    fs::create_dir_all(Path::new(&moved).parent().expect("a folder")).expect("room");
    fs::copy(&path, &moved).expect("room");
    let ended = report(folder.path(), &["--json"]).with_code(1);
    assert!(ended.stderr.contains("another day than its folder names"), "{}", ended.stderr);
    assert_eq!(ended.json()["findings"]["percentiles_by_model"][0]["ios"], 4_000);
    fs::remove_file(&moved).expect("a file");
    assert_eq!(report(folder.path(), &["--json"]).with_code(0).stderr, "");
}

#[test]
fn a_result_that_keeps_no_records_is_only_in_the_table_of_results() {
    let folder = folder();
    two(folder.path());
    let run = folder.path().join("matrix");
    let asked = ["matrix", "sim:consistent?size=256MiB", "--cell-duration", "1s", "-o", text(&run)];
    drivelab(&asked).with_code(0);
    export(&run, folder.path(), &["--host", "c"]);
    let found = report(folder.path(), &["--json"]).with_code(0).json()["findings"].clone();
    assert_eq!(found["reviews"].as_array().map(Vec::len), Some(3));
    assert_eq!(found["percentiles_by_model"][0]["hosts"], 2);
}
