//! Which completion is whose.

use drivelab_block::{Nanos, Status};
use drivelab_trace::Format;

use crate::formats::trial::Trial;

/// Rows of blkparse: seconds, letter, operation, sector and length, and what stands in brackets.
fn blkparse_rows(rows: &[(f64, char, char, u64, u32, i32)]) -> String {
    let row = |(at, what, op, start, length, error): &(f64, char, char, u64, u32, i32)| {
        let last = if *what == 'C' { error.to_string() } else { "fio".to_owned() };
        format!("  8,0    3        1 {at:14.9}   697  {what}   {op} {start} + {length} [{last}]\n")
    };
    rows.iter().map(row).collect()
}

#[test]
fn a_completion_belongs_to_the_request_that_it_is_alike() {
    let text = blkparse_rows(&[
        (0.000_1, 'D', 'R', 100, 8, 0),
        (0.000_2, 'D', 'W', 100, 16, 0),
        (0.000_4, 'C', 'W', 100, 16, 0),
        (0.050_1, 'C', 'R', 100, 8, 0),
    ]);
    let imported = Trial::new().of_text(&text, Format::Blkparse);
    assert_eq!(imported.lines(), ["0 read 100+8 - 50000000", "100000 write 100+16 - 200000"]);
}

#[test]
fn a_lost_completion_costs_one_request_its_time_and_no_other() {
    let mut rows = Vec::new();
    for number in 0..60u32 {
        let at = f64::from(number) * 5.0 + 0.001;
        rows.push((at, 'D', 'W', 100, 8, 0));
        if number != 7 {
            rows.push((at + 0.001, 'C', 'W', 100, 8, 0));
        }
    }
    let imported = Trial::new().of_text(&blkparse_rows(&rows), Format::Blkparse);
    let took: Vec<u64> = imported.ios.iter().filter_map(|io| io.service).map(Nanos::get).collect();
    assert_eq!((took.len(), imported.ios.len()), (59, 60));
    assert!(took.iter().all(|took| took.abs_diff(1_000_000) < 10), "{took:?}");
    assert_eq!(imported.unpaired("issued and never completed"), 1);
    // Two alike that both wait long are both slow: nothing was lost.
    let both = [
        (0.1, 'D', 'W', 8, 8, 0),
        (4.9, 'D', 'W', 8, 8, 0),
        (5.0, 'C', 'W', 8, 8, 0),
        (5.1, 'C', 'W', 8, 8, 0),
    ];
    let imported = Trial::new().of_text(&blkparse_rows(&both), Format::Blkparse);
    assert_eq!(imported.ios.iter().filter(|io| io.service.is_some()).count(), 2);
}

#[test]
fn what_is_merged_in_front_leaves_no_ask_behind() {
    let mut rows = vec![
        (0.001, 'Q', 'W', 108, 8, 0),
        (0.002, 'Q', 'W', 100, 8, 0),
        (0.003, 'F', 'W', 100, 8, 0),
        (0.004, 'D', 'W', 100, 16, 0),
        (0.005, 'C', 'W', 100, 16, 0),
    ];
    for number in 1..50u32 {
        let at = f64::from(number) * 5.0;
        rows.push((at, 'Q', 'W', 108, 8, 0));
        rows.push((at + 0.000_01, 'D', 'W', 108, 8, 0));
        rows.push((at + 0.001, 'C', 'W', 108, 8, 0));
    }
    let imported = Trial::new().of_text(&blkparse_rows(&rows), Format::Blkparse);
    let waits: Vec<u64> = imported.ios.iter().filter_map(|io| io.queued_for).map(Nanos::get).collect();
    assert_eq!((waits.len(), waits[0]), (50, 3_000_000), "the merged request was asked for first at 108");
    assert!(waits[1..].iter().all(|wait| *wait < 20_000), "{waits:?}");
}

#[test]
fn an_ask_of_hours_ago_costs_the_wait_and_not_the_request() {
    let text = blkparse_rows(&[
        (1.0, 'Q', 'R', 8, 8, 0),
        (4_001.0, 'D', 'R', 8, 8, 0),
        (4_001.001, 'C', 'R', 8, 8, 0),
    ]);
    let imported = Trial::new().of_text(&text, Format::Blkparse);
    assert_eq!(imported.lines(), ["0 read 8+8 - 1000000"]);
    assert_eq!(imported.unpaired("asked for an hour before its issue, which is not believed"), 1);
}

#[test]
fn an_error_of_a_part_is_the_request_s() {
    let text = blkparse_rows(&[
        (0.1, 'D', 'R', 100, 16, 0),
        (0.2, 'C', 'R', 100, 8, -5),
        (0.3, 'C', 'R', 108, 8, 0),
    ]);
    let imported = Trial::new().of_text(&text, Format::Blkparse);
    assert_eq!(imported.ios[0].status, Status::errno(5));
}

/// Where the events in between were lost, the completion of a read says nothing of a write that was issued at its place.
#[test]
fn a_completion_ends_no_request_of_another_kind() {
    let kernel = "\
         <...>-1 [000] .....  1000.000000: block_rq_issue: 8,0 WS 4096 () 800 + 8 be,0,4 [dd]\n\
         <...>-1 [000] ..s1.  1091.000000: block_rq_complete: 8,0 R () 800 + 8 be,0,4 [0]\n";
    let blkparse = blkparse_rows(&[(1_000.0, 'D', 'W', 800, 8, 0), (1_091.0, 'C', 'R', 800, 8, 0)]);
    for (text, format) in [(kernel, Format::Kernel), (&blkparse, Format::Blkparse)] {
        let imported = Trial::new().of_text(text, format);
        assert_eq!(imported.lines(), ["0 write 800+8 - -"]);
        assert_eq!(imported.unpaired("completion without a beginning"), 1);
        assert_eq!(imported.unpaired("issued and never completed"), 1);
    }
    // Nor is a read issued that a write was asked for, merged with it, or given back.
    let text = blkparse_rows(&[
        (0.1, 'Q', 'W', 800, 8, 0),
        (0.2, 'D', 'R', 800, 8, 0),
        (0.3, 'M', 'R', 800, 8, 0),
        (0.4, 'R', 'W', 800, 8, 0),
        (0.5, 'D', 'W', 800, 8, 0),
        (0.6, 'C', 'R', 800, 8, 0),
        (0.7, 'C', 'W', 800, 8, 0),
    ]);
    let imported = Trial::new().of_text(&text, Format::Blkparse);
    assert_eq!(imported.lines(), ["0 read 800+8 - 400000000", "300000000 write 800+8 400000000 200000000"]);
    assert_eq!(imported.unpaired("requeued without an issue"), 1);
}
