//! Traces in other formats, and back.

mod faults;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common;
use crate::common::ios;
use drivelab_block::{
    DeviceId, Extent, Instant, IoFlags, Nanos, Op, ProcessId, Sector, SectorCount, Status, TracedIo,
};
use drivelab_documents::PhaseRequest;
use drivelab_trace::{
    Account, Device, ExportFormat, Exported, Format, Measured, TRACE_SCHEMA, TraceFolder, TraceManifest,
    TraceSource, export, import,
};
use proptest::prelude::*;

/// Names as traces have them; the first device's and the last's are numbers.
const DEVICES: [(&str, Measured); 4] = [
    ("8:16", Measured::IssueToComplete),
    ("hm:0", Measured::QueueToComplete),
    ("the \"data\", disk", Measured::Nothing),
    ("259:3", Measured::IssueToComplete),
];
const PROCESSES: [&str; 4] = ["", "fio", "Web [Content]", " a, b\n"];

/// A folder with traces.
struct Trial(tempfile::TempDir);

impl Trial {
    fn new() -> Trial {
        Trial(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self) -> PathBuf {
        let number = fs::read_dir(self.0.path()).expect("the folder").count();
        self.0.path().join(number.to_string())
    }

    /// A trace of these I/Os.
    fn trace(&self, ios: &[TracedIo]) -> PathBuf {
        let path = self.path();
        let device = |(name, measured): (&str, Measured)| Device { name: name.to_owned(), measured };
        let manifest = TraceManifest {
            schema: TRACE_SCHEMA.to_owned(),
            version: "test".to_owned(),
            label: None,
            source: "test".to_owned(),
            origins: Vec::new(),
            started_unix_ns: None,
            started: None,
            devices: DEVICES.map(device).to_vec(),
            drives: BTreeMap::new(),
            processes: PROCESSES.map(str::to_owned).to_vec(),
            account: Some(Account { requests: ios.len() as u64, ..Account::default() }),
            so_far: None,
            first_segment: 0,
            notices: Vec::new(),
        };
        let folder = TraceFolder::create(&path, &manifest).expect("a new folder");
        let mut writer = folder.writer();
        writer.append(ios);
        assert_eq!(writer.finish().records, ios.len() as u64);
        path
    }

    fn import(&self, text: &str, format: Format) -> PathBuf {
        let (file, folder) = (self.0.path().join("source"), self.path());
        fs::write(&file, text).expect("room on disk");
        let manifest = import(&[file], Some(format), &folder, "test", &mut || true).expect("a new trace");
        let account = manifest.account.expect("it was ended");
        let unknown = (account.rejected.len(), account.unpaired.values().sum::<u64>());
        assert_eq!(unknown.0, 0, "{account:?}\n{text}");
        folder
    }
}

fn source(trace: &Path) -> TraceSource {
    TraceSource::open(trace, &PhaseRequest::Measured).expect("a trace")
}

fn exported(trace: &Path, format: ExportFormat, file: Option<&str>) -> (String, Exported) {
    let source = source(trace);
    let mut text = Vec::new();
    let exported = export(&source, format, file, &mut text, &mut || true).expect("memory");
    assert_eq!(exported.faults, [""; 0]);
    (String::from_utf8(text).expect("text"), exported)
}

fn lost(exported: &Exported, words: &str) -> u64 {
    exported.losses.iter().filter(|(what, _)| what.contains(words)).map(|(_, count)| count).sum()
}

/// What a comparison looks at: all that blkparse's text holds, with names for numbers.
fn whole(trace: &Path, io: &TracedIo, origin: u64) -> String {
    let (_, manifest) = TraceFolder::open(trace).expect("a trace");
    let device = &manifest.devices[usize::from(io.device.0)].name;
    let process = &manifest.processes[io.process.0 as usize];
    let spans = (io.queued_for.map(Nanos::get), io.service.map(Nanos::get));
    let ended = (io.status.code(), io.flags.bits());
    format!("{:020} {} {spans:?} {ended:?} {device} {process:?}", io.issued_at.as_nanos() - origin, asked(io))
}

fn asked(io: &TracedIo) -> String {
    format!("{} {}+{}", io.op, io.extent.start.get(), io.extent.length.get())
}

/// All I/Os of a trace as above, in an order that does not depend on which of equal times comes first.
fn all(trace: &Path) -> Vec<String> {
    let ios = ios(trace);
    let origin = ios.first().map_or(0, |first| first.issued_at.as_nanos());
    let mut all: Vec<String> = ios.iter().map(|io| whole(trace, io, origin)).collect();
    all.sort();
    all
}

fn an_io() -> impl Strategy<Value = (u64, TracedIo)> {
    let ops = proptest::sample::select(vec![Op::Read, Op::Write, Op::Discard, Op::Flush]);
    let what = (0u64..3_000, ops, 0u64..40, 1u32..9, 0u8..32);
    let span = || proptest::option::of(prop_oneof![0u64..4, 0u64..9_000, 0u64..9_000_000_000]);
    let who = (0u16..4, 0u32..4, prop_oneof![Just(0i16), 1i16..100], span(), span());
    (what, who).prop_map(|((gap, op, start, length, flags), (device, process, status, wait, service))| {
        let is_flush = op == Op::Flush;
        let length = SectorCount::new(if is_flush { 0 } else { length });
        let extent = Extent { start: Sector::new(if is_flush { 0 } else { start * 8 }), length };
        let measured = DEVICES[usize::from(device)].1;
        let service = service.map(Nanos::new).filter(|_| measured != Measured::Nothing);
        let io = TracedIo {
            queued_for: wait.map(Nanos::new).filter(|_| measured != Measured::QueueToComplete),
            service,
            process: ProcessId(process),
            device: DeviceId(device),
            status: Status::from_code(if service.is_some() { status } else { 0 }),
            flags: IoFlags::from_bits(flags),
            ..TracedIo::new(Instant::ORIGIN, op, extent)
        };
        (gap, io)
    })
}

/// I/Os in the order of their issue, at multiples of `unit` nanoseconds, the first at 0.
fn some_ios(unit: u64) -> impl Strategy<Value = Vec<TracedIo>> {
    proptest::collection::vec(an_io(), 1..60).prop_map(move |ios| {
        let mut at = 0;
        let place = |(number, (gap, io)): (usize, (u64, TracedIo))| {
            at += if number == 0 { 0 } else { gap * unit };
            TracedIo { issued_at: Instant::from_nanos(at), ..io }
        };
        ios.into_iter().enumerate().map(place).collect()
    })
}

/// Those of which no two are in flight at one place at one time, and whose hints letters can say.
fn apart(ios: Vec<TracedIo>) -> Vec<TracedIo> {
    let mut kept: Vec<TracedIo> = Vec::new();
    for io in ios {
        let key = |io: &TracedIo| (io.device, io.extent.start, io.op == Op::Flush);
        let asked = i128::from(io.issued_at.as_nanos()) - i128::from(io.queued_for.map_or(0, Nanos::get));
        let ends = |io: &TracedIo| io.completed_at().map_or(i128::MAX, |end| i128::from(end.as_nanos()));
        let is_free = kept.iter().all(|other| key(other) != key(&io) || ends(other) <= asked);
        let is_said = io.op != Op::Flush || !io.flags.contains(IoFlags::FUA);
        kept.extend((is_free && is_said).then_some(io));
    }
    kept
}

/// A CSV text as RFC 4180 has it.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let row = rows.last_mut().expect("a row");
        let field = row.last_mut().expect("a field");
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(String::new()),
            '\n' if !is_quoted => rows.push(vec![String::new()]),
            letter => field.push(letter),
        }
    }
    rows.pop();
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn fio_logs_keep_whole_microseconds_and_all_they_have(
        ios in some_ios(1_000),
        format in proptest::sample::select(vec![ExportFormat::Fio2, ExportFormat::Fio3]),
    ) {
        let trial = Trial::new();
        let (text, told) = exported(&trial.trace(&ios), format, None);
        let fields = |io: &TracedIo| (io.issued_at, asked(io));
        let back: Vec<_> = common::ios(&trial.import(&text, Format::Fio)).iter().map(fields).collect();
        prop_assert_eq!(&back, &ios.iter().map(fields).collect::<Vec<_>>());
        prop_assert_eq!(lost(&told, "rounded"), 0);
        prop_assert_eq!(lost(&told, "service times"), ios.iter().filter(|io| io.service.is_some()).count() as u64);
    }

    #[test]
    fn a_fio_log_of_a_fio_log_is_the_same(
        ios in some_ios(37),
        format in proptest::sample::select(vec![ExportFormat::Fio2, ExportFormat::Fio3]),
        file in proptest::option::of(Just("/dev/sdb")),
    ) {
        let trial = Trial::new();
        let (text, _) = exported(&trial.trace(&ios), format, file);
        let (again, told) = exported(&trial.import(&text, Format::Fio), format, file);
        prop_assert_eq!(&again, &text);
        prop_assert_eq!(&told.losses, &[]);
        prop_assert_eq!(file.is_some(), text.lines().skip(1).all(|line| line.contains("/dev/sdb ")));
    }

    #[test]
    fn blkparse_gives_the_trace_back(ios in some_ios(1).prop_map(apart)) {
        let trial = Trial::new();
        let trace = trial.trace(&ios);
        let (text, told) = exported(&trace, ExportFormat::Blkparse, None);
        let back = trial.import(&text, Format::Blkparse);
        // The devices without numbers are the first disks that no other is; a name's line end is replaced.
        let renamed = |line: String| {
            line.replace("hm:0", "8:0").replace("the \"data\", disk", "8:32").replace("a, b\\n", "a, b?")
        };
        let mut expected: Vec<String> = all(&trace).into_iter().map(renamed).collect();
        expected.sort();
        prop_assert_eq!(all(&back), expected, "{}", text);
        let used: HashSet<DeviceId> = ios.iter().map(|io| io.device).collect();
        let renamed = [DeviceId(1), DeviceId(2)].iter().filter(|id| used.contains(id)).count() as u64;
        prop_assert_eq!(lost(&told, "device names"), renamed);
        prop_assert_eq!(told.losses.iter().filter(|(what, _)| !what.contains("names")).count(), 0);
        let (_, manifest) = TraceFolder::open(&back).expect("a trace");
        for device in manifest.devices.iter().filter(|device| device.measured != Measured::Nothing) {
            prop_assert_eq!(device.measured == Measured::QueueToComplete, device.name == "8:0");
        }
    }

    #[test]
    fn csv_holds_everything(ios in some_ios(1)) {
        let trial = Trial::new();
        let (text, told) = exported(&trial.trace(&ios), ExportFormat::Csv, None);
        prop_assert_eq!(&told.losses, &[]);
        let rows = csv_rows(&text);
        prop_assert_eq!(rows.len(), ios.len() + 1);
        let header =
            "issue_time_ns,queue_ns,service_ns,sector,sectors,operation,flags,status,device,process,measured";
        prop_assert_eq!(rows[0].join(","), header);
        for (row, io) in rows[1..].iter().zip(&ios) {
            let number = |place: usize| row[place].parse::<u64>().ok();
            prop_assert_eq!(number(0), Some(io.issued_at.as_nanos()));
            prop_assert_eq!((number(1), number(2)), (io.queued_for.map(Nanos::get), io.service.map(Nanos::get)));
            prop_assert_eq!(number(3), Some(io.extent.start.get()));
            prop_assert_eq!(number(4), Some(u64::from(io.extent.length.get())));
            let codes = [io.op.code().into(), io.flags.bits().into(), io.status.code()].map(|code| code.to_string());
            prop_assert_eq!(&row[5..8], &codes);
            prop_assert_eq!(&row[8], DEVICES[usize::from(io.device.0)].0);
            prop_assert_eq!(&row[9], PROCESSES[io.process.0 as usize]);
            prop_assert_eq!(&row[10], DEVICES[usize::from(io.device.0)].1.word());
        }
    }

    #[test]
    fn csv_gives_the_trace_back(ios in some_ios(1)) {
        let trial = Trial::new();
        let trace = trial.trace(&ios);
        let (text, _) = exported(&trace, ExportFormat::Csv, None);
        let back = trial.import(&text, Format::OwnCsv);
        // An import writes the comma in a device's name as a colon.
        let renamed = |line: String| line.replace("\"data\",", "\"data\":");
        let mut expected: Vec<String> = all(&trace).into_iter().map(renamed).collect();
        expected.sort();
        prop_assert_eq!(all(&back), expected, "{}", text);
        let (_, manifest) = TraceFolder::open(&back).expect("a trace");
        // Of a device without a duration it is not known what one would span.
        for device in manifest.devices.into_iter().filter(|device| device.measured != Measured::Nothing) {
            prop_assert!(DEVICES.contains(&(device.name.as_str(), device.measured)), "{:?}", device);
        }
    }

    #[test]
    fn blkreplay_keeps_reads_and_writes(ios in some_ios(1)) {
        let trial = Trial::new();
        let (text, told) = exported(&trial.trace(&ios), ExportFormat::Blkreplay, None);
        let is_kept = |io: &&TracedIo| matches!(io.op, Op::Read | Op::Write);
        let kept: Vec<&TracedIo> = ios.iter().filter(is_kept).collect();
        prop_assert_eq!(lost(&told, "left out"), (ios.len() - kept.len()) as u64);
        prop_assert_eq!(text.lines().count(), kept.len() + 1);
        let origin = kept.first().map_or(0, |first| first.issued_at.as_nanos());
        let fields = |io: &TracedIo, origin: u64| {
            (io.issued_at.as_nanos() - origin, asked(io), io.service.filter(|service| *service > Nanos::ZERO))
        };
        let expected: Vec<_> = kept.iter().map(|io| fields(io, origin)).collect();
        let back = common::ios(&trial.import(&text, Format::Blkreplay));
        prop_assert_eq!(back.iter().map(|io| fields(io, 0)).collect::<Vec<_>>(), expected);
    }
}

