//! A server of the sample export, for tests that send requests over real sockets.

use std::fs;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::process::{Server, import_sample, issue_key};

/// A response with a list; its rows are the exact texts received.
#[derive(Deserialize)]
struct List<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
    pagination: Value,
}

impl<'a> List<'a> {
    fn parse(body: &'a str) -> Self {
        serde_json::from_str(body).unwrap()
    }

    fn total(&self) -> usize {
        usize::try_from(self.pagination["total"].as_u64().unwrap()).unwrap()
    }
}

/// A server of the sample export, and a key for everything.
pub(crate) struct Sample {
    pub(crate) data: tempfile::TempDir,
    pub(crate) server: Server,
    pub(crate) key: String,
}

impl Sample {
    pub(crate) fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        import_sample(data.path());
        let key = issue_key(data.path());
        let server = Server::start(data.path());
        Self { data, server, key }
    }

    /// All rows of a list, page by page.
    pub(crate) fn walk(&self, list: &str, limit: usize) -> Vec<String> {
        let (mut rows, mut client) = (Vec::new(), Client::connect(self.server.address));
        loop {
            let offset = rows.len();
            let joint = if list.contains('?') { '&' } else { '?' };
            let target = format!("{list}{joint}limit={limit}&offset={offset}");
            let key = format!("Authorization: Bearer {}\r\n", self.key);
            let response = client.get_with(&target, &key);
            assert_eq!(response.status, 200, "{target}: {}", response.body);
            let page = List::parse(&response.body);
            rows.extend(page.data.iter().map(|row| row.get().to_owned()));
            if page.data.is_empty() || rows.len() == page.total() {
                assert_eq!(rows.len(), page.total(), "{target}");
                return rows;
            }
        }
    }
}

/// The prefix of a key, by which commands know it.
pub(crate) fn prefix(key: &str) -> &str {
    &key[.."boat_live_000000".len()]
}

/// The boats and manufacturers of the sample, and whether each is published.
pub(crate) fn records() -> Vec<(Value, bool)> {
    let files = ["boats.ndjson", "makers.ndjson"];
    let path = |file| format!("{}/../fixtures/sample/{file}", env!("CARGO_MANIFEST_DIR"));
    let texts = files.map(|file| fs::read_to_string(path(file)).unwrap());
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|record| record["kind"] == "boat" || record["kind"] == "manufacturer")
        .map(|record| {
            let is_published = record["published"] != false;
            (record, is_published)
        })
        .collect()
}
