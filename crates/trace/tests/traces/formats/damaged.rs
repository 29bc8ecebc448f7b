//! Damaged rows and events: whatever they hold, an import comes to an end.

use std::io::Write as _;

use drivelab_trace::{Format, TraceError};
use proptest::prelude::*;

use crate::formats::record;
use crate::formats::trial::Trial;

#[test]
fn packed_files_are_unpacked_and_damage_is_told() {
    let rows: Vec<String> = (0..20_000)
        .map(|at| format!("{},hm,0,Read,{},4096,{}\n", 1u64 << 57 | at, at * 4096, at % 97))
        .collect();
    let text = rows.concat();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(text.as_bytes()).expect("memory");
    let gz = gz.finish().expect("memory");
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz.write_all(text.as_bytes()).expect("memory");
    let bz = bz.finish().expect("memory");
    let zst = zstd::encode_all(text.as_bytes(), 1).expect("memory");
    let trial = Trial::new();
    let plain = trial.of_text(&text, Format::Msr);
    for packed in [&gz, &bz, &zst] {
        let file = trial.file("packed", packed);
        let whole = trial.import(&[file], None).expect("a packed file");
        assert_eq!(whole.ios, plain.ios);
        let file = trial.file("cut", &packed[..packed.len() / 2]);
        let Ok(cut) = trial.import(&[file], None) else { continue };
        assert!(!cut.account().damage.is_empty(), "half of a packed file is damaged");
        assert!(cut.ios.len() < plain.ios.len() && plain.ios.starts_with(&cut.ios));
    }
}

#[test]
fn every_damaged_file_is_named() {
    let trial = Trial::new();
    let rows: Vec<String> =
        (0..20_000).map(|at| format!("{},hm,0,Read,{},4096,9\n", 1u64 << 57 | at, at * 4096)).collect();
    let packed = zstd::encode_all(rows.concat().as_bytes(), 1).expect("memory");
    let files = ["one", "two"].map(|name| trial.file(name, &packed[..packed.len() / 2]));
    let damage = trial.import(&files, Some(Format::Msr)).expect("what comes before").account().damage.clone();
    assert!(damage.len() == 2 && damage[0].contains("one") && damage[1].contains("two"), "{damage:?}");
}

/// A row of some format with some bytes changed.
fn damaged_text() -> impl Strategy<Value = Vec<u8>> {
    let rows = [
        "128166372003061629,hm,0,Read,1024,4096,2833",
        "1456095145.133076000,0.000806000,R,0,512,1024",
        "419,W,4096,512,1577808000000046",
        "1538323200,8,8,1,1058",
        "329131208190249 4892 syslogd 904265560 8 W 6 0 531e779f",
        "11413000 0 657728 16 1",
        "0.5 0 8 16 1",
        "R Hit   17317516   4  13661.00000  26658.00000",
        "DiskRead,  5000,  a (1),  1,  0xff,  0x1000,  0x2000,  300,  0,  0x0,  100,  Normal",
        "DiskRead,  TimeStamp, Process Name ( PID), T, I, ByteOffset, IOSize, ElapsedTime, DiskNum, F, DiskSvcTime",
        "BeginHeader",
        "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)",
        "0.000771    Web Content    22177  nvme1n1 R 41963894   3072      0.11    0.47",
        "0.5 ; 100 ; 8 ; RA ; 0.0 ; 0.0",
        "fio version 3 iolog",
        "1000 /dev/sda read 4096 8192",
        "  8,0    3        3     0.000010000   697  D   W 223490 + 8 [kjournald]",
        "  8,0    1        1     0.000100000     0  C   W 223490 + 8 [0]",
        "fio-1 [001] .....  3932.123612: block_rq_issue: 254,0 RA 4096 () 25071104 + 8 be,0,4 [fio]",
        "fio-1 [001] .....  3932.123612: block_rq_complete: 254,0 RA () 25071104 + 8 be,0,4 [0]",
    ];
    let row = proptest::sample::select(rows.to_vec());
    let damage = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    proptest::collection::vec((row, damage), 1..40).prop_map(|rows| {
        let mut text = Vec::new();
        for (row, damage) in rows {
            let mut row = row.as_bytes().to_vec();
            damage.iter().for_each(|(place, byte)| *place.get_mut(&mut row) = *byte);
            text.extend(row);
            text.push(b'\n');
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_text_never_panics_in_any_format(text in damaged_text()) {
        let trial = Trial::new();
        let file = trial.file("source", &text);
        // Pages are refused where their events are not described, whatever they hold.
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Ring) {
            let imported = match trial.import(std::slice::from_ref(&file), Some(format)) {
                // Nothing of it is of this format, and something of another.
                Err(TraceError::Usage(why)) if why.contains("leave --format out") => continue,
                imported => imported.expect("the file is there"),
            };
            prop_assert!(imported.ios.is_sorted_by_key(|io| io.issued_at));
            prop_assert_eq!(imported.ios.len() as u64, imported.account().requests);
        }
    }

    #[test]
    fn a_damaged_blktrace_never_panics(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        actions in proptest::collection::vec((0u64..1_000, 0u64..64, 0u32..3, any::<u32>()), 0..40),
    ) {
        let mut bytes = Vec::new();
        for (at, sector, blocks, action) in actions {
            bytes.extend(record(7, true, at, sector, blocks * 4096, action & 0x07FF_001F, b"name"));
        }
        if !bytes.is_empty() {
            damage.iter().for_each(|(place, byte)| *place.get_mut(&mut bytes) = *byte);
        }
        let trial = Trial::new();
        let file = trial.file("source", &bytes);
        trial.import(&[file], Some(Format::Blktrace)).expect("the file is there");
    }
}