fn at(micros: u64, op: Op, start: u64, length: u32) -> TracedIo {
    let extent = Extent { start: Sector::new(start), length: SectorCount::new(length) };
    TracedIo { process: ProcessId(1), ..TracedIo::new(Instant::from_nanos(micros * 1_000), op, extent) }
}

#[test]
fn each_format_as_it_is_written() {
    let trial = Trial::new();
    let wait = TracedIo { queued_for: Some(Nanos::new(2_500)), ..at(1, Op::Write, 8, 16) };
    let failed = TracedIo { service: Some(Nanos::new(7_000)), status: Status::errno(5), ..wait };
    let flush = TracedIo { device: DeviceId(2), ..at(9, Op::Flush, 0, 0) };
    let trace = trial.trace(&[at(0, Op::Read, 0, 1), failed, flush]);
    let text = |format| exported(&trace, format, None).0;
    assert_eq!(
        text(ExportFormat::Fio3),
        "fio version 3 iolog\n0 8:16 add\n0 the_\"data\":_disk add\n0 8:16 open\n0 the_\"data\":_disk open\n\
         0 8:16 read 0 512\n1 8:16 write 4096 8192\n9 the_\"data\":_disk sync 0 0\n9 8:16 close\n\
         9 the_\"data\":_disk close\n"
    );
    assert_eq!(
        exported(&trace, ExportFormat::Fio2, Some("f")).0,
        "fio version 2 iolog\nf add\nf open\nf read 0 512\nf wait 1 0\nf write 4096 8192\nf wait 8 0\n\
         f sync 0 0\nf close\n"
    );
    assert_eq!(
        text(ExportFormat::Blkparse),
        "   8,16  0        1     0.000000000     0  Q   W 8 + 16 [fio]\n\
         \x20  8,16  0        2     0.000001500     0  D   R 0 + 1 [fio]\n\
         \x20  8,16  0        3     0.000002500     0  D   W 8 + 16 [fio]\n\
         \x20  8,16  0        4     0.000009500     0  C   W 8 + 16 [-5]\n\
         \x20  8,32  0        5     0.000010500     0  D   F 0 + 0 [fio]\n"
    );
    assert_eq!(
        text(ExportFormat::Blkreplay),
        "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n\
         0.000000000 ; 0 ; 1 ; R ; 0.000000000 ; 0.000000000\n\
         0.000001000 ; 8 ; 16 ; W ; 0.000000000 ; 0.000007000\n"
    );
    assert!(text(ExportFormat::Csv).contains("1000,2500,7000,8,16,1,0,5,8:16,fio,D2C\n"));
}

