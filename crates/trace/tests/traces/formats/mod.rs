//! A few rows of every format, with what must come of them.

mod damaged;
mod flushes;
mod pairing;
mod starts;
mod trial;

use std::fmt::Write as _;

use drivelab_block::Status;
use drivelab_trace::{Format, Measured, import};
use trial::Trial;

#[test]
fn msr() {
    let imported = Trial::new().of_text(
        "128166372003061629,hm,0,Read,1024,4096,2833\n\
         128166372003061729,hm,1,Write,8192,512,100\n\
         128166372003061739,hm,1,Erase,8192,512,100\n\
         128166372003061749,hm,1,Write,8192\n\
         0,hm,1,Write,8192,512,100\n\
         128166372003061749,hm,1,Write,8192,512,99999999999999\n",
        Format::Msr,
    );
    assert_eq!(imported.rejected("address or time beyond any drive"), 2);
    assert_eq!(imported.lines(), ["0 read 2+8 - 283300", "10000 write 16+1 - 10000"]);
    let names: Vec<&str> = imported.manifest.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["hm:0", "hm:1"]);
    assert_eq!(imported.manifest.devices[0].measured, Measured::QueueToComplete);
    assert_eq!(imported.rejected("unknown operation"), 1);
    assert_eq!(imported.rejected("malformed row"), 1);
    assert_eq!(imported.manifest.started_unix_ns, Some(1_172_163_600_306_162_900));
}

#[test]
fn systor_is_sorted_and_rows_without_a_response_are_counted() {
    let imported = Trial::new().of_text(
        "Timestamp,Response,IOType,LUN,Offset,Size\n\
         1456095145.133076000,0.000806000,R,0,512,1024\n\
         1456095145.126285000,0.008044000,W,1,0,512\n\
         1456095145.127000000,,,1,0,512\n",
        Format::Systor,
    );
    assert_eq!(imported.lines(), ["0 write 0+1 - 8044000", "6791000 read 1+2 - 806000"]);
    assert_eq!(imported.rejected("no operation, as no response was seen"), 1);
}

#[test]
fn cloud_volumes() {
    let trial = Trial::new();
    let alibaba =
        trial.of_text("419,W,4096,512,1577808000000046\n419,R,0,4096,1577808000000000\n", Format::Alibaba);
    assert_eq!(alibaba.lines(), ["0 read 0+8 - -", "46000 write 8+1 - -"]);
    let tencent =
        trial.of_text("1538323200,8,8,1,1058\n1538323199,16,1,0,1063\n1538323200,0,1,0,1\n", Format::Tencent);
    assert_eq!(tencent.lines(), ["0 read 16+1 - -", "1000000000 write 8+8 - -", "1500000000 read 0+1 - -"]);
    assert!(tencent.manifest.notices[0].contains("whole seconds"), "{:?}", tencent.manifest.notices);
    // What is spread over its second has no place among what has a time of its own.
    let files = [("fine", "419,W,4096,512,1577808000000046\n"), ("coarse", "1577808000,8,8,1,1058\n")];
    let files = files.map(|(name, text)| trial.file(name, text.as_bytes()));
    let error = trial.import(&files, None).expect_err("times that cannot be compared").to_string();
    assert!(error.contains("cannot be compared"), "{error}");
}

#[test]
fn simulators() {
    let trial = Trial::new();
    let fiu = trial.of_text("329131208190249 4892 syslogd 904265560 8 W 6 0 531e779f\n", Format::Fiu);
    assert_eq!(fiu.lines(), ["0 write 904265560+8 - -"]);
    assert_eq!(
        (fiu.manifest.devices[0].name.as_str(), fiu.manifest.processes[1].as_str()),
        ("6:0", "syslogd")
    );
    let mqsim = trial.of_text("11413000 0 657728 16 1\n11565000 1 31244784 64 0\n", Format::Mqsim);
    assert_eq!(mqsim.lines(), ["0 read 657728+16 - -", "152000 write 31244784+64 - -"]);
    let disksim = trial.of_text("0.5 0 8 16 1\n1.25 0 24 8 0\n", Format::Disksim);
    assert_eq!(disksim.lines(), ["0 read 8+16 - -", "750000 write 24+8 - -"]);
    let validation = trial.of_text(
        "R Hit   17317516   4  13661.00000  26658.00000\nW Miss 12   8  1.5 2.25\n",
        Format::DisksimValidation,
    );
    assert_eq!(validation.lines(), ["0 read 17317516+4 - 26658000", "1500 write 12+8 - 2250"]);
    assert_eq!(validation.manifest.devices[0].measured, Measured::IssueToComplete);
}

