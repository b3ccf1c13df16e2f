//! A proxy before S3 that does to requests what a test says.
//!
//! It lets one request through at a time. So the condition of a write is checked and the write done
//! without another between them, which S3 guarantees and the server of these tests does not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::{env, thread};

use parking_lot::Mutex;

use crate::release::s3::S3Settings;

/// What becomes of a request.
pub(super) enum Fate {
    /// It is answered by S3.
    Passed,
    /// S3 does as it says, and its answer is lost.
    Unanswered,
    /// This is sent instead of an answer.
    Answered(&'static str),
    /// S3 answers, and of the body another byte is the last.
    Garbled,
    /// Never answers.
    Held,
}

/// A running proxy; it ends with the test's process.
pub(super) struct Proxy(SocketAddr);

type Decide = Box<dyn Fn(&str) -> Fate + Send + Sync>;

impl Proxy {
    /// A proxy that decides by the first line of each request.
    pub(super) fn start(decide: impl Fn(&str) -> Fate + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let decide: Arc<Decide> = Arc::new(Box::new(decide));
        let turn = Arc::new(Mutex::new(()));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (decide, turn) = (Arc::clone(&decide), Arc::clone(&turn));
                // A client that goes away ends only its own connection.
                thread::spawn(move || _ = client.and_then(|client| serve(client, &decide, &turn)));
            }
        });
        Self(address)
    }

    /// How S3 is reached through it.
    pub(super) fn settings(&self) -> S3Settings {
        let endpoint = ("AWS_ENDPOINT_URL".to_owned(), format!("http://{}", self.0));
        S3Settings::of(env::vars().chain([endpoint]))
    }
}

/// A request as it came, but for what it says of its connection.
pub(super) struct Request {
    pub(super) first: String,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

pub(super) fn read_request(reader: &mut impl BufRead) -> std::io::Result<Request> {
    let (mut first, mut head, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        match &*lower {
            "\r\n" | "" => break,
            _ if lower.starts_with("connection:") => {}
            _ => head.push_str(&line),
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Request { first, head, body })
}

fn serve(client: TcpStream, decide: &Decide, turn: &Mutex<()>) -> std::io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let Request { first, head, body } = read_request(&mut reader)?;
    let fate = decide(&first);
    let forwarded = || {
        let _turn = turn.lock();
        forward(&format!("{first}{head}Connection: close\r\n\r\n"), &body)
    };
    let mut client = client;
    match fate {
        Fate::Passed => client.write_all(&forwarded()?),
        Fate::Unanswered => forwarded().map(|_answer| ()),
        Fate::Answered(answer) => client.write_all(answer.as_bytes()),
        Fate::Garbled => {
            let mut answer = forwarded()?;
            *answer.last_mut().unwrap() ^= 1;
            client.write_all(&answer)
        }
        // Until the client has had enough.
        Fate::Held => reader.read(&mut [0]).map(|_bytes| ()),
    }
}

/// Sends a request to S3, and gives the whole answer.
fn forward(head: &str, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let endpoint = env::var("AWS_ENDPOINT_URL").unwrap();
    let mut server = TcpStream::connect(endpoint.trim_start_matches("http://"))?;
    server.write_all(head.as_bytes())?;
    server.write_all(body)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    Ok(answer)
}