#[test]
fn two_in_flight_on_one_sector_are_counted_where_text_cannot_tell_them_apart() {
    let trial = Trial::new();
    let lasting = |io: TracedIo, micros: u64| TracedIo { service: Some(Nanos::new(micros * 1_000)), ..io };
    let first = lasting(at(0, Op::Read, 8, 8), 50);
    let [beside, behind] = [10_u64, 90].map(|start| lasting(at(start, Op::Read, 8, 8), 10));
    let trace = trial.trace(&[first, beside, behind]);
    assert_eq!(lost(&exported(&trace, ExportFormat::Blkparse, None).1, "same sector"), 1);
    // A load's durations are taken to count from the ask, those of this device count from the issue.
    assert_eq!(lost(&exported(&trace, ExportFormat::Blkreplay, None).1, "measured from D"), 1);
}

#[test]
fn names_that_become_one_word_stay_apart() {
    let trial = Trial::new();
    let ios: Vec<TracedIo> =
        [2, 0, 2, 1].iter().map(|id| TracedIo { device: DeviceId(*id), ..at(0, Op::Read, 0, 1) }).collect();
    let trace = trial.trace(&ios);
    let (folder, mut manifest) = TraceFolder::open(&trace).expect("a trace");
    for (device, name) in manifest.devices.iter_mut().zip(["a_b", "", "a b"]) {
        name.clone_into(&mut device.name);
    }
    folder.save(&manifest).expect("room on disk");
    let (text, told) = exported(&trace, ExportFormat::Fio3, None);
    let opened: Vec<&str> = text.lines().filter_map(|line| line.strip_suffix(" open")).collect();
    assert_eq!(opened, ["0 a_b", "0 a_b_2", "0 device"], "in the order of their use");
    assert_eq!(lost(&told, "device names"), 3);
}

#[test]
fn events_stand_in_the_order_of_time_however_long_they_waited() {
    let trial = Trial::new();
    // Each waits longer than the one before, and now and then one was asked for long before the trace began.
    let io = |number: u64| {
        let wait = if number.is_multiple_of(7_001) { 40_000_000 + number } else { number * 13 % 5_000_000 };
        let queued_for = Some(Nanos::new(wait));
        let service = Some(Nanos::new(number * 7_919 % 3_000_000));
        TracedIo { queued_for, service, ..at(number, Op::Write, number * 8, 8) }
    };
    let ios: Vec<TracedIo> = (0..150_000).map(io).collect();
    let trace = trial.trace(&ios);
    let (text, told) = exported(&trace, ExportFormat::Blkparse, None);
    assert_eq!(told.losses, []);
    let times: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().nth(3)).collect();
    assert_eq!(times.len(), 450_000);
    assert!(times.is_sorted(), "all have one digit before the point");
    assert!(ios == common::ios(&trial.import(&text, Format::Blkparse)), "the trace comes back");
}