#[test]
fn etw_columns_come_from_the_header() {
    let imported = Trial::new().of_text(
        "BeginHeader\n\
         DiskRead, TimeStamp, Process Name ( PID), T, I, ByteOffset, IOSize, ElapsedTime, DiskNum, F, DiskSvcTime, Pri\n\
         DiskWrite, TimeStamp, Process Name ( PID), T, I, ByteOffset, IOSize, ElapsedTime, DiskNum, F, DiskSvcTime, Pri\n\
         EndHeader\n\
         DiskRead,  5000,  chrome.exe (1234),  1,  0xff,  0x0000001000,  0x00002000,  300,  0,  0x0,  100,  Normal\n\
         DiskWrite,  6000,  System (4),  1,  0xff,  0x0000000200,  0x00000200,  50,  0,  0x0,  60,  Normal\n\
         SomethingElse, 1, 2\n",
        Format::Etw,
    );
    assert_eq!(imported.lines(), ["0 read 8+16 200000 100000"]);
    assert_eq!(imported.rejected("service time longer than response time"), 1);
    // Without the disk's own part, what is known counts from when it was asked for; one that is no number is no time.
    let imported = Trial::new().of_text(
        "BeginHeader\n\
         DiskRead, TimeStamp, ByteOffset, IOSize, ElapsedTime, DiskNum\n\
         DiskWrite, TimeStamp, ByteOffset, IOSize, ElapsedTime, DiskNum, DiskSvcTime\n\
         EndHeader\n\
         DiskRead,  5000,  0x0000001000,  0x00002000,  300,  0\n\
         DiskWrite,  6000,  0x0000001000,  0x00002000,  300,  1,  none\n",
        Format::Etw,
    );
    assert_eq!(imported.lines(), ["0 read 8+16 - 300000"]);
    assert_eq!(imported.manifest.devices[0].measured, Measured::QueueToComplete);
    assert_eq!(imported.rejected("malformed row"), 1);
}

#[test]
fn biosnoop_inside_prose() {
    let imported = Trial::new().of_text(
        "# biosnoop.py -Q\n\
         TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)\n\
         0.000000    kworker/u72:1  13379  nvme1n1 W 1142400    4096      0.01    0.55\n\
         0.000771    Web Content    22177  nvme1n1 R 41963894   3072      0.11    0.47\n\
         [...]\n",
        Format::Biosnoop,
    );
    assert_eq!(imported.lines(), ["0 write 1142400+8 10000 550000", "851000 read 41963894+6 110000 470000"]);
    assert_eq!(imported.manifest.processes, ["", "kworker/u72:1", "Web Content"]);
}

#[test]
fn blkreplay_and_its_licence() {
    let imported = Trial::new().of_text(
        "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n\
         0.5 ; 100 ; 8 ; RA ; 0.0 ; 0.0\n\
         prose again\n\
         1.0 ; 200 ; 16 ; W ; 0.001 ; 0.25\n",
        Format::Blkreplay,
    );
    assert_eq!(imported.lines(), ["0 read 100+8 - -", "501000000 write 200+16 - 250000000"]);
    assert_eq!(imported.account().other_lines, 2);
}

#[test]
fn fio_logs() {
    let trial = Trial::new();
    let third = trial.of_text(
        "fio version 3 iolog\n0 /dev/sda add\n10 /dev/sda open\n1000 /dev/sda read 4096 8192\n\
         1500 /dev/sda trim 0 512\n1600 /dev/sda sync\n2000 /dev/sda close\n",
        Format::Fio,
    );
    assert_eq!(third.lines(), ["0 read 8+16 - -", "500000 discard 0+1 - -", "600000 flush 0+0 - -"]);
    let second = trial.of_text(
        "fio version 2 iolog\nf add\nf open\nf read 0 512\nf wait 250\nf write 512 512\nf close\n",
        Format::Fio,
    );
    assert_eq!(second.lines(), ["0 read 0+1 - -", "250000 write 1+1 - -"]);
}

