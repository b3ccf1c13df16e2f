//! The built binary as a process, and requests to it over real sockets.
//!
//! What only a process shows is tested here: sockets, signals, several processes on one data
//! directory. Nothing sleeps; whoever waits for an effect asks again until it is there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_catalogue");

/// How often an effect is asked for before it counts as missing. At thousands of requests a second
/// this is far longer than any effect takes.
const ATTEMPTS_MAX: usize = 200_000;

fn command(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command
        .arg("--data")
        .arg(data)
        .args(args)
        .stdin(Stdio::null());
    command
}

/// Runs a command that must succeed, and gives its standard output.
pub(crate) fn catalogue(data: &Path, args: &[&str]) -> String {
    let output = command(data, args).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "catalogue {args:?}: {}: {errors}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must succeed with `--json`, and gives the document.
pub(crate) fn catalogue_json(data: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&catalogue(data, &[args, &["--json"]].concat())).unwrap()
}

/// Runs a command that must fail, and gives its standard error.
pub(crate) fn catalogue_error(data: &Path, args: &[&str]) -> String {
    let output = command(data, args).output().unwrap();
    assert!(!output.status.success(), "catalogue {args:?} succeeded");
    String::from_utf8(output.stderr).unwrap()
}

/// Imports the sample export and makes a subscription called `tests`.
pub(crate) fn import_sample(data: &Path) {
    catalogue(
        data,
        &[
            "import",
            concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/sample"),
        ],
    );
    catalogue(data, &["subscriptions", "create", "tests"]);
}

/// Issues a key of the subscription `tests` for both scopes, with a minute limit no test reaches.
pub(crate) fn issue_key(data: &Path) -> String {
    issue_key_with(
        data,
        &[
            "--rate-limit",
            "1000000",
            "--scope",
            "boats.read,manufacturers.read",
        ],
    )
}

/// Issues a key of the subscription `tests`.
pub(crate) fn issue_key_with(data: &Path, args: &[&str]) -> String {
    let issue = ["keys", "issue", "--subscription", "tests"];
    let issued = catalogue_json(data, &[&issue, args].concat());
    issued["key"].as_str().unwrap().to_owned()
}

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts `catalogue serve` on a free port and waits until it says where it listens.
    pub(crate) fn start(data: &Path) -> Self {
        Self::start_with(
            data,
            &["serve", "--listen", "127.0.0.1:0", "--log", "error"],
        )
    }

    /// Starts a command that serves.
    pub(crate) fn start_with(data: &Path, args: &[&str]) -> Self {
        let mut child = command(data, args).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while output.read_line(&mut line).unwrap() != 0 {
            if let Some(address) = line.trim_end().strip_prefix("listening on http://") {
                return Self {
                    address: address.parse().unwrap(),
                    child,
                };
            }
            line.clear();
        }
        panic!("the server ended before it listened: {:?}", child.wait());
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &pid])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait().unwrap()
    }

    /// A `GET` with a key.
    pub(crate) fn get(&self, target: &str, key: &str) -> Response {
        self.get_with(target, &format!("Authorization: Bearer {key}\r\n"))
    }

    /// A `GET` with these header lines.
    pub(crate) fn get_with(&self, target: &str, headers: &str) -> Response {
        Client::connect(self.address).get_with(target, headers)
    }

    /// Asks until the answer has this status; every answer before must have `meanwhile`.
    pub(crate) fn wait_for(
        &self,
        target: &str,
        key: &str,
        status: u16,
        meanwhile: u16,
    ) -> Response {
        let mut client = Client::connect(self.address);
        for _ in 0..ATTEMPTS_MAX {
            let response = client.get_with(target, &format!("Authorization: Bearer {key}\r\n"));
            if response.status == status {
                return response;
            }
            assert_eq!(response.status, meanwhile, "{}", response.body);
        }
        panic!("{target} never answered {status}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that was stopped already cannot be killed, and need not be.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// An answer as it came over the socket.
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
        Self {
            stream: BufReader::new(TcpStream::connect(address).unwrap()),
        }
    }

    pub(crate) fn get_with(&mut self, target: &str, headers: &str) -> Response {
        self.send(&format!(
            "GET {target} HTTP/1.1\r\nHost: test\r\n{headers}\r\n"
        ))
    }

    /// Sends a whole request and reads the answer to it.
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
