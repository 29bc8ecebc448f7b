//! Forms of output as lines that a reader of a difference understands: long rows are cut, and what is cut has a hash.

use std::fmt::Write as _;

/// Values of a list in JSON that are kept, if they are more than twice as many.
const VALUES: usize = 12;
/// Rows of a table in CSV that are kept.
const ROWS: usize = 8;
/// Characters of an element of a picture that are kept.
const CHARACTERS: usize = 160;
/// Elements of a page that begin a line of text.
const BLOCKS: [&str; 28] = [
    "address",
    "article",
    "aside",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "header",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "summary",
    "table",
    "tr",
    "ul",
];

/// A number that changes with the text, the same with every compiler: FNV-1a of Fowler, Noll and Vo.
pub fn hash(text: &[u8]) -> String {
    let add = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.iter().fold(0xcbf2_9ce4_8422_2325, add))
}

/// The first characters of a line, and how long it is.
fn cut(line: &str, most: usize) -> String {
    if line.chars().count() <= most {
        return line.to_owned();
    }
    let start: String = line.chars().take(most).collect();
    format!("{start} ... [{} bytes, {}]", line.len(), hash(line.as_bytes()))
}

/// A table in CSV: its first rows and its last one.
pub fn csv(text: &str) -> String {
    let rows: Vec<&str> = text.lines().collect();
    if rows.len() <= ROWS + 2 {
        return text.to_owned();
    }
    let left_out = rows.len() - ROWS - 1;
    let (start, last) = (rows[..ROWS].join("\n"), rows[rows.len() - 1]);
    format!("{start}\n... [{left_out} rows, {}]\n{last}\n", hash(text.as_bytes()))
}

/// A picture in SVG: a line for each element.
pub fn svg(text: &str) -> String {
    let mut lines = String::new();
    for element in text.split('<').map(str::trim_end).filter(|element| !element.is_empty()) {
        // What only ends another element says nothing.
        if !element.starts_with('/') || !element.ends_with('>') {
            let _ = writeln!(lines, "<{}", cut(element, CHARACTERS));
        }
    }
    lines
}

/// A page's text: a line for each paragraph, heading, row of a table and item of a list. Pictures and programs are left out.
pub fn page(markup: &str) -> String {
    let (mut lines, mut line, mut hidden) = (Vec::new(), String::new(), None::<String>);
    let mut end = |line: &mut String| {
        let words = line.trim_matches([' ', '\n']);
        if !words.is_empty() {
            lines.push(words.to_owned());
        }
        line.clear();
    };
    for part in markup.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let name: String =
            tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if let Some(element) = &hidden {
            if tag.starts_with('/') && name == *element {
                hidden = None;
            } else {
                continue;
            }
        } else if ["script", "style", "svg"].contains(&name.as_str()) && !tag.ends_with('/') {
            hidden = Some(name);
            continue;
        } else if BLOCKS.contains(&name.as_str()) {
            end(&mut line);
        } else if ["td", "th"].contains(&name.as_str()) && !tag.starts_with('/') && !line.is_empty() {
            line.push_str(" | ");
        }
        line.push_str(&characters(text));
    }
    end(&mut line);
    lines.join("\n") + "\n"
}

/// Text of markup as it is read.
fn characters(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    text.replace("&amp;", "&")
}

/// A document in JSON, an entry a line in the order in which they were printed; long lists are cut.
pub fn json(text: &str) -> String {
    let mut reader = Reader { rest: text.trim() };
    let mut lines = String::new();
    reader.value(&mut lines, 0);
    lines + "\n"
}

/// Reads JSON as far as its shape goes: numbers stay as they were printed.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn value(&mut self, into: &mut String, depth: usize) {
        match self.next() {
            '{' => self.entries(into, depth, '}'),
            '[' => self.list(into, depth),
            _ => into.push_str(self.scalar()),
        }
    }

    /// The character that is read next.
    fn next(&mut self) -> char {
        self.rest = self.rest.trim_start();
        self.rest.chars().next().expect("a document does not end within a value")
    }

    fn skip(&mut self) {
        self.rest = &self.rest[1..];
    }

    fn scalar(&mut self) -> &'a str {
        let end = if self.rest.starts_with('"') {
            let mut escaped = false;
            let is_end = |(_, character): &(usize, char)| {
                let ends = *character == '"' && !escaped;
                escaped = *character == '\\' && !escaped;
                ends
            };
            self.rest.char_indices().skip(1).find(is_end).expect("a text ends").0 + 1
        } else {
            self.rest.find([',', ']', '}']).unwrap_or(self.rest.len())
        };
        let (scalar, rest) = self.rest.split_at(end);
        self.rest = rest;
        scalar.trim_end()
    }

    fn entries(&mut self, into: &mut String, depth: usize, end: char) {
        let open = if end == '}' { '{' } else { '[' };
        self.skip();
        into.push(open);
        while self.next() != end {
            if self.next() == ',' {
                self.skip();
                into.push(',');
                continue;
            }
            let _ = write!(into, "\n{:1$}", "", depth + 1);
            if end == '}' {
                self.next();
                into.push_str(self.scalar());
                self.next();
                self.skip();
                into.push_str(": ");
            }
            self.value(into, depth + 1);
        }
        self.skip();
        if !into.ends_with(open) {
            let _ = write!(into, "\n{:1$}", "", depth);
        }
        into.push(end);
    }

    /// A list of plain values is a line.
    fn list(&mut self, into: &mut String, depth: usize) {
        let start = self.rest;
        let mut values = Vec::new();
        self.skip();
        while self.next() != ']' {
            match self.next() {
                ',' => self.skip(),
                '{' | '[' => {
                    self.rest = start;
                    return self.entries(into, depth, ']');
                }
                _ => values.push(self.scalar()),
            }
        }
        self.skip();
        let more = values.len().saturating_sub(VALUES);
        if more <= VALUES {
            let _ = write!(into, "[{}]", values.join(", "));
            return;
        }
        let all = hash(values.join(",").as_bytes());
        let _ = write!(into, "[{}, ... {more} more, {all}]", values[..VALUES].join(", "));
    }
}

#[test]
fn forms_keep_what_a_reader_understands() {
    let document = r#"{"a":{"b":1.50,"c":[]},"d":[1,2],"e":["x, \"y\"]",{"f":{}}],"g":null}"#;
    let expected = "{\n \"a\": {\n  \"b\": 1.50,\n  \"c\": []\n },\n \"d\": [1, 2],\n \"e\": [\n  \"x, \\\"y\\\"]\",\n  {\n   \
                    \"f\": {}\n  }\n ],\n \"g\": null\n}\n";
    assert_eq!(json(document), expected);
    let many: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    assert!(json(&format!("[{}]", many.join(","))).contains("10, 11, ... 18 more, "));
    let markup = "<html><style>p {}</style><p>One <b>two</b> &amp; 3<svg><text>no</text></svg>.</p><table><tr><td>a</td>\
                  <td>b</td></tr></table>";
    assert_eq!(page(markup), "One two & 3.\na | b\n");
    assert_eq!(csv("a\n1\n"), "a\n1\n");
    let rows: String = (0..30).map(|number| format!("{number}\n")).collect();
    assert!(csv(&rows).contains("\n7\n... [21 rows, ") && csv(&rows).ends_with("]\n29\n"));
    assert_eq!(svg("<svg><path d=\"1\"/></svg>\n"), "<svg>\n<path d=\"1\"/>\n");
}
