//! Flushes: the kernel makes one request of what several programs asked for, and ends what they asked for without having
//! issued it.

use drivelab_block::{Nanos, Op};
use drivelab_trace::Format;

use crate::formats::trial::{Imported, Trial};
use crate::formats::{WRITE, record};

/// As Linux 6.18 traces a file system on a loop device: a write that begins and ends with a flush, then two programs whose
/// flushes become one.
const KERNEL: &str = "\
    jbd2/loop0-8-22753   [000] ..... 16542.370126: block_bio_queue: 7,0 FWFSM 32788 + 2 [jbd2/loop0-8]
    kworker/0:2H-23122   [000] ..... 16542.370129: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/0:2H]
     ksoftirqd/0-14      [000] ..s.. 16542.377204: block_rq_complete: 7,0 FF () 18446744073709551615 + 0 none,0,0 [0]
    kworker/0:2H-23122   [000] ..... 16542.377212: block_rq_issue: 7,0 WSM 1024 () 32788 + 2 be,0,3 [kworker/0:2H]
     ksoftirqd/0-14      [000] ..s.. 16542.377225: block_rq_complete: 7,0 WSM () 32788 + 2 be,0,3 [0]
    kworker/0:2H-23122   [000] ..... 16542.377227: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/0:2H]
     ksoftirqd/0-14      [000] ..s.. 16542.381594: block_rq_complete: 7,0 FF () 18446744073709551615 + 0 none,0,0 [0]
     ksoftirqd/0-14      [000] d.s1. 16542.381595: block_rq_complete: 7,0 WSM () 32788 + 0 be,0,3 [0]
         python3-22810   [001] ..... 16542.885885: block_bio_queue: 7,0 FWS 0 + 0 [python3]
    kworker/1:1H-78      [001] ..... 16542.885892: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/1:1H]
         python3-22808   [001] ..... 16542.885894: block_bio_queue: 7,0 FWS 0 + 0 [python3]
         python3-22809   [001] ..... 16542.885895: block_bio_queue: 7,0 FWS 0 + 0 [python3]
     ksoftirqd/1-22      [001] ..s.. 16542.889184: block_rq_complete: 7,0 FF () 18446744073709551615 + 0 none,0,0 [0]
    kworker/1:1H-78      [001] ..... 16542.889185: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/1:1H]
     ksoftirqd/1-22      [001] d.s1. 16542.889186: block_rq_complete: 7,0 WS () 0 + 0 be,0,4 [0]
     ksoftirqd/1-22      [001] ..s.. 16542.893185: block_rq_complete: 7,0 FF () 18446744073709551615 + 0 none,0,0 [0]
     ksoftirqd/1-22      [001] d.s1. 16542.893187: block_rq_complete: 7,0 WS () 0 + 0 be,0,4 [0]
     ksoftirqd/1-22      [001] d.s1. 16542.893192: block_rq_complete: 7,0 WS () 0 + 0 be,0,4 [0]
";

/// The same as `blkparse` prints it, which leaves out a sector of 0.
fn as_blkparse(text: &str) -> String {
    let letters = [("block_bio_queue:", 'Q'), ("block_rq_issue:", 'D'), ("block_rq_complete:", 'C')];
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| word.starts_with("block_")).expect("an event's name");
        let (_, letter) = letters.iter().find(|(name, _)| *name == words[at]).expect("a known event");
        let seconds = words[at - 1].trim_end_matches(':');
        let plus = words.iter().position(|word| *word == "+").expect("a place");
        let place = if words[plus - 1] == "0" {
            String::new()
        } else {
            format!("{} + {} ", words[plus - 1], words[plus + 1])
        };
        let last = line.rsplit('[').next().expect("brackets");
        format!("  7,0    3        1 {seconds}000   697  {letter}  {} {place}[{last}\n", words[at + 2])
    };
    text.lines().map(row).collect()
}

