//! The page of a TRIM validation.

use std::fmt::Write as _;

use super::document::{CurveDocument, RatioDocument, TrimDocument};
use crate::format::{bytes, percent, rate, short_rate, whole};
use crate::html::{Escaped, table};
use crate::still::chart::{Across, Chart, Line, Point, marks_to};
use crate::still::{close, conditions, legend, notices, open};

/// The states of a drive in the order of their colours.
const STATES: [&str; 3] = ["fresh", "used", "trimmed"];

/// The whole page.
pub fn trim_html(document: &TrimDocument) -> String {
    let lead = format!("TRIM is {}. {}", document.verdict, document.reason);
    let kicker = format!("drivelab · TRIM validation · {}", bytes(document.size_bytes));
    let mut page = open(&document.target, &kicker, &lead);
    notices(&mut page, document.notices.iter().map(String::as_str));
    if !document.curves.is_empty() {
        page.push_str("<section><h2>Rate of writing over the drive</h2>\n");
        legend(
            &mut page,
            STATES.into_iter().enumerate(),
            "Each point is one of the spans, 2 % of the range together; dashed: all of them.",
        );
        page.push_str("<div class=\"wide\">");
        let rounds = document.curves.iter().map(|curve| curve.round).max().unwrap_or(0);
        (0..=rounds).for_each(|round| page.push_str(&curves(document, round)));
        page.push_str("</div></section>\n");
    }
    figures(&mut page, document);
    reads(&mut page, document);
    conditions(&mut page, &document.conditions);
    close(&mut page);
    page
}

fn curves(document: &TrimDocument, round: usize) -> String {
    let block = f64::from(document.logical_block_bytes);
    let size = document.size_bytes as f64 / 1e9;
    let across = Across { label: "position (GB)", log: false, marks: marks_to(size, 5), text: short_rate };
    let of_round = |curve: &&CurveDocument| curve.round == round;
    let line = |curve: &CurveDocument| Line {
        index: STATES.iter().position(|state| *state == curve.state).unwrap_or(0),
        dashed: false,
        points: curve
            .spans
            .iter()
            .map(|span| Point { x: span.lba as f64 * block / 1e9, y: span.mb_s, interval: None })
            .collect(),
    };
    // The verdict rests on the means.
    let mean = |curve: &CurveDocument| {
        let at = |x, y| Point { x, y, interval: None };
        let points = curve.mean_mb_s.map(|mean| vec![at(0.0, mean), at(size, mean)]).unwrap_or_default();
        Line { dashed: true, points, ..line(curve) }
    };
    let own = document.curves.iter().filter(of_round);
    let lines = own.flat_map(|curve| [line(curve), mean(curve)]).collect();
    let title = format!("Round {}, MB/s", round + 1);
    Chart { title: &title, across: &across, log: false, text: short_rate, least_top: top(document), lines }
        .svg()
}

/// The fastest span of all rounds: one axis holds every chart.
fn top(document: &TrimDocument) -> f64 {
    document.curves.iter().flat_map(|curve| &curve.spans).map(|span| span.mb_s).fold(0.0, f64::max)
}

fn figures(page: &mut String, document: &TrimDocument) {
    page.push_str("<section><h2>Figures</h2>\n");
    table::open(page, "", "Figures", &["MB/s, round", "fresh", "used", "trimmed"]);
    let rounds = document.curves.iter().map(|curve| curve.round + 1).max().unwrap_or(0);
    for round in 0..rounds {
        let of = |state: &&str| {
            let found = document.curves.iter().find(|curve| (curve.round, curve.state) == (round, *state));
            found.and_then(|curve| curve.mean_mb_s).map_or_else(|| "-".to_owned(), rate)
        };
        table::row(page, &(round + 1).to_string(), &STATES.iter().map(of).collect::<Vec<_>>());
    }
    table::close(page);
    for (name, ratio) in [("fresh against used", &document.lost), ("trimmed against used", &document.won)] {
        if let Some(ratio) = ratio {
            let _ = writeln!(page, "<p>{name}: {}</p>", Escaped(&told(ratio)));
        }
    }
    page.push_str("</section>\n");
}

fn told(ratio: &RatioDocument) -> String {
    let interval = ratio.low.zip(ratio.high).map_or_else(
        || "one round has no interval".to_owned(),
        |(low, high)| format!("95 % interval {} to {}", percent(low), percent(high)),
    );
    format!("{} over {} rounds ({interval})", percent(ratio.ratio), ratio.rounds)
}

fn reads(page: &mut String, document: &TrimDocument) {
    let reads = &document.trimmed_reads;
    if reads.blocks == 0 {
        return;
    }
    page.push_str("<section><h2>What trimmed blocks return</h2>\n");
    table::open(page, "", "What trimmed blocks return", &["contents at two reads", "blocks"]);
    for (name, count) in [
        ("zeros", reads.zeros),
        ("what they held before", reads.old),
        ("something else", reads.other),
        ("not twice the same", reads.varying),
    ] {
        table::row(page, name, &[whole(count)]);
    }
    table::close(page);
    page.push_str("</section>\n");
}
