//! As much of HTTP/1.1 as clients of S3 use.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Result, Write as _};
use std::net::TcpStream;

/// A request that has arrived whole.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    /// Without the slash at its begin, and without escapes.
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// By names in small letters.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    /// The next request of a connection; none where it ends before the request does.
    pub fn read(stream: &TcpStream) -> Option<Request> {
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let mut first = lines.first()?.split(' ');
        let (method, target) = (first.next()?.to_owned(), first.next()?);
        let headers: BTreeMap<String, String> = lines[1..]
            .iter()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.get("content-length").map_or(0, |length| length.parse().expect("a length"));
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let query = query.map(|(name, value)| (name.to_owned(), unescaped(value))).collect();
        let path = unescaped(path.trim_matches('/'));
        Some(Request { method, path, query, headers, body })
    }
}

/// Writes an answer.
pub fn answer(
    mut stream: &TcpStream,
    request: &Request,
    status: &str,
    headers: &[String],
    body: &[u8],
) -> Result<()> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    headers.iter().for_each(|header| head.extend([header, "\r\n"]));
    let body = if request.method == "HEAD" { &[] } else { body };
    stream.write_all(&[head.as_bytes(), b"\r\n", body].concat())
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = str::from_utf8(&behind[..behind.len().min(2)]).ok().filter(|_| *first == b'%');
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).expect("UTF-8")
}
