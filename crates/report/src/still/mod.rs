//! Pages without a script: small charts and tables, in daylight and at night.

pub(crate) mod chart;

use std::fmt::Write as _;

use crate::html::Escaped;

/// The pages' style: colours of the other pages.
const STYLE: &str = include_str!("still.css");

/// Opens a page with a line above its title, and a paragraph below it.
pub(crate) fn open(title: &str, kicker: &str, lead: &str) -> String {
    let (title, kicker) = (Escaped(title), Escaped(kicker));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"drivelab\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header><p class=\"kicker\">{kicker}</p><h1>{title}</h1>\n"
    );
    paragraph(&mut page, lead);
    page.push_str("</header>\n<main>\n");
    page
}

/// Ends a page.
pub(crate) fn close(page: &mut String) {
    page.push_str(
        "</main>\n<footer><p>Made by drivelab. This file is complete: it loads nothing.</p></footer>\n\
         </body>\n</html>\n",
    );
}

/// A paragraph of plain words.
pub(crate) fn paragraph(page: &mut String, text: &str) {
    let _ = writeln!(page, "<p>{}</p>", Escaped(text));
}

/// What the reader has to know, where there is anything.
pub(crate) fn notices<'a>(page: &mut String, notices: impl Iterator<Item = &'a str>) {
    let mut notices = notices.peekable();
    if notices.peek().is_none() {
        return;
    }
    page.push_str("<ul class=\"notices\">\n");
    notices.for_each(|text| {
        let _ = writeln!(page, "<li>{}</li>", Escaped(text));
    });
    page.push_str("</ul>\n");
}

/// Which colour is which line, and what else is to be said of charts.
pub(crate) fn legend<'a>(page: &mut String, lines: impl Iterator<Item = (usize, &'a str)>, words: &str) {
    page.push_str("<p class=\"legend\">");
    for (index, name) in lines {
        let _ = write!(page, "<span class=\"key k{}\"></span>{} ", index % 8, Escaped(name));
    }
    let _ = writeln!(page, "<span class=\"words\">{}</span></p>", Escaped(words));
}
