//! A copy of all boats in boats.json, kept current: run this again and again. BASE is the address
//! of the server, KEY a key.

use std::collections::{BTreeMap, HashSet};
use std::env::var;
use std::error::Error as _;
use std::fs;
use std::io::ErrorKind;
use std::process::ExitCode;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};

progenitor::generate_api!(spec = "openapi.json", interface = Builder);

use types::{Boat, ErrorEnvelope};

const FILE: &str = "boats.json";
/// How many requests in a row may be refused by a limit of the minute or a pause of the server.
const ATTEMPTS: u32 = 10;

/// Boats by id, and the release that all of them are of; none while they are not.
#[derive(Default, Deserialize, Serialize)]
struct Copy {
    release: Option<String>,
    boats: BTreeMap<String, Kept>,
}

/// A boat, with the tag of its answer.
#[derive(Deserialize, Serialize)]
struct Kept {
    etag: String,
    boat: Boat,
}

enum Failure {
    /// The quota of the month is used up; when it renews.
    Quota(chrono::DateTime<chrono::Utc>),
    Other(String),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut copy = stored();
    let outcome = synchronise(&mut copy).await;
    store(&copy);
    match outcome {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(Failure::Quota(renews)) => {
            eprintln!("the quota of the month is used up; it renews at {renews}");
            ExitCode::from(75)
        }
        Err(Failure::Other(why)) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

async fn synchronise(copy: &mut Copy) -> Result<String, Failure> {
    let client = client();
    let version = patiently(|| client.describe_version().send()).await?;
    let release = version.map(|version| version.into_inner().data.catalogue.release);
    if release == copy.release {
        return Ok(format!("nothing new: {} boats", copy.boats.len()));
    }
    copy.release = None;
    let ids = published(&client).await?;
    let before = copy.boats.len();
    let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
    copy.boats.retain(|id, _| known.contains(id.as_str()));
    let dropped = before - copy.boats.len();
    let fetched = update(&client, &mut copy.boats, &ids).await?;
    copy.release = release;
    let unchanged = ids.len() - fetched;
    Ok(format!("{} boats: {fetched} fetched, {unchanged} unchanged, {dropped} dropped", ids.len()))
}

fn client() -> Client {
    let key = format!("Bearer {}", var("KEY").expect("KEY is a key"));
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::try_from(key).expect("a key is letters and digits"));
    let http = reqwest::Client::builder().default_headers(headers).build();
    Client::new_with_client(&var("BASE").expect("BASE is an address"), http.expect("a client"))
}

/// The ids of all boats that are published.
async fn published(client: &Client) -> Result<Vec<String>, Failure> {
    let (mut ids, mut total) = (Vec::new(), 1);
    while (ids.len() as i64) < total {
        let offset = ids.len() as i64;
        let page = patiently(|| client.list_boats().limit(100).offset(offset).send()).await?;
        let Some(page) = page.map(ResponseValue::into_inner).filter(|page| !page.data.is_empty()) else {
            break;
        };
        total = page.pagination.total;
        ids.extend(page.data.into_iter().map(|row| row.id.to_string()));
    }
    Ok(ids)
}

/// Asks for every boat with the tag that is kept of it; how many were fetched.
async fn update(
    client: &Client,
    boats: &mut BTreeMap<String, Kept>,
    ids: &[String],
) -> Result<usize, Failure> {
    let mut fetched = 0;
    for id in ids {
        let tag = boats.get(id).map(|kept| kept.etag.clone());
        let request = || {
            let request = client.get_boat().id_or_slug(id.as_str());
            match &tag {
                Some(tag) => request.if_none_match(tag).send(),
                None => request.send(),
            }
        };
        // Without an answer it is the one that is kept, or was withdrawn since the list was read.
        let Some(answer) = patiently(request).await? else {
            continue;
        };
        let etag = answer.headers()["etag"].to_str().expect("a tag is text").to_owned();
        boats.insert(id.clone(), Kept { etag, boat: answer.into_inner().data });
        fetched += 1;
    }
    Ok(fetched)
}

/// Sends a request, and again after each pause that the server asks for. None: a 304 or a 404.
async fn patiently<T, F>(mut send: impl FnMut() -> F) -> Result<Option<ResponseValue<T>>, Failure>
where
    F: Future<Output = Result<ResponseValue<T>, Error<ErrorEnvelope>>>,
{
    for attempt in 1.. {
        let refusal = match send().await {
            Ok(answer) => return Ok(Some(answer)),
            Err(Error::UnexpectedResponse(answer)) if answer.status() == 304 => return Ok(None),
            Err(Error::ErrorResponse(refusal)) if refusal.status() == 404 => return Ok(None),
            Err(Error::ErrorResponse(refusal)) => refusal,
            Err(why) => return Err(Failure::Other(format!("{why}: {:?}", why.source()))),
        };
        let seconds = |name: &str| {
            let value = refusal.headers().get(name).and_then(|value| value.to_str().ok());
            value.and_then(|value| value.parse::<u32>().ok()).unwrap_or(1)
        };
        let error = &refusal.error;
        match error.code.as_str() {
            "QUOTA_EXCEEDED" => {
                let renews = chrono::DateTime::from_timestamp(seconds("x-quota-reset").into(), 0);
                return Err(Failure::Quota(renews.unwrap_or_default()));
            }
            "RATE_LIMITED" | "SERVICE_UNAVAILABLE" if attempt < ATTEMPTS => {
                tokio::time::sleep(Duration::from_secs(seconds("retry-after").into())).await;
            }
            code => return Err(Failure::Other(format!("{code}: {}", error.message))),
        }
    }
    unreachable!("the last attempt ends it")
}

fn stored() -> Copy {
    match fs::read(FILE) {
        Ok(bytes) => serde_json::from_slice(&bytes).expect("boats.json is a copy"),
        Err(why) if why.kind() == ErrorKind::NotFound => Copy::default(),
        Err(why) => panic!("{FILE} cannot be read: {why}"),
    }
}

/// Writes a file beside the copy, then puts it in its place: no one ever sees half of it.
fn store(copy: &Copy) {
    let bytes = serde_json::to_vec(copy).expect("a copy is JSON");
    let written = fs::write("boats.json.new", bytes);
    written.and_then(|()| fs::rename("boats.json.new", FILE)).expect("boats.json can be written");
}