const BLKPARSE: &str = "\
  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
  8,0    3        2     0.000001000   697  G   W 223490 + 8 [kjournald]
  8,0    3        3     0.000010000   697  D   W 223490 + 8 [kjournald]
  8,0    3        4     0.000020000   697  D   R 100 + 16 [cat]
  8,0    1        1     0.000100000     0  C   W 223490 + 8 [0]
  8,0    1        2     0.000200000     0  C   R 100 + 8 [0]
  8,0    1        3     0.000300000     0  C   R 108 + 8 [-5]
  8,0    1        4     0.000400000     0  C   R 5000 + 8 [0]
  8,0    3        5     0.000500000   697  D  FF 0 + 0 [sync]
  8,0    3        6     0.000600000   697  D  FF 0 + 0 [sync]
  8,0    3        7     0.000700000     0  C  FF 0 + 0 [0]
CPU0 (sda):
";

#[test]
fn blkparse_pairs_events() {
    let imported = Trial::new().of_text(BLKPARSE, Format::Blkparse);
    assert_eq!(
        imported.lines(),
        [
            "0 write 223490+8 10000 90000",
            // Two partial completions: the second one ends it.
            "10000 read 100+16 - 280000",
            "490000 flush 0+0 - 200000",
            "590000 flush 0+0 - -",
        ]
    );
    assert_eq!(imported.ios[1].status, Status::errno(5));
    assert_eq!(imported.unpaired("completion without a beginning"), 1);
    assert_eq!(imported.unpaired("another request in flight on the same sector"), 1);
    assert_eq!(imported.unpaired("issued and never completed"), 1);
}

#[test]
fn a_process_may_have_an_event_s_name() {
    let text = "# tracer: nop\n\
         # entries-in-buffer/entries-written: 4/5000   #P:2\n\
         \x20    block_test-31993   [001] .....  3932.123612: block_rq_issue: 254,0 R 4096 () 8 + 8 be,0,4 [block_test]\n\
         block_io: x-31993   [001] .....  3932.123619: block_rq_issue: 254,0 R 4096 () 16 + 8 be,0,4 [x]\n\
         \x20         <idle>-0       [001] ..s1.  3932.123759: block_rq_complete: 254,0 R () 8 + 8 be,0,4 [0]\n";
    let imported = Trial::new().of_text(text, Format::Kernel);
    assert_eq!(imported.lines(), ["0 read 8+8 - 147000", "7000 read 16+8 - -"]);
    assert_eq!(imported.account().lost_events, 4996);
}

#[test]
fn the_kernel_s_trace_points_as_text() {
    let imported = Trial::new().of_text(
        "# tracer: nop\n\
         \x20            fio-31993   [001] .....  3932.123612: block_rq_issue: 254,0 RA 4096 () 25071104 + 8 be,0,4 [fio]\n\
         CPU:1 [LOST 7 EVENTS]\n\
         \x20         <idle>-0       [001] ..s1.  3932.123759: block_rq_complete: 254,0 RA () 25071104 + 8 be,0,4 [0]\n\
         fio 31893/31893 [000]  3928.234221407:    block:block_rq_issue: 8,0 WS 512 () 7 + 1 [fio]\n\
         fio 31893/31893 [000]  3928.234221507:    block:block_bio_queue: 252,0 W 7 + 8 [fio]\n\
         fio 31893/31893 [000]  3928.234222507:    block:block_bio_complete: 252,0 W 7 + 8 [0]\n",
        Format::Kernel,
    );
    assert_eq!(imported.account().lost_events, 7);
    let mut measured: Vec<(&str, Measured)> =
        imported.manifest.devices.iter().map(|device| (device.name.as_str(), device.measured)).collect();
    measured.sort_by_key(|(name, _)| *name);
    let expected = [
        ("252:0", Measured::QueueToComplete),
        ("254:0", Measured::IssueToComplete),
        ("8:0", Measured::Nothing),
    ];
    assert_eq!(measured, expected);
    assert_eq!(imported.ios.iter().filter(|io| io.service.is_some()).count(), 2);
}