/// And as a binary blktrace has it. The bits are those of the kernel's `blktrace_api.h`.
fn as_blktrace(text: &str) -> Vec<u8> {
    let rows = as_blkparse(text);
    let records = rows.lines().flat_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let nanos: u64 = words[3].replace('.', "").parse().expect("nanoseconds");
        let kind = match words[5] {
            "Q" => 1,
            "D" => 7,
            _ => 8,
        };
        let is_flush = words[6].starts_with('F');
        let is_write = words[6].trim_start_matches("FF").contains('W');
        let action = kind | if is_write { WRITE } else { 1 << 16 } | if is_flush { 1 << 18 } else { 0 };
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        let sectors = if words.get(8) == Some(&"+") { number(9).unwrap_or(0) } else { 0 };
        let bytes = u32::try_from(sectors).expect("short") * 512;
        record(7, true, nanos, number(7).unwrap_or(0), bytes, action, b"")
    });
    records.collect::<Vec<u8>>()
}

fn assert_is_healthy(imported: &Imported, source: &str) {
    let took = |op| -> Vec<u64> {
        let of_op = imported.ios.iter().filter(|io| io.op == op);
        of_op.filter_map(|io| io.service).map(|service| service.get() / 1_000).collect()
    };
    assert_eq!(took(Op::Flush), [7_075, 4_367, 3_292, 4_000], "{source}");
    assert_eq!(took(Op::Write), [13], "{source}");
    let waits: Vec<u64> = imported.ios.iter().filter_map(|io| io.queued_for).map(Nanos::get).collect();
    assert_eq!(waits, [7_086_000, 7_000, 3_291_000], "{source}");
    assert_eq!(imported.account().unpaired, [].into(), "{source}");
    assert_eq!(imported.account().rejected, [].into(), "{source}");
}

#[test]
fn what_asked_for_a_flush_and_ends_with_it_is_no_loss() {
    let imported = Trial::new().of_text(KERNEL, Format::Kernel);
    assert_is_healthy(&imported, "the kernel's text");
    let imported = Trial::new().of_text(&as_blkparse(KERNEL), Format::Blkparse);
    assert_is_healthy(&imported, "blkparse");
    // What moves no data is none to blkparse, whose letters are its own where the trace was a binary one.
    let imported = Trial::new().of_text(&as_blkparse(KERNEL).replace("  FF ", "  FN "), Format::Blkparse);
    assert_is_healthy(&imported, "blkparse of a binary trace");
    let trial = Trial::new();
    let file = trial.file("sda.blktrace.0", &as_blktrace(KERNEL));
    assert_is_healthy(&trial.import(&[file], None).expect("a blktrace"), "blktrace");
}

/// A device below another one is asked for a flush with a flush, which ends right after its own.
#[test]
fn a_flush_that_asked_for_a_flush_is_no_loss_either() {
    let mut lines: Vec<&str> = KERNEL.lines().collect();
    let next_issue = lines.iter().position(|line| line.contains("885895: ")).expect("the last ask") + 2;
    // Only where the next flush is issued after that can the two be told apart.
    lines.swap(next_issue, next_issue + 1);
    let asked_by_flush = lines.join("\n").replace("WS () 0 + 0", "FS () 0 + 0") + "\n";
    let imported = Trial::new().of_text(&asked_by_flush, Format::Kernel);
    assert_eq!(imported.account().unpaired, [].into());
}

/// What was lost stays lost: a flush that ends alone, long after any other, and one that was issued and never ends.
#[test]
fn a_flush_without_its_other_half_is_counted() {
    let issue = "  8,0    3        1 0.000100000   697  D  FF [kworker]\n";
    let end = |at: &str, letters| format!("  8,0    3        1 {at}   0  C  {letters} [0]\n");
    let text =
        [issue, &end("0.000200000", "FF"), &end("0.000201000", "WS"), &end("5.000000000", "FF")].concat();
    let imported = Trial::new().of_text(&text, Format::Blkparse);
    assert_eq!(imported.account().unpaired, [("completion without a beginning".to_owned(), 1)].into());
    let text = [issue, &end("0.000201000", "WS")].concat();
    let imported = Trial::new().of_text(&text, Format::Blkparse);
    assert_eq!(imported.account().unpaired, [("issued and never completed".to_owned(), 1)].into());
}
