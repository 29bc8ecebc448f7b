//! The places of the graphs; the script draws into them.

use std::fmt::Write as _;

use super::samples;
use crate::trace::TraceReport;

/// A graph's place on the page.
struct Graph {
    id: &'static str,
    title: &'static str,
    /// What the picture shows, for those who cannot see it.
    about: &'static str,
}

const TIMED: [Graph; 2] = [
    Graph {
        id: "distribution",
        title: "Service times",
        about: "Curves: how many reads and writes took how long.",
    },
    Graph {
        id: "exceedance",
        title: "Exceedance",
        about: "Curves: the share of reads and writes that took at least so long, down to the last one.",
    },
];
const COURSE: [Graph; 2] = [
    Graph {
        id: "course",
        title: "The course, idle time cut out",
        about: "Dots over busy time: I/Os a second, slow I/Os, and how many were in flight.",
    },
    Graph { id: "addresses", title: "Addresses", about: "Map: where was read and written, over busy time." },
];
const DISPERSION: Graph = Graph {
    id: "dispersion",
    title: "Are slow I/Os clustered?",
    about: "Dots: the index of dispersion of slow I/Os by window, with what chance allows.",
};
const MEANS: Graph = Graph {
    id: "means",
    title: "Mean read against mean write",
    about: "Dots: a trace each, by the mean service time of its reads and of its writes.",
};

/// The section of graphs.
pub(super) fn section(page: &mut String, reports: &[TraceReport<'_>]) {
    let analyses = || reports.iter().map(|report| report.analysis);
    let timed = analyses().any(|analysis| analysis.service().shares().is_some());
    let mut graphs: Vec<&Graph> = Vec::new();
    if timed && reports.len() > 1 {
        graphs.push(&MEANS);
    }
    if timed {
        graphs.extend(&TIMED);
    }
    if analyses().any(|analysis| analysis.course().is_some()) {
        graphs.extend(&COURSE);
    }
    if timed {
        graphs.push(&DISPERSION);
    }
    page.push_str(
        "<section id=\"graphs\" aria-labelledby=\"graphs-title\">\n<h2 id=\"graphs-title\">Graphs</h2>\n\
         <div id=\"switches\" class=\"switches\"></div>\n\
         <noscript><p>The graphs need scripts; their values are in the tables below each.</p></noscript>\n",
    );
    for Graph { id, title, about } in graphs {
        let _ = writeln!(
            page,
            "<figure class=\"graph\" id=\"graph-{id}\">\n\
             <figcaption><h3>{title}</h3><p class=\"state\"></p></figcaption>\n\
             <div class=\"tools\"></div>\n\
             <div class=\"plot\" role=\"img\" tabindex=\"0\" aria-label=\"{about}\"></div>\n\
             <p class=\"readout\" aria-live=\"off\"></p>\n\
             <details><summary>The values as a table</summary>"
        );
        samples::table(page, reports, id);
        page.push_str("</details>\n</figure>\n");
    }
    page.push_str("</section>\n");
}
