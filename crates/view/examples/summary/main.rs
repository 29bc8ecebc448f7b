//! Shows sample views as a renderer shows them.
//!
//! `cargo run -p drivelab-view --example summary -- [terminal|markdown|csv] [WIDTH] [colour] [ascii]`

mod samples;

use drivelab_view::{TerminalStyle, csv, markdown, terminal};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    let width = words.iter().find_map(|word| word.parse().ok()).unwrap_or(80);
    let style = TerminalStyle { width, colour: has("colour"), ascii: has("ascii") };
    for page in [samples::quick(), samples::trim(), samples::consistency()] {
        if has("csv") {
            for (name, text) in page.views.iter().flat_map(csv) {
                println!("{name}.csv\n{text}");
            }
        } else if has("markdown") {
            println!("{}", markdown(&page));
        } else {
            println!("{}", terminal(&page, style));
        }
    }
}
