//! The page: one file that needs nothing else, neither a network nor, for its numbers, a script.

mod conditions;
mod delays;
mod escape;
mod head;
mod machine;
mod numbers_table;
mod samples;
mod swatch;
pub(crate) mod table;
mod verdicts;

pub(crate) use escape::{Escaped, embedded};

use std::fmt::Write as _;

use crate::names::{self, judged_parts, judges_a_part};
use crate::page_document::PageDocument;
use crate::picture::small_multiples;
use crate::run::Comparison;

/// The page's own program, bundled by the build.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/page.js"));
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/style.css"));
/// The hashes by which the page's security policy admits the two above and nothing else.
const SCRIPT_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/page.js.sha256"));
const STYLE_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/style.css.sha256"));

/// The whole page of a comparison.
pub fn html(comparison: &Comparison) -> String {
    let mut page = String::with_capacity(1 << 19);
    head::open(&mut page, comparison);
    page.push_str("<main class=\"wrap\">\n");
    verdicts::section(&mut page, comparison);
    graphs(&mut page, comparison);
    numbers_table::section(&mut page, comparison);
    delays::section(&mut page, comparison);
    conditions::phases(&mut page, comparison);
    conditions::section(&mut page, comparison);
    page.push_str("</main>\n<footer class=\"wrap\"><p>Made by drivelab. ");
    page.push_str("This file is complete: it loads nothing.</p></footer>\n");
    let document = embedded(&PageDocument::of(comparison));
    let _ = writeln!(page, "<script type=\"application/json\" id=\"page-document\">{document}</script>");
    let _ = writeln!(page, "<script>{SCRIPT}</script>\n</body>\n</html>");
    page
}

/// A graph's place on the page; the script draws into it.
struct Graph {
    id: &'static str,
    /// Its title; `PART` stands for the part of the runs that is judged.
    title: &'static str,
    /// What the picture shows, for those who cannot see it.
    about: &'static str,
}

/// The graphs of the part by which the runs are judged.
const PARTS: [&str; 2] = ["steady-log", "steady-linear"];
/// The graph of what was read beside the runs.
const MACHINE: &str = "machine";

const GRAPHS: [Graph; 6] = [
    Graph { id: "whole", title: "The whole run", about: "Dots: IOPS of every second of the run." },
    Graph { id: PARTS[0], title: "PART", about: "Dots: IOPS of every second of PART, logarithmic." },
    Graph { id: PARTS[1], title: "PART, linear", about: "Dots: IOPS of every second of PART, linear." },
    Graph {
        id: "heat",
        title: "Service time over time",
        about: "Heat map: how many I/Os took how long, over time.",
    },
    Graph {
        id: "exceedance",
        title: "Exceedance",
        about: "Curve: the share of I/Os that took at least so long, down to the last one.",
    },
    Graph {
        id: MACHINE,
        title: "The machine meanwhile",
        about: "Lines: what processors and device did and what tasks waited for, over the same time.",
    },
];

fn graphs(page: &mut String, comparison: &Comparison) {
    page.push_str(
        "<section id=\"graphs\" aria-labelledby=\"graphs-title\">\n<h2 id=\"graphs-title\">Graphs</h2>\n",
    );
    page.push_str("<div id=\"switches\" class=\"switches\"></div>\n");
    if !comparison.runs.is_empty() {
        page.push_str(
            "<noscript><p>Without scripts the graphs are still: every run, IOPS of every second on one \
             logarithmic scale.</p>\n",
        );
        page.push_str("<div class=\"scroller\">");
        page.push_str(&small_multiples(comparison));
        page.push_str("</div></noscript>\n");
    }
    let part = judged_parts(comparison);
    // Where all of every run is judged, its graphs would be those of the whole run again.
    let (has_part, has_machine) = (judges_a_part(comparison), machine::is_known(comparison));
    let is_shown = |graph: &&Graph| match graph.id {
        MACHINE => has_machine,
        id => has_part || !PARTS.contains(&id),
    };
    for Graph { id, title, about } in GRAPHS.iter().filter(is_shown) {
        let (title, about) = (names::title(&title.replace("PART", &part)), about.replace("PART", &part));
        let _ = writeln!(
            page,
            "<figure class=\"graph\" id=\"graph-{id}\">\n\
             <figcaption><h3>{title}</h3><p class=\"state\"></p></figcaption>\n\
             <div class=\"tools\"></div>\n\
             <div class=\"plot\" role=\"img\" tabindex=\"0\" aria-label=\"{about}\"></div>\n\
             <p class=\"readout\" aria-live=\"off\"></p>"
        );
        samples::details(page, comparison, id);
        page.push_str("</figure>\n");
    }
    page.push_str("</section>\n");
}
