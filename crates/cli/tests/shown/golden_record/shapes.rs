//! What is the same in every run on a real device: the keys of documents, the headings and first cells of tables, and sentences
//! without their figures. What depends on the machine alone is left out.

use std::collections::BTreeSet;

use serde_json::Value;

/// Characters that separate the digits of a number.
const WITHIN: &str = ".,:";
/// Units that change with the size of a figure.
const UNITS: [&str; 15] =
    ["ns", "us", "ms", "min", "s", "h", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "bytes"];
/// What lines have in them that only some machines have reason for.
const OF_THE_MACHINE: [&str; 7] = [
    "not known: what process",
    "program stood still",
    "program itself stood still",
    "I/Os that this delayed",
    "The program had no processor",
    "The thread that asked most",
    "This table is thinned",
];
/// What is said within a line where the machine was the limit.
const PHRASES_OF_THE_MACHINE: [&str; 2] =
    [", which may be the machine's", ", which may be the limit of the processor and not of the drive"];
/// What a document has of a phase that was long enough to be watched.
const KEY_OF_THE_MACHINE: &str = ".workers";
/// Sections of Markdown that are of the machine, and one whose table has as many columns as latencies differ.
const MACHINE_SECTIONS: [&str; 3] =
    ["The machine and the drive during the test", "The machine meanwhile", "Latency"];
/// The only conditions that are the same on every machine.
const WORKLOAD: &str = "| Workload | ";

/// The paths of all values of a document, each once and sorted.
pub fn keys(document: &str) -> String {
    let document: Value =
        serde_json::from_str(document).unwrap_or_else(|error| panic!("{error}: {document}"));
    let mut paths = BTreeSet::new();
    add_keys(&document, "", &mut paths);
    paths.retain(|path| !path.contains(KEY_OF_THE_MACHINE));
    paths.into_iter().map(|path| path + "\n").collect()
}

fn add_keys(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                add_keys(value, &format!("{path}.{key}"), paths);
            }
        }
        Value::Array(values) => {
            let below = format!("{path}[]");
            values.iter().for_each(|value| add_keys(value, &below, paths));
            paths.insert(below);
        }
        _ => drop(paths.insert(path.to_owned())),
    }
}

/// A text with `#` for each number and its unit.
pub fn figures(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|character: char| character.is_ascii_digit()) {
        masked.push_str(&rest[..at]);
        masked.push('#');
        let number = &rest[at..];
        let is_outside = |character: char| !character.is_ascii_digit() && !WITHIN.contains(character);
        let end = number.find(is_outside).unwrap_or(number.len());
        // A point or comma behind the last digit is the sentence's own.
        let end = number[..end].trim_end_matches(|character| WITHIN.contains(character)).len();
        rest = without_unit(&number[end..]);
    }
    masked + rest
}

/// What follows the unit of a number.
fn without_unit(text: &str) -> &str {
    let unit = text.strip_prefix([' ', '\u{a0}']).unwrap_or(text);
    let end = unit.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(unit.len());
    if UNITS.contains(&&unit[..end]) { &unit[end..] } else { text }
}

/// Sentences for a terminal, each on one line again and without figures.
pub fn sentences(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let (is_wrapped, words) =
            (line.starts_with("  "), line.split_whitespace().collect::<Vec<_>>().join(" "));
        match lines.last_mut() {
            Some(last) if is_wrapped && !last.is_empty() => *last += &format!(" {words}"),
            _ => lines.push(words),
        }
    }
    kept_lines(lines.iter().map(String::as_str))
}

/// A report in Markdown: its sentences, and the headings and first cells of its tables.
pub fn markdown(text: &str) -> String {
    let (mut section, mut lines, mut table) = ("", Vec::new(), Table::Outside);
    for line in text.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        if MACHINE_SECTIONS.contains(&section) {
            continue;
        }
        table = table.after(line);
        match table {
            Table::Outside | Table::Heading => lines.push(line.to_owned()),
            Table::Rule => {}
            Table::Row if section == "Conditions" => {
                if line.starts_with(WORKLOAD) {
                    lines.push(line.to_owned());
                }
            }
            Table::Row => lines.push(first_cells(line)),
        }
    }
    kept_lines(lines.iter().map(String::as_str))
}

/// The headings of a report in Markdown, and those of its tables.
pub fn headings(text: &str) -> String {
    let text = markdown(text);
    let (mut lines, mut table) = (String::new(), Table::Outside);
    for line in text.lines() {
        table = table.after(line);
        if line.starts_with("## ") || table == Table::Heading {
            lines += &format!("{line}\n");
        }
    }
    lines
}

/// Where in a table a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Outside,
    Heading,
    Rule,
    Row,
}

impl Table {
    fn after(self, line: &str) -> Table {
        match self {
            _ if !line.starts_with('|') => Table::Outside,
            Table::Outside => Table::Heading,
            Table::Heading => Table::Rule,
            Table::Rule | Table::Row => Table::Row,
        }
    }
}

/// What names a row: its cells up to the first one with a figure, at most two.
fn first_cells(row: &str) -> String {
    let cells = row.trim_matches('|').split(" | ").map(str::trim);
    let names = cells.take_while(|cell| !cell.contains(|character: char| character.is_ascii_digit()));
    let names: Vec<&str> = names.take(2).collect();
    if names.is_empty() { String::new() } else { format!("| {} |", names.join(" | ")) }
}

/// Lines without figures, without those of the machine alone, and without empty ones.
fn kept_lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut kept = String::new();
    for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
        if !OF_THE_MACHINE.iter().any(|own| line.contains(own)) {
            let line = PHRASES_OF_THE_MACHINE.iter().fold(line.to_owned(), |line, own| line.replace(own, ""));
            kept += &(figures(&line) + "\n");
        }
    }
    kept
}

#[test]
fn a_shape_has_names_and_no_figures() {
    assert_eq!(figures("At 1,024 IOPS and 3.50 ms, in 4KiB.\u{a0}5 x."), "At # IOPS and #, in #.\u{a0}# x.");
    assert_eq!(
        sentences("One two\n  three 4\nnote: The program stood still\n  for 3 s\nEnd\n"),
        "One two three #\nEnd\n"
    );
    let table = "## Figures\n\n| Group | Value |\n| --- | ---: |\n| Rate | 5 IOPS |\n| 6 s | 7 |\n\n## Conditions\n\n\
                 | Group | Name |\n| --- | --- |\n| System | Kernel |\n| Workload | Range |\n";
    let expected =
        "## Figures\n| Group | Value |\n| Rate |\n## Conditions\n| Group | Name |\n| Workload | Range |\n";
    assert_eq!(markdown(table), expected);
    assert_eq!(keys("{\"a\":[{\"b\":1},{\"c\":[]}],\"d\":{}}"), ".a[]\n.a[].b\n.a[].c[]\n.d\n");
}
