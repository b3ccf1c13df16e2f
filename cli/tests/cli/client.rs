//! Requests over real sockets, byte for byte as a test wants them, and their responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::wait::wait_for;

/// How long a byte of a response may take before the server counts as hung: far longer than any
/// load explains.
pub(crate) const HUNG_AFTER: Duration = Duration::from_mins(2);

/// A response as it came over the socket.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    /// The value of a header that must be there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(header, _)| header.eq_ignore_ascii_case(name));
        found
            .unwrap_or_else(|| panic!("no {name} in\n{}", self.head))
            .1
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Whether the server did not know its keys or quotas: for example because the machine stalled
    /// for longer than it trusts them.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.status == 503 && self.code() == "SERVICE_UNAVAILABLE"
    }

    /// `error.code`, or nothing for a success.
    pub(crate) fn code(&self) -> String {
        let body = serde_json::from_str::<Value>(&self.body).unwrap_or_default();
        body["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// A connection that is kept for several requests. Sends exactly the bytes it is given.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(HUNG_AFTER)).unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// The response to a `GET`; asks again while the service is unavailable, which it is after a
    /// stall of the machine.
    pub(crate) fn get_with(&mut self, target: &str, headers: &str) -> Response {
        wait_for(&format!("{target} to be available"), || {
            let answer = self.get_once(target, headers);
            (!answer.is_unavailable()).then_some(answer)
        })
    }

    /// The first response to a `GET`, whatever it is.
    pub(crate) fn get_once(&mut self, target: &str, headers: &str) -> Response {
        self.send(&format!(
            "GET {target} HTTP/1.1\r\nHost: test\r\n{headers}\r\n"
        ))
    }

    /// Sends a whole request and reads its response.
    pub(crate) fn send(&mut self, request: &str) -> Response {
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(
                self.stream.read_line(&mut head).unwrap(),
                0,
                "closed after {head:?}"
            );
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut response = Response {
            status,
            head,
            body: String::new(),
        };
        if status != 304 && !request.starts_with("HEAD ") {
            let length = response.header("content-length").parse().unwrap();
            let mut body = vec![0; length];
            self.stream.read_exact(&mut body).unwrap();
            response.body = String::from_utf8(body).unwrap();
        }
        response
    }
}
