//! The document that a page carries for its program: every chart of every view. `page/src/document.ts` has the same types,
//! made from these.

mod charts;
mod pool;

pub(super) use charts::document;

use serde::Serialize;
use serde_json::Number;

use super::context::MarkShape;
use crate::Quantity;
use crate::chart::{Axis, Landmark, Shape};

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct Document {
    /// The columns that charts take their numbers from.
    #[cfg_attr(test, ts(as = "Vec<Vec<Option<f64>>>"))]
    columns: Vec<Vec<Option<Number>>>,
    /// The outlines of the marks, as SVG paths around 0 within 1.
    marks: Vec<MarkShape>,
    views: Vec<DocumentView>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct DocumentView {
    /// The name of the view in the page's links.
    anchor: String,
    title: String,
    /// The names of the subjects' facets.
    facets: Vec<String>,
    subjects: Vec<DocumentSubject>,
    charts: Vec<DocumentChart>,
    catalogues: Vec<DocumentCatalogue>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct DocumentCatalogue {
    /// The name of its element.
    place: String,
    rows: Vec<String>,
    /// The subjects of its series are the places of rows.
    curves: Option<DocumentChart>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct DocumentSubject {
    label: String,
    /// The number of its colour and of its mark, the same for one label on the whole page.
    look: u32,
    /// Its values of the facets.
    facets: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct DocumentChart {
    /// The name of the element that it is drawn into.
    place: String,
    id: String,
    title: String,
    across: Vec<Axis>,
    up: Axis,
    series: Vec<DocumentSeries>,
    heats: Vec<DocumentHeat>,
    landmarks: Vec<Landmark>,
    /// Whether colours are those of the series' names rather than of their subjects.
    by_name: bool,
    small: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct DocumentSeries {
    name: String,
    subject: u32,
    shape: Shape,
    xs: Vec<DocumentData>,
    ys: DocumentData,
    low: Option<DocumentData>,
    high: Option<DocumentData>,
    extras: Vec<DocumentExtra>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct DocumentExtra {
    name: String,
    quantity: Quantity,
    values: DocumentData,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
enum DocumentData {
    Regular {
        start: f64,
        step: f64,
        count: u32,
    },
    /// A column, the first place of the part of it, and the place behind its last one.
    Part(u32, u32, u32),
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct DocumentHeat {
    name: String,
    subject: u32,
    start: f64,
    width: f64,
    edges: DocumentData,
    /// Of each column its lowest row with a count, and the counts from there on; nothing where it has none.
    columns: Vec<Vec<u32>>,
    unit: String,
    quantity: Quantity,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Scale;
    use ts_rs::TS;

    /// The types as TypeScript declarations.
    fn declarations() -> String {
        let config = ts_rs::Config::default();
        let all = [
            Document::decl(&config),
            MarkShape::decl(&config),
            DocumentView::decl(&config),
            DocumentCatalogue::decl(&config),
            DocumentSubject::decl(&config),
            DocumentChart::decl(&config),
            Axis::decl(&config),
            Scale::decl(&config),
            Shape::decl(&config),
            DocumentSeries::decl(&config),
            DocumentExtra::decl(&config),
            DocumentData::decl(&config),
            DocumentHeat::decl(&config),
            Landmark::decl(&config),
            Quantity::decl(&config),
        ];
        let mut text =
            "// Made from the types of src/html/document/mod.rs; a test of that module says how.\n"
                .to_owned();
        for declaration in all {
            text.push_str("\nexport ");
            text.push_str(&laid_out(&declaration));
            text.push('\n');
        }
        text
    }

    /// A declaration with a line for each field and for each comment.
    fn laid_out(declaration: &str) -> String {
        let flat =
            declaration.replace("\n/**\n * ", "/** ").replace("\n */\n", " */ ").replace("\n * ", "\n   * ");
        let (mut text, mut depth, mut rest) = (String::new(), 0_u32, flat.as_str());
        while let Some(next) = rest.chars().next() {
            if let Some(end) = rest.starts_with("/**").then(|| rest.find("*/")).flatten() {
                text = format!("{}\n  {}\n  ", text.trim_end(), &rest[..end + 2]);
                rest = rest[end + 2..].trim_start();
                continue;
            }
            match next {
                '{' | '[' | '<' => depth += 1,
                '}' | ']' | '>' => depth -= 1,
                _ => {}
            }
            text.push(next);
            rest = &rest[next.len_utf8()..];
            if depth == 1 && (next == ',' || next == '{') {
                text.push_str("\n  ");
                rest = rest.trim_start();
            }
        }
        let text = text.replace("  }", "}");
        // A choice of words that is too wide for a line has one for each.
        if text.lines().any(|line| line.len() > 100) { text.replace(" | ", "\n  | ") } else { text }
    }

    #[test]
    fn the_program_has_the_same_types() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/page/src/document.ts");
        let wanted = declarations();
        if std::env::var_os("DRIVELAB_WRITE_TYPES").is_some() {
            std::fs::write(path, &wanted).expect("the file of types can be written");
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(
            found, wanted,
            "page/src/document.ts is out of date: run this test with DRIVELAB_WRITE_TYPES=1 to write it"
        );
    }
}