/// One record of a blktrace, version 7 or 8, in either byte order.
fn record(
    version: u8,
    is_little: bool,
    at: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    payload: &[u8],
) -> Vec<u8> {
    let word = |value: u32| if is_little { value.to_le_bytes() } else { value.to_be_bytes() };
    let double = |value: u64| if is_little { value.to_le_bytes() } else { value.to_be_bytes() };
    let half = |value: u16| if is_little { value.to_le_bytes() } else { value.to_be_bytes() };
    let mut record = Vec::new();
    record.extend(word(0x6561_7400 | u32::from(version)));
    record.extend(word(1));
    record.extend(double(at));
    record.extend(double(sector));
    record.extend(word(bytes));
    let (pid, device) = (word(77), word(8 << 20 | 16));
    if version == 8 {
        record.extend(pid);
        record.extend(double(u64::from(action)));
        record.extend(device);
    } else {
        record.extend(word(action));
        record.extend(pid);
        record.extend(device);
    }
    record.extend(word(1));
    record.extend(half(0));
    record.extend(half(u16::try_from(payload.len()).expect("a short payload")));
    record.resize(if version == 8 { 64 } else { 48 }, 0);
    record.extend(payload);
    record
}

const WRITE: u32 = 1 << 17;

#[test]
fn blktrace_in_both_versions_and_byte_orders() {
    for (version, is_little) in [(7, true), (7, false), (8, true), (8, false)] {
        let trial = Trial::new();
        let make = |at, sector, bytes, action, payload: &[u8]| {
            record(version, is_little, at, sector, bytes, action, payload)
        };
        // Two processors: the completion is on the other one.
        let name = make(0, 0, 0, 1 << 26, b"dd\0\0");
        let one = [name, make(100, 64, 4096, 1 | WRITE, b""), make(150, 64, 4096, 7 | WRITE, b"")].concat();
        let two = make(1_150, 64, 4096, 8 | WRITE, b"");
        let files = [trial.file("sda.blktrace.0", &one), trial.file("sda.blktrace.1", &two)];
        let imported = trial.import(&files, None).expect("a blktrace");
        assert_eq!(
            imported.lines(),
            ["0 write 64+8 50 1000"],
            "version {version}, little-endian {is_little}"
        );
        assert_eq!(imported.manifest.devices[0].name, "8:16");
        assert_eq!(imported.manifest.processes, ["", "dd"]);
        let cut = trial.file("cut", &one[..one.len() - 5]);
        let imported = trial.import(&[cut], None).expect("what comes before the damage");
        let damage = imported.account().damage.clone();
        assert!(damage.iter().any(|damage| damage.contains("byte")), "{damage:?}");
    }
}

/// The kernel notes the time of day when tracing begins, in the byte order of its machine, and again where it is set; that of a
/// control group has its number first.
#[test]
fn a_blktrace_has_the_time_of_day_that_the_kernel_noted_in_it() {
    for (is_little, has_cgroup) in [(true, false), (false, false), (true, true)] {
        let trial = Trial::new();
        let word = |value: u32| if is_little { value.to_le_bytes() } else { value.to_be_bytes() };
        let note = |at, seconds: u32| {
            let group: &[u8] = if has_cgroup { &[9; 8] } else { b"" };
            let payload = [group, &word(seconds), &word(999_999_950)].concat();
            let action = 1 << 26 | 1 | u32::from(has_cgroup) << 8;
            record(7, is_little, at, 0, 0, action, &payload)
        };
        let write = |at, action| record(7, is_little, at, 64, 4096, action | WRITE, b"");
        let file =
            [note(50, 1_700_000_000), write(100, 7), note(200, 1_800_000_000), write(1_150, 8)].concat();
        let imported = trial.import(&[trial.file("sda.blktrace.0", &file)], None).expect("a blktrace");
        assert_eq!(imported.manifest.started_unix_ns, Some(1_700_000_001_000_000_000));
        let cut = trial.file("cut.blktrace.0", &note(50, 1)[..52]);
        let imported = trial.import(&[cut], None).expect("what there is");
        assert_eq!(imported.manifest.started_unix_ns, None);
    }
}

