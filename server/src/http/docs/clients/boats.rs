//! A copy of all boats in boats-copy.ndjson, kept current: run this again and again. BASE is the
//! address of the server, KEY a key. Rust 1.89 or later.

use std::collections::BTreeMap;
use std::env::var;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Body;
use ureq::http::Response;

/// The first line of a file names a release, each other is a boat of it. The second is the next
/// copy, as far as it is made.
const COPY: &str = "boats-copy.ndjson";
const PART: &str = "boats.part";
const BESIDE: &str = "boats.new";
const LOCK: &str = "boats.lock";
/// How many boats are fetched one by one where all can be had at once.
const FEW: usize = 100;
/// How many boats are fetched before they are written.
const BATCH: usize = 10;
/// How often an answer had to be waited for.
static WAITS: AtomicU32 = AtomicU32::new(0);

enum Failure {
    /// Another release is served than the one that was begun with.
    Moved,
    /// Another process holds the lock.
    Busy,
    /// The status of a refusal, and its error.
    Refused(u16, Value),
    Other(Box<dyn std::error::Error>),
}

impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(why: E) -> Self {
        Self::Other(why.into())
    }
}

fn main() -> ExitCode {
    loop {
        match update() {
            Ok(said) => {
                println!("{said}");
                return ExitCode::SUCCESS;
            }
            Err(Failure::Moved) => sleep(Duration::from_millis(u64::from(process::id() % 1000))),
            Err(Failure::Busy) => {
                eprintln!("another copy is under way here");
                return ExitCode::from(75);
            }
            Err(Failure::Refused(_, error)) => {
                eprintln!("{} (request {})", text(&error["message"]), text(&error["requestId"]));
                return ExitCode::from(if error["code"] == "QUOTA_EXCEEDED" { 75 } else { 1 });
            }
            Err(Failure::Other(why)) => {
                eprintln!("{why}");
                return ExitCode::FAILURE;
            }
        }
    }
}

fn update() -> Result<String, Failure> {
    let _held = lock()?;
    let former = if release_of(PART)?.is_some() { PART } else { COPY };
    let since = release_of(former)?;
    if former == COPY
        && let Some(since) = &since
        && *since == served()?
    {
        return Ok(format!("{since}: nothing new"));
    }
    let changes = match &since {
        Some(since) => unless(410, rows(&format!("/v1/changes?since={since}&limit=1000"), None))?,
        None => None,
    };
    let is_part = former == PART || changes.is_none();
    let (mut boats, changed, mut release) = match changes {
        Some((changed, release)) => (boats_of(former)?, changed, Some(release)),
        None => (BTreeMap::new(), Vec::new(), None),
    };
    let mut missing = Vec::new();
    for row in changed.iter().filter(|row| row["kind"] == "boat") {
        boats.remove(&id_of(row));
        if row["change"] != "removed" {
            missing.push(id_of(row));
        }
    }
    if (is_part || FEW < missing.len())
        && let Some(said) = unless(403, download())?
    {
        return Ok(said);
    }
    if is_part {
        let (every, of) = rows("/v1/boats?limit=100", release)?;
        missing = every.iter().map(id_of).filter(|id| !boats.contains_key(id)).collect();
        release = Some(of);
    }
    let release = release.unwrap_or_default();
    start(&release, &boats)?;
    fetch(&missing, &release)?;
    fs::rename(PART, COPY)?;
    let (all, fetched) = (boats.len() + missing.len(), missing.len());
    Ok(format!("{release}: {all} boats, {fetched} fetched"))
}

/// Keeps any other copy out of the folder while this is held. The end of a process frees it.
fn lock() -> Result<File, Failure> {
    let file = File::create(LOCK)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::Busy),
        outcome => Ok(outcome.map(|()| file)?),
    }
}

/// The answer, once no limit of the minute and no pause of the server stands before it.
fn ask(path: &str) -> Result<Response<Body>, Failure> {
    let (base, key) = (var("BASE")?, var("KEY")?);
    loop {
        let request = ureq::get(format!("{base}{path}")).config().http_status_as_error(false).build();
        let mut answer = request.header("Authorization", format!("Bearer {key}")).call()?;
        if answer.status() == 200 {
            return Ok(answer);
        }
        let error = answer.body_mut().read_json::<Value>().unwrap_or_default()["error"].take();
        if error.is_null() {
            let why = format!("{base}{path} is answered with {}, and not by the catalogue", answer.status());
            return Err(Failure::Other(why.into()));
        }
        if error["code"] != "RATE_LIMITED" && error["code"] != "SERVICE_UNAVAILABLE" {
            return Err(Failure::Refused(answer.status().as_u16(), error));
        }
        eprintln!("{}", text(&error["message"]));
        WAITS.fetch_add(1, Relaxed);
        // Others that wait for the same moment should not all come at once.
        let seconds: u64 = header(&answer, "Retry-After").parse()?;
        sleep(Duration::from_millis(1000 * seconds + u64::from(process::id() % 1000)));
    }
}

