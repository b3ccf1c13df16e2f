//! A small store in memory that speaks S3, but for what a test says that it lacks.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use parking_lot::Mutex;

use super::proxy::{Request, read_request};
use crate::release::s3::S3Settings;

/// What a store lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    Nothing,
    /// It ignores If-None-Match.
    CreateCondition,
    /// It ignores If-Match.
    ReplaceCondition,
    /// It knows no conditions, and says so.
    Conditions,
    /// Every condition fails.
    HeldConditions,
    /// It does not replace on a condition, and nothing may be read any more.
    ReadPermission,
    /// It names no state of what is read.
    ETags,
    /// It reads what was written first.
    FreshReads,
    /// The keys may read only.
    WritePermission,
}

/// Contents of an object, and the number of the write that made it.
type Object = (Vec<u8>, u64);

#[derive(Default)]
struct Objects {
    there: BTreeMap<String, Object>,
    /// As they were first.
    first: BTreeMap<String, Object>,
    writes: u64,
    has_refused: bool,
}

/// A store that runs; it ends with the test's process.
pub(super) struct OtherStore {
    endpoint: String,
    objects: Arc<Mutex<Objects>>,
}

impl OtherStore {
    pub(super) fn start(lack: Lack) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let objects = Arc::<Mutex<Objects>>::default();
        let shared = Arc::clone(&objects);
        thread::spawn(move || {
            for client in listener.incoming() {
                // A client that goes away ends only its own connection.
                _ = client.and_then(|client| serve(client, &mut shared.lock(), lack));
            }
        });
        Self { endpoint, objects }
    }

    /// How it is reached.
    pub(super) fn settings(&self) -> S3Settings {
        let variables = [
            ("AWS_ENDPOINT_URL", &*self.endpoint),
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "nowhere"),
        ];
        S3Settings::of(variables.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    /// The names of what is there.
    pub(super) fn names(&self) -> Vec<String> {
        self.objects.lock().there.keys().cloned().collect()
    }
}

fn serve(mut client: TcpStream, objects: &mut Objects, lack: Lack) -> std::io::Result<()> {
    let request = read_request(&mut BufReader::new(client.try_clone()?))?;
    let (status, etag, body) = objects.answer(&request, lack);
    let etag = etag.map(|etag| format!("etag: \"{etag}\"\r\n"));
    let (etag, length) = (etag.unwrap_or_default(), body.len());
    let head =
        format!("HTTP/1.1 {status}\r\n{etag}content-length: {length}\r\nconnection: close\r\n\r\n");
    client.write_all(&[head.as_bytes(), &body].concat())
}

type Answer = (&'static str, Option<u64>, Vec<u8>);

const NOT_FOUND: &str = "404 Not Found";
const FAILED: &str = "412 Precondition Failed";

impl Objects {
    fn answer(&mut self, request: &Request, lack: Lack) -> Answer {
        let mut words = request.first.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let key = target.trim_start_matches("/bucket").trim_start_matches('/');
        match method {
            "GET" if lack == Lack::ReadPermission && self.has_refused => {
                ("403 Forbidden", None, Vec::new())
            }
            "GET" => self.get(key, lack),
            "PUT" if lack == Lack::WritePermission => ("403 Forbidden", None, Vec::new()),
            "PUT" => match refusal(&request.head, self.there.get(key), lack) {
                Some(status) => {
                    let head = request.head.to_ascii_lowercase();
                    self.has_refused |= head.contains("\nif-match: ");
                    (status, None, Vec::new())
                }
                None => self.put(key, &request.body),
            },
            "DELETE" => {
                self.there.remove(key);
                ("204 No Content", None, Vec::new())
            }
            _ => panic!("{}", request.first),
        }
    }

    fn get(&self, key: &str, lack: Lack) -> Answer {
        let objects = match lack {
            Lack::FreshReads => &self.first,
            _ => &self.there,
        };
        match objects.get(key) {
            Some((bytes, write)) => {
                let etag = Some(*write).filter(|_etag| lack != Lack::ETags);
                ("200 OK", etag, bytes.clone())
            }
            None => (NOT_FOUND, None, Vec::new()),
        }
    }

    fn put(&mut self, key: &str, bytes: &[u8]) -> Answer {
        self.writes += 1;
        let object = (bytes.to_vec(), self.writes);
        self.there.insert(key.to_owned(), object.clone());
        self.first.entry(key.to_owned()).or_insert(object);
        ("200 OK", Some(self.writes), Vec::new())
    }
}

/// Why a write is not done.
fn refusal(head: &str, there: Option<&Object>, lack: Lack) -> Option<&'static str> {
    let head = head.to_ascii_lowercase();
    let value = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
    let (new, same) = (value("if-none-match: "), value("if-match: "));
    let is_same = |etag: &str| there.is_some_and(|(_, write)| etag == format!("\"{write}\""));
    let is_refused = match lack {
        _ if new.is_none() && same.is_none() => false,
        Lack::Conditions => return Some("501 Not Implemented"),
        Lack::HeldConditions => true,
        Lack::ReadPermission if same.is_some() => true,
        Lack::CreateCondition if new.is_some() => false,
        Lack::ReplaceCondition if same.is_some() => false,
        _ => new.is_some() && there.is_some() || same.is_some_and(|etag| !is_same(etag)),
    };
    is_refused.then_some(FAILED)
}
