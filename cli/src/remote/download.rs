//! Downloading an address into a spool: resumes a broken response, starts over if the contents
//! changed, and gives up after fruitless attempts.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use import::spool::Spool;
use shared::base::clock::Clock;
use shared::base::hash::Hashed;
use tokio::runtime::Runtime;

use super::endpoint::Endpoint;
use super::failure::{Failure, Reason};
use super::response::{Response, is_kept};
use crate::terminal::progress::Progress;

/// Longest time for an address, all attempts together.
pub(super) const WHOLE_MAX: Duration = Duration::from_hours(12);
/// Most fruitless attempts in a row.
const ATTEMPTS_MAX: u32 = 4;
/// Most attempts in all, for a connection that breaks again and again.
const ALL_ATTEMPTS_MAX: u32 = 100;
/// The pause after the first attempt; it doubles with each fruitless one.
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes at the beginning in which to look for a web page.
const HEAD_BYTES: usize = 256;

/// What fetching needs besides the address.
pub struct Fetching<'a> {
    /// Most bytes of each address.
    pub bytes_max: u64,
    /// The directory of spools.
    pub temp_dir: &'a Path,
    /// Shows the progress.
    pub progress: &'a Progress,
    /// Source of time.
    pub clock: &'a dyn Clock,
    /// Lets time pass between two attempts.
    pub pause: &'a mut dyn FnMut(Duration),
}

/// A download under way.
pub(super) struct Download {
    file: Spool,
    temp_dir: PathBuf,
    hashed: Hashed<io::Sink>,
    bytes_max: u64,
    /// Bytes received.
    here: u64,
    /// The furthest offset ever reached, across restarts.
    furthest: u64,
    /// Total bytes, if known.
    total: Option<u64>,
    etag: Option<String>,
    head: Vec<u8>,
}

impl Download {
    pub(super) fn new(temp_dir: &Path, bytes_max: u64) -> Self {
        Self {
            file: Spool::new(temp_dir),
            temp_dir: temp_dir.to_owned(),
            hashed: Hashed::new(io::sink()),
            bytes_max,
            here: 0,
            furthest: 0,
            total: None,
            etag: None,
            head: Vec::new(),
        }
    }

    /// The whole file, its SHA-256 and its ETag.
    pub(super) fn finish(mut self) -> Result<(Spool, String, Option<String>), Reason> {
        let (_sink, _bytes, sha256) = self.hashed.finish();
        self.file.finish().map_err(Reason::NotKept)?;
        Ok((self.file, sha256, self.etag))
    }

    /// Fetches all of it.
    pub(super) fn run(
        &mut self,
        endpoint: &Endpoint,
        runtime: &Runtime,
        fetching: &mut Fetching<'_>,
    ) -> Result<(), Reason> {
        let end = fetching.clock.monotonic() + WHOLE_MAX;
        let (mut fruitless, mut all) = (0, 0);
        loop {
            let before = self.furthest;
            let done = runtime.block_on(self.attempt(endpoint, fetching, end));
            let why = match done {
                Ok(()) => return Ok(()),
                Err(Failure::Final(reason)) => return Err(reason),
                Err(Failure::Lost(why)) => why,
                Err(Failure::Changed) => {
                    self.begin_again();
                    "what is there was changed meanwhile".to_owned()
                }
            };
            all += 1;
            fruitless = if before < self.furthest {
                1
            } else {
                fruitless + 1
            };
            if ATTEMPTS_MAX <= fruitless || ALL_ATTEMPTS_MAX <= all {
                return Err(self.given_up(fruitless, why));
            }
            (fetching.pause)(PAUSE * (1 << (fruitless - 1)));
        }
    }

    fn given_up(&self, attempts: u32, why: String) -> Reason {
        match self.total {
            Some(total) if self.here != 0 => Reason::Cut {
                here: self.here,
                total,
                attempts,
                why,
            },
            _ => Reason::Lost { attempts, why },
        }
    }

    async fn attempt(
        &mut self,
        endpoint: &Endpoint,
        fetching: &Fetching<'_>,
        end: Duration,
    ) -> Result<(), Failure> {
        // Only a strong ETag proves that the rest belongs to what was received.
        let is_strong = |etag: &&String| !etag.starts_with("W/");
        let state = self.etag.clone();
        let state = state.as_ref().filter(is_strong);
        let start = if state.is_some() { self.here } else { 0 };
        let mut response = endpoint.open(start, state.map(String::as_str)).await?;
        self.accept(&response)?;
        fetching.progress.downloading(self.total, self.here);
        while let Some(bytes) = response.next().await? {
            self.take(&bytes)?;
            fetching.progress.advance(bytes.len() as u64);
            if end < fetching.clock.monotonic() {
                let hours = WHOLE_MAX.as_secs() / 3600;
                return Err(Failure::Final(Reason::TooSlow(hours)));
            }
        }
        match self.total {
            Some(total) if total != self.here => {
                Err(Failure::Lost("the response ended early".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Checks the headers of a response, and starts over if it is not the rest of the file.
    fn accept(&mut self, response: &Response) -> Result<(), Failure> {
        if response.is_web_page {
            return Err(Failure::Final(Reason::WebPage));
        }
        let is_rest = response.start != 0 && response.start == self.here;
        if is_rest {
            let is_other = response.etag.is_some() && response.etag != self.etag;
            if is_other {
                return Err(Failure::Changed);
            }
            if let (Some(first), Some(then)) = (self.total, response.total)
                && first != then
            {
                return Err(Failure::Final(Reason::OtherLength { first, then }));
            }
        } else if response.start == 0 {
            self.begin_again();
            self.etag = response.etag.clone().filter(|etag| is_kept(etag));
            self.total = response.total;
        } else {
            return Err(Failure::Changed);
        }
        match self.total {
            Some(bytes) if self.bytes_max < bytes => Err(self.too_large(Some(bytes))),
            _ => Ok(()),
        }
    }

    fn too_large(&self, bytes: Option<u64>) -> Failure {
        let bytes_max = self.bytes_max;
        Failure::Final(Reason::TooLarge { bytes, bytes_max })
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let here = self.here + bytes.len() as u64;
        if self.bytes_max < here {
            return Err(self.too_large(None));
        }
        if self.head.len() < HEAD_BYTES {
            let missing = HEAD_BYTES - self.head.len();
            self.head.extend(&bytes[..bytes.len().min(missing)]);
            if is_web_page(&self.head) {
                return Err(Failure::Final(Reason::WebPage));
            }
        }
        let kept = self.file.append(bytes);
        kept.map_err(|error| Failure::Final(Reason::NotKept(error)))?;
        // Nothing is written here, so it cannot fail.
        _ = self.hashed.write_all(bytes);
        self.here = here;
        self.furthest = self.furthest.max(here);
        Ok(())
    }

    /// Discards what was received.
    fn begin_again(&mut self) {
        self.file = Spool::new(&self.temp_dir);
        self.hashed = Hashed::new(io::sink());
        self.here = 0;
        self.head.clear();
        self.etag = None;
        self.total = None;
    }
}

/// Whether contents begin like a web page.
fn is_web_page(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = head.trim_ascii_start().to_ascii_lowercase();
    [&b"<!doctype html"[..], b"<html"]
        .iter()
        .any(|start| head.starts_with(start))
}