/// Gives nothing where the server refuses with this status.
fn unless<T>(status: u16, outcome: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match outcome {
        Err(Failure::Refused(refused, _)) if refused == status => Ok(None),
        other => other.map(Some),
    }
}

fn header<'a>(answer: &'a Response<Body>, name: &str) -> &'a str {
    let value = answer.headers().get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn id_of(row: &Value) -> String {
    text(&row["id"]).to_owned()
}

fn served() -> Result<String, Failure> {
    let version: Value = ask("/v1")?.body_mut().read_json()?;
    Ok(text(&version["data"]["catalogue"]["release"]).to_owned())
}

/// Every row of a list, and the release that all of its pages are of.
fn rows(path: &str, mut release: Option<String>) -> Result<(Vec<Value>, String), Failure> {
    let mut found = Vec::new();
    loop {
        let mut answer = ask(&format!("{path}&offset={}", found.len()))?;
        let of = header(&answer, "X-Release").to_owned();
        if release.get_or_insert_with(|| of.clone()) != &of {
            return Err(Failure::Moved);
        }
        let mut page: Value = answer.body_mut().read_json()?;
        found.extend(page["data"].as_array_mut().into_iter().flatten().map(Value::take));
        if page["pagination"]["total"].as_u64() <= Some(found.len() as u64) {
            return Ok((found, of));
        }
    }
}

/// The release of a file, unless it is damaged. Nothing else is read where that is all that is
/// asked for.
fn release_of(file: &str) -> Result<Option<String>, Failure> {
    if !Path::new(file).exists() {
        return Ok(None);
    }
    let mut first = Vec::new();
    io::BufReader::new(File::open(file)?).read_until(b'\n', &mut first)?;
    let first: Value = serde_json::from_slice(&first).unwrap_or_default();
    Ok(first["release"].as_str().map(str::to_owned))
}

/// The boats of a file by id. A last line that does not end was cut short.
fn boats_of(file: &str) -> Result<BTreeMap<String, String>, Failure> {
    let text = String::from_utf8_lossy(&fs::read(file)?).into_owned();
    let lines = text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n'));
    let boat = |line: &str| Ok((id_of(&serde_json::from_str(line)?), line.to_owned()));
    let boats: Result<_, serde_json::Error> = lines.map(boat).collect();
    Ok(boats?)
}

/// Writes the next copy under another name, then puts it in its place: no one ever sees half of it.
fn start(release: &str, boats: &BTreeMap<String, String>) -> io::Result<()> {
    let mut file = io::BufWriter::new(File::create(BESIDE)?);
    writeln!(file, "{}", json!({ "release": release }))?;
    for line in boats.values() {
        file.write_all(line.as_bytes())?;
    }
    file.into_inner()?.sync_all()?;
    fs::rename(BESIDE, PART)
}

/// All boats in one answer, of one release whatever is published meanwhile. The key needs the scope
/// for it.
fn download() -> Result<String, Failure> {
    let answer = ask("/v1/boats.ndjson")?;
    let release = header(&answer, "X-Release").to_owned();
    let mut file = File::create(BESIDE)?;
    writeln!(file, "{}", json!({ "release": release }))?;
    io::copy(&mut answer.into_body().into_reader(), &mut file)?;
    file.sync_all()?;
    fs::rename(BESIDE, COPY)?;
    if Path::new(PART).exists() {
        fs::remove_file(PART)?;
    }
    Ok(format!("{release}: all boats"))
}

/// Adds boats to the next copy. A batch is written once it is sure that the server still has the
/// release.
fn fetch(ids: &[String], release: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new().append(true).open(PART)?;
    let mut batch = Vec::new();
    let mut before = 0;
    for id in ids {
        let answer = unless(404, ask(&format!("/v1/boats/{id}")))?;
        let mut answer = answer.ok_or(Failure::Moved)?;
        if batch.is_empty() {
            before = WAITS.load(Relaxed);
        }
        let boat: Value = answer.body_mut().read_json()?;
        batch.push(format!("{}\n", boat["data"]));
        // A limit may keep the next boat away for long.
        let ends = ["X-RateLimit-Remaining", "X-Quota-Remaining"].map(|left| header(&answer, left) == "0");
        if ends.contains(&true) || batch.len() == BATCH || Some(id) == ids.last() {
            // While a batch waits, another release may come and go. Some servers follow a second
            // later.
            for seconds in [0, 1] {
                sleep(Duration::from_secs(seconds));
                if served()? != release || WAITS.load(Relaxed) != before {
                    return Err(Failure::Moved);
                }
            }
            file.write_all(batch.concat().as_bytes())?;
            file.sync_all()?;
            batch.clear();
        }
    }
    Ok(())
}