#[test]
fn an_interrupted_import_says_so() {
    let trial = Trial::new();
    let row = |at: u64| format!("{},hm,0,Read,{},4096,9\n", 1u64 << 57 | at, at * 4096);
    let file = trial.file("rows", (0..200_000).map(row).collect::<String>().as_bytes());
    let folder = trial.0.path().join("trace");
    let mut looks = 0;
    let mut keep_going = || {
        looks += 1;
        looks < 9
    };
    let manifest =
        import(&[file], Some(Format::Msr), &folder, "test", &mut keep_going).expect("a part of it");
    let account = manifest.account.expect("it ended");
    assert!(account.requests > 10_000 && account.requests < 200_000, "{account:?}");
    assert!(account.rejected.is_empty(), "a line that was not read to its end is no cut one: {account:?}");
    assert!(manifest.notices[0].contains("interrupted"), "{:?}", manifest.notices);
}

#[test]
fn a_file_of_nothing_known_names_the_formats() {
    let trial = Trial::new();
    let file = trial.file("prose", b"Nothing in here is a trace.\n");
    let error = trial.import(&[file], None).expect_err("no format fits").to_string();
    assert!(error.contains("--format") && error.contains("msr"), "{error}");
    // A packed file that is damaged before its first row is no unknown format.
    let packed = trial.file("packed", b"BZh9nothing of a block");
    let error = trial.import(&[packed], None).expect_err("damaged").to_string();
    assert!(error.contains("bzip2"), "{error}");
}

#[test]
fn one_absurd_time_makes_no_trace_of_years() {
    let mut rows: Vec<String> =
        (0..40).map(|row| format!("{},hm,0,Read,0,4096,100\n", 128_166_372_003_061_629u64 + row)).collect();
    rows.insert(30, "148166372003061629,hm,0,Read,0,4096,100\n".to_owned());
    let imported = Trial::new().of_text(&rows.concat(), Format::Msr);
    assert_eq!(imported.rejected("time more than 30 days from all others"), 1);
    assert_eq!(imported.ios.last().expect("forty").issued_at.as_nanos(), 3_900);
}

#[test]
fn files_that_cannot_be_one_trace_are_refused() {
    let trial = Trial::new();
    let msr = trial.file("msr", b"128166372003061629,hm,0,Read,1024,4096,2833\n");
    let fio = trial.file("fio", b"fio version 2 iolog\nf add\nf read 0 512\n");
    let clocks = trial.import(&[msr.clone(), fio.clone()], None).expect_err("two clocks").to_string();
    assert!(clocks.contains("msr (msr) and") && clocks.contains("fio (fio)"), "{clocks}");
    let again = trial.0.path().join("again");
    std::os::unix::fs::symlink(&msr, &again).expect("a link");
    let twice = trial.import(&[msr, again], None).expect_err("one file").to_string();
    assert!(twice.contains("again is named twice"), "{twice}");
    let other = trial.file("other", b"fio version 2 iolog\nf add\nf read 0 512\n");
    let notices =
        trial.import(&[fio, other], None).expect("a common clock, as far as is known").manifest.notices;
    assert!(notices[0].contains("begin together"), "{notices:?}");
}

#[test]
fn what_comes_far_too_late_finds_its_place() {
    // More than the window of the sorter, backwards by blocks.
    let blocks = 12u64;
    let rows = 200_000u64;
    let mut text = String::new();
    for block in (0..blocks).rev() {
        for row in 0..rows {
            let at = block * rows + row;
            writeln!(text, "{} 0 {at} 8 1", at * 10).expect("memory");
        }
    }
    let imported = Trial::new().of_text(&text, Format::Mqsim);
    assert_eq!(imported.ios.len() as u64, blocks * rows);
    for (number, io) in (0..).zip(&imported.ios) {
        assert_eq!((io.issued_at.as_nanos(), io.extent.start.get()), (number * 10, number));
    }
}
