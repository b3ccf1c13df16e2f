//! A whole response, and its form as text.

use std::fmt::Write;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use futures_util::StreamExt;
use salvo::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use salvo::prelude::Response;
use serde_json::Value;

/// Headers in the order of snapshots: first in the order of the specification, then the rest.
const ORDER: [&str; 33] = [
    "content-type",
    "content-length",
    "content-encoding",
    "x-request-id",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-quota-limit",
    "x-quota-remaining",
    "x-quota-reset",
    "etag",
    "cache-control",
    "vary",
    "x-cache",
    "age",
    "link",
    "x-release",
    "accept-ranges",
    "content-range",
    "retry-after",
    "www-authenticate",
    "allow",
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "permissions-policy",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-max-age",
    "connection",
    "date",
];

/// How wide a line of JSON may be that shows a whole object or list: most errors are one.
pub(crate) const WIDTH: usize = 200;

/// A response as a client receives it.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) async fn of(mut response: Response) -> Self {
        let status = response.status_code.unwrap_or(StatusCode::OK).as_u16();
        let (mut sent, mut body) = (response.take_body(), Vec::new());
        while let Some(frame) = sent.next().await {
            body.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        let mut headers = response.headers().clone();
        // `serve.rs` tests it over a socket.
        headers.remove("date");
        Self {
            status,
            headers,
            body,
        }
    }

    /// Parses a response that came over a socket.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.replace("\r\n", "\n");
        let text = text.strip_prefix("HTTP/1.1 ").unwrap();
        let (head, body) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
        let (status, fields) = head.split_once('\n').unwrap();
        let mut headers = HeaderMap::new();
        for field in fields.lines() {
            let (name, value) = field.split_once(": ").unwrap();
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        Self {
            status: status[..3].parse().unwrap(),
            headers,
            body: body.as_bytes().to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The decompressed body.
    pub(crate) fn decoded(&self) -> Vec<u8> {
        let (mut body, coded) = (Vec::new(), &mut &*self.body);
        match self.header("content-encoding") {
            None => body.clone_from(&self.body),
            Some("gzip") => {
                GzDecoder::new(coded).read_to_end(&mut body).unwrap();
            }
            Some("br") => brotli::BrotliDecompress(coded, &mut body).unwrap(),
            Some("zstd") => body = zstd::decode_all(coded).unwrap(),
            Some(other) => panic!("an unknown coding: {other}"),
        }
        body
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.decoded()).unwrap()
    }

    /// `error.code`, if the response is an error with a body.
    pub(crate) fn error_code(&self) -> Option<String> {
        let is_error = 400 <= self.status && !self.body.is_empty();
        let body = is_error.then(|| self.json())?;
        body["error"]["code"].as_str().map(str::to_owned)
    }

    /// `error.code`, or the status if the response is not an error.
    pub(crate) fn code(&self) -> String {
        match self.status {
            200 | 206 | 304 => self.status.to_string(),
            _ => self.error_code().unwrap(),
        }
    }

    /// The slugs of a list's rows.
    pub(crate) fn slugs(&self) -> Vec<String> {
        let rows = self.json()["data"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["slug"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Status line, headers, blank line, body.
    pub(crate) fn text(&self) -> String {
        let mut text = self.head();
        if !self.body.is_empty() {
            let indented = indented(std::str::from_utf8(&self.body).unwrap());
            writeln!(text, "\n{}", folded(&indented, WIDTH)).unwrap();
        }
        text
    }

    /// Status line and headers.
    pub(crate) fn head(&self) -> String {
        let status = StatusCode::from_u16(self.status).unwrap();
        let mut text = format!("HTTP/1.1 {status}\n");
        for name in ORDER {
            for value in self.headers.get_all(name) {
                writeln!(text, "{name}: {}", value.to_str().unwrap()).unwrap();
            }
        }
        for name in self.headers.keys() {
            assert!(
                ORDER.contains(&name.as_str()),
                "header {name} has no place in snapshots"
            );
        }
        text
    }
}

/// JSON on many lines, with all tokens and the order of members unchanged. `serde_json` would sort
/// the members, but their order is tested too.
fn indented(json: &str) -> String {
    let (mut text, mut depth, mut in_string, mut previous) = (String::new(), 0, false, ' ');
    for character in json.chars() {
        if in_string {
            in_string = character != '"' || previous == '\\';
            // Two backslashes are one character, and it does not escape the next.
            previous = if character == '\\' && previous == '\\' {
                ' '
            } else {
                character
            };
            text.push(character);
            continue;
        }
        let closes = matches!(character, '}' | ']');
        if closes {
            depth -= 1;
        }
        let follows_opening = matches!(previous, '{' | '[');
        let begins_line = if closes {
            !follows_opening
        } else {
            follows_opening || previous == ','
        };
        if begins_line {
            write!(text, "\n{}", "  ".repeat(depth)).unwrap();
        }
        match character {
            '{' | '[' => depth += 1,
            '"' => in_string = true,
            _ => {}
        }
        text.push(character);
        if character == ':' {
            text.push(' ');
        }
        previous = character;
    }
    text
}

/// Indented JSON with every object and list on one line that fits into the width. Nothing else
/// changes, so two texts are equal if they are equal when folded.
pub(crate) fn folded(indented: &str, width: usize) -> String {
    let lines: Vec<&str> = indented.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let (mut folded, mut next) = (Vec::new(), 0);
    while let Some(first) = lines.get(next) {
        let mut whole = (*first).to_owned();
        let mut last = next;
        if first.ends_with(['{', '[']) {
            let inside = |line: &&&str| depth(first) < depth(line);
            last += 1 + lines[next + 1..].iter().take_while(inside).count();
            for line in &lines[next + 1..=last] {
                let space = if whole.ends_with(',') { " " } else { "" };
                whole = whole + space + line.trim_start();
            }
        }
        let fits = whole.chars().count() <= width;
        folded.push(if fits { whole } else { (*first).to_owned() });
        next = if fits { last + 1 } else { next + 1 };
    }
    folded.join("\n")
}

/// Compares a text with the snapshot of that name; `about` is the snapshot's description.
pub(crate) fn check_text(name: &str, about: &str, text: &str) {
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/server");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(snapshots);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(about);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
