//! A request of the corpus, and its expected outcome.

use std::fmt;

/// A request that gets a 200.
pub(super) const GOOD: &[u8] = b"GET /health HTTP/1.1\r\nHost: test\r\n\r\n";
/// A request that is hidden in another.
pub(super) const HIDDEN: &str = "GET /v1 HTTP/1.1\r\nHost: hidden\r\n\r\n";
/// How many characters of a name are shown.
const NAME_CHARS_MAX: usize = 100;

/// The expected outcome of a request.
#[derive(Clone, Copy)]
pub(super) enum Expected {
    /// One response with this status, and the end of the connection.
    Refused(u16),
    /// Responses with these statuses, and the end of the connection.
    Ended(&'static [u16]),
    /// Responses with these statuses, then that of the canary.
    Answered(&'static [u16]),
}

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (statuses, end) = match self {
            Self::Refused(status) => (&[*status][..], "closed"),
            Self::Ended(statuses) => (*statuses, "closed"),
            Self::Answered(statuses) => (*statuses, "canary"),
        };
        formatter.write_str(&outcome(statuses, end))
    }
}

/// Statuses and the end of a connection in words; equal statuses in a row are counted.
pub(super) fn outcome(statuses: &[u16], end: &str) -> String {
    let of_run = |run: &[u16]| match run.len() {
        1 => run[0].to_string(),
        count => format!("{count} x {}", run[0]),
    };
    let runs = statuses.chunk_by(u16::eq).map(of_run);
    runs.chain([end.to_owned()]).collect::<Vec<_>>().join(", ")
}

/// One row of the corpus.
pub(super) struct Case {
    pub(super) family: &'static str,
    /// What is special about it.
    pub(super) name: String,
    pub(super) sent: Vec<u8>,
    pub(super) expected: Expected,
    /// Indices of its `HEAD` requests, whose responses have no bodies.
    pub(super) heads: &'static [usize],
}

impl Case {
    /// A case with its own name, because its bytes would not explain it.
    pub(super) fn new(
        name: &str,
        family: &'static str,
        sent: impl Into<Vec<u8>>,
        expected: Expected,
    ) -> Self {
        let sent = sent.into();
        let is_head = sent.trim_ascii_start().starts_with(b"HEAD ");
        Self {
            family,
            name: name.to_owned(),
            heads: if is_head { &[0] } else { &[] },
            sent,
            expected,
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes
        .escape_ascii()
        .to_string()
        .chars()
        .take(NAME_CHARS_MAX)
        .collect()
}

/// Requests that are named by their bytes.
pub(super) fn requests<T: AsRef<[u8]>>(
    family: &'static str,
    expected: Expected,
    requests: impl IntoIterator<Item = T>,
) -> Vec<Case> {
    let case = |request: T| {
        let request = request.as_ref();
        Case::new(&shown(request), family, request, expected)
    };
    requests.into_iter().map(case).collect()
}

/// A `GET` for each of these groups of lines, sent after `Host`; each comes without its last line
/// end.
pub(super) fn lines<T: AsRef<[u8]>>(
    family: &'static str,
    expected: Expected,
    lines: impl IntoIterator<Item = T>,
) -> Vec<Case> {
    let case = |lines: T| {
        let lines = lines.as_ref();
        let sent = [
            b"GET /health HTTP/1.1\r\nHost: test\r\n",
            lines,
            b"\r\n\r\n",
        ]
        .concat();
        Case::new(&shown(lines), family, sent, expected)
    };
    lines.into_iter().map(case).collect()
}

/// Requests with these request lines, followed by the usual fields.
pub(super) fn first_lines<T: AsRef<[u8]>>(
    family: &'static str,
    expected: Expected,
    first_lines: impl IntoIterator<Item = T>,
) -> Vec<Case> {
    let case = |line: T| {
        let line = line.as_ref();
        let sent = [line, b"\r\nHost: test\r\n\r\n"].concat();
        Case::new(&shown(line), family, sent, expected)
    };
    first_lines.into_iter().map(case).collect()
}
